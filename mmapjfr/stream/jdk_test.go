package stream_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

var ask = flag.Bool("ask", false, "ask the JDK's stream again, and keep what it tells in testdata")

// toldByJDK returns what the JDK's stream of a file calls handlers with, as testdata/Told.java
// writes it.
func toldByJDK(t *testing.T, name string, ordered bool) []string {
	t.Helper()
	order := map[bool]string{true: "ordered", false: "unordered"}[ordered]
	kept := filepath.Join("testdata", strings.TrimSuffix(name, ".jfr")+"-"+order+".zst")
	if *ask {
		home, ok := jdk.Judge()
		require.True(t, ok, jdk.ErrNone)
		cmd := jdk.Command(t.Context(), home, "java", filepath.Join("testdata", "Told.java"), file(name), strconv.FormatBool(ordered))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(kept, e.EncodeAll(out, nil), 0o644))
	}
	packed, err := os.ReadFile(kept)
	require.NoError(t, err, "go test -ask asks a JDK 25")
	d, err := zstd.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	defer d.Close()
	var out bytes.Buffer
	_, err = d.WriteTo(&out)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// toldByUs is the same of ours. Times are by the clock of the first chunk, which the JDK takes
// for all chunks of a file.
func toldByUs(t *testing.T, name string, ordered bool) (list []string) {
	t.Helper()
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	s := openFile(t, file(name))
	require.NoError(t, s.SetOrdered(ordered))
	s.OnMetadata(func(m stream.Metadata) error {
		say("metadata +%s -%s", strings.ReplaceAll(names(m.Added), " ", ","), strings.ReplaceAll(names(m.Removed), " ", ","))
		return nil
	})
	var clock *mmapjfr.Chunk
	s.OnEvent(func(ev mmapjfr.Event) error {
		if clock == nil {
			clock = new(ev.Chunk())
		}
		say("%s %d %d", ev.Type().Name(), engine.ChunkTicksToTime(*clock, engine.EventStartTicks(ev)).UnixNano(), engine.ChunkTicksToTime(*clock, engine.EventEndTicks(ev)).UnixNano())
		return nil
	})
	s.OnFlush(func() error { say("flush"); return nil })
	s.OnError(func(err error) { say("error %v", err) })
	s.OnClose(func() { say("close") })
	require.NoError(t, s.Start(t.Context()))
	return list
}

// What handlers are called with, and in which order, is what the JDK's stream does.
func TestAsTheJDK(t *testing.T) {
	for _, name := range []string{
		"jdk17-flushed.jfr", "jdk25-flushed.jfr", "jdk25-kinds.jfr", "jdk25-ticks.jfr", "jdk25-profile.jfr", "jdk25-virtual.jfr",
		"jdk17-chunks.jfr", "jdk25-chunks.jfr", "jdk25-empty.jfr",
	} {
		for _, ordered := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/ordered %v", name, ordered), func(t *testing.T) {
				want, got := toldByJDK(t, name, ordered), toldByUs(t, name, ordered)
				assert.Equal(t, want, got)
			})
		}
	}
}
