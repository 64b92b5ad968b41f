package mmapjfr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mmapjfr/jfr/internal/eventreader"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// ChunkFollower follows a chunk in a file that is still written to, or may be. It reads the header
// by the protocol of index/FORMAT.md, section 7, and never reads bytes that the header does not
// vouch for.
type ChunkFollower struct {
	GrowingChunk
	path         string
	file         *os.File
	offset       int64 // where the chunk begins
	header       wire.Header
	bytesRead    uint64 // how many bytes of the chunk have been read
	truncatedErr error  // the file is shorter than its last header says
	mapped       *mapfile.Growing
	buffer       *chunkBuffer        // instead of a map
	events       *eventreader.Reader // what fills buffer
}

// followChunk opens the chunk at an offset of a file. Nothing is read before
// advance. With the option [CopyOnOpen] or keepEvents, and on systems that cannot
// map a file that grows, bytes are copied instead of mapped. shareStrings has an effect, too;
// other options have none. Close the follower when its events are no longer used.
func followChunk(path string, offset int64, opts ...Option) (*ChunkFollower, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &ChunkFollower{path: path, file: file, offset: offset}
	f.keepEvents, f.strings = o.keepEvents, o.table()
	if f.keepEvents || o.copyOnOpen || !mapfile.CanMapGrowing {
		f.buffer = &chunkBuffer{immutable: f.keepEvents}
	}
	return f, nil
}

// stat returns what the system knows of the file, even after the file has been removed.
func (f *ChunkFollower) stat() (fs.FileInfo, error) { return f.file.Stat() }

// finished reports whether the chunk is complete and all of it has been read.
func (f *ChunkFollower) finished() bool {
	return f.header.Finished() && f.bytesRead > 0 && (f.bytesRead == f.header.Size || f.truncatedErr != nil)
}

// hasHeader reports whether anything of the chunk could be read so far.
func (f *ChunkFollower) hasHeader() bool { return f.rec != nil }

// bytesSoFar returns how many bytes of the chunk have been read.
func (f *ChunkFollower) bytesSoFar() uint64 { return f.bytesRead }

// final reports whether the header marks the chunk as the last one of its virtual machine.
func (f *ChunkFollower) final() bool { return f.header.Final() }

// advance reads the header, and then the bytes that have been flushed since the last call. It
// returns the range of the new events. The range is empty if there are no new events, or if the
// header is being rewritten. If bytes are copied, Advance returns one flush at a time: call it
// until the range is empty.
//
// It fails if reading cannot continue: if the file is not a recording, was replaced, or was
// truncated. The range then holds what has been read all the same.
func (f *ChunkFollower) advance() (ByteRange, error) {
	h, err := f.readHeader()
	if err != nil || h.State == wire.StateUpdating {
		return f.emptyRange(), err
	}
	switch before := f.header; {
	case f.bytesRead > 0 && (h.StartNanos != before.StartNanos || h.StartTicks != before.StartTicks || h.IntEncoding() != before.IntEncoding()):
		return f.emptyRange(), f.formatErr(fmt.Errorf("%w: another chunk has taken the place of this one", ErrCorrupt))
	case !h.Readable():
		return f.emptyRange(), f.formatErr(index.CheckVersion(h))
	case h.Metadata == 0 && h.Finished():
		return f.emptyRange(), f.formatErr(fmt.Errorf("%w: the chunk is finished, but has no metadata", ErrCorrupt))
	case h.Metadata == 0 || h.Size < wire.HeaderLen:
		return f.emptyRange(), nil // nothing has been flushed yet
	case h.Size < f.bytesRead:
		return f.emptyRange(), f.formatErr(fmt.Errorf("%w: the chunk had %d bytes and has %d now", ErrCorrupt, f.bytesRead, h.Size))
	case h.Size > maxGrowing:
		return f.emptyRange(), f.formatErr(fmt.Errorf("%w: chunk of %d bytes", ErrUnsupported, h.Size))
	}
	size, err := f.available(h)
	if err != nil {
		return f.emptyRange(), err
	}
	if size == f.bytesRead && h == f.header {
		return f.emptyRange(), f.truncatedErr
	}
	if f.buffer != nil {
		return f.copy(h, size)
	}
	return f.extend(h, size)
}

// maxGrowing is the greatest size of a chunk that an index supports.
const maxGrowing = 1 << 40

// emptyRange is the range of no events.
func (f *ChunkFollower) emptyRange() ByteRange { return ByteRange{From: f.bytesRead, To: f.bytesRead} }

