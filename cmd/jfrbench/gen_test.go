package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/leaktest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// gen makes a recording and opens it.
func gen(t *testing.T, args ...string) *mmapjfr.Recording {
	out := filepath.Join(t.TempDir(), "out.jfr")
	code, stdout, stderr := command(append(append([]string{"gen"}, args...), out)...)
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "; to measure it: jfrbench "+out+"\n")
	requireAlone(t, out)
	return open(t, out)
}

var open = opentest.File

// requireAlone fails if there is anything else in the folder of a file.
func requireAlone(t *testing.T, file string) {
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, filepath.Base(file), entries[0].Name())
}

// happening is what tells an event from others of its chunk.
type happening struct {
	typeName string
	offset   uint64 // in the chunk
	start    time.Time
	duration time.Duration
}

// happenings returns all events, by chunk.
func happenings(t *testing.T, rec *mmapjfr.Recording) [][]happening {
	chunks := rec.Chunks()
	list := make([][]happening, len(chunks))
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		c := ev.Chunk()
		list[c.Number()] = append(list[c.Number()],
			happening{ev.Type().Name(), ev.Offset() - c.Offset(), ev.Start(), ev.Duration()})
	}
	return list
}

// TestGenRepeatsChunks compares every event with that of which it is a copy.
func TestGenRepeatsChunks(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		from string // by default its own
	}{
		"its own":                 {2_000_000, ""},
		"one chunk":               {700_000, "jdk17-kinds.jfr"},
		"ticks that round":        {1_000_000, "jdk25-ticks.jfr"},
		"several, and not a part": {900_000, "jdk25-chunks.jfr"},
		"of two machines":         {500_000, "concat-jdk17-jdk25.jfr"},
		"less than a chunk":       {1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-size", strconv.Itoa(c.size)}
			source := open(t, "../../testdata/"+cmp.Or(c.from, "jdk25-profile.jfr"))
			if c.from != "" {
				args = append(args, "-from", "../../testdata/"+c.from)
			}
			rec := gen(t, args...)
			originals, copies := source.Chunks(), rec.Chunks()
			var chunks, size int
			for ; size < c.size; chunks++ {
				size += int(originals[chunks%len(originals)].Size())
			}
			require.Len(t, copies, chunks)
			want, got := happenings(t, source), happenings(t, rec)
			next := source.Start()
			for k, copied := range copies {
				n := k % len(originals)
				require.Equal(t, originals[n].Size(), copied.Size())
				require.True(t, copied.Finished())
				require.NoError(t, copied.ConstantsErr())
				require.Equal(t, next, copied.Start(), "begins where the one before ended")
				require.Equal(t, originals[n].Duration(), copied.Duration())
				next = copied.End()
				require.True(t, next.After(copied.Start()))

				shift := copied.Start().Sub(originals[n].Start())
				require.Len(t, got[k], len(want[n]))
				for i, h := range want[n] {
					h.start = h.start.Add(shift)
					require.Equal(t, h, got[k][i])
				}
			}
		})
	}
}

// TestGenReachesTheSize asks for just what some chunks take, and for a byte more.
func TestGenReachesTheSize(t *testing.T) {
	one := int64(len(recording(t, "jdk25-empty.jfr")))
	from := "../../testdata/jdk25-empty.jfr"
	assert.Equal(t, 5*one, gen(t, "-size", strconv.FormatInt(5*one, 10), "-from", from).Size())
	assert.Equal(t, 6*one, gen(t, "-size", strconv.FormatInt(5*one+1, 10), "-from", from).Size())
	assert.Equal(t, one, gen(t, "-size", "0", "-from", from).Size())
}

