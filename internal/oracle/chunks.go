package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	headerSize = 68
	sizeAt     = 8
	stateAt    = 64
)

var chunkMagic = []byte("FLR\x00")

// piece is a part of a file that is asked on its own: a chunk, or what is left after
// the last one that can be told apart.
type piece struct {
	offset, size int
	flushed      int  // the size in the header, if it is one
	state        byte // the state byte in the header
}

// unfinished reports whether the header says that the chunk is still written to.
func (p piece) unfinished() bool { return p.state != 0 }

// finished is the piece as it would be had the recording been ended when the header
// was last written.
func (p piece) finished() piece {
	p.state = 0
	if p.flushed > 0 {
		p.size = p.flushed
	}
	return p
}

// of returns the bytes of the piece in a file, with its state.
func (p piece) of(file []byte) []byte {
	data := bytes.Clone(file[p.offset : p.offset+p.size])
	if isHeader(data) {
		data[stateAt] = p.state
	}
	return data
}

func isHeader(data []byte) bool { return len(data) >= headerSize && bytes.HasPrefix(data, chunkMagic) }

// pieces cuts a file where its chunk headers say that the next chunk begins. An
// unfinished chunk that nothing recognizable follows goes on to the end of the file.
func pieces(file []byte) (list []piece) {
	for offset := 0; offset < len(file); {
		data := file[offset:]
		p := piece{offset: offset, size: len(data)}
		if isHeader(data) {
			p.state = data[stateAt]
			if size := binary.BigEndian.Uint64(data[sizeAt:]); size >= headerSize && size < uint64(len(data)) {
				p.flushed = int(size)
				if isHeader(data[size:]) || !p.unfinished() {
					p.size = p.flushed
				}
			}
		}
		list = append(list, p)
		offset += p.size
	}
	return list
}

func finishedPieces(list []piece) []piece {
	list = slices.Clone(list)
	for i, p := range list {
		if p.unfinished() {
			list[i] = p.finished()
		}
	}
	return list
}

// Chunk returns one chunk of a recording on its own, as it would be had the
// recording been ended when its header was last written.
func Chunk(recording []byte, number int) ([]byte, error) {
	list := pieces(recording)
	if number < 0 || number >= len(list) {
		return nil, fmt.Errorf("oracle: there is no chunk %d, but %d chunks", number, len(list))
	}
	return list[number].finished().of(recording), nil
}
