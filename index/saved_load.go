package index

import (
	"bytes"
	"time"
)

// Load takes the blocks and constants from a saved index that [Index.Save] has written for the
// file and state of the stamp. It uses the bytes in place: they must not change or move as long as
// the index is used. Columns are copied if they are not aligned to eight bytes, or if the machine
// is big-endian. Nothing else may use the index while Load runs.
//
// Load fails with an error that matches [ErrSavedIndex], and changes nothing, if the saved index
// is of another file, state or version, or is damaged. It takes time in proportion to the number
// of chunks.
//
// The part of a chunk is checked when it is first asked for: its checksum, that of samples of the
// chunk, and every number in it that could lead out of bounds. A part that does not fit is
// ignored, and the chunk itself is read. See [Chunk.CheckSaved].
//
// A saved index can never make this one crash, hang or allocate more than in proportion to the
// saved bytes. But a forged one with right checksums is believed: it can hide events.
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

// SavedIndexInfo says which file a saved index is of, and how large it is.
type SavedIndexInfo struct {
	// Stamp is the file and its state.
	Stamp FileStamp
	// Size is the number of bytes of the saved index.
	Size uint64
	// Chunks is how many chunks the recording has, and Saved how many of them are saved.
	Chunks, Saved int
	// Blocks and Constants are how many bytes the two take.
	Blocks, Constants uint64
}

// ReadSavedInfo returns which file a saved index is of. It fails with an error that matches
// [ErrSavedIndex] if the saved index has another version or is damaged. It does not check the parts
// of the chunks.
func ReadSavedInfo(saved []byte) (SavedIndexInfo, error) {
	f, err := readSaved(saved)
	if err != nil {
		return SavedIndexInfo{}, err
	}
	info := SavedIndexInfo{Stamp: f.header.Stamp, Size: uint64(len(saved)), Chunks: f.chunks}
	for i := range f.chunks {
		if e := f.entry(i); e.Blocks.Size > 0 {
			info.Saved++
			info.Blocks += e.Blocks.Size
			info.Constants += e.Constants.Size
		}
	}
	return info, nil
}

// SavedChunkInfo is what a saved index has of one chunk.
type SavedChunkInfo struct {
	// Offset is where the chunk begins, from the start of the recording.
	Offset uint64
	// Size is the number of bytes of the chunk.
	Size uint64
	// Blocks and Constants are how many bytes of the saved index the two take; both are 0 if
	// the chunk is not saved.
	Blocks, Constants uint64
}

// ReadSavedChunks returns what a saved index has of each chunk, in their order. It fails and
// checks as [ReadSavedInfo] does.
func ReadSavedChunks(saved []byte) ([]SavedChunkInfo, error) {
	f, err := readSaved(saved)
	if err != nil {
		return nil, err
	}
	list := make([]SavedChunkInfo, f.chunks)
	for i := range list {
		e := f.entry(i)
		list[i] = SavedChunkInfo{e.Offset, e.Size, e.Blocks.Size, e.Constants.Size}
	}
	return list, nil
}

// savedFile is a saved index whose header, directory and trailer have been checked.
type savedFile struct {
	data      []byte
	header    savedHeader
	directory []byte
	// end is where the sections end.
	end    uint64
	chunks int
}

