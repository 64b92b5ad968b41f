package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

func openXZ(r *bufio.Reader) (io.Reader, func(), error) {
	head, _ := r.Peek(headLen) // the error comes again
	if xzWindow(head) > maxWindow {
		return nil, nil, errWindow("xz")
	}
	packed := &xzPacked{r: r}
	z, err := xz.NewReader(packed)
	return &xzReader{z, packed}, func() {}, err
}

// xzReader is what comes out of xz. To the library, data that is cut between two
// blocks has ended.
type xzReader struct {
	z      io.Reader
	packed *xzPacked
}

func (x *xzReader) Read(p []byte) (int, error) {
	n, err := x.z.Read(p)
	if err == io.EOF && string(x.packed.last[:]) != "YZ" {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// xzPacked is what goes into xz. It keeps the last two bytes, by which one can tell
// whether a stream has ended; zeros may follow it.
type xzPacked struct {
	r    io.Reader
	last [2]byte
}

func (x *xzPacked) Read(p []byte) (int, error) {
	n, err := x.r.Read(p)
	switch b := bytes.TrimRight(p[:n], "\x00"); len(b) {
	case 0:
	case 1:
		x.last = [2]byte{x.last[1], b[0]}
	default:
		x.last = [2]byte(b[len(b)-2:])
	}
	return n, err
}

// xzWindow returns how much memory the first block asks for, 0 if that cannot be
// told. The library takes whatever a file asks for. Later blocks could ask for more;
// programs that write xz use the same for all.
func xzWindow(head []byte) int64 {
	const streamHeader, filterLZMA2 = 12, 0x21
	if len(head) < streamHeader+2 {
		return 0
	}
	flags := head[streamHeader+1]
	b := head[streamHeader+2:]
	for _, sized := range []bool{flags&0x40 != 0, flags&0x80 != 0} {
		if sized {
			_, n := binary.Uvarint(b)
			b = b[max(n, 0):]
		}
	}
	if len(b) < 3 || b[0] != filterLZMA2 {
		return 0
	}
	n, err := lzma.DecodeDictCap(b[2])
	if err != nil {
		return 0
	}
	return n
}
