package input_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// startingAt is a recording that began that many seconds after another.
func startingAt(seconds int) []byte {
	b := jfrtest.NewChunk()
	b.Header.StartNanos += int64(time.Duration(seconds) * time.Second)
	return b.Bytes()
}

func TestOrdersByTime(t *testing.T) {
	o, _ := options(t)
	dir := t.TempDir()
	third, first := write(t, dir, "third", startingAt(3)), write(t, dir, "first", gzipped(t, startingAt(1)))
	second, same := write(t, dir, "second", startingAt(2)), write(t, dir, "also-second", startingAt(2))
	holds(t, open(t, o, third, first, second, same),
		member{first, startingAt(1)}, member{second, startingAt(2)}, member{same, startingAt(2)}, member{third, startingAt(3)})

	var names []string
	var want []member
	for i := range 60 { // fewer may stay in order by chance
		names = append(names, write(t, dir, strconv.Itoa(60-i), startingAt(4+i%2)))
	}
	for i := range 60 {
		at := i*2%60 + i/30
		want = append(want, member{names[at], startingAt(4 + at%2)})
	}
	holds(t, open(t, o, names...), want...)
}

func TestSpanIsFromTheFirstToTheLast(t *testing.T) {
	set, err := input.Open(t.Context(), []string{"../../testdata/jdk25-chunks.jfr", "../../testdata/jdk17-empty.jfr"}, input.Options{})
	require.NoError(t, err)
	defer set.Close()
	require.Len(t, set.Recordings, 2)
	start, end := set.Span()
	assert.Equal(t, set.Recordings[0].Start(), start)
	for _, rec := range set.Recordings {
		assert.False(t, rec.Start().Before(start))
		assert.False(t, rec.End().After(end))
	}
	assert.True(t, end.Equal(set.Recordings[0].End()) || end.Equal(set.Recordings[1].End()))
}

func TestOpensTheSameFileOnce(t *testing.T) {
	o, _ := options(t)
	raw := startingAt(0)
	t.Chdir(t.TempDir())
	write(t, ".", "a.jfr", raw)
	write(t, ".", "b.jfr.gz", gzipped(t, raw))
	require.NoError(t, os.Link("a.jfr", "linked.jfr"))
	holds(t, open(t, o, "a.jfr", "./a.jfr", "b.jfr.gz", "linked.jfr", ".", "*.gz"), member{"a.jfr", raw}, member{"b.jfr.gz", raw})
	if err := os.Symlink("a.jfr", "also.jfr"); err == nil { // not everybody may, on Windows
		holds(t, open(t, o, "also.jfr", "a.jfr"), member{"also.jfr", raw})
	}
}

func TestExpandsPatterns(t *testing.T) {
	o, _ := options(t)
	t.Chdir(t.TempDir())
	write(t, ".", "b.jfr", startingAt(1))
	write(t, ".", "a.jfr", startingAt(0))
	write(t, ".", "c.txt", []byte("text"))
	write(t, ".", "d/e.jfr", startingAt(2))
	a, b, e := member{"a.jfr", startingAt(0)}, member{"b.jfr", startingAt(1)}, member{filepath.Join("d", "e.jfr"), startingAt(2)}
	holds(t, open(t, o, "*.jfr"), a, b)
	holds(t, open(t, o, "?.jfr", "*/*.jfr"), a, b, e)
	holds(t, open(t, o, "[bd]*"), b, e)
	o, told := options(t)
	holds(t, open(t, o, "*"), a, b, e)
	require.Len(t, *told, 1)
	assert.Equal(t, "c.txt", (*told)[0].name)
	assert.ErrorContains(t, (*told)[0].err, "it is not a Flight Recorder file, but text", "as if a shell had expanded it")

	write(t, ".", "[b].jfr", startingAt(3))
	holds(t, open(t, o, "[b].jfr"), member{"[b].jfr", startingAt(3)})
}

