package main

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseLoop(t *testing.T) {
	loop, events, err := parseLoop("OpenJDK 64-Bit Server VM warning: something\n" + `{"events":12,"values":30,"nanos":4567}` + "\r\n")
	require.NoError(t, err)
	require.Equal(t, 4567*time.Nanosecond, loop)
	require.Equal(t, uint64(12), events)

	_, events, err = parseLoop(`{"work":"type","type":"a.B","events":0,"nanos":1}`)
	require.NoError(t, err)
	require.Zero(t, events)
}

func TestParseLoopRejects(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":         "",
		"no JSON":         "12 events",
		"no events":       `{"nanos":1}`,
		"no time":         `{"events":1}`,
		"zero time":       `{"events":1,"nanos":0}`,
		"negative events": `{"events":-1,"nanos":1}`,
		"line before":     `{"events":1,"nanos":1}` + "\nand so on",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseLoop(text)
			require.ErrorContains(t, err, "its last line should tell events and nanos")
		})
	}
}

func TestTimedTellsWhyAProcessFailed(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	_, err = timed(exec.Command(sh, "-c", "echo first >&2; echo second >&2; exit 3"))
	require.EqualError(t, err, "sh: exit status 3: first")
	_, err = timed(exec.Command(sh, "-c", "exit 3"))
	require.EqualError(t, err, "sh: exit status 3")
	_, err = timedLoop(exec.Command(sh, "-c", "echo what"))
	require.ErrorContains(t, err, `sh: its last line should tell events and nanos, and is "what"`)
	l, err := timedLoop(exec.Command(sh, "-c", `echo '{"events":3,"nanos":5}'`))
	require.NoError(t, err)
	require.Equal(t, uint64(3), l.events)
	require.Equal(t, 5*time.Nanosecond, l.loop)
	require.Positive(t, l.process)
}
