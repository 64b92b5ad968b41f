package verify

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The offsets of the header's fields that findings are about (FORMAT.md, section 1.1).
const (
	minorAt      = 6
	checkpointAt = 16
	metadataAt   = 24
	startAt      = 32
	durationAt   = 40
	rateAt       = 56
	padAt        = 65
	flagsAt      = 67
)

// header checks the header of the chunk, and the bytes before and after it.
func (s *chunkCheck) header() {
	var format *index.FormatError
	if errors.As(s.c.LeadingErr(), &format) {
		foreignBytes(&s.findings, format, bytesBetweenChunks)
	}
	h := s.c.Header()
	s.size(h)
	if h.Minor >= h.Major { // 1.0, 2.0 and 2.1 are the versions that are known
		s.report(minorVersion, minorAt, "", "version %d.%d, of which 1.0, 2.0 and 2.1 are known", h.Major, h.Minor)
	}
	pad := s.c.Data()[padAt:flagsAt]
	if rest := h.Flags &^ (wire.FlagCompressed | wire.FlagFinal); rest != 0 || pad[0]|pad[1] != 0 {
		s.report(headerFlags, padAt, "", "features % x have bits without a meaning", s.c.Data()[padAt:wire.HeaderLen])
	}
	if h.IntEncoding() == wire.FixedWidth {
		s.report(rawIntegers, flagsAt, "", "integers are not compressed")
	}
	s.clock(h)
}

// size reports a chunk that does not end where the header says.
func (s *chunkCheck) size(h wire.Header) {
	trail := s.c.TrailingErr()
	kind := overlappingChunk
	switch {
	case trail == nil:
		return
	case errors.Is(trail, index.ErrUnfinished):
		kind = unfinishedChunk
	case errors.Is(trail, index.ErrTruncated):
		kind = truncatedChunk
	case h.Size < wire.HeaderLen:
		kind = chunkSize
	}
	f := s.find(kind, 0)
	switch size := uint64(len(s.c.Data())); {
	case f == nil:
	case kind != unfinishedChunk:
		f.Text = reason(trail)
	case s.endMissing():
		f.Text = "its header was never completed"
	case size <= wire.HeaderLen:
		f.Text = "nothing has been flushed yet"
	default:
		f.Text = fmt.Sprintf("its last flush ends at %#x", s.base+size)
	}
}

// endMissing reports whether the chunk breaks off before the end that its header names.
func (s *chunkCheck) endMissing() bool {
	return s.c.TrailingErr() != nil && s.c.Header().Size > uint64(len(s.c.Data()))
}

// foreignBytes reports bytes that belong to no chunk that can be read.
func foreignBytes(l *findings, err *index.FormatError, kind Kind) {
	if errors.Is(err, index.ErrUnsupported) {
		kind = unsupportedVersion
	}
	l.report(kind, err.Offset-l.base, "", "%s", reason(err))
}

// earliest is before the first recording of this format was made.
var earliest = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// clock checks the times in the header.
func (s *chunkCheck) clock(h wire.Header) {
	if h.TicksPerSecond <= 0 {
		s.report(tickRate, rateAt, "", "the clock makes %d ticks per second", h.TicksPerSecond)
	}
	if h.StartNanos < earliest {
		s.report(chunkStart, startAt, "", "the chunk began at %s", time.Unix(0, h.StartNanos).UTC().Format(time.RFC3339Nano))
	}
	if h.DurationNanos < 0 && h.Finished() {
		s.report(chunkDuration, durationAt, "", "the chunk lasted %s", time.Duration(h.DurationNanos))
	}
}

// reason returns the text of an error without its location, and without its beginning, such as
// "corrupt", if the text goes on.
func reason(err error) string {
	var format *index.FormatError
	if errors.As(err, &format) {
		err = format.Err
	}
	if detail, ok := errors.AsType[errtree.Detail](err); ok {
		return detail.Text
	}
	return err.Error()
}

// plural formats a number of bytes, and says byte for one.
func plural(format string, n int) string {
	text := fmt.Sprintf(format, n)
	if n == 1 {
		text = strings.Replace(text, "1 bytes", "1 byte", 1)
	}
	return text
}