func TestRefusesNamesThatLeadNowhere(t *testing.T) {
	o, _ := options(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("empty", 0o777))
	write(t, ".", "full/a.txt", []byte("text"))
	write(t, ".", "full/inner/a.jfr", startingAt(0))
	const none = ": this directory has no recordings; directories inside it are not searched, so name the one that holds them"
	for name, want := range map[string]string{
		"none.jfr":  "none.jfr: no such file; check the path",
		"*.jfr":     "*.jfr: no such file, and no file matches the pattern",
		"[.jfr":     "[.jfr: no such file, and no file matches the pattern",
		"empty":     "empty" + none,
		"full":      "full" + none,
		"full/*.tx": "full/*.tx: no such file, and no file matches the pattern",
	} {
		_, err := input.Open(context.Background(), []string{name}, o)
		assert.EqualError(t, err, want)
	}
	_, err := input.Open(context.Background(), []string{"none.jfr"}, o)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestDirectoryIsAllRecordingsInIt(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	a, b := startingAt(0), startingAt(1)
	write(t, dir, "a.jfr", a)
	write(t, dir, "b", gzipped(t, b))
	write(t, dir, "notes.txt", []byte("text"))
	write(t, dir, "empty", nil)
	write(t, dir, "other.gz", gzipped(t, []byte("text")))
	write(t, dir, "lib.jar", zipped(t, member{"META-INF/MANIFEST.MF", nil}))
	write(t, dir, "inner/c.jfr", startingAt(2))
	write(t, dir, "docs.zip", zipped(t, member{"readme", []byte("text")}))
	_ = os.Symlink("away", filepath.Join(dir, "nowhere"))
	want := []member{{filepath.Join(dir, "a.jfr"), a}, {filepath.Join(dir, "b"), b}}
	holds(t, open(t, o, dir), want...)
	assert.Empty(t, *told)
}

// What looks like a recording and is none that can be read is reported.
func TestTellsOfRecordingsOfADirectoryThatCannotBeRead(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	write(t, dir, "a.jfr", startingAt(0))
	old, cut := write(t, dir, "old.jfr", oldRecording()), write(t, dir, "z.gz", gzipped(t, startingAt(0))[:20])
	holds(t, open(t, o, dir), member{filepath.Join(dir, "a.jfr"), startingAt(0)})
	require.Len(t, *told, 2)
	assert.Equal(t, old, (*told)[0].name)
	assert.ErrorIs(t, (*told)[0].err, mmapjfr.ErrUnsupported)
	assert.Equal(t, cut, (*told)[1].name)
	assert.EqualError(t, (*told)[1].err, "its gzip data ends too early; copy it again")
	for _, n := range *told {
		assert.NotErrorAs(t, n.err, new(input.Remark))
	}
}

// repository makes the disk repository of two virtual machines, the first of which
// still runs, and returns the paths of their folders.
func repository(t *testing.T, base string) (live, ended string) {
	live, ended = filepath.Join(base, "2024_05_01_10_00_00_4711"), filepath.Join(base, "2024_05_02_10_00_00_12")
	write(t, live, "2024_05_01_10_00_00.jfr", startingAt(0))
	write(t, live, "2024_05_01_10_00_20.jfr", startingAt(20))
	write(t, live, "2024_05_01_10_00_40.jfr", begunChunk())
	write(t, live, "2024_05_01_10_00_41.jfr", begunChunk()[:40])
	write(t, live, "2024_05_01_10_00_42.jfr", nil)
	write(t, ended, "2024_05_02_10_00_00.jfr", startingAt(10))
	return live, ended
}

// begunChunk is what a virtual machine writes first.
func begunChunk() []byte {
	b := jfrtest.NewEmptyChunk()
	b.Bare = true
	b.Header.State = 1
	none := int64(0)
	b.ForceCheckpointOffset, b.ForceMetadataOffset = &none, &none
	return b.Bytes()
}

func TestFolderOfAVirtualMachineIsItsChunks(t *testing.T) {
	o, told := options(t)
	live, _ := repository(t, t.TempDir())
	holds(t, open(t, o, live),
		member{filepath.Join(live, "2024_05_01_10_00_00.jfr"), startingAt(0)}, member{filepath.Join(live, "2024_05_01_10_00_20.jfr"), startingAt(20)})
	var names []string
	for _, n := range *told {
		names = append(names, filepath.Base(n.name))
		assert.EqualError(t, n.err, "skipped: it has only just begun")
		assert.ErrorAs(t, n.err, new(input.Remark))
	}
	assert.Equal(t, []string{"2024_05_01_10_00_40.jfr", "2024_05_01_10_00_41.jfr", "2024_05_01_10_00_42.jfr"}, names)
}

func TestBaseOfARepositoryIsTheChunksOfAll(t *testing.T) {
	o, told := options(t)
	base := t.TempDir()
	live, ended := repository(t, base)
	write(t, base, "2024_05_03_10_00_00_13/readme", []byte("text"))
	write(t, base, "2024_05_03/other.jfr", startingAt(5)) // not made by a virtual machine
	holds(t, open(t, o, base),
		member{filepath.Join(live, "2024_05_01_10_00_00.jfr"), startingAt(0)},
		member{filepath.Join(ended, "2024_05_02_10_00_00.jfr"), startingAt(10)},
		member{filepath.Join(live, "2024_05_01_10_00_20.jfr"), startingAt(20)})
	last := (*told)[len(*told)-1]
	assert.Equal(t, base, last.name)
	assert.ErrorContains(t, last.err, "reading the chunks of 2 JVMs as one recording")
	assert.ErrorAs(t, last.err, new(input.Remark))
}

// Of one machine there is nothing to say.
func TestBaseOfARepositoryOfOne(t *testing.T) {
	o, told := options(t)
	base := t.TempDir()
	live, _ := repository(t, base)
	require.NoError(t, os.RemoveAll(filepath.Join(base, "2024_05_02_10_00_00_12")))
	assert.Len(t, open(t, o, base).Recordings, 2)
	assert.False(t, slices.ContainsFunc(*told, func(n note) bool { return filepath.Dir(n.name) != live }), "%v", *told)
}

// A recording that was dumped beside the repository holds the same events again.
func TestRecordingsBesideARepositoryAreTakenAlone(t *testing.T) {
	o, told := options(t)
	base := t.TempDir()
	live, _ := repository(t, base)
	dump := write(t, base, "dump.jfr", startingAt(0))
	holds(t, open(t, o, base), member{dump, startingAt(0)})
	require.Len(t, *told, 1)
	assert.EqualError(t, (*told)[0].err, "skipped the chunks in JVM repositories, such as "+live+"; name these folders to read them, too")
	assert.ErrorAs(t, (*told)[0].err, new(input.Remark))
}

func TestFolderWhereNothingHasBeenWrittenYet(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	path := write(t, dir, "2024_05_01_10_00_40.jfr", begunChunk())
	_, err := input.Open(context.Background(), []string{dir}, o)
	assert.EqualError(t, err, dir+": nothing has been written yet to the recordings in this directory; wait a little, or let jcmd PID JFR.dump write one")
	assert.Len(t, *told, 1)
	// But a caller that names it gets it, and may see what it is.
	holds(t, open(t, o, path), member{path, begunChunk()})
	other := write(t, dir, "a.jfr", startingAt(-10))
	holds(t, open(t, o, dir, path), member{other, startingAt(-10)}, member{path, begunChunk()})
}

// Chunks that a virtual machine removes while they are opened are passed over.
func TestPassesOverWhatVanishes(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	a, b := write(t, dir, "a.gz", gzipped(t, startingAt(0))), write(t, dir, "b.jfr", startingAt(1))
	o.Progress = func(string, int64, int64) { _ = os.Remove(b) }
	holds(t, open(t, o, dir), member{a, startingAt(0)})
	require.Len(t, *told, 1)
	assert.Equal(t, b, (*told)[0].name)
	assert.EqualError(t, (*told)[0].err, "skipped: it has been removed")
	assert.ErrorAs(t, (*told)[0].err, new(input.Remark))
}

// TestEventsOfASet are those of its recordings, one after the other, with errors that name
// what was unpacked.
func TestEventsOfASet(t *testing.T) {
	o, _ := options(t)
	file, err := os.ReadFile("../../testdata/jdk25-live-1.jfr")
	require.NoError(t, err)
	packed := write(t, t.TempDir(), "packed", gzipped(t, file))
	set := open(t, o, "../../testdata/jdk25-kinds.jfr", packed)
	var want, got []uint64
	for _, rec := range set.Recordings {
		for ev, err := range rec.Select(mmapjfr.Types("jdk.ActiveSetting")).Events() {
			if err == nil {
				want = append(want, ev.Offset())
			}
		}
	}
	var errs []error
	for ev, err := range set.Events(mmapjfr.Types("jdk.ActiveSetting")) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		got = append(got, ev.Offset())
	}
	assert.Equal(t, want, got)
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], mmapjfr.ErrUnfinished)
	assert.ErrorContains(t, errs[0], packed+": ")
	for range set.Events() {
		break
	}
	require.NoError(t, set.Close())
	start, end := set.Span()
	assert.True(t, start.IsZero() && end.IsZero(), "of nothing")
}