// TestGenCountsAsTheJDK compares with what the JDK said of the original.
func TestGenCountsAsTheJDK(t *testing.T) {
	answers, err := oracle.Load("../../testdata/jdk25-profile.jfr")
	require.NoError(t, err)
	const copies = 3
	out := filepath.Join(t.TempDir(), "out.jfr")
	code, stdout, _ := command("gen", "-size", strconv.FormatInt(copies*answers.Bytes, 10), out)
	require.Equal(t, exitOK, code)
	s, err := scan(scanOptions{work: "summary", file: out})
	require.NoError(t, err)
	require.NoError(t, s.err)
	require.Len(t, s.Types, len(answers.Plain.Summary.Types))
	var events uint64
	for name, want := range answers.Plain.Summary.Types {
		require.Equal(t, oracle.Count{Events: copies * want.Events, Bytes: copies * want.Bytes}, s.Types[name], name)
		if !isStructure(name) {
			events += copies * want.Events
		}
	}
	require.Contains(t, stdout, ", 3 chunks, "+plural(events, "event")+"; ")
}

// TestGenIsReadByTheJDK asks it about a recording of some size.
func TestGenIsReadByTheJDK(t *testing.T) {
	longtest.JDK25(t)
	for name, args := range map[string][]string{
		"its own": {"-size", "30MB"},
		"several": {"-size", "5MB", "-from", "../../testdata/jdk17-chunks.jfr"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jfr")
			code, _, stderr := command(append(append([]string{"gen"}, args...), out)...)
			require.Equal(t, exitOK, code, stderr)
			s, err := scan(scanOptions{work: "summary", file: out})
			require.NoError(t, err)
			require.Greater(t, s.chunks, 10)

			data, err := os.ReadFile(out)
			require.NoError(t, err)
			theirs, err := oracle.ParseSummary(bytes.NewBufferString(said.Now(t, data, "summary")))
			require.NoError(t, err)
			require.Equal(t, s.chunks, theirs.Chunks)
			require.Equal(t, open(t, out).Start().Format("2006-01-02 15:04:05 (UTC)"), theirs.Start)
			require.Equal(t, theirs.Types, s.Types)
		})
	}
}

func TestGenMarksTheLastChunkAsFinal(t *testing.T) {
	from := "../../testdata/jdk25-chunks.jfr"
	for _, c := range gen(t, "-size", "1MB", "-from", from).Chunks() {
		assert.False(t, engine.ChunkFinal(c))
	}

	data := recording(t, "jdk25-chunks.jfr")
	chunks := open(t, from).Chunks()
	data[chunks[2].Offset()+67] |= 2 // as the JDK marks the last
	copies := gen(t, "-size", "1MB", "-from", writeFile(t, data)).Chunks()
	require.Greater(t, len(copies), 4)
	for k, c := range copies {
		assert.Equal(t, k == len(copies)-1, engine.ChunkFinal(c), k)
	}
	// The last copy need not be that of the last chunk.
	copies = gen(t, "-size", "1", "-from", writeFile(t, data)).Chunks()
	require.Len(t, copies, 1)
	assert.True(t, engine.ChunkFinal(copies[0]))
}

// TestGenGoesOnWhereNoTimePasses repeats a chunk without a duration.
func TestGenGoesOnWhereNoTimePasses(t *testing.T) {
	data := recording(t, "jdk25-empty.jfr")
	binary.BigEndian.PutUint64(data[40:], 0)
	copies := gen(t, "-size", strconv.Itoa(3*len(data)), "-from", writeFile(t, data)).Chunks()
	require.Len(t, copies, 3)
	for k := range 2 {
		assert.True(t, copies[k+1].Start().After(copies[k].Start()))
	}
}

func TestGenLeavesOutUnfinishedChunks(t *testing.T) {
	finished, growing := recording(t, "jdk25-kinds.jfr"), recording(t, "jdk25-live.jfr")
	from := writeFile(t, slices.Concat(finished, growing))
	rec := gen(t, "-size", strconv.Itoa(3*len(finished)), "-from", from)
	require.Len(t, rec.Chunks(), 3)
	for _, c := range rec.Chunks() {
		assert.Equal(t, uint64(len(finished)), c.Size())
	}
}

