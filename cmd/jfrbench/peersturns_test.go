package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurnsTakeOneLine(t *testing.T) {
	var out bytes.Buffer
	show := &turns{out: &out}
	show.say("read: run %d of %d, %s", 2, 3, strings.Repeat("ü", 100))
	show.say("short")
	require.Contains(t, out.String(), "\rread: run 2 of 3, üü")
	show.clear()
	require.NotContains(t, out.String(), "\n")
	parts := strings.Split(out.String(), "\r")
	for _, part := range parts[1 : len(parts)-1] {
		require.Len(t, []rune(part), turnsWidth, "covers the one before")
	}
	require.Empty(t, strings.TrimSpace(parts[3]))
	require.Empty(t, parts[len(parts)-1])
}

func TestTurnsOfNoTerminal(t *testing.T) {
	show := newTurns(new(bytes.Buffer))
	require.Nil(t, show)
	show.say("nothing")
	show.clear()
}
