package index

import (
	"bytes"
	"time"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Load takes from a saved index what [Index.Save] has written, for the recording
// in the state that the stamp says. The bytes are used in place: they must stay as
// they are, and where they are, as long as the index is used. If they are not
// aligned to eight bytes, or the machine writes numbers otherwise, they are
// copied piece by piece. Load must have the index to itself.
//
// It fails, with an error that matches [ErrSavedIndex], and changes nothing, if
// the saved index is of another file, of another state of it, of another version
// or not whole. It takes time in proportion to the number of chunks.
//
// The part of a chunk is looked at when it is first asked for: then checksums of
// it and of samples of the chunk's contents are compared, and every number in it
// that could lead anywhere is checked. A part that does not fit is as if it were
// not there: the recording itself is gone through. See [Chunk.CheckSaved].
//
// Nothing in saved can make the index crash, hang or allocate more than in
// proportion to saved. But the numbers of somebody who knows how to make checksums
// are believed: they can make it find less than there is.
func (x *Index) Load(saved []byte, s FileStamp) error {
	f, err := readSaved(saved)
	if err != nil {
		return err
	}
	if err := f.fits(s); err != nil {
		return err
	}
	if s.Size != uint64(len(x.data)) {
		return unfit("the stamp says %d bytes, but the recording has %d", s.Size, len(x.data))
	}
	if f.chunks != len(x.chunks) {
		return unfit("it has %d chunks, the recording %d", f.chunks, len(x.chunks))
	}
	list := make([]savedChunk, f.chunks)
	for i, c := range x.chunks {
		if err := f.chunk(c, &list[i]); err != nil {
			return err
		}
	}
	for i, c := range x.chunks {
		c.saved = nil
		if list[i].blocks != nil && c.savable() {
			c.saved = &list[i]
		}
	}
	return nil
}

// SavedIndexInfo tells what a saved index is of, and how large it is.
type SavedIndexInfo struct {
	// Stamp is the state of the file that it is of.
	Stamp FileStamp
	// Size is the number of bytes of the saved index.
	Size uint64
	// Chunks is how many chunks the recording has, and Saved of how many of them
	// there is anything.
	Chunks, Saved int
	// Blocks and Constants are how many bytes the two take.
	Blocks, Constants uint64
}

// ReadSavedInfo tells what a saved index is of. It fails, with an error that matches
// [ErrSavedIndex], if it is of another version or not whole. The parts of the
// chunks are not looked at.
func ReadSavedInfo(saved []byte) (SavedIndexInfo, error) {
	f, err := readSaved(saved)
	if err != nil {
		return SavedIndexInfo{}, err
	}
	info := SavedIndexInfo{Stamp: f.stamp, Size: uint64(len(saved)), Chunks: f.chunks}
	for i := range f.chunks {
		e := f.entry(i)
		if blocks := le.Uint64(e[96:]); blocks > 0 {
			info.Saved++
			info.Blocks += blocks
			info.Constants += le.Uint64(e[112:])
		}
	}
	return info, nil
}

// savedFile is a saved index whose frame has been checked.
type savedFile struct {
	data      []byte
	directory []byte
	// end is where the sections end.
	end    uint64
	stamp  FileStamp
	chunks int
}

// readSaved checks header, directory and trailer (SAVED.md, sections 1 and 2).
func readSaved(saved []byte) (*savedFile, error) {
	size := uint64(len(saved))
	if size < savedHeaderLen+savedTrailerLen || string(saved[:len(savedMagic)]) != savedMagic {
		return nil, unfit("it is no saved index, or not all of one")
	}
	if v := le.Uint32(saved[8:]); v != savedVersion {
		return nil, unfit("it has version %d of the format, only %d can be read", v, savedVersion)
	}
	trailer := saved[size-savedTrailerLen:]
	f := &savedFile{data: saved, end: le.Uint64(trailer), chunks: int(le.Uint32(saved[12:]))}
	if string(trailer[20:]) != savedEnd || le.Uint64(trailer[8:]) != size {
		return nil, unfit("it was not written to its end")
	}
	room := size - savedHeaderLen - savedTrailerLen
	if uint64(le.Uint32(saved[12:])) > room/savedEntryLen || f.end != size-savedTrailerLen-uint64(f.chunks)*savedEntryLen {
		return nil, unfit("its directory is not where it should be")
	}
	f.directory = saved[f.end : size-savedTrailerLen]
	if checksum(saved[:savedHeaderLen], f.directory, trailer[:16]) != le.Uint32(trailer[16:]) {
		return nil, unfit("the checksum of its directory is wrong")
	}
	f.stamp = FileStamp{le.Uint64(saved[16:]), int64(le.Uint64(saved[24:]))}
	return f, nil
}

// fits tells whether the index is of that state of the recording, and whether
// this package cuts blocks as the one that saved it did.
func (f *savedFile) fits(s FileStamp) error {
	if block, cell := le.Uint32(f.data[32:]), le.Uint32(f.data[36:]); block != BlockSize || cell != cellSize {
		return unfit("it has blocks of %d and cells of %d bytes", block, cell)
	}
	if f.stamp.Size != s.Size {
		return unfit("it is of a recording of %d bytes, this one has %d", f.stamp.Size, s.Size)
	}
	if f.stamp.ModTime != s.ModTime {
		return unfit("it is of a recording that was written at %s, this one was at %s", when(f.stamp), when(s))
	}
	return nil
}

func when(s FileStamp) string { return time.Unix(0, s.ModTime).UTC().Format(time.RFC3339Nano) }

func (f *savedFile) entry(i int) []byte { return f.directory[i*savedEntryLen:][:savedEntryLen] }

// chunk reads what the directory says of a chunk, which must be this one.
func (f *savedFile) chunk(c *Chunk, to *savedChunk) error {
	e := f.entry(c.number)
	if le.Uint64(e) != c.offset || le.Uint64(e[8:]) != uint64(len(c.data)) || !bytes.Equal(e[16:84], c.data[:wire.HeaderLen]) {
		return unfit("its chunk %d is not the recording's at %#x", c.number, c.offset)
	}
	to.sample = le.Uint32(e[84:])
	to.blocksSum, to.constantsSum = le.Uint32(e[120:]), le.Uint32(e[124:])
	if le.Uint64(e[96:]) == 0 {
		return nil // nothing was saved of it
	}
	blocks, ok := f.section(le.Uint64(e[88:]), le.Uint64(e[96:]))
	constants, also := f.section(le.Uint64(e[104:]), le.Uint64(e[112:]))
	if !ok || !also {
		return unfit("a part of its chunk %d is not inside it", c.number)
	}
	to.blocks, to.constants = blocks, constants
	return nil
}

func (f *savedFile) section(offset, size uint64) (b []byte, ok bool) {
	if offset%8 != 0 || offset < savedHeaderLen || offset > f.end || size > f.end-offset {
		return nil, false
	}
	return f.data[offset : offset+size : offset+size], true
}

// savedChunk is what a saved index has of a chunk.
type savedChunk struct {
	blocks, constants               []byte
	blocksSum, constantsSum, sample uint32
	// sampled tells that the samples have been compared, and err what is wrong with
	// any of this, if something is: then nothing of it is used any more.
	sampled bool
	err     error
}

// part returns a section whose checksum, and whose chunk, have been checked.
func (c *Chunk) part(b []byte, sum uint32, name string) (section, error) {
	s := c.saved
	if s.err != nil {
		return section{}, s.err
	}
	if !s.sampled {
		if c.sample() != s.sample {
			return section{}, unfit("the contents of chunk %d are others than they were", c.number)
		}
		s.sampled = true
	}
	if checksum(b) != sum {
		return section{}, unfit("the checksum of the %s of chunk %d is wrong", name, c.number)
	}
	return section{b: b}, nil
}

// savedBlocks returns the blocks if they have been asked for before or are in a
// saved index; nil if not.
func (c *Chunk) savedBlocks() *Blocks {
	if b := c.blocks.Load(); b != nil || c.saved == nil || c.saved.blocks == nil {
		return b
	}
	b, err := c.loadBlocks()
	c.saved.blocks, c.saved.err = nil, err
	if err != nil {
		return nil
	}
	c.blocks.Store(b)
	return b
}

// savedConstants returns the constants if they are in a saved index; nil if not.
func (c *Chunk) savedConstants() *Constants {
	if c.saved == nil || c.saved.constants == nil {
		return nil
	}
	k, err := c.loadConstants()
	c.saved.constants, c.saved.err = nil, err
	if err != nil {
		return nil
	}
	c.constants.Store(k)
	return k
}

// CheckSaved tells why what a saved index has of the chunk cannot be used; nil if
// it can, and if there is nothing. It looks at what has not been used yet, as using
// it would.
func (c *Chunk) CheckSaved() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.saved
	if s == nil {
		return nil
	}
	if s.err != nil {
		return s.err
	}
	if s.blocks != nil {
		if _, err := c.loadBlocks(); err != nil {
			return err
		}
	}
	if s.constants != nil {
		if _, err := c.loadConstants(); err != nil {
			return err
		}
	}
	return nil
}