// A recording and packed copies of it in one directory count once; files of other names, of other
// contents, and those that are named do not.
func TestPackedCopiesInADirectoryCountOnce(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	raw := startingAt(0)
	plain := write(t, dir, "app.jfr", raw)
	gz := write(t, dir, "app.jfr.gz", gzipped(t, raw))
	write(t, dir, "app.jfr.xz", gzipped(t, raw)) // names do not say how it is packed
	another := write(t, dir, "bpp.jfr.gz", gzipped(t, raw))
	write(t, dir, "c.jfr", startingAt(1))
	later := write(t, dir, "c.jfr.gz", gzipped(t, startingAt(2)))
	holds(t, open(t, o, dir), member{plain, raw}, member{another, raw}, member{filepath.Join(dir, "c.jfr"), startingAt(1)}, member{later, startingAt(2)})
	require.Len(t, *told, 3) // the last one is of another name
	for i, name := range []string{gz, filepath.Join(dir, "app.jfr.xz")} {
		assert.Equal(t, name, (*told)[i].name)
		assert.EqualError(t, (*told)[i].err, "skipped: it is app.jfr again, packed")
		assert.ErrorAs(t, (*told)[i].err, new(input.Remark))
	}
	holds(t, open(t, o, plain, gz), member{plain, raw}, member{gz, raw})
}

