package mmapjfr_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// recordings returns the recordings of the repository.
func recordings(t testing.TB) []string { return longtest.Recordings(t) }

// TestAgreesWithJDK compares every event, every field and every type of every
// recording with what the JDK said of it.
func TestAgreesWithJDK(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			answers, err := oracle.Load(file)
			require.NoError(t, err)
			compare(t, file, answers.Truth())
		})
	}
}

// compare checks a recording against what the JDK says of it. Where the JDK
// refused to read a chunk, nothing is known of that chunk.
func compare(t *testing.T, file string, truth *oracle.Account) {
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	defer rec.Close()

	refused := make(map[int]bool)
	for i, c := range truth.Chunks {
		refused[i] = c.PrintRefused != ""
	}
	require.Len(t, rec.Chunks(), len(truth.Chunks))
	events, classes := oracle.Multiset{}, oracle.Classes{}
	var buf []byte
	for _, c := range rec.Chunks() {
		types, err := c.Types()
		require.NoError(t, err)
		if refused[c.Number()] {
			continue
		}
		for _, typ := range types {
			buf = appendType(buf[:0], typ)
			classes.Add(typ.Name(), buf)
		}
	}
	for ev, err := range rec.Events() {
		if errors.Is(err, mmapjfr.ErrUnfinished) {
			continue
		}
		require.NoError(t, err)
		if refused[ev.Chunk().Number()] {
			continue
		}
		_, zone, err := ev.Chunk().Region()
		require.NoError(t, err)
		buf = appendEvent(buf[:0], ev, zone)
		events.Add(ev.Type().Name(), buf)
	}
	assert.Empty(t, truth.Events.Diff(events), "events")
	assert.Empty(t, truth.DiffClasses(classes), "classes")
	if t.Failed() {
		showEvents(t, rec, file, truth.Events, events)
	}
}

// showEvents shows the first events that differ, if a JDK is there to ask.
func showEvents(t *testing.T, rec *mmapjfr.Recording, file string, want, got oracle.Multiset) {
	home, ok := jdk.Judge()
	if !ok {
		return
	}
	for name := range want {
		if want[name] == got[name] {
			continue
		}
		theirs, err := oracle.Texts(context.Background(), home, file, name)
		if err != nil && len(theirs) == 0 {
			t.Log(name, err)
			continue
		}
		ours := map[string]int{}
		for ev := range rec.Select(mmapjfr.Types(name)).Events() {
			if !ev.IsZero() && ev.Type().Name() == name {
				_, zone, _ := ev.Chunk().Region()
				ours[string(appendEvent(nil, ev, zone))]++
			}
		}
		t.Log(name, oracle.DiffTexts(theirs, ours, 2))
		return
	}
}
