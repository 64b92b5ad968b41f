package redact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// recordings returns the recordings of testdata, and those of other producers if they are there.
func recordings(t testing.TB) map[string]*mmapjfr.Recording {
	all := make(map[string]*mmapjfr.Recording)
	for _, path := range append(longtest.Recordings(t), longtest.Others(t)...) {
		if rec, err := mmapjfr.OpenBytes(longtest.Read(t, path)); err == nil {
			t.Cleanup(func() { rec.Close() })
			all[filepath.Base(path)] = rec
		}
	}
	return all
}

// textIn is a text of a recording and where it lies.
type textIn struct {
	of   rewrite.Place
	text string
	key  string
}

func (t textIn) Previous() (string, bool) { return "", false }

func (t textIn) Context() context.Context { return context.Background() }

func (t textIn) Memo() rewrite.Memo { return nil }

func (t textIn) Text(string) (string, bool) { return t.key, t.key != "" }

// collect copies a recording and returns the texts that an editor is called with.
type collect struct {
	*Redactor
	texts *[]textIn
}

func (c collect) Text(of rewrite.Place) rewrite.TextEdit {
	return func(text string, v rewrite.Values) (string, bool) {
		key, _ := v.Text("key")
		*c.texts = append(*c.texts, textIn{of, strings.Clone(text), key})
		return text, false
	}
}

// textsOf returns all texts of a recording in the order in which a copy edits them.
func textsOf(t testing.TB, rec *mmapjfr.Recording) (texts []textIn) {
	t.Helper()
	c := collect{New(&Rules{}, Key{}), &texts}
	_, err := rewrite.Write(t.Context(), io.Discard, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: c, Workers: 1})
	require.NoError(t, err)
	return texts
}

// BenchmarkEdit edits all texts of real recordings by the default rules: each time it is called, all of them once.
func BenchmarkEdit(b *testing.B) {
	var texts []textIn
	for _, rec := range recordings(b) {
		texts = append(texts, textsOf(b, rec)...)
	}
	r := New(Default(), Key{})
	edits, size := make([]rewrite.TextEdit, len(texts)), 0
	for i, t := range texts {
		edits[i] = r.Text(t.of)
		size += len(t.text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for i := range texts {
			if edits[i] != nil {
				edits[i](texts[i].text, &texts[i])
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(texts)), "ns/text")
	b.ReportMetric(float64(size)/float64(len(texts)), "B/text")
}

// benchFile returns the recording that JFR_BENCH_FILE names, or one of testdata.
func benchFile(b *testing.B) string {
	if path := os.Getenv("JFR_BENCH_FILE"); path != "" {
		return path
	}
	return filepath.Join(longtest.Root(b), "testdata", "jdk25-profile.jfr")
}

// BenchmarkRedact redacts the recording that JFR_BENCH_FILE names, or one of testdata, on one worker by the default
// rules: names are learned, and a copy is written to nowhere or to a file. It reports the memory of the process without
// pages of files, MB-anon, where the system says it.
func BenchmarkRedact(b *testing.B) {
	path := benchFile(b)
	for _, name := range []string{"to nowhere", "to a file", "anew"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			defer debug.SetGCPercent(debug.SetGCPercent(100)) // tests have another
			for b.Loop() {
				rec, err := mmapjfr.Open(path) // which has cached nothing
				require.NoError(b, err)
				b.SetBytes(rec.Size())
				out := io.Discard
				if name == "to a file" {
					f, err := os.Create(filepath.Join(b.TempDir(), "out.jfr"))
					require.NoError(b, err)
					defer f.Close()
					out = f
				}
				r := New(Default(), RandomKey())
				require.NoError(b, r.Learn(b.Context(), rec))
				_, err = rewrite.Write(b.Context(), out, []*mmapjfr.Recording{rec}, &rewrite.Plan{Edits: r, Workers: 1, Anew: name == "anew"})
				require.NoError(b, err)
				require.NoError(b, rec.Close())
			}
			if kib, ok := anonymous(); ok {
				b.ReportMetric(float64(kib)/1024, "MB-anon")
			}
		})
	}
}

// anonymous returns how much memory of the process is no page of a file, in KiB.
func anonymous() (kib int, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kib); n == 1 {
			return kib, true
		}
	}
	return 0, false
}

// BenchmarkCheck looks for what the default rules find in the bytes of the same recording.
func BenchmarkCheck(b *testing.B) {
	path := benchFile(b)
	for b.Loop() {
		f, err := os.Open(path)
		require.NoError(b, err)
		checked, err := New(Default(), Key{}).Check(b.Context(), f)
		require.NoError(b, errors.Join(err, f.Close()))
		b.SetBytes(checked.Bytes)
	}
}
