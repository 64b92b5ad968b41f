package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

const (
	headerSize  = 68
	sizeAt      = 8
	stateAt     = 64
	chunkMagic  = "FLR\x00"
	stateIsDone = 0
)

// piece is a part of a file that is asked on its own: a chunk, or what is left after
// the last one that can be told apart.
type piece struct {
	offset   int64
	size     int64 // the bytes of the file up to the next piece
	declared int64 // the size in the header
	state    byte  // the state byte in the header
}

// unfinished reports whether the header says that the chunk is still written to.
func (p piece) unfinished() bool { return p.state != stateIsDone }

// pieces cuts a file where its chunk headers say that the next chunk begins. An
// unfinished chunk that nothing recognizable follows goes on to the end of the file.
func pieces(r io.ReaderAt, size int64) ([]piece, error) {
	var out []piece
	for offset := int64(0); offset < size; {
		p := piece{offset: offset, size: size - offset}
		header, err := headerOf(r, offset, size)
		if err != nil {
			return nil, err
		}
		if header != nil {
			p.declared = int64(binary.BigEndian.Uint64(header[sizeAt:])) // a negative size is no size
			p.state = header[stateAt]
			if p.declared >= headerSize && p.declared < p.size {
				next, err := headerOf(r, offset+p.declared, size)
				if err != nil {
					return nil, err
				}
				if next != nil || !p.unfinished() {
					p.size = p.declared
				}
			}
		}
		out = append(out, p)
		offset += p.size
	}
	return out, nil
}

// headerOf returns the chunk header at offset, nil if no header begins there.
func headerOf(r io.ReaderAt, offset, size int64) ([]byte, error) {
	if size-offset < headerSize {
		return nil, nil
	}
	header := make([]byte, headerSize)
	if _, err := r.ReadAt(header, offset); err != nil {
		return nil, fmt.Errorf("oracle: reading a chunk header: %w", err)
	}
	if !bytes.HasPrefix(header, []byte(chunkMagic)) {
		return nil, nil
	}
	return header, nil
}

// finished is the piece as it would be had the recording been ended when the header
// was last written.
func (p piece) finished() piece {
	p.state = stateIsDone
	if p.declared >= headerSize && p.declared < p.size {
		p.size = p.declared
	}
	return p
}

// writePieces writes the pieces of a file to a new one, with the state bytes they
// have in list.
func writePieces(path string, r io.ReaderAt, list ...piece) (err error) {
	f, err := os.Create(path) // in a folder of ours
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("oracle: %w", cerr)
		}
	}()
	var at int64
	for _, p := range list {
		if _, err := io.Copy(f, io.NewSectionReader(r, p.offset, p.size)); err != nil {
			return fmt.Errorf("oracle: cutting out a chunk: %w", err)
		}
		if p.size >= headerSize && p.declared != 0 {
			if _, err := f.WriteAt([]byte{p.state}, at+stateAt); err != nil {
				return fmt.Errorf("oracle: %w", err)
			}
		}
		at += p.size
	}
	return nil
}

// Chunk returns one chunk of a recording on its own, as it would be had the
// recording been ended when its header was last written.
func Chunk(recording []byte, number int) ([]byte, error) {
	list, err := pieces(bytes.NewReader(recording), int64(len(recording)))
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(list) {
		return nil, fmt.Errorf("oracle: there is no chunk %d, but %d chunks", number, len(list))
	}
	p := list[number].finished()
	chunk := bytes.Clone(recording[p.offset : p.offset+p.size])
	if len(chunk) >= headerSize {
		chunk[stateAt] = p.state
	}
	return chunk, nil
}
