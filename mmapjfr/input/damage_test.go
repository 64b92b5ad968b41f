package input_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Wherever packed data is cut, that is reported, and what came out before is there.
func TestKeepsWhatCameOutOfTruncatedData(t *testing.T) {
	raw := recording(t, "jdk25-profile.jfr")
	for _, w := range ways[:4] {
		t.Run(w.name, func(t *testing.T) {
			whole := w.pack(t, raw)
			for cut := 6; cut < 24; cut += longtest.Cases(7, 1) { // in or near the head
				o, _ := options(t)
				path := write(t, t.TempDir(), "x", whole[:cut])
				_, err := input.Open(context.Background(), []string{path}, o)
				require.EqualError(t, err, path+": its "+w.name+" data ends too early; copy it again", "cut at %d", cut)
			}
			most := 0
			cuts := longtest.Cases(4, 60)
			for i := range cuts {
				cut := len(whole) - 1 - i*len(whole)/cuts
				o, told := options(t)
				path := write(t, t.TempDir(), "x", whole[:cut])
				set, err := input.Open(context.Background(), []string{path}, o)
				if err != nil {
					require.Empty(t, *told)
					require.Regexp(t, "^"+regexp.QuoteMeta(path)+": its "+w.name+" data (ends too early|is damaged)", err.Error(), "cut at %d of %d", cut, len(whole))
					continue
				}
				require.Len(t, *told, 1, "cut at %d of %d", cut, len(whole))
				assert.Equal(t, path, (*told)[0].name)
				assert.Regexp(t, "^its "+w.name+" data (ends too early|is damaged)", (*told)[0].err.Error())
				require.NotErrorAs(t, (*told)[0].err, new(input.Remark))
				out := engine.RecordingIndex(set.Recordings[0]).Data()
				require.True(t, bytes.HasPrefix(raw, out), "cut at %d of %d", cut, len(whole))
				most = max(most, len(out))
				require.NoError(t, set.Close())
			}
			assert.Greater(t, most, len(raw)*3/4, "of %d bytes", len(raw))
		})
	}
}

func TestTellsWhichOfTwoPackingsIsTruncated(t *testing.T) {
	raw := recording(t, "jdk25-profile.jfr")
	inner := ways[1].pack(t, raw)
	outer := gzipped(t, inner)
	for want, data := range map[string][]byte{
		"its gzip data ends too early; copy it again": outer[:len(outer)*3/4],
		"its zstd data ends too early; copy it again": gzipped(t, inner[:len(inner)*3/4]),
	} {
		o, told := options(t)
		path := write(t, t.TempDir(), "x", data)
		open(t, o, path)
		require.Len(t, *told, 1)
		assert.EqualError(t, (*told)[0].err, want)
		assert.ErrorIs(t, (*told)[0].err, io.ErrUnexpectedEOF)
	}
}

func TestRefusesTruncatedDataOfWhichTooLittleCameOut(t *testing.T) {
	data := gzipped(t, recording(t, "jdk25-empty.jfr")[:40])
	o, told := options(t)
	path := write(t, t.TempDir(), "x", data[:len(data)-4])
	_, err := input.Open(context.Background(), []string{path}, o)
	assert.EqualError(t, err, path+": its gzip data ends too early; copy it again")
	assert.Empty(t, *told)
}

func TestTellsOfBytesThatAreWrong(t *testing.T) {
	raw := recording(t, "jdk25-profile.jfr")
	data := gzipped(t, raw)
	data[len(data)-6] ^= 1 // of the checksum
	o, told := options(t)
	path := write(t, t.TempDir(), "x", data)
	holds(t, open(t, o, path), member{path, raw})
	require.Len(t, *told, 1)
	assert.EqualError(t, (*told)[0].err, "its gzip data is damaged: gzip: invalid checksum")
}

// TestTellsOfBytesAfterGzip reads all members, and zeros after them, which fill a block.
func TestTellsOfBytesAfterGzip(t *testing.T) {
	raw := recording(t, "jdk25-empty.jfr")
	for after, want := range map[string]string{
		"": "", strings.Repeat("\x00", 5000): "", "\x1f": "its gzip data ends too early; copy it again",
		"\x00\x00xy": "its gzip data is damaged: something else follows it; all before that has been read",
	} {
		for _, data := range [][]byte{gzipped(t, raw), slices.Concat(gzipped(t, raw[:1000]), gzipped(t, raw[1000:]))} {
			o, told := options(t)
			path := write(t, t.TempDir(), "x", append(data, after...))
			holds(t, open(t, o, path), member{path, raw})
			if want == "" {
				assert.Empty(t, *told)
				continue
			}
			require.Len(t, *told, 1)
			assert.EqualError(t, (*told)[0].err, want)
		}
	}
}

