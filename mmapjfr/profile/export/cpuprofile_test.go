package export_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/cdproto/profiler"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestCPUProfile adds up the file as viewers do: a sample lasts until the next one.
func TestCPUProfile(t *testing.T) {
	rec := opentest.File(t, "../../../testdata/jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	for _, k := range p.Kinds() {
		column := profile.Column{Kind: &k, Value: k.Main()}
		tree := p.Tree(profile.TreeOptions{Columns: []profile.Column{column}})
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "cpuprofile", p, export.Options{Column: column}))
		var d struct {
			Nodes []struct {
				ID        int
				CallFrame struct{ FunctionName string }
				Children  []int
			}
			StartTime, EndTime int64
			Samples            []int
			TimeDeltas         []int64
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &d))
		require.Len(t, d.TimeDeltas, len(d.Samples))
		called := make(map[int]int)
		for i, n := range d.Nodes {
			require.Equal(t, i+1, n.ID)
			for _, c := range n.Children {
				called[c]++
			}
		}
		require.Len(t, called, len(d.Nodes)-1, "each node but the root has one caller")
		scale, at := int64(1), int64(0)
		if k.Values[k.Main()].Unit == profile.Nanoseconds {
			scale = 1000
		}
		for i, id := range d.Samples[:len(d.Samples)-1] {
			n := tree.Nodes[id-1]
			if id > 1 {
				assert.Equal(t, n.Name, d.Nodes[id-1].CallFrame.FunctionName)
			}
			at += d.TimeDeltas[i+1]
			assert.InDelta(t, float64(n.Self[0])/float64(scale), float64(d.TimeDeltas[i+1]), 1)
		}
		assert.Equal(t, tree.Nodes[0].Total[0]/scale, at)
		assert.Equal(t, d.EndTime-d.StartTime, at)
		assert.Zero(t, d.TimeDeltas[0])
	}
}

// TestProtocol decodes a file by the types that Chromium's own protocol has for profiles.
func TestProtocol(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	main := p.Push(0, p.AddFrame(profile.Frame{Method: profile.Method{Class: "app/Main", Name: "main", Descriptor: "()V"}, Line: 7}))
	p.Add(k.Name, main, p.AddLabels(profile.Labels{}), 1, 10e6)
	p.AddSpan(time.UnixMicro(5), time.UnixMicro(20_005))
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "cpuprofile", p, export.Options{Column: profile.Column{Kind: &k, Value: k.Main()}}))
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	var got profiler.Profile
	require.NoError(t, d.Decode(&got))
	require.Len(t, got.Nodes, 3)
	names := []string{got.Nodes[0].CallFrame.FunctionName, got.Nodes[1].CallFrame.FunctionName, got.Nodes[2].CallFrame.FunctionName}
	assert.Equal(t, []string{"(root)", "app/Main.main", "(idle)"}, names)
	assert.Equal(t, []int64{2, 3}, got.Nodes[0].Children)
	assert.Equal(t, []int64{2, 3}, got.Samples)
	assert.Equal(t, []int64{0, 10_000}, got.TimeDeltas)
	assert.InDelta(t, 5, got.StartTime, 0)
	assert.InDelta(t, 10_005, got.EndTime, 0)
}
