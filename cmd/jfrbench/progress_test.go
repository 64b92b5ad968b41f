package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProgressShowsNothingForShortFiles(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	for _, name := range stageNames {
		p.stage(name, 100)
		p.at(50)
		p.at(100)
	}
	p.clear()
	assert.Empty(t, out.String())
}

func TestProgressOfLongFiles(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	p.out = &out // as if the second had passed
	p.stage("layout", 4_000_000_000)
	p.at(1_000_000_000)
	time.Sleep(120 * time.Millisecond)
	p.at(2_000_000_000)
	shown := out.String()
	assert.Contains(t, shown, "5/6 layout")
	assert.Contains(t, shown, " 50% ")
	assert.Regexp(t, `\(\d+ .B/s\) \[`, shown)
	for line := range strings.SplitSeq(shown, "\r") {
		assert.LessOrEqual(t, len([]rune(line)), 80, "fits a terminal")
	}
	p.at(5_000_000_000) // the file grew
	p.clear()
	p.clear()
	tail := out.String()
	assert.Equal(t, "\r", tail[len(tail)-1:])
	assert.Empty(t, strings.TrimSpace(tail[strings.LastIndexByte(strings.TrimSuffix(tail, "\r"), '\r'):]))
}

func TestProgressOfNoTerminal(t *testing.T) {
	var p *progress
	p.stage("walk", 1)
	p.at(1)
	p.clear()
}

func TestLateWriter(t *testing.T) {
	var out bytes.Buffer
	l := &late{w: &out, from: time.Now().Add(time.Hour)}
	n, err := l.Write([]byte("early"))
	assert.Equal(t, 5, n)
	assert.NoError(t, err)
	l.from = time.Now().Add(-time.Second)
	_, err = l.Write([]byte("late"))
	assert.NoError(t, err)
	assert.Equal(t, "late", out.String())
}