// TestMentionsCopies mentions recordings that have chunks in common, and not the same file under two names.
func TestMentionsCopies(t *testing.T) {
	o, told := options(t)
	dir := t.TempDir()
	write(t, dir, "first", startingAt(0))
	write(t, dir, "later", slices.Concat(startingAt(0), startingAt(1)))
	write(t, dir, "other", startingAt(2))
	t.Chdir(dir)
	open(t, o, "first", "other", "./first")
	assert.Empty(t, *told)
	open(t, o, "later", "other", "first")
	require.Len(t, *told, 1)
	assert.Equal(t, "first", (*told)[0].name)
	assert.EqualError(t, (*told)[0].err, "chunk 0 is a copy of chunk 0 of later and counts once")
	assert.ErrorAs(t, (*told)[0].err, new(input.Remark))
	write(t, dir, "joined", slices.Concat(startingAt(3), startingAt(0), startingAt(3)))
	write(t, dir, "third", slices.Concat(startingAt(3), startingAt(0)))
	*told = nil
	open(t, o, "later", "joined")
	require.Len(t, *told, 1)
	assert.EqualError(t, (*told)[0].err, "2 of 3 chunks are copies of others and count once; chunk 1 is a copy of chunk 0 of later")
	*told = nil
	open(t, o, "later", "first", "joined", "third")
	require.Len(t, *told, 1) // of all
	assert.Equal(t, "first", (*told)[0].name)
	assert.ErrorContains(t, (*told)[0].err, "; other recordings with copies: 2")
}