// readSaved checks header, directory and trailer (SAVED.md, sections 1 and 2).
func readSaved(saved []byte) (*savedFile, error) {
	size := uint64(len(saved))
	if size < savedHeaderLen+savedTrailerLen || string(saved[:len(savedMagic)]) != savedMagic {
		return nil, unfit("it is no saved index, or not all of one")
	}
	f := &savedFile{data: saved, header: fixed[savedHeader](saved)}
	if f.header.Version != savedVersion {
		return nil, unfit("it has version %d of the format, only %d can be read", f.header.Version, savedVersion)
	}
	tail := saved[size-savedTrailerLen:]
	trailer := fixed[savedTrailer](tail)
	if string(trailer.End[:]) != savedEnd || trailer.Size != size {
		return nil, unfit("it is incomplete, or other bytes follow it")
	}
	chunks := uint64(f.header.Chunks)
	if room := size - savedHeaderLen - savedTrailerLen; chunks > room/savedEntryLen || trailer.Directory != size-savedTrailerLen-chunks*savedEntryLen {
		return nil, unfit("its directory is not where it should be")
	}
	f.chunks, f.end = int(chunks), trailer.Directory
	f.directory = saved[f.end : size-savedTrailerLen]
	if checksum(saved[:savedHeaderLen], f.directory, tail[:16]) != trailer.Sum {
		return nil, unfit("the checksum of its directory is wrong")
	}
	return f, nil
}

// fits returns an error unless the index is of that file and state, and has blocks and cells of
// the sizes that this package has.
func (f *savedFile) fits(s FileStamp) error {
	h := &f.header
	if h.BlockSize != BlockSize || h.CellSize != cellSize {
		return unfit("it has blocks of %d and cells of %d bytes", h.BlockSize, h.CellSize)
	}
	if h.Stamp.Size != s.Size {
		return unfit("it is of a recording of %d bytes, this one has %d", h.Stamp.Size, s.Size)
	}
	if h.Stamp.ModTime != s.ModTime {
		return unfit("it is of a recording that was written at %s, this one was at %s", when(h.Stamp), when(s))
	}
	return nil
}

func when(s FileStamp) string { return time.Unix(0, s.ModTime).UTC().Format(time.RFC3339Nano) }

func (f *savedFile) entry(i int) savedEntry {
	return fixed[savedEntry](f.directory[i*savedEntryLen:][:savedEntryLen])
}

// chunk reads the entry of a chunk, and checks that it is of this chunk.
func (f *savedFile) chunk(c *Chunk, to *savedChunk) error {
	e := f.entry(c.number)
	if e.Offset != c.offset || e.Size != uint64(len(c.data)) || !bytes.Equal(e.Header[:], c.data[:len(e.Header)]) {
		return unfit("its chunk %d is not the recording's at %#x", c.number, c.offset)
	}
	to.entry = e
	if e.Blocks.Size == 0 {
		return nil // the chunk is not saved
	}
	blocks, ok := f.section(e.Blocks)
	constants, also := f.section(e.Constants)
	if !ok || !also {
		return unfit("a part of its chunk %d is not inside it", c.number)
	}
	to.blocks, to.constants = blocks, constants
	return nil
}

func (f *savedFile) section(at savedRange) (b []byte, ok bool) {
	if at.Offset%8 != 0 || at.Offset < savedHeaderLen || at.Offset > f.end || at.Size > f.end-at.Offset {
		return nil, false
	}
	end := at.Offset + at.Size
	return f.data[at.Offset:end:end], true
}

// savedChunk is what a saved index has of a chunk.
type savedChunk struct {
	entry savedEntry
	// blocks and constants are the sections that have not been read yet.
	blocks, constants []byte
	// sampled reports whether the samples have been compared. err is the first error; after
	// it nothing is used any more.
	sampled bool
	err     error
}

// checked returns a section after checking its checksum, and samples of the chunk.
func (c *Chunk) checked(b []byte, sum uint32, name string) (section, error) {
	s := c.saved
	if s.err != nil {
		return section{}, s.err
	}
	if !s.sampled {
		if c.sample() != s.entry.Sample {
			return section{}, unfit("the contents of chunk %d have changed", c.number)
		}
		s.sampled = true
	}
	if checksum(b) != sum {
		return section{}, unfit("the checksum of the %s of chunk %d is wrong", name, c.number)
	}
	return section{b: b}, nil
}

// savedBlocks returns the blocks if they are in the cache or in a saved index; nil if not.
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

// CheckSaved returns why the chunk's part of a saved index cannot be used; nil if it can, or if
// there is no such part. It checks what has not been used yet, as its use would.
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
