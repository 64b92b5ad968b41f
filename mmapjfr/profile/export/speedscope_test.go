package export_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// speedscopeFile is what speedscope's schema demands of a file.
type speedscopeFile struct {
	Schema string `json:"$schema"`
	Name   string
	Shared struct{ Frames []struct{ Name string } }
	// Profiles are sampled ones.
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue *int64
		Samples              [][]int
		Weights              []int64
	}
}

// speedscopeOf returns the file of a profile.
func speedscopeOf(t *testing.T, p *profile.Profile, o export.Options) (f speedscopeFile) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "speedscope", p, o))
	d := json.NewDecoder(&out)
	require.NoError(t, d.Decode(&f))
	seen := make(map[string]bool)
	for _, frame := range f.Shared.Frames {
		require.False(t, seen[frame.Name], "twice: %s", frame.Name)
		seen[frame.Name] = true
	}
	for _, p := range f.Profiles {
		require.NotEmpty(t, p.Name)
		require.Equal(t, "sampled", p.Type)
		require.Contains(t, []string{"none", "nanoseconds", "bytes"}, p.Unit)
		require.Zero(t, *p.StartValue)
		require.Len(t, p.Samples, len(p.Weights))
		for _, s := range p.Samples {
			for _, n := range s {
				require.Less(t, n, len(f.Shared.Frames))
			}
		}
	}
	return f
}

// TestSpeedscope compares the stacks of each kind with those of the profile.
func TestSpeedscope(t *testing.T) {
	rec := opentest.File(t, "../../../testdata/jdk25-profile.jfr")
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	for _, threads := range []bool{false, true} {
		p := p.Choose(profile.Choice{Threads: threads})
		f := speedscopeOf(t, p, export.Options{Title: "app"})
		assert.Equal(t, "app", f.Name)
		require.Len(t, f.Profiles, len(p.Kinds()))
		for i, k := range p.Kinds() {
			tree := p.Tree(profile.TreeOptions{Columns: []profile.Column{{Kind: &k, Value: k.Main()}}})
			assert.Equal(t, tree.Nodes[0].Total[0], *f.Profiles[i].EndValue, k.Name)
			outermost := make(map[string]int64)
			for j, s := range f.Profiles[i].Samples {
				if len(s) > 0 {
					outermost[f.Shared.Frames[s[0]].Name] += f.Profiles[i].Weights[j]
				}
			}
			for _, n := range tree.Nodes[1:] {
				if n.Parent == 0 {
					outermost[n.Name] -= n.Total[0]
				}
			}
			for name, rest := range outermost {
				assert.Zero(t, rest, "%s: %s", k.Name, name)
			}
		}
	}
}

// TestSpeedscopeNastyNames writes names that JSON must escape, and a profile of nothing.
func TestSpeedscopeNastyNames(t *testing.T) {
	assert.Empty(t, speedscopeOf(t, profile.New(), export.Options{}).Profiles)
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	p.Add(k.Name, p.Push(0, p.AddText("</script>\"\\\n")), p.AddLabels(profile.Labels{}), 1, 2)
	assert.Equal(t, "</script>\"\\\n", speedscopeOf(t, p, export.Options{}).Shared.Frames[0].Name)
}