// In an archive, what cannot be read does not keep the rest from being read.
func TestReadsTheRestOfADamagedArchive(t *testing.T) {
	kinds, empty := recording(t, "jdk25-kinds.jfr"), recording(t, "jdk25-empty.jfr")
	data := zipped(t, member{"kinds", kinds}, member{"empty", empty}, member{"old", oldRecording()}, member{"cut.gz", gzipped(t, empty)[:30]})
	data[6000] ^= 0xff // within the first
	o, told := options(t)
	path := write(t, t.TempDir(), "x.zip", data)
	set := open(t, o, path)
	byName := map[string]string{}
	for _, n := range *told {
		byName[n.name] = n.err.Error()
	}
	assert.Contains(t, byName[path+"/kinds"], "its zip data ends too early")
	assert.Contains(t, byName[path+"/old"], "only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later")
	assert.Contains(t, byName[path+"/cut.gz"], "its gzip data ends too early")
	assert.Len(t, byName, 3)
	whole := 0
	for _, rec := range set.Recordings {
		if set.Name(rec) == path+"/empty" {
			whole++
			assert.True(t, bytes.Equal(empty, engine.RecordingIndex(rec).Data()))
		}
	}
	assert.Equal(t, 1, whole)
}

// oldRecording is the head of a recording of Oracle's JDK 8.
func oldRecording() []byte {
	return append([]byte("FLR\x00\x00\x00\x00\x09"), make([]byte, 100)...)
}

func TestRefusesWhatIsNoRecording(t *testing.T) {
	const no = "it is not a Flight Recorder file, but "
	tar := append(make([]byte, 257), "ustar\x0000"...)
	for _, tt := range []struct {
		name string
		data []byte
		want string
		is   error
	}{
		{"empty", nil, "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording", mmapjfr.ErrEmpty},
		{"empty when unpacked", gzipped(t, nil), "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording", mmapjfr.ErrEmpty},
		{"heap dump", []byte("JAVA PROFILE 1.0.2\x00\x00\x00\x00\x08"), no + "a heap dump; open it with a heap analyzer, such as Eclipse MAT", mmapjfr.ErrNotRecording},
		{"heap dump in gzip", gzipped(t, []byte("JAVA PROFILE 1.0.2\x00")), no + "a heap dump; open it with a heap analyzer, such as Eclipse MAT", mmapjfr.ErrNotRecording},
		{"settings", []byte("<?xml version=\"1.0\"?>\n<!-- -->\n<configuration version=\"2.0\">"), no + "settings that say what to record; name a recording made with them", mmapjfr.ErrNotRecording},
		{"XML", []byte("<?xml version=\"1.0\"?>\n<recording>"), no + "XML, such as a .jfc file with settings; name a recording", mmapjfr.ErrNotRecording},
		{"page", []byte("\ufeff\n<!DOCTYPE HTML>\n<html>"), no + "a web page; get the recording itself; a page may ask to log in, or show a flame graph", mmapjfr.ErrNotRecording},
		{"JSON", []byte("{\n  \"recording\": {"), no + "JSON; name the recording that it was made from", mmapjfr.ErrNotRecording},
		{"text", []byte("Grüße"), no + "text; check that it is the .jfr file itself", mmapjfr.ErrNotRecording},
		{"text that is cut", append(bytes.Repeat([]byte("x"), 511), "ü"...), no + "text; check that it is the .jfr file itself", mmapjfr.ErrNotRecording},
		{"pprof", gzipped(t, []byte("\x0a\x04\x08\x01\x10\x02\x12")), no + "a profile of pprof; open it with go tool pprof", mmapjfr.ErrNotRecording},
		{"parquet", []byte("PAR1abc"), no + "a Parquet file; query it with duckdb, or name the recording that it was made from", mmapjfr.ErrNotRecording},
		{"tar", tar, no + "a tar archive; unpack it first, as with tar -xf", mmapjfr.ErrNotRecording},
		{"bzip2", []byte("BZh91AY"), no + "packed by bzip2; unpack it first, as with bunzip2", mmapjfr.ErrNotRecording},
		{"jar", zipped(t, member{"META-INF/MANIFEST.MF", nil}), no + "a Java archive; unpack the recording first if there is one in it", mmapjfr.ErrNotRecording},
		{"archive without", zipped(t, member{"readme", []byte("x")}), "this archive has no recordings", mmapjfr.ErrNotRecording},
		{"empty archive", zipped(t), "this archive has no recordings", mmapjfr.ErrNotRecording},
		{"cut archive", zipped(t, member{"a.jfr", recording(t, "jdk25-empty.jfr")})[:9000], "the end of the zip archive, which says what is in it, is missing or damaged; copy it again", nil},
		{"other", []byte{1, 2, 3, 4, 5}, no + "something else; check that it is the .jfr file itself", mmapjfr.ErrNotRecording},
		{"short", []byte{0xfe}, no + "something else; check that it is the .jfr file itself", mmapjfr.ErrNotRecording},
		{"cut header", []byte("FLR\x00\x00\x02"), "truncated: the file has 6 bytes, a chunk header 68; copy it again, its end is missing", mmapjfr.ErrTruncated},
		{"old", oldRecording(), "unsupported: format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later", mmapjfr.ErrUnsupported},
		{"old in gzip", gzipped(t, oldRecording()), "unsupported: format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later", mmapjfr.ErrUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, inMemory := range []int64{0, -1} {
				o, told := options(t)
				o.InMemory = inMemory
				path := write(t, t.TempDir(), "x", tt.data)
				_, err := input.Open(context.Background(), []string{path}, o)
				require.EqualError(t, err, path+": "+tt.want)
				if tt.is != nil {
					assert.ErrorIs(t, err, tt.is)
				}
				assert.Empty(t, *told)
			}
		})
	}
}

