package mmapjfr_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// notRecordings are files that cannot be opened, and why.
var notRecordings = []struct {
	name, data string
	want       error
	says       string
}{
	{"empty", "", mmapjfr.ErrEmpty, ""},
	{"text", "Flight Recorder files do not begin like this\n", mmapjfr.ErrNotRecording, "does not begin with 46 4c 52 00"},
	{"one byte", "x", mmapjfr.ErrNotRecording, ""},
	{"gzip", "\x1f\x8b\x08\x00", mmapjfr.ErrNotRecording, "gzip"},
	{"zip", "PK\x03\x04", mmapjfr.ErrNotRecording, "zip"},
	{"zstd", "\x28\xb5\x2f\xfd", mmapjfr.ErrNotRecording, "zstd"},
	{"lz4", "\x04\x22\x4d\x18", mmapjfr.ErrNotRecording, "lz4"},
	{"xz", "\xfd7zXZ\x00", mmapjfr.ErrNotRecording, "xz"},
	{"half a magic", "FL", mmapjfr.ErrTruncated, "2 bytes"},
	{"magic only", "FLR\x00", mmapjfr.ErrTruncated, "4 bytes"},
	{"header without its last byte", string(jfrtest.NewChunk().Bytes()[:67]), mmapjfr.ErrTruncated, "67 bytes"},
	{"version 0.9", versioned(0, 9), mmapjfr.ErrUnsupported, "0.9 of Oracle JDK 7 or 8"},
	{"version 0.0", versioned(0, 0), mmapjfr.ErrUnsupported, "0.0"},
	{"version 3.1", versioned(3, 1), mmapjfr.ErrUnsupported, "3.1"},
}

func versioned(major, minor uint16) string {
	b := jfrtest.NewChunk()
	b.Header.Major, b.Header.Minor = major, minor
	return string(b.Bytes())
}

func TestOpenRefusesWhatIsNoRecording(t *testing.T) {
	for _, c := range notRecordings {
		check := func(t *testing.T, rec *mmapjfr.Recording, err error) {
			t.Helper()
			require.ErrorIs(t, err, c.want)
			assert.Nil(t, rec)
			assert.ErrorContains(t, err, c.says)
			var format *mmapjfr.FormatError
			require.ErrorAs(t, err, &format)
			assert.Zero(t, format.Offset)
			assert.Zero(t, format.Chunk)
		}
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "it.jfr")
			require.NoError(t, os.WriteFile(file, []byte(c.data), 0o600))
			rec, err := mmapjfr.Open(file)
			check(t, rec, err)
			assert.ErrorContains(t, err, file)
			rec, err = mmapjfr.Open(file, mmapjfr.CopyOnOpen())
			check(t, rec, err)
			rec, err = mmapjfr.OpenBytes([]byte(c.data))
			check(t, rec, err)
		})
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := mmapjfr.Open(filepath.Join(dir, "nothing.jfr"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "nothing.jfr")
	_, err = mmapjfr.Open(dir)
	assert.ErrorContains(t, err, dir+" is a directory")
}

func TestHeaderValues(t *testing.T) {
	b, c := newSample(), newSample()
	b.Header.StartNanos, b.Header.DurationNanos = 5_000_000_000, 3_000_000_000
	c.Header.StartNanos, c.Header.DurationNanos, c.Header.TickRate = 2_000_000_000, 1_000_000_000, 77
	c.Header.Minor, c.Header.Flags = 0, c.Header.Flags|jfrtest.FlagFinal
	rec, layouts := openBuilt(t, b, c)
	assert.Equal(t, int64(2), rec.Start().Unix(), "the earliest chunk's")
	assert.Equal(t, int64(8), rec.End().Unix(), "the latest chunk's")
	assert.Equal(t, int64(4), int64(rec.Duration().Seconds()), "without what lies between")
	require.Len(t, rec.Chunks(), 2)
	for i, ch := range rec.Chunks() {
		major, minor := ch.Version()
		assert.Equal(t, 2, major)
		assert.Equal(t, 1-i, minor)
		assert.Equal(t, i, ch.Number())
		assert.Equal(t, uint64(layouts[i].Chunk.Offset), ch.Offset())
		assert.Equal(t, uint64(layouts[i].Chunk.Size), ch.Size())
		assert.Equal(t, i == 1, engine.ChunkFinal(ch))
		assert.True(t, ch.Finished())
	}
	assert.Equal(t, int64(77), engine.ChunkTicksPerSecond(rec.Chunks()[1]))
	assert.Equal(t, int64(3), rec.Chunks()[1].End().Unix())
}