func TestGenOfWhatCannotBeRepeated(t *testing.T) {
	profile := recording(t, "jdk25-profile.jfr")
	endless := recording(t, "jdk25-empty.jfr")
	binary.BigEndian.PutUint64(endless[40:], 1<<62)
	broken := bytes.Clone(profile)
	broken[68], broken[69] = 0, 0 // the first event has no size
	constants := bytes.Clone(profile)
	constants[binary.BigEndian.Uint64(profile[16:])+4] = 5 // the newest checkpoint has another type
	for name, c := range map[string]struct {
		from string
		says []string
	}{
		"missing":    {"nosuch.jfr", []string{"nosuch.jfr: no such file"}},
		"text":       {writeFile(t, []byte("not a recording")), []string{"not a Flight Recorder file", "check that"}},
		"unfinished": {"../../testdata/jdk25-live.jfr", []string{"it has no finished chunk", "end it, or dump it"}},
		"killed":     {"../../testdata/jdk25-killed.jfr", []string{"it has no finished chunk"}},
		"truncated":  {writeFile(t, profile[:len(profile)-10]), []string{"it is damaged: ", "truncated: the chunk says it has "}},
		"trailing":   {writeFile(t, append(bytes.Clone(profile), "tail"...)), []string{"it is damaged: "}},
		"event":      {writeFile(t, broken), []string{"it is damaged: ", "event size 0"}},
		"constants":  {writeFile(t, constants), []string{"it is damaged: ", "checkpoint"}},
		"endless":    {writeFile(t, endless), []string{"the clock of recordings ends in the year 2262, before 2 chunks are over; give"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, stdout, stderr := command("gen", "-size", "2MB", "-from", c.from, filepath.Join(dir, "out.jfr"))
			assert.Equal(t, exitDamaged, code)
			assert.Empty(t, stdout)
			for _, text := range c.says {
				assert.Contains(t, stderr, text)
			}
			assert.Regexp(t, `^jfrbench: .*\n$`, stderr)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestGenRefusesPlaces(t *testing.T) {
	out := writeFile(t, []byte("mine"))
	for path, says := range map[string]string{
		out:               "it is there already; remove it, or name another file",
		filepath.Dir(out): "it is there already",
		filepath.Join(filepath.Dir(out), "none", "out.jfr"): "it could not be written: ",
	} {
		code, stdout, stderr := command("gen", "-size", "1MB", path)
		assert.Equal(t, exitDamaged, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, path+": "+says)
		requireAlone(t, out)
	}
	kept, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(kept))
}

func TestGenSizes(t *testing.T) {
	for text, want := range map[string]uint64{"4GiB": 4 << 30, "4GB": 4e9, "1.5 MiB": 3 << 19, "1000000": 1e6, "0": 0} {
		o, err := parseGen([]string{"-size", text, "out.jfr"})
		require.NoError(t, err)
		assert.Equal(t, want, o.size, text)
	}
}

// TestGenInterrupted sends the signal that Ctrl-C does while there is much to write.
func TestGenInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself an interrupt on Windows")
	}
	dir := t.TempDir()
	begun := make(chan bool, 1)
	go func() {
		self, err := os.FindProcess(os.Getpid())
		for wait := 0; err == nil && wait < 60_000; wait++ {
			if leaktest.IsWriting(os.Getpid(), dir) {
				begun <- true
				_ = self.Signal(os.Interrupt)
				return
			}
			time.Sleep(time.Millisecond)
		}
		begun <- false
	}()
	code, stdout, stderr := command("gen", "-size", "3GiB", filepath.Join(dir, "out.jfr"))
	require.True(t, <-begun)
	assert.Equal(t, exitInterrupted, code)
	assert.Empty(t, stdout)
	assert.Equal(t, "jfrbench: interrupted\n", stderr)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestGenInterruptedBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out.jfr")
	_, err := generate(ctx, genOptions{size: 1 << 20, out: out})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NoFileExists(t, out)
}

// fullDisk takes left bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.left)
	if d.left -= n; n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

func TestGenOnAFullDisk(t *testing.T) {
	r, err := newRepeater(t.Context(), open(t, "../../testdata/jdk25-profile.jfr"))
	require.NoError(t, err)
	err = r.writeTo(t.Context(), &fullDisk{left: 1_000_000}, 5_000_000)
	assert.ErrorContains(t, err, "no space left")
	assert.Equal(t, uint64(1_000_000), r.written)
}
