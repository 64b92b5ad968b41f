package export_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// Collapsed stacks of garbage collections: what they were and why, and the nanoseconds they paused.
func Example() {
	rec, err := mmapjfr.Open("../../../testdata/jdk25-profile.jfr")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	ctx := context.Background()
	p, err := profile.Read(ctx, []*mmapjfr.Recording{rec}, profile.Options{Kinds: []string{"gc"}})
	if err != nil {
		log.Print(err) // what could not be read
	}
	if err := export.Write(ctx, os.Stdout, "collapsed", p, export.Options{}); err != nil {
		log.Print(err)
	}
	// Output:
	// G1Full;System.gc() 27150110
	// G1New;G1 Evacuation Pause 15017935
	// G1New;G1 Humongous Allocation 821409090
	// G1Old;G1 Humongous Allocation 2151975
}

// TestZeroOptions writes a profile, and one without samples, with what a newcomer leaves out.
func TestZeroOptions(t *testing.T) {
	rec := opentest.Bytes(t, said.Recording(t, "jdk25-profile.jfr"))
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	for _, o := range []export.Options{{}, {Base: profile.New()}} {
		for _, f := range export.Formats() {
			var b bytes.Buffer
			require.NoError(t, export.Write(t.Context(), &b, f.Name, p, o), f.Name)
			assert.NotZero(t, b.Len(), f.Name)
			require.NoError(t, export.Write(t.Context(), io.Discard, f.Name, profile.New(), o), f.Name)
		}
	}
	require.ErrorContains(t, export.Write(t.Context(), io.Discard, "svg", p, export.Options{}), "svg")
	assert.NotEmpty(t, p.Top(profile.Column{}, profile.ByMethod, profile.Names{}))
	assert.Empty(t, profile.New().Top(profile.Column{}, profile.ByThread, profile.Names{}))
}
