package mmapjfr_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// openBytes opens a recording for the length of a test.
var openBytes = opentest.Bytes

// openFile opens a recording of the repository for the length of a test.
var openFile = opentest.File

// openBuilt opens chunks one after the other.
func openBuilt(t testing.TB, chunks ...*jfrtest.Builder) (*mmapjfr.Recording, []*jfrtest.Layout) {
	t.Helper()
	data, layouts := jfrtest.Concat(chunks...)
	return openBytes(t, data), layouts
}

// forms runs a test with compressed and with big-endian integers.
func forms(t *testing.T, build func() *jfrtest.Builder, do func(t *testing.T, b *jfrtest.Builder)) {
	t.Helper()
	t.Run("compressed", func(t *testing.T) { do(t, build()) })
	t.Run("big-endian", func(t *testing.T) { do(t, build().Uncompressed()) })
}

// walk reads all events and does not stop at errors. A walk without an
// end fails the test.
func walk(t testing.TB, sel *mmapjfr.Selection) (events []mmapjfr.Event, errs []error) {
	t.Helper()
	for ev, err := range sel.Events() {
		if err != nil {
			require.True(t, ev.IsZero(), "an event together with an error")
			errs = append(errs, err)
			require.Less(t, len(errs), 1000, "errors without end")
			continue
		}
		events = append(events, ev)
	}
	return events, errs
}

// all returns the events of a recording that has no faults.
func all(t testing.TB, rec *mmapjfr.Recording) []mmapjfr.Event {
	t.Helper()
	events, errs := walk(t, rec.Select())
	require.Empty(t, errs)
	return events
}

// first returns the first event of a recording.
func first(t testing.TB, rec *mmapjfr.Recording) mmapjfr.Event {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		return ev.Detached()
	}
	require.Fail(t, "no event")
	return mmapjfr.Event{}
}

func offsetsOf(events []mmapjfr.Event) []uint64 {
	list := make([]uint64, len(events))
	for i, ev := range events {
		list[i] = ev.Offset()
	}
	return list
}

// corpus runs a test with each recording of the repository, and with those of
// other producers where they are at hand.
func corpus(t *testing.T, do func(t *testing.T, name string, data []byte)) {
	t.Helper()
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			do(t, filepath.Base(file), data)
		})
	}
	for _, file := range longtest.Others(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".gz")
		t.Run("others/"+name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			do(t, name, gunzip(t, data))
		})
	}
}

// gunzip unpacks as often as it takes.
func gunzip(t testing.TB, data []byte) []byte {
	t.Helper()
	for bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		data, err = io.ReadAll(r)
		require.NoError(t, err)
	}
	return data
}

// isOld reports whether a recording is of a version that is not read.
func isOld(name string) bool { return name == "7u40.jfr" || name == "8u40.jfr" }

func profile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	return data
}
