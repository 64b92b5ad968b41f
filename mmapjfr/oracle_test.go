package mmapjfr_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// recordings returns the recordings of the repository.
func recordings(t testing.TB) []string { return longtest.Recordings(t) }

// TestAgreesWithJDK compares every type of every recording with what the JDK said of it, and
// every field of every event as package print writes it.
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
	rec := opentest.File(t, file)

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
	eachPrinted(t, rec, func(ev mmapjfr.Event) bool { return !refused[ev.Chunk().Number()] }, func(ev oracle.EventText) {
		events.Add(ev.Type, ev.Text)
	})
	assert.Empty(t, truth.Events.Diff(events), "events")
	assert.Empty(t, truth.DiffClasses(classes), "classes")
	if t.Failed() {
		showEvents(t, rec, file, truth.Events, events)
	}
}

// eachPrinted calls do with events as the JDK prints them.
func eachPrinted(t *testing.T, rec *mmapjfr.Recording, where func(mmapjfr.Event) bool, do func(oracle.EventText)) {
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		o := print.Options{Format: print.JSON, StackDepth: 9999, Where: where, OnError: func(_ *mmapjfr.Recording, err error) {
			if !errors.Is(err, mmapjfr.ErrUnfinished) {
				w.CloseWithError(err)
			}
		}}
		w.CloseWithError(print.Write(context.Background(), w, []*mmapjfr.Recording{rec}, o))
	}()
	for ev, err := range oracle.SplitEvents(r) {
		require.NoError(t, err)
		do(ev)
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
		eachPrinted(t, rec, func(ev mmapjfr.Event) bool { return ev.Type().Name() == name }, func(ev oracle.EventText) { ours[string(ev.Text)]++ })
		t.Log(name, oracle.DiffTexts(theirs, ours, 2))
		return
	}
}
