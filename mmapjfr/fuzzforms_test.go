package mmapjfr_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/internal/dumpall"
)

// fuzzFile is a file that a fuzzer writes its recordings to, one after the other.
type fuzzFile struct {
	path string
	f    *os.File
}

// newFuzzFile makes a file that lies in memory where there is such a place.
func newFuzzFile(f *testing.F) *fuzzFile {
	dir, err := os.MkdirTemp("/dev/shm", "mmapjfr")
	if err != nil {
		dir = f.TempDir()
	}
	path := filepath.Join(dir, "fuzz.jfr")
	file, err := os.Create(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = file.Close()
		_ = os.RemoveAll(dir)
	})
	return &fuzzFile{path, file}
}

// put makes the file one with these bytes.
func (x *fuzzFile) put(t testing.TB, data []byte) {
	require.NoError(t, x.f.Truncate(0))
	_, err := x.f.WriteAt(data, 0)
	require.NoError(t, err)
}

// told is all that is read of a recording in the file, or why it cannot be opened.
func (x *fuzzFile) told(t testing.TB, tr *dumpall.Dumper, opts ...mmapjfr.Option) (text []byte, loaded bool) {
	rec, err := mmapjfr.Open(x.path, opts...)
	if err != nil {
		return []byte(err.Error()), false
	}
	for _, c := range rec.Chunks() {
		_ = c.ConstantsErr() // what is known to be wrong comes with the events
	}
	tr.Reset()
	tr.Recording(rec)
	loaded = engine.RecordingIndex(rec).Loaded()
	require.NoError(t, rec.Close())
	// Errors of a file have its name, which bytes have not.
	return bytes.ReplaceAll(tr.Bytes(), []byte(x.path+": "), nil), loaded
}

// sameTold fails where texts begin to differ.
func sameTold(t *testing.T, how string, want, got []byte) {
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	from := max(at-300, 0)
	t.Fatalf("%s: at %d\n%q\nwant\n%q", how, at, got[from:min(at+200, len(got))], want[from:min(at+200, len(want))])
}

// FuzzForms reads a recording out of a map, out of a copy of the file, and as it is in
// memory: all must tell the same.
func FuzzForms(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	file := newFuzzFile(f)
	var one, two dumpall.Dumper
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		data := fuzzed(which, program, edits)
		rec, err := mmapjfr.OpenBytes(data)
		if err != nil {
			return
		}
		for _, c := range rec.Chunks() {
			_ = c.ConstantsErr()
		}
		one.Reset()
		one.Recording(rec)
		file.put(t, data)
		got, _ := file.told(t, &two)
		sameTold(t, "map", one.Bytes(), got)
		got, _ = file.told(t, &two, mmapjfr.CopyOnOpen())
		sameTold(t, "copy", one.Bytes(), got)
	})
}

// FuzzPipe reads recordings that are right out of a pipe and out of memory: all events
// must tell the same.
func FuzzPipe(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.program, uint8(len(in.edits)))
	}
	var one, two dumpall.Dumper
	f.Fuzz(func(t *testing.T, program []byte, step uint8) {
		data := jfrtest.Generate(program[:min(len(program), 2048)])
		rec, err := mmapjfr.OpenBytes(data)
		require.NoError(t, err)
		one.Reset()
		for ev, err := range rec.Events() {
			if err == nil && !mayFlush(ev.Chunk()) {
				one.Fields(ev)
			}
		}
		two.Reset()
		lr, err := engine.ReadChunks(&stepReader{data, int(step)})
		require.NoError(t, err)
		for range len(data) {
			live, span, err := engine.ChunkStreamNext(lr)
			if err != nil {
				break
			}
			eventsIn(live, span, func(ev mmapjfr.Event) {
				if !mayFlush(chunkAt(rec, ev.Offset())) {
					two.Fields(ev)
				}
			})
		}
		sameTold(t, "pipe", one.Bytes(), two.Bytes())
	})
}

// chunkAt returns the chunk that holds an offset.
func chunkAt(rec *mmapjfr.Recording, offset uint64) mmapjfr.Chunk {
	chunks := rec.Chunks()
	i := len(chunks) - 1
	for chunks[i].Offset() > offset {
		i--
	}
	return chunks[i]
}

// mayFlush reports whether events of the chunk may come out of a pipe before all of its
// constants have.
func mayFlush(c mmapjfr.Chunk) bool {
	k, err := engine.ChunkIndex(c).Constants()
	if err != nil {
		return true
	}
	for _, cp := range k.Checkpoints() {
		if cp.Mask&jfrtest.MaskFlush != 0 {
			return true
		}
	}
	return false
}

// stepReader gives that many bytes at a time.
type stepReader struct {
	data []byte
	step int
}

func (r *stepReader) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), r.step+1)], r.data)
	r.data = r.data[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// FuzzSaved reads a recording with a saved index and without: both must tell the same.
// Then it puts another recording in its place, as old and as large: whatever is noticed of
// that, all ends well.
func FuzzSaved(f *testing.F) {
	for i, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits, []byte{0, byte(i), byte(7 * i), 3, 0, byte(i), 0, byte(i)})
	}
	file := newFuzzFile(f)
	old := time.Now().Add(-time.Hour)
	var one, two dumpall.Dumper
	mmapjfr.KeepAllIndexes(f)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, program, edits, others []byte) {
		data := fuzzed(which, program, edits)
		file.put(t, data)
		require.NoError(t, os.RemoveAll(folder)) // of the recording before
		require.NoError(t, os.Chtimes(file.path, old, old))
		want, _ := file.told(t, &one)
		got, _ := file.told(t, &two, mmapjfr.SavedIndexes(folder))
		sameTold(t, "while it is saved", want, got)
		list, _ := os.ReadDir(folder)
		got, loaded := file.told(t, &two, mmapjfr.SavedIndexes(folder))
		sameTold(t, "saved", want, got)
		if loaded != (len(list) > 0) {
			t.Fatalf("saved %v, used %v", len(list), loaded)
		}
		other := jfrtest.Edit(data, others[:min(len(others), 256)])
		if bytes.Equal(data, other) {
			return
		}
		file.put(t, other)
		require.NoError(t, os.Chtimes(file.path, old, old))
		want, _ = file.told(t, &one)
		got, loaded = file.told(t, &two, mmapjfr.SavedIndexes(folder))
		if !loaded {
			sameTold(t, "with the index of another", want, got)
		}
	})
}