func (f *ChunkFollower) formatErr(err error) error {
	return fmt.Errorf("%s: %w", f.path, &FormatError{Err: err, Section: "chunk header", Offset: uint64(f.offset)})
}

// readHeader reads the header until two readings are equal, so that it was not rewritten in
// between. If that takes too long, or if no header is there yet, the state of the header that it
// returns is wire.StateUpdating.
func (f *ChunkFollower) readHeader() (h wire.Header, err error) {
	var a, b [wire.HeaderLen]byte
	for range headerTries {
		for _, buf := range [][]byte{a[:], b[:]} {
			if _, err := f.file.ReadAt(buf, f.offset); err != nil {
				if errors.Is(err, io.EOF) {
					if f.bytesRead > 0 {
						return wire.Header{}, f.formatErr(fmt.Errorf("%w: the file has been cut, and ends in the header", ErrTruncated))
					}
					return wire.Header{State: wire.StateUpdating}, nil // it has not been written yet
				}
				return wire.Header{}, err
			}
		}
		if a != b {
			continue
		}
		h, ok := wire.ReadHeader(a[:])
		if !ok {
			return wire.Header{}, f.formatErr(fmt.Errorf("%w: it does not begin with % x", ErrNotRecording, wire.Magic))
		}
		return h, nil
	}
	return wire.Header{State: wire.StateUpdating}, nil
}

// headerTries is how often a header is read that keeps changing. Rewriting a header takes some
// microseconds.
const headerTries = 16

// available returns how many bytes of the chunk can be read: as many as the header vouches for, if
// the file has them.
func (f *ChunkFollower) available(h wire.Header) (uint64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	there := uint64(max(info.Size()-f.offset, 0))
	f.truncatedErr = nil
	if h.Size <= there {
		return h.Size, nil
	}
	f.truncatedErr = f.formatErr(fmt.Errorf("%w: the chunk has %d bytes, the file %d of them", ErrTruncated, h.Size, there))
	if there < f.bytesRead {
		return 0, f.truncatedErr
	}
	return there, nil
}

// extend maps the new bytes.
func (f *ChunkFollower) extend(h wire.Header, size uint64) (ByteRange, error) {
	old := f.mapped
	m, err := old.Reach(f.file, f.offset, size, h.Finished())
	if err != nil {
		return f.emptyRange(), openErr(f.path, err)
	}
	f.mapped, f.header = m, h
	err = f.grow(h, m.Mapping(f.offset, size), f.bytesRead, uint64(f.offset))
	if old != nil && old != m {
		err = errors.Join(err, old.Close())
	}
	events := ByteRange{From: max(f.bytesRead, wire.HeaderLen), To: size}
	f.bytesRead = size
	return events, errors.Join(err, f.truncatedErr)
}

// copy reads the next flush into memory.
func (f *ChunkFollower) copy(h wire.Header, size uint64) (ByteRange, error) {
	p := f.buffer
	if f.bytesRead == 0 {
		p.begin(h, uint64(f.offset)+wire.HeaderLen)
		f.bytesRead = wire.HeaderLen
		f.events = eventreader.New(nil, h.IntEncoding())
	}
	f.header = h
	p.update(h)
	end := uint64(f.offset) + size
	f.events.Reset(io.NewSectionReader(f.file, f.offset+int64(f.bytesRead), int64(size-f.bytesRead)), uint64(f.offset)+f.bytesRead)
	var err error
	for flushed := false; !flushed && err == nil && f.events.Offset < end; {
		var event []byte
		if event, err = f.events.Next(end); err != nil {
			err = f.readErr(err, end)
			f.events.Offset = end // where the next event begins is not known
			break
		}
		flushed, err = p.add(event)
	}
	f.bytesRead = f.events.Offset - uint64(f.offset)
	if p.empty() && err != nil {
		return ByteRange{}, errors.Join(err, f.truncatedErr)
	}
	events, e := f.takeBuffer(p)
	return events, errors.Join(err, e, f.truncatedErr)
}

// readErr returns why an event before end could not be read.
func (f *ChunkFollower) readErr(err error, end uint64) error {
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case f.events.Offset+uint64(len(f.events.Ahead())) == end:
		return f.events.FormatErr(fmt.Errorf("%w: the chunk ends inside the event's size and type", ErrCorrupt))
	}
	return f.formatErr(fmt.Errorf("%w: the file was cut while it was read", ErrTruncated))
}

// close closes the file and unmaps the chunk; see keepEvents for what stays. It may be
// called more than once.
func (f *ChunkFollower) close() error {
	err := f.GrowingChunk.close()
	if e := f.file.Close(); !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, e)
	}
	return err
}
