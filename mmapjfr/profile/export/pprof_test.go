package export_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	google "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// pprofOf returns a profile as pprof's own package reads it.
func pprofOf(t *testing.T, p *profile.Profile) *google.Profile {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: profile.Names{Dots: true}}))
	g, err := google.Parse(&out)
	require.NoError(t, err)
	require.NoError(t, g.CheckValid())
	return g
}

// TestPprof compares the sums of all values, by the names of the innermost function and thread.
func TestPprof(t *testing.T) {
	names := profile.Names{Dots: true}
	for _, name := range []string{"jdk17-profile.jfr", "jdk25-profile.jfr", "jdk25-cputime.jfr", "jdk25-oldobjects.jfr", "jdk25-virtual.jfr"} {
		rec, err := mmapjfr.Open(filepath.Join("../../../testdata", name))
		require.NoError(t, err)
		p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
		require.NoError(t, err)
		g := pprofOf(t, p)
		index := make(map[string]int)
		for i, typ := range g.SampleType {
			index[typ.Type] = i
		}
		want, got := make(map[string]int64), make(map[string]int64)
		for s := range p.Samples() {
			function := ""
			for _, f := range p.Stack(s.Stack) {
				function = names.Frame(f)
				break
			}
			for i, v := range s.Values {
				value := valueName(profile.Column{Kind: s.Kind, Value: i})
				require.Contains(t, index, value)
				want[fmt.Sprint(index[value], function, p.Labels(s.Labels).Thread, p.Labels(s.Labels).Class)] += v
			}
		}
		for _, s := range g.Sample {
			function, thread, class := "", "", ""
			if len(s.Location) > 0 {
				function = s.Location[0].Line[0].Function.Name
				require.NotEqual(t, function, s.Location[0].Line[0].Function.SystemName, "pprof would demangle it")
			}
			if s.Label["thread"] != nil {
				thread = s.Label["thread"][0]
			}
			if s.Label["class"] != nil {
				class = s.Label["class"][0]
			}
			for i, v := range s.Value {
				got[fmt.Sprint(i, function, thread, class)] += v
			}
		}
		for key, v := range want {
			require.Equal(t, v, got[key], "%s: %s", name, key)
		}
		first := p.Kinds()[0]
		assert.Equal(t, valueName(profile.Column{Kind: &first, Value: first.Main()}), g.DefaultSampleType)
		assert.Equal(t, rec.Start().UnixNano(), g.TimeNanos)
		assert.Equal(t, p.Notes(), g.Comments)
		require.NoError(t, rec.Close())
	}
}

// TestParca reads the file as Parca does, which wants numbers from 1 on without gaps.
func TestParca(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	java := p.AddFrame(profile.Frame{Method: profile.Method{Class: "a/B", Name: "<script>;\n", Descriptor: "()V"}, Line: 7, Kind: profile.Inlined})
	native := p.AddFrame(profile.Frame{Method: profile.Method{Class: "libx.so", Name: "f\xff"}, Kind: profile.Native})
	l := p.AddLabels(profile.Labels{Thread: "main", ThreadID: 7, State: "STATE_RUNNABLE", SpanID: 1, TraceLow: -1})
	p.Add(k.Name, p.Push(p.Push(0, java), native), l, 3, 30)
	g := pprofOf(t, p)
	for i, m := range g.Mapping {
		assert.Equal(t, uint64(i+1), m.ID)
	}
	for i, f := range g.Function {
		assert.Equal(t, uint64(i+1), f.ID)
	}
	for i, loc := range g.Location {
		assert.Equal(t, uint64(i+1), loc.ID)
	}
	require.Len(t, g.Sample, 1)
	s := g.Sample[0]
	assert.Equal(t, []int64{3, 30}, s.Value)
	assert.Equal(t, "f\uFFFD", s.Location[0].Line[0].Function.Name)
	assert.Equal(t, "libx.so", s.Location[0].Mapping.File)
	assert.Equal(t, "a.B.<script>;\n", s.Location[1].Line[0].Function.Name)
	assert.Equal(t, "a/B.java", s.Location[1].Line[0].Function.Filename)
	assert.Equal(t, int64(7), s.Location[1].Line[0].Line)
	assert.Equal(t, map[string][]string{
		"thread": {"main"}, "state": {"STATE_RUNNABLE"}, "span_id": {"0000000000000001"}, "trace_id": {"0000000000000000ffffffffffffffff"},
	}, s.Label)
	assert.Equal(t, map[string][]int64{"thread_id": {7}}, s.NumLabel)
}

// TestPprofObjects names the classes of objects as functions are.
func TestPprofObjects(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	p.Add(k.Name, 0, p.AddLabels(profile.Labels{Class: "a.B$$Lambda/0x12"}), 1, 20)
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "pprof", p, export.Options{Names: profile.Names{Normalize: true, Simple: true}}))
	g, err := google.Parse(&out)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"class": {"B$$Lambda"}}, g.Sample[0].Label)
}

// TestPprofEmpty writes a profile of nothing.
func TestPprofEmpty(t *testing.T) {
	assert.Empty(t, pprofOf(t, profile.New()).Sample)
}

// valueName returns the name of a value in files of pprof.
func valueName(c profile.Column) string {
	if name := c.Kind.Values[c.Value].Name; name != c.Kind.Name {
		return c.Kind.Name + "_" + name
	}
	return c.Kind.Name
}
