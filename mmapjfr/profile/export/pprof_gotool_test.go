package export_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// tool writes a profile, and returns a function that has go tool pprof print it.
func tool(t *testing.T, p *profile.Profile) func(options ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: profile.Names{Dots: true}}))
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return func(options ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"tool", "pprof"}, options...), path)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		var errs strings.Builder
		cmd.Stderr = &errs
		text, err := cmd.Output()
		require.NoError(t, err, errs.String())
		if !strings.Contains(errs.String(), "as range, not regexp") { // which is what numbers are
			require.Empty(t, errs.String())
		}
		return string(text)
	}
}

func ofTestdata(t *testing.T) *profile.Profile {
	t.Helper()
	rec := opentest.File(t, "../../../testdata/jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	return p
}

// TestPprofTop compares what go tool pprof -top prints of the value that it shows first with our table.
func TestPprofTop(t *testing.T) {
	p := ofTestdata(t)
	pprofTop(t, p, tool(t, p), 0, profile.ByMethod)
}

// pprofTop compares the table of a kind.
func pprofTop(t *testing.T, p *profile.Profile, run func(...string) string, kind int, by profile.By) {
	t.Helper()
	k := p.Kinds()[kind]
	column := profile.Column{Kind: &k, Value: k.Main()}
	options := []string{"-top", "-unit=ns", "-nodecount=100000", "-nodefraction=0"}
	if k.Values[column.Value].Unit == profile.Bytes {
		options[1] = "-unit=B"
	}
	if kind > 0 {
		options = append(options, "-sample_index="+valueName(column))
	}
	type weight struct{ self, total int64 }
	got := make(map[string]weight)
	_, table, ok := strings.Cut(run(options...), "sum%        cum   cum%\n")
	require.True(t, ok)
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		number := func(text string) int64 {
			n, err := strconv.ParseInt(strings.TrimRight(text, "nsB"), 10, 64)
			require.NoError(t, err, line)
			return n
		}
		got[strings.TrimSuffix(strings.Join(fields[5:], " "), " (inline)")] = weight{number(fields[0]), number(fields[3])}
	}
	want := make(map[string]weight)
	for _, r := range p.Top(column, by, profile.Names{Dots: true}) {
		if r.Name != "(no stack)" {
			want[r.Name] = weight{r.Self, r.Total}
		}
	}
	assert.Equal(t, want, got, k.Name)
}

// TestPprofTool runs the other reports, which read the labels, the mappings and the comments.
func TestPprofTool(t *testing.T) {
	longtest.Long(t, "it starts go tool pprof many times")
	p := ofTestdata(t)
	run := tool(t, p)
	for i := range p.Kinds() {
		if p.Kinds()[i].Values[p.Kinds()[i].Main()].Unit != profile.Count {
			pprofTop(t, p, run, i, profile.ByMethod)
		}
	}
	sums := make(map[string]int64) // of samples, by thread
	ids := make(map[string]int64)
	for s := range p.Samples() {
		if l := p.Labels(s.Labels); s.Kind.Name == "running" {
			sums[l.Thread] += s.Values[0]
			ids[l.Thread] = l.ThreadID
		}
	}
	require.NotEmpty(t, sums)
	for thread, sum := range sums {
		id := strconv.FormatInt(ids[thread], 10)
		assert.Regexp(t, ` +`+strconv.FormatInt(sum, 10)+` +[0-9.]+%  `+regexp.QuoteMeta(thread)+`\n`, run("-top", "-tagfocus=thread=^"+thread+"$", "-tagroot=thread"))
		assert.Contains(t, run("-traces", "-tagfocus=thread_id="+id), "thread_id:  "+id)
		assert.NotContains(t, run("-traces", "-tagignore=thread_id="+id), "thread_id:  "+id+"\n")
	}
	assert.Contains(t, run("-tags"), " state: Total ")
	assert.Contains(t, run("-comments"), p.Notes()[0]+"\n")
	raw := run("-raw")
	assert.Contains(t, raw, "running_samples/count[dflt] ")
	assert.Contains(t, raw, "Mappings\n1: 0x0/0x0/0x0 java  [FN][FL][LN][IN]\n")
	assert.Contains(t, raw, " s=0(java/lang/Thread.run()V)")
}

// TestOverloads keeps methods apart that pprof would take for one if it demangled their names.
func TestOverloads(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	for i, descriptor := range []string{"([I)V", "([J)V"} {
		f := p.AddFrame(profile.Frame{Method: profile.Method{Class: "a/B", Name: "sort", Descriptor: descriptor}})
		p.Add(k.Name, p.Push(0, f), p.AddLabels(profile.Labels{}), 1, int64(i+1))
	}
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: profile.Names{Parameters: true}}))
	q, err := export.Read(&out, "pprof", export.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, 2, q.Frames())
	assert.Len(t, pprofOf(t, p).Function, 2)
}
