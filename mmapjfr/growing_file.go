package mmapjfr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/mapfile"
	"github.com/mmapjfr/jfr/internal/wire"
)

// ChunkFollower is a chunk in a file that is, or may be, still written to. Its header is read
// as the protocol says (index/FORMAT.md, section 7): what it does not vouch for is never
// looked at.
type ChunkFollower struct {
	GrowingChunk
	path         string
	file         *os.File
	offset       int64 // where the chunk begins
	header       wire.Header
	bytesRead    uint64 // how many bytes of the chunk have been taken in
	truncatedErr error  // that the file is shorter than its last header said
	mapped       *mapfile.Growing
	buffer       *chunkBuffer // instead of a map
	events       *eventReader // what they are read from
}

// FollowChunk opens the chunk that begins at an offset of the file at path. Nothing is read
// before [ChunkFollower.Advance]. The option [CopyOnOpen] copies what is read instead of
// mapping it, as do [KeepEvents] and platforms that cannot map a file that grows; others
// have no effect. Close it when its events are no longer in use.
func FollowChunk(path string, offset int64, opts ...Option) (*ChunkFollower, error) {
	var o options
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
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

// Path returns the path that the file was opened with.
func (f *ChunkFollower) Path() string { return f.path }

// Stat returns what the system knows of the file, also when its name has gone.
func (f *ChunkFollower) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Finished tells whether the chunk is complete and all of it has been taken in.
func (f *ChunkFollower) Finished() bool {
	return f.header.Finished() && f.bytesRead > 0 && (f.bytesRead == f.header.Size || f.truncatedErr != nil)
}

// HasHeader tells whether anything of the chunk could be read so far.
func (f *ChunkFollower) HasHeader() bool { return f.rec != nil }

// BytesRead returns how many bytes of the chunk have been taken in.
func (f *ChunkFollower) BytesRead() uint64 { return f.bytesRead }

// Final tells whether the chunk says that its virtual machine wrote no other after it.
func (f *ChunkFollower) Final() bool { return f.header.Final() }

// Advance looks at the header, and takes in what has been flushed since the last time. It
// returns the part of the chunk in which the events are that have come; an empty one if
// there are none, or if the header is being rewritten just now. Where bytes are copied it
// returns one flush at a time: call it until the span is empty.
//
// It fails if the chunk cannot be read on: if the file is no recording, if it was replaced,
// or cut. What has been taken in then is told by the span all the same.
func (f *ChunkFollower) Advance() (ByteRange, error) {
	h, err := f.readHeader()
	if err != nil || h.State == wire.StateUpdating {
		return f.emptyRange(), err
	}
	switch before := f.header; {
	case f.bytesRead > 0 && (h.StartNanos != before.StartNanos || h.StartTicks != before.StartTicks || h.Form() != before.Form()):
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

// maxGrowing is how many bytes of a chunk an index can tell apart.
const maxGrowing = 1 << 40

// emptyRange is the span of no events.
func (f *ChunkFollower) emptyRange() ByteRange { return ByteRange{From: f.bytesRead, To: f.bytesRead} }

func (f *ChunkFollower) formatErr(err error) error {
	return fmt.Errorf("%s: %w", f.path, &FormatError{Err: err, Section: "chunk header", Offset: uint64(f.offset)})
}

// readHeader reads the header until two readings are equal: then it was not being
// rewritten meanwhile. If that takes too long, or if there is none yet, it returns one whose
// state says so.
func (f *ChunkFollower) readHeader() (h wire.Header, err error) {
	var a, b [wire.HeaderLen]byte
	for range headerTries {
		for _, buf := range [][]byte{a[:], b[:]} {
			if _, err := f.file.ReadAt(buf, f.offset); err != nil {
				if errors.Is(err, io.EOF) {
					if f.bytesRead > 0 {
						return wire.Header{}, f.formatErr(fmt.Errorf("%w: the file has been cut, and ends in the header", ErrTruncated))
					}
					return wire.Header{State: wire.StateUpdating}, nil // it is still to come
				}
				return wire.Header{}, fmt.Errorf("mmapjfr: %w", err)
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

// headerTries is how often a header is read that changes all the time: rewriting one takes
// some microseconds.
const headerTries = 16

// available returns how many bytes of the chunk can be read: as many as the header vouches
// for, if the file has them.
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

// extend takes in what has come by mapping it.
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
	span := ByteRange{From: max(f.bytesRead, wire.HeaderLen), To: size}
	f.bytesRead = size
	return span, errors.Join(err, f.truncatedErr)
}

// copy takes in the next flush by reading it into memory.
func (f *ChunkFollower) copy(h wire.Header, size uint64) (ByteRange, error) {
	p := f.buffer
	if f.bytesRead == 0 {
		p.begin(h, uint64(f.offset)+wire.HeaderLen)
		f.bytesRead = wire.HeaderLen
		f.events = newEventReader(nil, h.Form())
	}
	f.header = h
	p.update(h)
	end := uint64(f.offset) + size
	f.events.reset(io.NewSectionReader(f.file, f.offset+int64(f.bytesRead), int64(size-f.bytesRead)), uint64(f.offset)+f.bytesRead)
	var err error
	for flushed := false; !flushed && err == nil && f.events.offset < end; {
		var frame []byte
		if frame, err = f.events.next(end); err != nil {
			err = f.readErr(err, end)
			f.events.offset = end // where the next frame would begin is not known
			break
		}
		flushed, err = p.add(frame)
	}
	f.bytesRead = f.events.offset - uint64(f.offset)
	if p.empty() && err != nil {
		return ByteRange{}, errors.Join(err, f.truncatedErr)
	}
	span, e := f.takeBuffer(p)
	return span, errors.Join(err, e, f.truncatedErr)
}

// readErr tells why no frame could be read before end.
func (f *ChunkFollower) readErr(err error, end uint64) error {
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case f.events.offset+uint64(f.events.buffered.Buffered()) == end:
		return f.events.formatErr(fmt.Errorf("%w: the chunk ends inside the event's size and type", ErrCorrupt))
	}
	return f.formatErr(fmt.Errorf("%w: the file was cut while it was read", ErrTruncated))
}

// Close closes the file and unmaps the chunk; see [KeepEvents] for what stays. It may be
// called more than once.
func (f *ChunkFollower) Close() error {
	err := f.GrowingChunk.Close()
	if e := f.file.Close(); !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, e)
	}
	return err
}
