package input_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// places are where what is unpacked may go.
var places = []struct {
	name string
	set  func(*testing.T, *input.Options)
	file bool
}{
	{"memory", func(*testing.T, *input.Options) {}, false},
	{"file", func(_ *testing.T, o *input.Options) { o.InMemory = -1 }, true},
	{"memory, then file", func(_ *testing.T, o *input.Options) { o.InMemory = 100_000 }, true},
	{"file that is removed late", func(t *testing.T, o *input.Options) { o.InMemory = -1; input.WithoutPathsOfOpenFiles(t) }, true},
}

func TestUnpacks(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	for _, w := range ways {
		for _, place := range places {
			t.Run(w.name+" to "+place.name, func(t *testing.T) {
				o, told := options(t)
				place.set(t, &o)
				path := write(t, t.TempDir(), "x", w.pack(t, raw))
				set := open(t, o, path)
				name := path
				if w.name == "zip" {
					name += "/in/app.jfr"
				}
				holds(t, set, member{name, raw})
				rec := set.Recordings[0]
				assert.Equal(t, place.file, rec.Path() != "", "whether it is in a file")
				assert.Empty(t, set.Path(rec))
				if runtime.GOOS != "windows" { // which keeps files that are mapped
					noFiles(t, o.TempDir)
				}
				assert.Empty(t, *told)
				for _, err := range rec.Events() {
					require.NoError(t, err)
				}
			})
		}
	}
}

func TestUnpacksWhatWasPackedTwice(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	for i, outer := range ways {
		for j, inner := range ways {
			if !longtest.Every(i+j, 3) {
				continue
			}
			for _, place := range places[:longtest.Cases(1, 2)] {
				t.Run(inner.name+" in "+outer.name+" to "+place.name, func(t *testing.T) {
					o, told := options(t)
					place.set(t, &o)
					set := open(t, o, write(t, t.TempDir(), "x", outer.pack(t, inner.pack(t, raw))))
					require.Len(t, set.Recordings, 1)
					assert.True(t, bytes.Equal(raw, engine.RecordingIndex(set.Recordings[0]).Data()))
					assert.Empty(t, *told)
				})
			}
		}
	}
}

func TestUnpacksOtherForms(t *testing.T) {
	raw := recording(t, "jdk25-kinds.jfr")
	skippable := []byte("\x51\x2a\x4d\x18\x04\x00\x00\x00abcd")
	for name, data := range map[string][]byte{
		"zstd of several frames": bytes.Join([][]byte{
			ways[1].pack(t, raw[:1000]), ways[1].pack(t, raw[1000:]),
		}, nil),
		"zstd after something to skip": append(skippable, ways[1].pack(t, raw)...),
		"lz4 after something to skip":  append(skippable, ways[2].pack(t, raw)...),
		"lz4 of the old form":          oldLZ4(t, raw),
		"lz4 of several frames":        bytes.Join([][]byte{ways[2].pack(t, raw[:1000]), ways[2].pack(t, raw[1000:])}, nil),
		"gzip of several members":      bytes.Join([][]byte{gzipped(t, raw[:1000]), gzipped(t, raw[1000:])}, nil),
		"xz of several streams":        bytes.Join([][]byte{ways[3].pack(t, raw[:1000]), ways[3].pack(t, raw[1000:])}, nil),
		"zip without packing":          zipOf(t, zip.Store, raw),
		"zip by zstd":                  zipOf(t, zstd.ZipMethodWinZip, raw),
	} {
		t.Run(name, func(t *testing.T) {
			o, told := options(t)
			set := open(t, o, write(t, t.TempDir(), "x", data))
			require.Len(t, set.Recordings, 1)
			assert.True(t, bytes.Equal(raw, engine.RecordingIndex(set.Recordings[0]).Data()))
			assert.Empty(t, *told)
		})
	}
}

