package repair

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mmapjfr/jfr/internal/describe"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Option changes how a recording is repaired.
type Option func(*options) error

type options struct {
	progress func(bytes uint64)
}

// Progress calls f with numbers of bytes that have been read. In the end these are twice the
// bytes of the recording's chunks.
func Progress(f func(bytes uint64)) Option {
	return func(o *options) error {
		if f != nil {
			o.progress = f
		}
		return nil
	}
}

// Write writes all that can be read of a recording as one that the JDK's tools can read, and
// reports what was kept and what was lost. Open the recording with [mmapjfr.Salvage], or what
// that option finds is lost. Write reads all bytes of the recording twice, and takes the memory
// of the index of some chunks.
//
// It fails with [ErrNothing] if no chunk can be kept, with the first error of w, with
// the cause of the context when that ends, and with an error that matches
// [mmapjfr.ErrClosed], [mmapjfr.ErrTruncated] or [mmapjfr.ErrChanged] if the recording
// is closed or its file changes meanwhile. What has been written then is of no use.
func Write(ctx context.Context, w io.Writer, rec *mmapjfr.Recording, opts ...Option) (*Report, error) {
	reports, err := Join(ctx, w, []*mmapjfr.Recording{rec}, opts...)
	if err != nil {
		return nil, err
	}
	return reports[0], nil
}

// Join is [Write] for several recordings, such as the chunk files of a repository, that
// become one. It returns a report of each of them.
func Join(ctx context.Context, w io.Writer, recs []*mmapjfr.Recording, opts ...Option) ([]*Report, error) {
	buffer := bufio.NewWriterSize(w, bufferLen)
	r := &repairer{ctx: ctx, out: &output{w: buffer}}
	r.progress = func(uint64) {}
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(&r.options); err != nil {
			return nil, err
		}
	}
	var reports []*Report
	for i, rec := range recs {
		r.report = &Report{}
		if err := rec.Protect(func() error { return r.run(engine.RecordingIndex(rec), i == len(recs)-1) }); err != nil {
			if why := rec.FileErr(); why != nil && errors.Is(err, mmapjfr.ErrChanged) {
				err = why // it names the file
			}
			return nil, err
		}
		reports = append(reports, r.report)
	}
	if r.out.n == 0 {
		return nil, nothingKept(reports)
	}
	if err := buffer.Flush(); err != nil {
		return nil, err
	}
	return reports, nil
}

// nothingKept returns the error for recordings of which nothing could be kept.
func nothingKept(reports []*Report) error {
	for _, r := range reports {
		for i := range r.Chunks {
			return fmt.Errorf("%w: %w", ErrNothing, r.Chunks[i].Err)
		}
	}
	return ErrNothing
}

// bufferLen is the number of bytes that are written at once.
const bufferLen = 256 << 10

// repairer repairs recordings.
type repairer struct {
	options
	ctx    context.Context
	out    *output
	report *Report
	last   lastMetadata
	jvms   describe.JVMs
}

// output counts the written bytes and holds the first error.
type output struct {
	w   *bufio.Writer
	n   uint64
	err error
}

// write copies bytes into the buffer. So bytes of a truncated file fault here, which is an error of
// reading. In a system call they would look like an error of writing.
func (o *output) write(b []byte) {
	for len(b) > 0 && o.err == nil {
		if o.w.Available() == 0 {
			o.err = o.w.Flush()
			continue
		}
		n, err := o.w.Write(b[:min(len(b), o.w.Available())])
		o.n += uint64(n)
		o.err, b = err, b[n:]
	}
}

// run repairs one recording.
func (r *repairer) run(x *index.Index, final bool) error {
	from := r.out.n
	chunks := x.Chunks()
	r.report.Chunks = make([]Chunk, len(chunks))
	end := uint64(0)
	for i, in := range chunks {
		r.report.Lost.add(end, in.Offset())
		end = in.Offset() + uint64(len(in.Data()))
		if err := r.chunk(in, &r.report.Chunks[i], final && i == len(chunks)-1); err != nil {
			return err
		}
	}
	r.report.Lost.add(end, uint64(len(x.Data())))
	r.report.Bytes = r.out.n - from
	return nil
}

// chunk repairs a chunk, unless nothing of it can be kept.
func (r *repairer) chunk(in *index.Chunk, report *Chunk, final bool) error {
	c := &chunk{in: in, report: report, out: r.out, jvms: &r.jvms}
	defer func() { r.progress(2 * uint64(len(in.Data()))) }()
	if !c.open() {
		return nil
	}
	last := r.last
	id := firstID + int64(in.Number())
	c.pickMetadata(id, &last)
	if err := c.layOut(r.ctx, true); err != nil {
		return err
	}
	if c.needsOlder && c.metadata == nil {
		// Only the metadata events are treated otherwise this time.
		last = r.last
		c.pickMetadata(id, &last)
		if err := c.layOut(r.ctx, false); err != nil {
			return err
		}
	}
	r.last = last
	c.completeReport()
	if c.isWhole() {
		report.Action = Copied
		return c.copy(final)
	}
	report.Action = Rewritten
	return c.rewrite(r.ctx, final)
}

