package input_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// bomb is a recording that goes on for long.
func bomb(t testing.TB) []byte {
	return append(recording(t, "jdk25-empty.jfr"), make([]byte, 3<<20)...)
}

func TestStopsAtTheLimit(t *testing.T) {
	for _, w := range ways {
		data := w.pack(t, bomb(t))
		for _, place := range places {
			t.Run(w.name+" to "+place.name, func(t *testing.T) {
				o, told := options(t)
				place.set(t, &o)
				o.MaxUnpacked = 2 << 20
				path := write(t, t.TempDir(), "x", data)
				_, err := input.Open(context.Background(), []string{path}, o)
				if w.name == "zip" {
					path += "/in/app.jfr"
				}
				assert.EqualError(t, err, path+": it is larger than 2 MB when unpacked, which is the limit; if that is right, raise it by --max-unpacked, or unpack it to a file and name that")
				assert.Empty(t, *told)
			})
		}
	}
}

// All that is unpacked counts: files of an archive, of a directory, and those that
// are named, and what is only unpacked to be unpacked again.
func TestLimitIsForAll(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	size := int64(len(raw))
	small := gzipped(t, raw)
	twice := gzipped(t, small)
	dir := t.TempDir()
	a, b := write(t, dir, "a", small), write(t, dir, "b", small)
	archive, packed := write(t, t.TempDir(), "z", zipped(t, member{"a", raw}, member{"b", raw})), write(t, t.TempDir(), "z", twice)
	for _, tt := range []struct {
		name  string
		names []string
		need  int64
		which string // is too much
	}{
		{"names", []string{a, b}, 2 * size, b},
		{"directory", []string{dir}, 2 * size, b},
		{"archive", []string{archive}, 2 * size, archive + "/b"},
		{"twice", []string{packed}, size + int64(len(small)), packed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := options(t)
			o.MaxUnpacked = tt.need
			open(t, o, tt.names...)
			o.MaxUnpacked--
			_, err := input.Open(context.Background(), tt.names, o)
			require.Error(t, err)
			assert.Regexp(t, "^"+regexp.QuoteMeta(tt.which)+": it is larger than .*, which is the limit", err.Error())
		})
	}
}

func TestLimitsWhatComesThroughPipes(t *testing.T) {
	o, _ := options(t)
	o.MaxUnpacked = 2 << 20
	r, w := io.Pipe()
	go func() {
		_, err := w.Write(recording(t, "jdk25-empty.jfr"))
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
	}()
	o.Stdin = r
	_, err := input.Open(context.Background(), []string{"-"}, o)
	assert.ErrorContains(t, err, "standard input: it is larger than 2 MB")
	assert.NoError(t, r.Close())
}

// A tenth of the disk stays free.
func TestLeavesRoomOnTheDisk(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	path := write(t, t.TempDir(), "x", gzipped(t, raw))
	for _, tt := range []struct {
		free int
		fits bool
	}{
		{len(raw)*10/9 + 10, true},
		{len(raw)*10/9 - 10, false},
		{0, false},
	} {
		o, _ := options(t)
		o.InMemory = -1
		input.WithRoom(t, int64(tt.free))
		set, err := input.Open(context.Background(), []string{path}, o)
		if tt.fits {
			require.NoError(t, err)
			require.NoError(t, set.Close())
			continue
		}
		assert.EqualError(t, err, path+": not enough space in "+o.TempDir+" to unpack it; set TMPDIR (TMP on Windows) to a directory with more")
	}
}

// What is kept in memory is limited for all recordings together.
func TestMemoryIsForAll(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	o, _ := options(t)
	o.InMemory = int64(len(raw)) * 3 / 2
	dir := t.TempDir()
	a, b := write(t, dir, "a", gzipped(t, raw)), write(t, dir, "b", gzipped(t, raw))
	set := open(t, o, a, b)
	assert.Empty(t, set.Recordings[0].Path())
	assert.NotEmpty(t, set.Recordings[1].Path())

	// What has gone to a file takes none.
	o.InMemory = int64(len(raw)) + 10
	long := write(t, dir, "long", gzipped(t, append(bytes.Clone(raw), raw...)))
	set = open(t, o, long, a)
	assert.NotEmpty(t, set.Recordings[0].Path())
	assert.Empty(t, set.Recordings[1].Path())
}

// What was in memory only to be unpacked again makes room.
func TestMemoryOfArchivesIsGivenBack(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	o, _ := options(t)
	packed := gzipped(t, zipped(t, member{"a", []byte("no recording")}, member{"b", raw}))
	o.InMemory = int64(len(raw)) + int64(len(packed)) + 1000
	dir := t.TempDir()
	set := open(t, o, write(t, dir, "a", packed))
	assert.Empty(t, set.Recordings[0].Path())

	o.InMemory = int64(len(raw)) + 50
	other := filepath.Join(dir, "b")
	write(t, other, "first.gz", gzipped(t, zipped(t, member{"a", make([]byte, 500)})))
	write(t, other, "second.gz", gzipped(t, raw))
	set = open(t, o, other)
	assert.Empty(t, set.Recordings[0].Path())
}

func TestStopsWhenInterrupted(t *testing.T) {
	noise := append(recording(t, "jdk25-empty.jfr"), make([]byte, 4<<20)...)
	for i := range noise[200_000:] {
		noise[200_000+i] = byte(i * i >> 7) // so that it is packed to more than is read at once
	}
	for _, w := range ways {
		data := w.pack(t, noise)
		for _, place := range places {
			t.Run(w.name+" to "+place.name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				o, told := options(t)
				place.set(t, &o)
				calls := 0
				o.Progress = func(_ string, done, total int64) {
					if calls++; calls == 2 {
						cancel()
					}
				}
				o.MaxUnpacked = 5 << 20
				path := write(t, t.TempDir(), "x", data)
				_, err := input.Open(ctx, []string{path}, o)
				require.ErrorIs(t, err, context.Canceled)
				assert.Empty(t, *told)
			})
		}
	}
}

func TestOpensNothingOnceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, _ := options(t)
	_, err := input.Open(ctx, []string{"no such file"}, o)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTellsOfProgress(t *testing.T) {
	raw := recording(t, "jdk25-profile.jfr")
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			data := w.pack(t, raw)
			path := write(t, t.TempDir(), "x", data)
			o, _ := options(t)
			last := int64(0)
			calls := 0
			o.Progress = func(name string, done, total int64) {
				assert.Equal(t, path, name)
				assert.Equal(t, int64(len(data)), total)
				assert.GreaterOrEqual(t, done, last)
				assert.LessOrEqual(t, done, total)
				last = done
				calls++
			}
			open(t, o, path)
			assert.Equal(t, int64(len(data)), last)
			assert.Greater(t, calls, 2)
		})
	}
}