func TestRefusesArchivesThatCannotBeUnpacked(t *testing.T) {
	for want, field := range map[string]struct{ at, value byte }{
		"it is encrypted; unpack it first": {8, 1},
		"it is compressed by method 12 of zip, and only deflate (8), zstd (93) and none (0) can be read; unpack it first": {10, 12},
	} {
		data := zipped(t, member{"a.jfr", recording(t, "jdk25-empty.jfr")})
		at := bytes.LastIndex(data, []byte("PK\x01\x02")) + int(field.at) // of the file, in the directory
		data[at] = field.value
		o, told := options(t)
		path := write(t, t.TempDir(), "x", data)
		_, err := input.Open(context.Background(), []string{path}, o)
		assert.EqualError(t, err, path+": this archive has no recordings")
		require.Len(t, *told, 1)
		assert.Equal(t, want, (*told)[0].err.Error())
		assert.Equal(t, path+"/a.jfr", (*told)[0].name)
	}
}

func TestTellsOfFilesOutsideTheirArchive(t *testing.T) {
	data := zipped(t, member{"a.jfr", startingAt(0)}, member{"b.jfr", startingAt(0)})
	at := bytes.LastIndex(data, []byte("PK\x01\x02")) // of the second, in the directory
	binary.LittleEndian.PutUint32(data[at+42:], uint32(len(data)-10))
	o, told := options(t)
	path := write(t, t.TempDir(), "x", data)
	holds(t, open(t, o, path), member{path + "/a.jfr", startingAt(0)})
	require.Len(t, *told, 1)
	assert.Equal(t, path+"/b.jfr", (*told)[0].name)
	assert.EqualError(t, (*told)[0].err, "its zip data ends too early; copy it again")
}

// If one of several cannot be opened, nothing of it stays open, nor, without OnError, of the others.
func TestLeavesNothingBehindAfterErrors(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprintf("removed late %t", late), func(t *testing.T) {
			if late {
				input.WithoutPathsOfOpenFiles(t)
			}
			o, _ := options(t)
			o.InMemory = -1
			dir := t.TempDir()
			good := write(t, dir, "good", gzipped(t, recording(t, "jdk25-empty.jfr")))
			bad := write(t, dir, "bad", gzipped(t, append([]byte("FLR\x00"), make([]byte, 1<<20)...)))
			set, err := input.Open(context.Background(), []string{good, bad}, o)
			require.NoError(t, err)
			require.NoError(t, set.Close())
			noFiles(t, o.TempDir)
			o.OnError = nil
			_, err = input.Open(context.Background(), []string{good, bad}, o)
			assert.ErrorContains(t, err, bad+": ")
			noFiles(t, o.TempDir)
		})
	}
}

func TestSaysWhereTemporaryFilesCannotBe(t *testing.T) {
	o, _ := options(t)
	path := write(t, t.TempDir(), "x", gzipped(t, recording(t, "jdk25-empty.jfr")))
	o.InMemory = -1
	o.TempDir += "/none"
	_, err := input.Open(context.Background(), []string{path}, o)
	assert.ErrorContains(t, err, path+": cannot unpack it to a temporary file: ")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
