package jvmtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// Where the fields of a chunk header are.
const (
	headerSizeAt     = 8
	headerOffsetsAt  = 16 // of the last checkpoint and the metadata
	headerDurationAt = 40
	headerStateAt    = 64

	// stateWriting is the state of a header that is being written.
	stateWriting = 255
	// stateNew is that of a chunk that has not been flushed yet.
	stateNew = 1
)

// chunkFile is a file that is written as a JVM does.
type chunkFile struct {
	f     *os.File
	begun bool // it has a header
}

// createChunkFile makes an empty file.
func createChunkFile(path string) (*chunkFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &chunkFile{f: f}, nil
}

// begin writes the header that the chunk had at its very beginning, to judge by a later one.
func (c *chunkFile) begin(later []byte) error {
	header := bytes.Clone(later)
	binary.BigEndian.PutUint64(header[headerSizeAt:], HeaderSize)
	clear(header[headerOffsetsAt : headerOffsetsAt+16])
	clear(header[headerDurationAt : headerDurationAt+8])
	header[headerStateAt] = stateNew
	c.begun = true
	return c.write(header, 0)
}

// writeData writes bytes beyond the header.
func (c *chunkFile) writeData(data []byte, offset int64) error {
	if offset < HeaderSize {
		return fmt.Errorf("jvmtest: data at %d is within the header", offset)
	}
	return c.write(data, offset)
}

// writeHeader marks the header as being written, writes its fields, and then its state.
func (c *chunkFile) writeHeader(header []byte) error {
	for _, part := range []struct {
		bytes  []byte
		offset int64
	}{
		{[]byte{stateWriting}, headerStateAt},
		{header[:headerStateAt], 0},
		{header[headerStateAt+1:], headerStateAt + 1},
		{header[headerStateAt : headerStateAt+1], headerStateAt},
	} {
		if err := c.write(part.bytes, part.offset); err != nil {
			return err
		}
	}
	return nil
}

func (c *chunkFile) write(b []byte, offset int64) error {
	_, err := c.f.WriteAt(b, offset)
	return err
}

func (c *chunkFile) close() error {
	if c == nil {
		return nil
	}
	return c.f.Close()
}
