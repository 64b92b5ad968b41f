package mapfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
)

const (
	// firstRead is how many bytes are read before the size of a file is believed.
	firstRead = 64 << 10
	// magicLen is how many bytes are read before a file is judged by how it begins.
	magicLen = 128
	// unasked is how much memory is taken without asking the system.
	unasked = 16 << 20
)

// errTooLong is the error of a file with more bytes than a slice can have.
var errTooLong = errors.New("a slice cannot be that long")

// copyFile reads a file into memory. Of a file that does not begin with magic it reads
// only the beginning.
func copyFile(path string, info fs.FileInfo, magic string) (Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return Mapping{}, err
	}
	defer f.Close() // only read
	c := copier{file: f, magic: []byte(magic)}
	if info.Mode().IsRegular() {
		c.size = info.Size()
	}
	if err := c.read(); err != nil {
		if c.denied {
			err = &SizeError{Copy: true, Path: path, Size: max(c.size, int64(len(c.data))), Err: err}
		}
		return Mapping{}, err
	}
	return Mapping{data: slices.Clip(c.data), info: info}, nil
}

// copier reads a file into memory. A Go program ends when it runs out of memory, so the
// copier asks the system first. It asks for what has been read and half as much again; it
// believes the size of a file if there is a byte at its end.
type copier struct {
	file   *os.File
	magic  []byte
	size   int64 // what the system says; 0 if it does not say
	data   []byte
	denied bool // there was not enough memory
}

func (c *copier) read() error {
	c.data = make([]byte, 0, firstRead)
	for {
		n, err := c.file.Read(c.data[len(c.data):cap(c.data)])
		c.data = c.data[:len(c.data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(c.data) >= magicLen && !bytes.HasPrefix(c.data, c.magic):
			return nil
		case len(c.data) == cap(c.data):
			if err := c.grow(); err != nil {
				return err
			}
		}
	}
}

// grow makes room for more bytes.
func (c *copier) grow() error {
	have := int64(len(c.data))
	want := have + have/2
	if c.size >= have && c.reachesSize() {
		want = c.size + 1 // to see that it ends there
	}
	err := errTooLong
	if want < math.MaxInt {
		err = memoryErr(want)
	}
	if err != nil {
		c.denied = true
		return err
	}
	more := make([]byte, have, want)
	copy(more, c.data)
	c.data = more
	return nil
}

// reachesSize reports whether the file is as large as the system says.
func (c *copier) reachesSize() bool {
	var last [1]byte
	n, _ := c.file.ReadAt(last[:], c.size-1)
	return n == 1
}

// memoryErr returns why the program cannot have n bytes of memory, as far as the system says.
func memoryErr(n int64) error {
	if n < unasked {
		return nil
	}
	return askForMemory(n)
}