// firstID is the id of metadata that is made for the first chunk. Other ids are less: virtual
// machines count from 1, and async-profiler's are near 2^31.
const firstID int64 = 1 << 32

// layOut finds out where everything will be in the new chunk. The first time it surveys the chunk:
// it counts what is kept and what is lost.
func (c *chunk) layOut(ctx context.Context, survey bool) error {
	c.size = wire.HeaderLen + uint64(len(c.metadata))
	c.newest = wire.HeaderLen
	err := c.walk(ctx, survey, sink{
		bytes: func(from, to uint64) {
			if m := c.header.Metadata; c.metadata == nil && from <= m && m < to {
				c.newest = c.size + m - from
			}
			c.size += to - from
		},
		event: func(ev *index.EventHeader) { c.size += uint64(len(c.eventHead(ev))) + uint64(ev.Size-ev.HeaderLen) },
		checkpoint: func(n int) {
			c.checkpoints[n].to = c.size
			c.size += c.checkpoints[n].size
		},
	})
	if err == nil && survey && (len(c.checkpoints) == 0 || len(c.references.patches) > 0) {
		cp := c.noCheckpoint()
		if len(c.references.patches) > 0 {
			cp = c.placeholderCheckpoint()
		}
		cp.to = c.size
		c.size += cp.size
		c.checkpoints = append(c.checkpoints, cp)
	}
	return err
}

// completeReport completes the report.
func (c *chunk) completeReport() {
	c.report.Renumbered, c.report.Placeholders = c.jvm.Renumbers(), len(c.references.patches)
	for i := range c.checkpoints {
		if c.checkpoints[i].Size > 0 {
			c.report.Checkpoints++
		}
		if c.checkpoints[i].shortened {
			c.report.Shortened++
		}
	}
	for _, typ := range c.types.Types {
		if n := c.references.missing[typ]; n > 0 {
			c.report.Missing = append(c.report.Missing, Missing{typ.Name, n})
		}
	}
}

// isWhole reports whether the chunk can stay as it is.
func (c *chunk) isWhole() bool {
	r := c.report
	if r.Err != nil || c.in.Salvaged() != nil || !c.header.Finished() || c.metadata != nil || r.Undescribed+r.Unreadable+r.Lost.Bytes > 0 || r.Dropped > 0 || len(c.references.patches) > 0 {
		return false
	}
	for i := range c.checkpoints {
		if !c.checkpoints[i].unchanged {
			return false
		}
	}
	raw, ok := wire.ReadHeader(c.data)
	return ok && raw == c.header && raw.Size == uint64(len(c.data)) && c.isChained()
}

// flags returns the flags of the new chunk: only the last chunk of a file is final.
func (c *chunk) flags(final bool) uint8 {
	if final {
		return c.header.Flags
	}
	return c.header.Flags &^ wire.FlagFinal
}

// copy writes a whole chunk.
func (c *chunk) copy(final bool) error {
	c.out.write(c.data[:wire.HeaderLen-1])
	c.out.write([]byte{c.flags(final)})
	c.out.write(c.data[wire.HeaderLen:])
	return c.out.err
}

// rewrite writes the chunk anew.
func (c *chunk) rewrite(ctx context.Context, final bool) error {
	from := c.out.n
	var head wire.Appender
	head.Header(c.newHeader(final))
	c.out.write(head.Bytes)
	c.out.write(c.metadata)
	err := c.walk(ctx, false, sink{
		bytes: func(from, to uint64) { c.out.write(c.data[from:to]) },
		event: func(ev *index.EventHeader) {
			c.out.write(c.eventHead(ev))
			c.writeBody(ev)
		},
		checkpoint: c.writeCheckpoint,
	})
	switch {
	case err != nil:
		return err
	case c.out.err != nil:
		return c.out.err
	case c.out.n-from != c.size:
		return fmt.Errorf("repair: %w", mmapjfr.ErrChanged)
	}
	return nil
}

// newHeader returns the header of the new chunk.
func (c *chunk) newHeader(final bool) wire.Header {
	h := c.header
	h.Size, h.Checkpoint, h.Metadata = c.size, c.checkpoints[len(c.checkpoints)-1].to, c.newest
	h.State, h.Flags = 0, c.flags(final)
	if !c.header.Finished() || c.report.Err != nil {
		h.DurationNanos = c.duration()
	}
	return h
}

// duration returns the time from the start of the chunk to the end of its last event.
func (c *chunk) duration() int64 {
	chunk := c.header
	if chunk.TicksPerSecond <= 0 || c.lastTick <= chunk.StartTicks {
		return 0
	}
	return int64(float64(c.lastTick-chunk.StartTicks) / (float64(chunk.TicksPerSecond) / 1e9))
}
