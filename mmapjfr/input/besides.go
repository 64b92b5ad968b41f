package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// besides gives Bytes what a packed file holds besides the packed data.
func (op *opener) besides(name string, r io.Reader) error {
	return op.Bytes(name+" (besides its packed data)", r)
}

// besidesZip gives Bytes all bytes of a zip archive that are the data of no file in it: names, comments, and what no
// name leads to. Of a file that its directory leaves out it says that it was not read.
func (op *opener) besidesZip(name string, z *zip.Reader, places []place, from io.ReaderAt, size int64) error {
	var parts []io.Reader
	at := int64(0)
	for _, s := range append(places, place{size, size}) {
		parts = append(parts, io.NewSectionReader(from, at, max(0, s.from-at)))
		at = s.to
	}
	var headers count
	if err := op.besides(name, io.TeeReader(io.MultiReader(parts...), &headers)); err != nil {
		return err
	}
	if headers.n > len(z.File) {
		op.OnError(name, errHidden())
	}
	return nil
}

// count counts the headers of files in the bytes of a zip archive.
type count struct {
	n    int
	tail []byte
}

func (c *count) Write(p []byte) (int, error) {
	const header = "PK\x03\x04"
	c.tail = append(c.tail, p...)
	c.n += bytes.Count(c.tail, []byte(header))
	c.tail = append(c.tail[:0], c.tail[max(0, len(c.tail)-len(header)+1):]...)
	return len(p), nil
}

// maxAside is how many bytes are kept of what a stream holds besides packed data.
const maxAside = 1 << 20

// aside are texts that a packed stream holds besides packed data.
type aside struct {
	bytes.Buffer
	full bool // some are left out
}

func (a *aside) add(text []byte) {
	n := min(len(text), maxAside-a.Len())
	a.full = a.full || n < len(text)
	a.Write(text[:n])
}

// besidesStream gives Bytes what was found besides the data of a stream, once that has been read.
func (op *opener) besidesStream(name string, a *aside) error {
	if a.full {
		op.OnError(name, errAside())
	}
	if a.Len() == 0 {
		return nil
	}
	return op.besides(name, a)
}

// gzipMembers reads the members of a gzip file one after the other, and zeros after them, with which some programs fill blocks.
type gzipMembers struct {
	*gzip.Reader
	r     *bufio.Reader
	aside *aside // takes what headers say; nil if nobody wants it
}

func (g *gzipMembers) begin() {
	g.Multistream(false)
	if g.aside == nil {
		return
	}
	for _, text := range []string{g.Name, g.Comment, string(g.Extra)} {
		if text != "" {
			g.aside.add([]byte(text + "\x00"))
		}
	}
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	head, end := g.r.Peek(2)
	for len(head) > 0 && head[0] == 0 {
		_, _ = g.r.Discard(1) // it is there
		head, end = g.r.Peek(2)
	}
	switch {
	case len(head) == 0:
		return n, end
	case string(head) != "\x1f\x8b"[:len(head)]:
		return n, errAfterGzip
	}
	if err = g.Reset(g.r); err == nil {
		g.begin()
	}
	return n, err
}

// skippedFrames collects the frames of zstd and lz4 that are no packed data from all bytes of a stream: other bytes hardly ever
// begin as those do.
type skippedFrames struct {
	aside *aside
	left  int // of a frame
	last  uint64
}

func (s *skippedFrames) Write(p []byte) (int, error) {
	const magic = 0x184d2a50
	for i := 0; i < len(p); {
		if n := min(s.left, len(p)-i); n > 0 {
			s.aside.add(p[i : i+n])
			s.left, i = s.left-n, i+n
			continue
		}
		s.last = s.last>>8 | uint64(p[i])<<56
		if n := int(s.last >> 32); uint32(s.last)&^0xf == magic && uint64(n) <= maxAside {
			s.left, s.last = n, 0
			s.aside.add([]byte{0})
		}
		i++
	}
	return len(p), nil
}
