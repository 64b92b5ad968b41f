package profile_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiletest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// TestHostile does with profiles that nobody would make all that one can.
func TestHostile(t *testing.T) {
	profiletest.Profiles(t, func(t *testing.T, p *profile.Profile) {
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		q := profile.New()
		require.NoError(t, q.UnmarshalBinary(data))
		again, err := q.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
		chosen := p.Choose(profile.Choice{JavaOnly: true, States: []string{""}})
		chosen.Merge(p)
		for _, c := range profile.ColumnsOf(p.Kinds()) {
			for _, by := range profile.AllBy {
				for _, r := range p.Top(c, by, profile.Names{Dots: true, Simple: true, Lines: true, Parameters: true, Normalize: true}) {
					require.NotEmpty(t, r.Name)
				}
			}
			tree := p.Tree(profile.TreeOptions{Columns: []profile.Column{c}, Reversed: true, Threads: true, Classes: true})
			for _, n := range tree.Nodes[1:] {
				require.NotEmpty(t, n.Name)
			}
		}
	})
}

// TestSumsStop adds up more than a number can be.
func TestSumsStop(t *testing.T) {
	p := profile.New()
	p.AddKind(profile.Kind{Name: "k", Values: []profile.ValueType{{Name: "n"}}})
	s := p.Push(0, p.AddText("a"))
	for _, n := range []int64{math.MaxInt64, 5, math.MaxInt64} {
		p.Add("k", p.Push(s, p.AddText("b")), p.AddLabels(profile.Labels{}), n)
		p.Add("k", s, p.AddLabels(profile.Labels{Thread: "t"}), n)
	}
	for s := range p.Samples() {
		require.Equal(t, int64(math.MaxInt64), s.Values[0])
	}
	for _, r := range p.Top(profile.ColumnsOf(p.Kinds())[0], profile.ByMethod, profile.Names{}) {
		require.Equal(t, int64(math.MaxInt64), r.Total)
	}
	require.Equal(t, int64(math.MaxInt64), p.Tree(profile.TreeOptions{}).Nodes[0].Total[0])
}
