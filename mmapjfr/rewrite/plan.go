package rewrite

import (
	"fmt"
	"time"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Plan says what becomes of recordings. The zero Plan copies them as they are.
type Plan struct {
	// From and To bound when events that stay began: at From or later, before To. The zero time is no bound.
	From, To time.Time
	// Filters select events that stay.
	Filters []mmapjfr.Filter
	// Keep selects events that stay, among those that the filters select; nil selects all. It is called from several
	// goroutines at once.
	Keep func(ev mmapjfr.Event) bool
	// Drop selects event types that go, with their descriptions and their settings; nil selects none.
	Drop func(t mmapjfr.Type) bool
	// Context keeps events that say what the others mean, whatever selects events: about the virtual machine, the
	// host and the settings, of chunks of which another event stays, and with samples of allocations what threads had
	// allocated until then.
	Context bool

	// Edits change values; nil changes none. Chunks of which nothing else changes keep the keys of their constants.
	Edits Edits
	// Prefix returns what is put before the names of the threads of a chunk; nil stands for nothing.
	Prefix func(c mmapjfr.Chunk) string
	// OneClock gives all chunks one clock, that of the first, which counts nanoseconds. The JDK's reader uses the
	// first chunk's clock for all.
	OneClock bool
	// Anew makes all chunks anew, so that what no event leads to is gone.
	Anew bool
	// Convert makes all chunks those of format 2.1, with integers as varints or, with Wide, of full width.
	Convert, Wide bool
	// Join lets chunks that follow one another become one, of at most ChunkSize bytes, if they are of one virtual
	// machine and have the same types. It implies Anew.
	Join bool
	// ChunkSize is how many bytes chunks that are made anew have at most, and how many edited bytes those that keep
	// their constants; 0 is 16 MiB.
	ChunkSize int
	// Readable makes the copy one that the JDK's reader reads: chunks that it refuses are made anew, and all chunks if
	// they are of several virtual machines, with one clock. The headers of all events are read for that, but no fields.
	Readable bool
	// Remake selects chunks that are made anew although nothing else changes in them, such as those of which package
	// verify says that they have damaged events; nil selects none. It is called from several goroutines at once.
	Remake func(c mmapjfr.Chunk) bool
	// Skip selects chunks that are left out, such as those that another recording has too; nil selects none.
	Skip func(c mmapjfr.Chunk) bool
	// Repeats copies chunks, too, that are byte for byte the same as others, which are otherwise left out.
	Repeats bool
	// ByTime puts the chunks of all recordings in the order in which they began.
	ByTime bool

	// Workers is the number of goroutines; as many as Go uses processors for if it is not above 0.
	Workers int
	// Progress is called with numbers of bytes that have been read; nil is not called. In the end these are the
	// bytes of all chunks.
	Progress func(bytes uint64)
	// OnError is called with what cannot be read, in the order of the files; nil is not called.
	OnError func(rec *mmapjfr.Recording, err error)

	processes map[*index.Chunk]describe.Process // that are known already
}

// Report says what [Write] has done.
type Report struct {
	// Bytes is how many bytes were written, in Chunks chunks.
	Bytes  uint64
	Chunks int
	// Copied is how many chunks of the recordings were copied as they are, Edited how many were edited and kept their
	// constants, Made how many were made anew, and Left how many were left out, since no event of them stays.
	Copied, Edited, Made, Left int
	// Types counts events of chunks that were not copied as they are, by the full name of their type.
	Types map[string]Count
	// Unreadable counts events that were left out because they cannot be read. Missing counts references to
	// constants that are missing, which became null.
	Unreadable, Missing uint64
	// Constants is how many constants chunks have that were not copied as they are.
	Constants uint64
}

// Count is how many events there were and how many are left.
type Count struct{ Before, After uint64 }

// add adds another report.
func (r *Report) add(o *Report) {
	r.Copied, r.Edited, r.Made, r.Left = r.Copied+o.Copied, r.Edited+o.Edited, r.Made+o.Made, r.Left+o.Left
	r.Unreadable, r.Missing, r.Constants = r.Unreadable+o.Unreadable, r.Missing+o.Missing, r.Constants+o.Constants
	for name, n := range o.Types {
		if r.Types == nil {
			r.Types = make(map[string]Count)
		}
		sum := r.Types[name]
		r.Types[name] = Count{sum.Before + n.Before, sum.After + n.After}
	}
}

// String returns how much was written.
func (r *Report) String() string { return fmt.Sprintf("%d bytes in %d chunks", r.Bytes, r.Chunks) }

// defaultChunkSize is how long chunks become: a virtual machine's have 12 MB, more or less.
const defaultChunkSize = 16 << 20

// selects reports whether the plan leaves out events by other things than their type.
func (p *Plan) selects() bool {
	return !p.From.IsZero() || !p.To.IsZero() || len(p.Filters) > 0 || p.Keep != nil
}

// isAnew reports whether all chunks are made anew.
func (p *Plan) isAnew() bool {
	return p.Anew || p.Join || p.OneClock || p.Edits != nil || p.Prefix != nil || p.Keep != nil
}

func (p *Plan) chunkSize() int {
	if p.ChunkSize > 0 {
		return p.ChunkSize
	}
	return defaultChunkSize
}

// form returns how integers of a chunk are written.
func (p *Plan) form(c mmapjfr.Chunk) wire.IntEncoding {
	switch {
	case p.Convert && p.Wide:
		return wire.FixedWidth
	case p.Convert:
		return wire.Compressed
	}
	return engine.ChunkIndex(c).IntEncoding()
}
