package dumpall

import (
	"bufio"
	"encoding/binary"
	"hash/fnv"
	"io"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// The first byte of a question to [Serve]. The length of a recording follows, as a
// little-endian uint32, and the recording.
const (
	// AskSum asks for the FNV-1a sum of 64 bits of the text, as [Sum] computes it.
	AskSum = 's'
	// AskText asks for the length of the text and the text.
	AskText = 't'
)

// Sum returns the sum of a text.
func Sum(text []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(text) // it never fails
	return h.Sum64()
}

// Serve answers questions until the input ends.
func Serve(r io.Reader, w io.Writer) error {
	var t Dumper
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	var head [5]byte
	var data []byte
	for {
		if _, err := io.ReadFull(in, head[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint32(head[1:]))
		data = append(data[:0], make([]byte, n)...)
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		t.Reset()
		t.Open(data)
		var answer []byte
		if head[0] == AskSum {
			answer = binary.LittleEndian.AppendUint64(nil, Sum(t.buf))
		} else {
			answer = binary.LittleEndian.AppendUint32(nil, uint32(len(t.buf)))
			answer = append(answer, t.buf...)
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// Open opens a recording in memory and dumps it, or the error of opening it.
func (t *Dumper) Open(data []byte, opts ...mmapjfr.Option) {
	rec, err := mmapjfr.OpenBytes(data, opts...)
	if err != nil {
		t.line(err)
		return
	}
	t.Recording(rec)
	if err := rec.Close(); err != nil {
		t.line(err)
	}
}