func oldLZ4(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	require.NoError(t, w.Apply(lz4.LegacyOption(true)))
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zipOf packs one file by a method.
func zipOf(t testing.TB, method uint16, data []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	w, err := z.CreateHeader(&zip.FileHeader{Name: "app.jfr", Method: method})
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// What was joined before it was packed, or afterwards, is one recording of several
// chunks.
func TestUnpacksJoinedRecordings(t *testing.T) {
	a, b := recording(t, "jdk25-kinds.jfr"), recording(t, "jdk25-empty.jfr")
	for _, w := range ways[:4] {
		for name, data := range map[string][]byte{
			"before": w.pack(t, append(bytes.Clone(a), b...)),
			"after":  append(w.pack(t, a), w.pack(t, b)...),
		} {
			t.Run(w.name+" "+name, func(t *testing.T) {
				o, told := options(t)
				set := open(t, o, write(t, t.TempDir(), "x", data))
				require.Len(t, set.Recordings, 1)
				assert.Len(t, engine.RecordingIndex(set.Recordings[0]).Chunks(), 2)
				assert.Equal(t, int64(len(a)+len(b)), set.Recordings[0].Size())
				assert.Empty(t, *told)
			})
		}
	}
}

func TestUnpacksAllRecordingsOfAnArchive(t *testing.T) {
	o, told := options(t)
	kinds, empty, virtual := recording(t, "jdk25-kinds.jfr"), recording(t, "jdk25-empty.jfr"), recording(t, "jdk25-virtual.jfr")
	path := write(t, t.TempDir(), "all.zip", zipped(t,
		member{"readme.txt", []byte("What these are")},
		member{"a/", nil},
		member{"a/nothing", nil},
		member{"a/virtual.jfr", virtual},
		member{"kinds\x1b[31m.gz", gzipped(t, kinds)},
		member{"text.gz", gzipped(t, []byte("nothing to see"))},
		member{"inner.zip", zipped(t, member{"empty.jfr", empty})},
	))
	set := open(t, o, path)
	holds(t, set, inOrder(t,
		member{path + "/a/virtual.jfr", virtual},
		member{path + "/kinds\\x1b[31m.gz", kinds},
		member{path + "/inner.zip/empty.jfr", empty},
	)...)
	assert.Empty(t, *told, "what is no recording is skipped")
}

// inOrder puts recordings in the order in which they began.
func inOrder(t testing.TB, list ...member) []member {
	o := input.Options{}
	dir := t.TempDir()
	byPath := map[string]member{}
	var paths []string
	for _, m := range list {
		path := write(t, dir, filepath.Base(m.name)+".jfr", m.data)
		byPath[path] = m
		paths = append(paths, path)
	}
	set, err := input.Open(context.Background(), paths, o)
	require.NoError(t, err)
	var sorted []member
	for i, rec := range set.Recordings {
		if i > 0 {
			require.False(t, rec.Start().Before(set.Recordings[i-1].Start()), "not in the order of time")
		}
		sorted = append(sorted, byPath[rec.Path()])
	}
	require.NoError(t, set.Close())
	return sorted
}

// The saved index of a temporary file would be useless.
func TestSavesIndexesOfPlainFilesOnly(t *testing.T) {
	o, _ := options(t)
	folder := t.TempDir()
	o.Open = []mmapjfr.Option{mmapjfr.SavedIndexes(folder)}
	o.InMemory = -1
	dir := t.TempDir()
	raw := bytes.Repeat(recording(t, "jdk25-profile.jfr"), 120)
	plain, packed := write(t, dir, "a.jfr", raw), write(t, dir, "b.jfr.gz", gzipped(t, raw))
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(plain, long, long))
	for i, name := range []string{packed, plain} {
		set, err := input.Open(context.Background(), []string{name}, o)
		require.NoError(t, err)
		assert.Positive(t, set.Recordings[0].EventCount())
		require.NoError(t, set.Close())
		list, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, list, i)
	}
}

func TestRemovesAtCloseWhatIsHeldUntilThen(t *testing.T) {
	o, _ := options(t)
	set, err := input.Open(context.Background(), []string{write(t, t.TempDir(), "a.jfr", recording(t, "jdk25-empty.jfr"))}, o)
	require.NoError(t, err)
	set.RemoveAtClose(write(t, o.TempDir, "held", nil))
	require.NoError(t, set.Close())
	noFiles(t, o.TempDir)
	assert.NoError(t, set.Close(), "a second time")
}

func TestUnpacksRealRecordings(t *testing.T) {
	paths := longtest.Others(t)
	if len(paths) == 0 {
		t.Skip("there are no recordings of other producers here")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			o, told := options(t)
			set, err := input.Open(context.Background(), []string{path}, o)
			if old := filepath.Base(path); old == "7u40.jfr.gz" || old == "8u40.jfr.gz" {
				assert.ErrorIs(t, err, mmapjfr.ErrUnsupported)
				assert.ErrorContains(t, err, path+": ")
				return
			}
			require.NoError(t, err)
			assert.Len(t, set.Recordings, 1)
			assert.Empty(t, *told)
			assert.NoError(t, set.Close())
		})
	}
}

func TestRefusesWhatIsPackedTooOften(t *testing.T) {
	o, _ := options(t)
	data := recording(t, "jdk25-empty.jfr")
	for range input.MaxDepth {
		data = gzipped(t, data)
	}
	path := write(t, t.TempDir(), "x", data)
	open(t, o, path)
	require.NoError(t, os.WriteFile(path, gzipped(t, data), 0o666))
	_, err := input.Open(context.Background(), []string{path}, o)
	assert.EqualError(t, err, path+": it is packed more than 8 times over; unpack it first")
}

// The library for xz takes as much memory as a file asks for.
func TestRefusesWindowsThatAreTooLarge(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(512<<20))
	require.NoError(t, err)
	_, err = w.Write(raw)
	require.NoError(t, err)
	require.NoError(t, w.Flush()) // or it would fit the window to the size
	require.NoError(t, w.Close())

	var x bytes.Buffer
	xw, err := xz.NewWriter(&x)
	require.NoError(t, err)
	_, err = xw.Write(raw)
	require.NoError(t, err)
	require.NoError(t, xw.Close())
	large := x.Bytes()
	i := bytes.Index(large, []byte{0x21, 1}) // the filter, the size of what it gets
	large[i+2] = 38                          // 2 GiB

	// The same where the block says how large it is.
	sized := "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46" + "\x04\xc0\x80\x01\x80\x02\x21\x01\x26"
	for _, tt := range []struct {
		name string
		data []byte
	}{{"zstd", b.Bytes()}, {"xz", large}, {"xz", []byte(sized)}} {
		name, data := tt.name, tt.data
		t.Run(name, func(t *testing.T) {
			o, _ := options(t)
			path := write(t, t.TempDir(), "x", data)
			_, err := input.Open(context.Background(), []string{path}, o)
			assert.EqualError(t, err, path+": its "+name+" data takes more than 256 MB of memory to unpack; unpack it first")
		})
	}
}
