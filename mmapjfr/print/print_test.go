package print_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// written returns what is written of a recording of testdata, or of a chunk of it.
func written(t testing.TB, name string, o print.Options) []byte {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(said.Recording(t, name))
	require.NoError(t, err)
	defer rec.Close()
	var b bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &b, []*mmapjfr.Recording{rec}, o))
	return b.Bytes()
}

// printed are the recordings of testdata, or the chunks of them, that the JDK
// prints. Files of several chunks it reads by the first one's clock.
var printed = []string{
	"jdk17-empty.jfr", "jdk17-flushed.jfr", "jdk17-kinds.jfr", "jdk17-oldobjects.jfr", "jdk17-profile.jfr", "jdk17-strings.jfr",
	"jdk25-cputime.jfr", "jdk25-empty.jfr", "jdk25-flushed.jfr", "jdk25-kinds.jfr", "jdk25-live-3.jfr", "jdk25-oldobjects.jfr",
	"jdk25-profile.jfr", "jdk25-strings.jfr", "jdk25-ticks.jfr", "jdk25-virtual.jfr",
	"jdk17-chunks.jfr#0", "jdk17-chunks.jfr#1", "jdk17-chunks.jfr#2", "jdk25-chunks.jfr#0", "jdk25-chunks.jfr#1", "jdk25-chunks.jfr#2",
	"concat-jdk17-jdk25.jfr#0", "concat-jdk17-jdk25.jfr#1", "concat-jdk25-jdk25.jfr#0", "concat-jdk25-jdk25.jfr#1",
	"jdk17-live.jfr#0", "jdk25-live.jfr#0", "jdk25-live-1.jfr#0", "jdk25-live-2.jfr#0", "jdk25-killed.jfr#0",
}

func TestJSONIsThatOfTheJDK(t *testing.T) {
	for i, name := range printed {
		if !longtest.Every(i, 5) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := said.Of(t, name, "print", "--json")
			require.Empty(t, want.Refusal)
			said.Same(t, want.Out, written(t, name, print.Options{Format: print.JSON, StackDepth: print.DefaultStackDepth}))
		})
	}
}

func TestJSONStackDepthIsThatOfTheJDK(t *testing.T) {
	for _, depth := range []int{0, 1, 64} {
		t.Run(strconv.Itoa(depth), func(t *testing.T) {
			const name = "jdk25-cputime.jfr"
			want := said.Of(t, name, "print", "--json", "--stack-depth", strconv.Itoa(depth))
			said.Same(t, want.Out, written(t, name, print.Options{Format: print.JSON, StackDepth: depth}))
		})
	}
}

// TestAnyNumberOfWorkersWritesTheSame compares what several goroutines write with
// what one does.
func TestAnyNumberOfWorkersWritesTheSame(t *testing.T) {
	for _, f := range []print.Format{print.Text, print.NDJSON, print.JSON, print.XML}[:longtest.Cases(2, 4)] {
		want := written(t, "jdk25-profile.jfr", print.Options{Format: f, StackDepth: 3, Workers: 1})
		require.NotEmpty(t, want)
		for _, workers := range []int{7, 2}[:longtest.Cases(1, 2)] {
			got := written(t, "jdk25-profile.jfr", print.Options{Format: f, StackDepth: 3, Workers: workers})
			said.Same(t, want, got)
		}
	}
}

var errFull = errors.New("disk full")

// full fails after some bytes have been written to it.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteEndsWhenItsWriterFails(t *testing.T) {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	for _, left := range []int{0, 10, 100_000, 3_000_000} {
		err := print.Write(t.Context(), &full{left}, []*mmapjfr.Recording{rec}, print.Options{Format: print.JSON, StackDepth: 5})
		require.ErrorIs(t, err, errFull)
	}
}

// breaker cancels when something is written to it.
type breaker struct{ cancel context.CancelCauseFunc }

func (b breaker) Write(p []byte) (int, error) {
	b.cancel(errFull)
	return len(p), nil
}

func TestWriteEndsWhenItIsCancelled(t *testing.T) {
	rec, err := mmapjfr.Open("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	defer rec.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	err = print.Write(ctx, breaker{cancel}, []*mmapjfr.Recording{rec}, print.Options{Format: print.JSON, StackDepth: 5})
	require.ErrorIs(t, err, errFull)
}
