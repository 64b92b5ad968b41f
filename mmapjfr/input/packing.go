package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

const (
	// headLen is how many bytes at the beginning identify a file.
	headLen = 512
	// maxWindow bounds the memory for unpacking. The highest level of xz needs 64 MiB, that of zstd
	// 128.
	maxWindow = 256 << 20

	recordingMagic = "FLR\x00"
	zipName        = "zip"
)

// packing is a way in which recordings are packed.
type packing struct {
	name  string
	magic []string
	// open returns the contents, and a function that ends reading them. It is nil for zip, which is
	// no stream.
	open func(r *bufio.Reader) (io.Reader, func(), error)
}

var packings = []packing{
	{"gzip", []string{"\x1f\x8b"}, openGzip},
	{"zstd", []string{"\x28\xb5\x2f\xfd"}, openZstd},
	{"lz4", []string{"\x04\x22\x4d\x18", "\x02\x21\x4c\x18"}, openLZ4},
	{"xz", []string{"\xfd7zXZ\x00"}, openXZ},
	{zipName, []string{"PK\x03\x04", "PK\x05\x06"}, nil},
}

// isRecording reports whether a file with this beginning is a recording, or the beginning of one.
func isRecording(head []byte) bool {
	n := min(len(head), len(recordingMagic))
	return n > 0 && string(head[:n]) == recordingMagic[:n]
}

// packingOf returns how a file with this beginning is packed, or nil.
func packingOf(head []byte) *packing {
	head = skipSkippable(head)
	for i := range packings {
		for _, magic := range packings[i].magic {
			if strings.HasPrefix(string(head), magic) {
				return &packings[i]
			}
		}
	}
	return nil
}

// skipSkippable skips the frames that zstd and lz4 allow before the first one that identifies them.
// Parallel zstd writes one.
func skipSkippable(head []byte) []byte {
	for isSkippable(head) {
		size := uint64(binary.LittleEndian.Uint32(head[4:]))
		if size > uint64(len(head)-8) {
			break
		}
		head = head[8+size:]
	}
	return head
}

// isSkippable reports whether bytes begin with such a frame.
func isSkippable(head []byte) bool {
	return len(head) >= 8 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
}

func openGzip(r *bufio.Reader) (io.Reader, func(), error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, nil, err
	}
	g := &gzipMembers{Reader: z, r: r}
	g.Multistream(false)
	return g, func() {}, nil
}

// openZstd unpacks in the goroutine that reads, so that bytes are counted and reading can be
// stopped.
func openZstd(r *bufio.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

func openLZ4(r *bufio.Reader) (io.Reader, func(), error) {
	return lz4.NewReader(r), func() {}, nil
}

func openXZ(r *bufio.Reader) (io.Reader, func(), error) {
	head, _ := r.Peek(headLen) // the error comes again
	if xzWindow(head) > maxWindow {
		return nil, nil, errWindow("xz")
	}
	packed := &xzPacked{r: r}
	z, err := xz.NewReader(packed)
	return &xzReader{z, packed}, func() {}, err
}

// xzReader is the unpacked data of xz. The library takes data that was cut between two blocks for
// complete.
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

// xzPacked is the packed data of xz. Its last two bytes show whether a stream has ended; zeros may
// follow it.
type xzPacked struct {
	r    io.Reader
	last [2]byte
}

func (packed *xzPacked) Read(p []byte) (int, error) {
	n, err := packed.r.Read(p)
	switch b := bytes.TrimRight(p[:n], "\x00"); len(b) {
	case 0:
	case 1:
		packed.last = [2]byte{packed.last[1], b[0]}
	default:
		packed.last = [2]byte(b[len(b)-2:])
	}
	return n, err
}

// xzWindow returns how much memory the first block asks for, 0 if that is not known. The library
// allocates what a file asks for. Later blocks could ask for more, but programs that write xz use
// the same for all.
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
