package input

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/mmapjfr/jfr/internal/printable"
)

// errEncrypted says that a password is needed.
var errEncrypted = errors.New("it is encrypted; unpack it first")

// zip opens the recordings in a zip archive, which r reads. file, if not nil, is the archive as a
// whole file.
func (op *opener) zip(name string, r io.Reader, file *source, depth int) error {
	defer op.onlyRecordings()()
	var (
		from io.ReaderAt = file
		size int64
	)
	if file != nil {
		size = file.total
	} else {
		s := &store{op: op}
		defer s.discard()
		if _, err := io.Copy(s, r); err != nil {
			return op.stopOr(err)
		}
		from, size = s.readerAt()
	}
	z, err := zip.NewReader(from, size)
	if errors.Is(err, zip.ErrFormat) {
		err = &userError{"the end of the zip archive, which says what is in it, is missing or damaged; copy it again", err}
	}
	if err != nil {
		return op.stopOr(damaged(zipName, err))
	}
	if op.Bytes == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "META-INF/MANIFEST.MF" }) {
		return notRecording("a Java archive", "unpack the recording first if there is one in it")
	}
	places := placesOf(z.File)
	if overlapping(places) {
		return errOverlapping()
	}
	if op.Bytes != nil {
		if err := op.besidesZip(name, z, places, from, size); err != nil {
			return err
		}
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return flate.NewReader(bufio.NewReaderSize(r, readSize))
	})
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(maxWindow)))
	opened := 0
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue // a directory
		}
		member := name + "/" + printable.Text(f.Name)
		err := op.member(member, f, depth)
		if stop := op.stopped(); stop != nil {
			return at(member, stop)
		}
		if err == nil {
			opened++
			continue
		}
		op.found(name, err)
	}
	if opened == 0 && op.Bytes == nil {
		return noneInside("archive")
	}
	return nil
}

// place is where the packed data of a file of an archive lies.
type place struct{ from, to int64 }

// placesOf returns the places of the files of an archive, in their order in it.
func placesOf(files []*zip.File) (places []place) {
	for _, f := range files {
		if from, err := f.DataOffset(); err == nil && f.CompressedSize64 > 0 { // to open it says what is wrong
			places = append(places, place{from, from + int64(min(f.CompressedSize64, math.MaxInt64/2))})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
	return places
}

// overlapping reports whether two files of an archive have packed data in common: then few bytes unpack to any number.
func overlapping(places []place) bool {
	for i := 1; i < len(places); i++ {
		if places[i].from < places[i-1].to {
			return true
		}
	}
	return false
}

// member opens one file of an archive.
func (op *opener) member(name string, f *zip.File, depth int) error {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return at(name, errEncrypted)
	}
	r, err := f.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		err = &userError{fmt.Sprintf("it is compressed by method %d of zip, and only deflate (8), zstd (93) and none (0) can be read; unpack it first", f.Method), err}
	}
	if err != nil {
		return at(name, damaged(zipName, err))
	}
	defer r.Close() // only read
	return at(name, op.contents(name, bufio.NewReaderSize(&layer{op: op, packing: zipName, r: r}, readSize), nil, depth))
}
