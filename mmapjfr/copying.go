package mmapjfr

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/mmapjfr/jfr/internal/wire"
)

const (
	// firstRead is how much is read of a file before anything is believed of it.
	firstRead = 64 << 10
	// smallRoom is how much memory is taken without asking for it.
	smallRoom = 16 << 20
)

// errTooLong says that there are more bytes than a slice can have.
var errTooLong = errors.New("no slice is so long")

// copyFile reads a file into memory. Of one that does not begin with magic it reads no
// more than the beginning.
func copyFile(path string, info fs.FileInfo, magic string) (mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return mapping{}, err
	}
	defer f.Close() // only read
	c := copier{file: f, magic: magic}
	if info.Mode().IsRegular() {
		c.size = info.Size()
	}
	if err := c.read(); err != nil {
		if c.denied {
			err = noMemory(path, max(c.size, int64(len(c.data))), err)
		}
		return mapping{}, err
	}
	return mapping{data: slices.Clip(c.data), info: info}, nil
}

// copier reads a file into memory, for which it asks the system first: where Go runs out
// of memory the program ends. So much is asked for as has come, and some more; the size of
// a file is believed if there is something at its end.
type copier struct {
	file   *os.File
	magic  string
	size   int64 // what the system says; 0 if it does not
	data   []byte
	denied bool // that there was no memory
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
		case len(c.data) >= wire.HeaderLen && !bytes.HasPrefix(c.data, []byte(c.magic)):
			return nil
		case len(c.data) == cap(c.data):
			if err := c.grow(); err != nil {
				return err
			}
		}
	}
}

// grow makes room for more.
func (c *copier) grow() error {
	have := int64(len(c.data))
	want := have + have/2
	if c.size >= have && c.reaches() {
		want = c.size + 1 // to see that it ends there
	}
	err := errTooLong
	if want < math.MaxInt {
		err = room(want)
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

// reaches tells whether the file is as large as the system says.
func (c *copier) reaches() bool {
	var last [1]byte
	n, _ := c.file.ReadAt(last[:], c.size-1)
	return n == 1
}

// room tells why there is no memory for so many bytes, as far as the system tells.
func room(n int64) error {
	if n < smallRoom {
		return nil
	}
	return promised(n)
}
