package jvmtest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/internal/oracle"
)

var record = flag.Bool("record", false, "record the scenarios of testdata/live again")

// liveScenario is something that JVMs do while they are watched.
type liveScenario struct {
	name, note string
	run        func(t *testing.T, major int, base string)
}

var liveScenarios = []liveScenario{
	{"quiet", "A quiet JVM, three rotations, a normal exit.", quiet},
	{"heavy", "Heavy load; the JVM rotates at its chunk size, and removes old chunks by their size.", heavy},
	{"killed", "A JVM killed in the middle of its second chunk.", killed},
	{"two", "Two JVMs in one base folder, the second starts later; the first ends before it.", two},
	{"types", "Event types made and ended while the JVM runs, within chunks and at a rotation.", lateTypes},
	{"unflushed", "A JVM killed before its first flush: a chunk without metadata.", unflushed},
}

func quiet(t *testing.T, major int, base string) {
	j := jvmtest.Start(t, jvmtest.Options{Major: major, Base: base, Rate: 20, FlushInterval: 400 * time.Millisecond})
	for range 3 {
		time.Sleep(1300 * time.Millisecond)
		j.Send("rotate")
	}
	time.Sleep(time.Second)
	j.Exit()
}

func heavy(t *testing.T, major int, base string) {
	j := jvmtest.Start(t, jvmtest.Options{
		Major: major, Base: base, Threads: 4, Rate: 14000, Busy: true, FlushInterval: 150 * time.Millisecond,
		MaxChunkSize: 1 << 20, Recording: "maxsize=1m", Duration: 5500 * time.Millisecond,
	})
	j.Wait()
}

func killed(t *testing.T, major int, base string) {
	j := jvmtest.Start(t, jvmtest.Options{
		Major: major, Base: base, Threads: 2, Rate: 1000, Busy: true, FlushInterval: 400 * time.Millisecond,
	})
	time.Sleep(time.Second)
	j.Send("rotate")
	time.Sleep(1500 * time.Millisecond)
	j.Send("flush")
	j.Send("burst 30000") // more than the buffers hold, so that some of it gets to the file
	j.Kill()
}

func two(t *testing.T, major int, base string) {
	o := jvmtest.Options{Major: major, Base: base, Rate: 100, FlushInterval: 400 * time.Millisecond}
	first := jvmtest.Start(t, o)
	time.Sleep(time.Second)
	second := jvmtest.Start(t, o)
	second.Send("register second.Only")
	second.Send("emit second.Only 10")
	time.Sleep(time.Second)
	first.Send("rotate")
	time.Sleep(time.Second)
	first.Exit()
	second.Send("rotate")
	time.Sleep(time.Second)
	second.Exit()
}

func lateTypes(t *testing.T, major int, base string) {
	j := jvmtest.Start(t, jvmtest.Options{Major: major, Base: base, Rate: 50, FlushInterval: 400 * time.Millisecond})
	pause := func() { time.Sleep(900 * time.Millisecond) }
	pause()
	j.Send("register late.First")
	j.Send("emit late.First 10")
	pause()
	j.Send("register late.Second")
	j.Send("emit late.First 10")
	j.Send("emit late.Second 10")
	pause()
	j.Send("unregister late.First")
	pause()
	j.Send("rotate")
	j.Send("emit late.Second 10")
	pause()
	j.Send("register late.Third")
	j.Send("rotate")
	j.Send("emit late.Third 10")
	pause()
	j.Exit()
}

func unflushed(t *testing.T, major int, base string) {
	j := jvmtest.Start(t, jvmtest.Options{Major: major, Base: base, FlushInterval: time.Hour})
	j.Send("burst 20000")
	j.Kill()
}

// TestRecord records the scenarios again; only with -record.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("only with -record")
	}
	home, ok := jdk.Judge()
	require.True(t, ok, "a JDK 25 is needed to count the events")
	for _, s := range liveScenarios {
		each(t, func(t *testing.T, major int) {
			base := filepath.Join(t.TempDir(), "repository")
			r := startRecorder(t, base)
			t.Log(s.name)
			s.run(t, major, base)
			time.Sleep(50 * time.Millisecond) // for the last changes of the folder
			scenario, files := r.end(jvmtest.Need(t, major).Version)
			expected := &jvmtest.Expected{JDK: scenario.JDK, Note: s.note, Files: counted(t, home, files)}
			var err error
			expected.Said, err = jdk.JudgeVersion(home)
			require.NoError(t, err)
			keepScenario(t, "jdk"+strconv.Itoa(major)+"-"+s.name, scenario, expected)
		})
	}
}

// counted asks jfr what each file holds.
func counted(t *testing.T, home string, files []*seenFile) (list []jvmtest.ExpectedFile) {
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		e := jvmtest.ExpectedFile{
			Name: f.name, Size: int64(len(f.content)), SHA256: hex.EncodeToString(sum[:]), Removed: f.removed,
			Finished: f.content[stateAt] == stateFinished, Flushed: validEnd(f.content), Events: map[string]uint64{},
		}
		chunk, err := oracle.Chunk(f.content, 0)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "chunk.jfr")
		require.NoError(t, os.WriteFile(file, chunk, 0o600))
		out, refusal, err := oracle.Verbatim(t.Context(), home, file, "summary")
		require.NoError(t, err)
		if e.Refused = refusal; refusal == "" {
			summary, err := oracle.ParseSummary(bytes.NewReader(out))
			require.NoError(t, err)
			for name, c := range summary.Types {
				if c.Events > 0 && name != "jdk.Metadata" && name != "jdk.Checkpoint" {
					e.Events[name] = c.Events
				}
			}
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b jvmtest.ExpectedFile) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// keepScenario writes a scenario and what is expected of it to testdata.
func keepScenario(t *testing.T, name string, s *jvmtest.Scenario, expected *jvmtest.Expected) {
	var plain, packed bytes.Buffer
	require.NoError(t, s.Write(&plain))
	e, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	require.NoError(t, err)
	_, err = e.Write(plain.Bytes())
	require.NoError(t, err)
	require.NoError(t, e.Close())
	text, err := json.MarshalIndent(expected, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(jvmtest.LiveFile(t, name)), 0o755))
	require.NoError(t, os.WriteFile(jvmtest.LiveFile(t, name+".zst"), packed.Bytes(), 0o644))
	require.NoError(t, os.WriteFile(jvmtest.LiveFile(t, name+".json"), append(text, '\n'), 0o644))
	t.Logf("%d states, %d bytes, %d packed", len(s.States), plain.Len(), packed.Len())
}
