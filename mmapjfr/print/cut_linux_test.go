package print_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

var text = mmapjfr.Path("text")

// cuttable maps a recording with events of these texts. A text that is to go must be
// longer than a page, and stand last: cut leaves the rest.
func cuttable(t *testing.T, texts ...string) (rec *mmapjfr.Recording, cut func()) {
	t.Helper()
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("E", jfrtest.Of("text", "java.lang.String"))
	for i, s := range texts {
		b.Emit(ty, int64(i), s)
	}
	data, layout := b.Build()
	file := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rec.Close() })
	last := layout.Events[len(texts)-1].Offset
	return rec, func() { require.NoError(t, os.Truncate(file, last&^4095+4096)) }
}

var long = strings.Repeat("long", 10_000)

// cutBefore renders texts, and cuts the file between reading a long one and copying it.
func cutBefore(cut func()) func(dst []byte, ev mmapjfr.Event) []byte {
	return func(dst []byte, ev mmapjfr.Event) []byte {
		s := ev.StrView(text)
		if len(s) == len(long) {
			cut()
		}
		return append(append(append(dst, '<'), s...), '>')
	}
}

func TestTextIsCutWhileItIsAppended(t *testing.T) {
	rec, cut := cuttable(t, "short", long)
	p := print.PrinterOf(cutBefore(cut))
	out := []byte("before ")
	for _, ev := range detached(t, rec) {
		out = p.Append(out, ev)
	}
	assert.Equal(t, "before <short>", string(out))
	assert.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
}

// TestTextIsCutWhileItIsWritten: the event is left out with what would have stood before
// it, and those of other recordings go on.
func TestTextIsCutWhileItIsWritten(t *testing.T) {
	gone, cut := cuttable(t, long)
	other, _ := cuttable(t, "one", "two", "three")
	var b bytes.Buffer
	require.NoError(t, print.WriteOf(t.Context(), &b, []*mmapjfr.Recording{gone, other}, cutBefore(cut)))
	assert.Equal(t, "<one>,<two>,<three>", b.String())
	assert.ErrorIs(t, gone.FileErr(), mmapjfr.ErrTruncated)
	assert.NoError(t, other.FileErr())
}

// TestEnclosingTextIsCut: an event is written with others around it, which can be of
// another recording.
func TestEnclosingTextIsCut(t *testing.T) {
	gone, cut := cuttable(t, long)
	other, _ := cuttable(t, "inner")
	outer, inner := detached(t, gone)[0], detached(t, other)[0]
	out, ok := print.AppendEnclosed([]byte("before"), inner, outer, func(dst []byte, ev mmapjfr.Event) []byte {
		return fmt.Append(cutBefore(cut)(dst, outer), ev.StrView(text))
	})
	assert.False(t, ok, string(out))
	assert.ErrorIs(t, gone.FileErr(), mmapjfr.ErrTruncated)
	assert.NoError(t, other.FileErr())
}

func detached(t *testing.T, rec *mmapjfr.Recording) (events []mmapjfr.Event) {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		events = append(events, ev.Detached())
	}
	return events
}

// TestPagesAreLetGo prints a recording of 80 MB in the order of time: few of its pages stay in the program.
func TestPagesAreLetGo(t *testing.T) {
	longtest.Long(t, "it prints 80 MB")
	mapped := func() (kB int) {
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(status), "RssFile:")
		_, err = fmt.Sscan(rest, &kB)
		require.NoError(t, err)
		return kB
	}
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass))
	for i := range 800 {
		b.Emit(ty, 1_000_000+i, jfrtest.Latin1(strings.Repeat("x", 100_000)))
	}
	file := filepath.Join(t.TempDir(), "large.jfr")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	rec, err := mmapjfr.Open(file)
	require.NoError(t, err)
	defer rec.Close()
	before := mapped()
	o := print.Options{Format: print.CSV, Fields: []string{"text"}}
	require.NoError(t, print.Write(t.Context(), io.Discard, []*mmapjfr.Recording{rec}, o))
	assert.Less(t, mapped()-before, 55_000)
}
