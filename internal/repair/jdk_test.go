package repair_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// leftover is what is left of one or more recordings: the files of a folder.
type leftover struct {
	name  string
	files [][]byte
}

// joined returns the files as one.
func (l leftover) joined() []byte { return bytes.Join(l.files, nil) }

// assembled returns what jfr assemble makes of the files; nil if it refuses.
func (l leftover) assembled(t *testing.T, home string) []byte {
	t.Helper()
	dir := t.TempDir()
	repository, whole := filepath.Join(dir, "repository"), filepath.Join(dir, "whole.jfr")
	require.NoError(t, os.Mkdir(repository, 0o777))
	for i, data := range l.files {
		require.NoError(t, os.WriteFile(filepath.Join(repository, fmt.Sprintf("%04d.jfr", i)), data, 0o666))
	}
	if said, err := jdk.Command(t.Context(), home, "jfr", "assemble", repository, whole).CombinedOutput(); err != nil {
		var refused *exec.ExitError
		require.ErrorAs(t, err, &refused, "%s", said)
		return nil
	}
	data, err := os.ReadFile(whole)
	require.NoError(t, err)
	return data
}

// jdk25 is the home of a JDK 25; the test is skipped without.
func jdk25(t *testing.T) string {
	t.Helper()
	return longtest.JDK25(t)
}

// repaired returns what Write makes of a recording; nil if that is nothing.
func repaired(t *testing.T, data []byte) ([]byte, *repair.Report) {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
	if err != nil {
		return nil, nil
	}
	defer rec.Close()
	var out bytes.Buffer
	report, err := repair.Write(context.Background(), &out, rec)
	if err != nil {
		require.ErrorIs(t, err, repair.ErrNothing)
		return nil, nil
	}
	require.Equal(t, uint64(out.Len()), report.Bytes)
	return out.Bytes(), report
}

// counted returns how many events of each type there are, by a strict reader that
// must not find anything wrong.
func counted(t *testing.T, data []byte) map[string]uint64 {
	t.Helper()
	rec := opentest.Bytes(t, data)
	events := make(map[string]uint64)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		events[ev.Type().Name()]++
	}
	for _, c := range rec.Chunks() {
		require.NoError(t, c.ConstantsErr())
		require.True(t, c.Finished())
	}
	return events
}

// endless is after how long jfr summary is taken to go round and round, as it does at
// events of no size.
const endless = time.Minute

// summary returns how many events of each type jfr summary counts, and why it refuses.
func summary(ctx context.Context, t *testing.T, home string, data []byte) (events map[string]uint64, refusal string) {
	t.Helper()
	events = make(map[string]uint64)
	out, refusal, err := oracle.Verbatim(ctx, home, file(t, data), "summary")
	if ctx.Err() != nil {
		return events, "it never ends"
	}
	require.NoError(t, err)
	if refusal != "" {
		return events, refusal
	}
	s, err := oracle.ParseSummary(bytes.NewReader(out))
	require.NoError(t, err)
	for name, n := range s.Types {
		if n.Events > 0 && name != "jdk.Metadata" && name != "jdk.Checkpoint" {
			events[name] = n.Events
		}
	}
	return events, ""
}

func file(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o666))
	return path
}

// framesLost returns how many frames there are that are no event that could be read: jfr
// summary counts them all the same, by their heads.
func framesLost(t *testing.T, data []byte, report *repair.Report) (n uint64) {
	t.Helper()
	x, err := index.New(data)
	if err != nil {
		return 0
	}
	lost := report.Lost.Ranges
	for i := range report.Chunks {
		lost = append(lost, report.Chunks[i].Lost.Ranges...)
		n += report.Chunks[i].Undescribed + report.Chunks[i].Unreadable
	}
	var buf [256]index.EventHeader
	for _, c := range x.Chunks() {
		for pos := c.FirstEvent(); pos < uint64(len(c.Data())); {
			m, next, err := c.ReadHeaders(pos, uint64(len(c.Data())), buf[:])
			for _, rec := range buf[:m] {
				if slices.ContainsFunc(lost, func(r mmapjfr.ByteRange) bool {
					return r.From < c.Offset()+rec.End() && c.Offset()+rec.Offset < r.To
				}) {
					n++
				}
			}
			if pos = next; err != nil {
				break
			}
		}
	}
	return n
}

// requireReads repairs a leftover, and looks whether the JDK reads the result, with
// no event fewer than jfr summary counts in what jfr assemble makes of the leftover.
func requireReads(t *testing.T, home string, l leftover) (refused bool) {
	t.Helper()
	data := l.joined()
	ctx, cancel := context.WithTimeout(t.Context(), endless)
	defer cancel()
	before, refusal := map[string]uint64(nil), "jfr assemble refuses"
	if left := l.assembled(t, home); left != nil {
		before, refusal = summary(ctx, t, home, left)
	}
	whole, report := repaired(t, data)
	if whole == nil {
		require.Empty(t, before, l.name)
		return refusal != ""
	}
	ours := counted(t, whole)
	after, again := summary(t.Context(), t, home, whole)
	require.Empty(t, again, l.name)
	assert.Equal(t, ours, after, l.name)
	left := framesLost(t, data, report)
	for name, n := range before {
		missing := n - min(n, after[name])
		assert.LessOrEqual(t, missing, left, "%s: %s", l.name, name)
		left -= min(left, missing)
	}
	_, again, err := oracle.Verbatim(t.Context(), home, file(t, whole), "print")
	require.NoError(t, err, l.name)
	require.Empty(t, again, l.name)
	if t.Failed() {
		kept := filepath.Join(os.TempDir(), "repair-"+fmt.Sprintf("%x", len(data))+".jfr")
		require.NoError(t, os.WriteFile(kept, data, 0o666))
		t.Fatal("kept in " + kept)
	}
	return refusal != ""
}
