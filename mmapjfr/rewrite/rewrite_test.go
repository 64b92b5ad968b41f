package rewrite_test

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// recordings returns the recordings of testdata, and those of other producers if they are there.
func recordings(t testing.TB) map[string][]byte {
	all := make(map[string][]byte)
	for _, path := range append(longtest.Recordings(t), longtest.Others(t)...) {
		all[filepath.Base(path)] = longtest.Read(t, path)
	}
	return all
}

// open opens a recording in memory; nil if it is none that is read.
func open(t testing.TB, data []byte) *mmapjfr.Recording {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data)
	if err != nil {
		return nil
	}
	t.Cleanup(func() { rec.Close() })
	return rec
}

// ndjson returns all events of recordings as print writes them, in the order of the file, by type.
func ndjson(t testing.TB, o print.Options, recs ...*mmapjfr.Recording) string {
	t.Helper()
	o.Format, o.StackDepth, o.Order = print.NDJSON, 1<<20, print.ByFile
	var out bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &out, recs, o))
	return settingID.ReplaceAllString(out.String(), "${1}0")
}

// settingID is the number of a type in a setting: types of all virtual machines but the first get other numbers.
var settingID = regexp.MustCompile(`(?m)(^\{"@type":"jdk.ActiveSetting".*"id":)\d+`)

// rewritten returns the copy of recordings by a plan.
func rewritten(t testing.TB, plan *rewrite.Plan, recs ...*mmapjfr.Recording) ([]byte, *rewrite.Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := rewrite.Write(context.Background(), &out, recs, plan)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), report.Bytes)
	return out.Bytes(), report
}

// clean fails unless verify finds nothing that is wrong.
func clean(t testing.TB, rec *mmapjfr.Recording) {
	t.Helper()
	report, err := verify.Check(t.Context(), rec)
	require.NoError(t, err)
	for _, f := range report.Findings {
		if f.Kind.Severity() > verify.Note {
			t.Errorf("%#x: %v: %v", f.Offset, f.Kind, f.Text)
		}
	}
}

// TestAllEventsAnew makes recordings anew: all events stay as they are, and the file becomes smaller.
func TestAllEventsAnew(t *testing.T) {
	before, after := 0, 0
	for name, data := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			rec := open(t, data)
			if rec == nil {
				t.Skip("mmapjfr does not read it")
			}
			got, report := rewritten(t, &rewrite.Plan{Anew: true}, rec)
			made := open(t, got)
			require.NotNil(t, made)
			want := ndjson(t, print.Options{}, rec)
			if have := ndjson(t, print.Options{}, made); want != have {
				a, b := strings.Split(want, "\n"), strings.Split(have, "\n")
				assert.Equal(t, len(a), len(b))
				for i := range min(len(a), len(b)) {
					if a[i] != b[i] {
						t.Fatalf("event %d\n%.3000s\n%.3000s", i, a[i], b[i])
					}
				}
			}
			clean(t, made)
			before, after = before+len(data), after+len(got)
			assert.Less(t, len(got), len(data)*9/8, "%v", report) // one with few constants, and the frequent ones first, may grow
		})
	}
	assert.Less(t, after, before)
	t.Logf("%d to %d bytes", before, after)
}
