package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// foreign lists the beginnings of files that are often taken for recordings, what they are, and
// what to do.
var foreign = []struct {
	at    int
	magic string
	is    string
	do    string
}{
	{0, "JAVA PROFILE 1.0", "a heap dump", "open it with a heap analyzer, such as Eclipse MAT"},
	{0, "BZh", "packed by bzip2", "unpack it first, as with bunzip2"},
	{0, "]\x00\x00", "packed by lzma", "unpack it first, as with unlzma"},
	{0, "LZIP", "packed by lzip", "unpack it first, as with lzip -d"},
	{0, "\x89LZO", "packed by lzop", "unpack it first, as with lzop -d"},
	{0, "\x1f\x9d", "packed by compress", "unpack it first, as with uncompress"},
	{0, "\xff\x06\x00\x00sNaPpY", "packed by snappy", "unpack it first"},
	{0, "!<arch>\n", "an ar archive", "unpack it first, as with ar -x"},
	{0, "MSCF", "a CAB archive", "unpack it first"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"},
	{0, "Rar!", "a RAR archive", "unpack it first"},
	{257, "ustar", "a tar archive", "unpack it first, as with tar -xf"},
	{0, "PAR1", "a Parquet file", "query it with duckdb, or name the recording that it was made from"},
	{0, "ARROW1", "a file of Apache Arrow", "read it with pyarrow, or name the recording that it was made from"},
	{0, "PERFILE2", "a recording of perf, not of Flight Recorder", "open it with perf"},
	{0, "\xca\xfe\xba\xbe", "a Java class file", "name a recording"},
	{0, "\x7fELF", "a program or a core dump", "name a recording"},
	{0, "# To suppress the following error report", "the log of a crashed JVM", "look for a .jfr file beside it"},
	{0, "#\n# A fatal error has been detected by the Java", "the log of a crashed JVM", "look for a .jfr file beside it"},
	{0, "#\n# There is insufficient memory for the Java", "the log of a crashed JVM", "look for a .jfr file beside it"},
}

// foreignText is the same for text, in which space at the beginning and case do not count.
var foreignText = []struct{ magic, is, do string }{
	{"<!doctype html", "a web page", "get the recording itself; a page may ask to log in, or show a flame graph"},
	{"<html", "a web page", "get the recording itself; a page may ask to log in, or show a flame graph"},
	{"<configuration", "settings that say what to record", "name a recording made with them"},
	{"<", "XML, such as a .jfc file with settings", "name a recording"},
	{"{", "JSON", "name the recording that it was made from"},
	{"[", "JSON", "name the recording that it was made from"},
}

// foreignError returns an error that says what a file with this beginning is.
func foreignError(head []byte) error {
	is, do := whatElse(head)
	return notRecording(is, do)
}

// orForeign returns an error of opening a file with this beginning. It says what the file is if it is no recording.
func orForeign(err error, head []byte) error {
	if errors.Is(err, mmapjfr.ErrNotRecording) {
		return foreignError(head)
	}
	return err
}

// CheckFile is [CheckPlain] for a file. It returns an error, too, if the file cannot be read.
func CheckFile(path string, unpack func(packing string) string) error {
	f, err := os.Open(path)
	if err != nil {
		return OpenError(err)
	}
	defer f.Close() // only read
	head := make([]byte, headLen)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return OpenError(err)
	}
	return CheckPlain(head[:n], unpack)
}

// CheckPlain returns nil if a file that begins with these bytes is empty, or a recording that is
// not packed. Otherwise it returns an error that says what the file is, and matches
// [mmapjfr.ErrNotRecording]. If the file is packed, the error ends with what unpack returns for
// the name of the packing, such as gzip or zip: what to do about it.
func CheckPlain(head []byte, unpack func(packing string) string) error {
	p := packingOf(head)
	switch {
	case len(head) == 0, isRecording(head):
		return nil
	case p == nil:
		return foreignError(head)
	case p.name == zipName:
		return notRecording("a zip archive", unpack(p.name))
	}
	return notRecording("packed by "+p.name, unpack(p.name))
}

// IsPacked reports whether a file that begins with these bytes, 512 or all of it, is packed or an archive: what it holds
// cannot be seen in its bytes. [Open] unpacks some of these, and refuses the others.
func IsPacked(head []byte) bool {
	if packingOf(head) != nil {
		return true
	}
	is, _ := whatElse(head)
	return strings.HasSuffix(is, " archive") || strings.HasPrefix(is, "packed by ")
}

func notRecording(is, do string) error {
	return &userError{fmt.Sprintf("it is not a Flight Recorder file, but %s; %s", is, do), mmapjfr.ErrNotRecording}
}

func whatElse(head []byte) (is, do string) {
	for _, f := range foreign {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return f.is, f.do
		}
	}
	if isSkippable(skipSkippable(head)) {
		return "packed by zstd or lz4 after a long frame of another kind", "unpack it first"
	}
	if isPprof(head) {
		return "a profile of pprof", "open it with go tool pprof"
	}
	if !isText(head) {
		return "something else", "check that it is the .jfr file itself" // its bytes may be private
	}
	text := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))))
	if bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(text, []byte("<configuration")) {
		text = text[bytes.Index(text, []byte("<configuration")):]
	}
	for _, f := range foreignText {
		if bytes.HasPrefix(text, []byte(f.magic)) {
			return f.is, f.do
		}
	}
	return "text", "check that it is the .jfr file itself"
}

// isPprof reports whether a file begins like a profile of pprof: with the protocol buffer of a
// ValueType, whose first field is the number of a string.
func isPprof(head []byte) bool {
	return len(head) > 4 && head[0] == 0x0a && head[1] <= 12 && head[2] == 0x08
}

// isText reports whether these bytes are text, of which the last character may be incomplete.
func isText(head []byte) bool {
	for i := range min(utf8.UTFMax, len(head)) {
		if cut := head[:len(head)-i]; utf8.Valid(cut) {
			return !bytes.ContainsFunc(cut, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
		}
	}
	return false
}
