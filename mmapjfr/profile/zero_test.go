package profile_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/collapsed"
	"github.com/mmapjfr/jfr/mmapjfr/profile/cpuprofile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/flamegraph"
	"github.com/mmapjfr/jfr/mmapjfr/profile/otlp"
	"github.com/mmapjfr/jfr/mmapjfr/profile/pprof"
	"github.com/mmapjfr/jfr/mmapjfr/profile/speedscope"
	"github.com/mmapjfr/jfr/mmapjfr/profile/text"
)

// TestZeroOptions writes a profile, and one without samples, with what a newcomer leaves out.
func TestZeroOptions(t *testing.T) {
	rec, err := mmapjfr.OpenBytes(said.Recording(t, "jdk25-profile.jfr"))
	require.NoError(t, err)
	defer rec.Close()
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	for name, write := range map[string]func(w io.Writer, p *profile.Profile) error{
		"collapsed":  func(w io.Writer, p *profile.Profile) error { return collapsed.Write(w, p, collapsed.Options{}) },
		"cpuprofile": func(w io.Writer, p *profile.Profile) error { return cpuprofile.Write(w, p, cpuprofile.Options{}) },
		"flamegraph": func(w io.Writer, p *profile.Profile) error { return flamegraph.Write(w, p, flamegraph.Options{}) },
		"heat map": func(w io.Writer, p *profile.Profile) error {
			return flamegraph.WriteHeatmap(w, p, flamegraph.Options{})
		},
		"otlp":       func(w io.Writer, p *profile.Profile) error { return otlp.Write(w, p, otlp.Options{}) },
		"pprof":      func(w io.Writer, p *profile.Profile) error { return pprof.Write(w, p, pprof.Options{}) },
		"speedscope": func(w io.Writer, p *profile.Profile) error { return speedscope.Write(w, p, speedscope.Options{}) },
		"text":       func(w io.Writer, p *profile.Profile) error { return text.Write(w, p, text.Options{}) },
		"diff": func(w io.Writer, p *profile.Profile) error {
			return collapsed.Write(w, p, collapsed.Options{Base: profile.New()})
		},
	} {
		var b bytes.Buffer
		require.NotPanics(t, func() { err = write(&b, p) }, name)
		require.NoError(t, err, name)
		assert.NotZero(t, b.Len(), name)
		require.NotPanics(t, func() { err = write(io.Discard, profile.New()) }, name)
		require.NoError(t, err, name)
	}
	assert.NotEmpty(t, p.Top(profile.Column{}, profile.ByMethod, profile.Names{}))
	assert.Empty(t, profile.New().Top(profile.Column{}, profile.ByThread, profile.Names{}))
}
