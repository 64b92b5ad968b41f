package mmapjfr

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Path returns the path the recording was opened with; empty for OpenBytes.
func (r *Recording) Path() string { return r.path }

// Size returns the number of bytes of the file.
func (r *Recording) Size() int64 { return r.size }

// Start returns when the earliest chunk began, in UTC.
func (r *Recording) Start() time.Time {
	start := Chunk{r.chunks[0]}.Start()
	for _, c := range r.chunks[1:] {
		if s := (Chunk{c}).Start(); s.Before(start) {
			start = s
		}
	}
	return start
}

// End returns when the latest chunk ended, in UTC.
func (r *Recording) End() time.Time {
	var end time.Time
	for _, c := range r.chunks {
		if e := (Chunk{c}).End(); e.After(end) {
			end = e
		}
	}
	return end
}

// Duration returns the sum of the durations of all chunks. If recordings with a pause between
// them were joined, it is less than the time from Start to End.
func (r *Recording) Duration() time.Duration {
	var d time.Duration
	for _, c := range r.chunks {
		d += Chunk{c}.Duration()
	}
	return d
}

// Location returns the time zone of the virtual machine, as the first chunk
// whose metadata can be read has it; UTC if no metadata can be read.
func (r *Recording) Location() *time.Location {
	for _, c := range r.chunks {
		if _, zone, err := (Chunk{c}).Region(); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Types returns all types that the recording describes, event types and others, each name
// once, in the order in which they first appear. Of a type that differs from chunk to chunk it
// returns the last one. It reads the metadata of all chunks. A type that only older metadata of
// a chunk describes is included once an event of that type has been read.
//
// The error joins those of chunks whose metadata cannot be read; the types of the other chunks
// are returned all the same.
func (r *Recording) Types() ([]Type, error) {
	var (
		list []Type
		errs []error
		at   = make(map[string]int)
		seen = make(map[*schema.TypeSet]bool)
	)
	for _, c := range r.chunks {
		types, err := c.types()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if seen[types] {
			continue
		}
		seen[types] = true
		for i := range types.Types {
			wire.StepBytes(len(types.Types[i].Name) + 8)
			t := Type{types.Types[i]}
			if j, ok := at[t.Name()]; ok {
				list[j] = t
				continue
			}
			at[t.Name()] = len(list)
			list = append(list, t)
		}
	}
	return list, errors.Join(errs...)
}

// Type returns the type of that full name, as the last chunk that has it
// describes it. It is false if no chunk does; see [Recording.Types] for types in older
// metadata.
func (r *Recording) Type(name string) (t Type, ok bool) {
	for i := len(r.chunks) - 1; i >= 0; i-- {
		if types, err := r.chunks[i].types(); err == nil {
			if typ := types.Named(name); typ != nil {
				return Type{typ}, true
			}
		}
	}
	return Type{}, false
}

// types returns the types of the chunk. The first call reads its metadata.
func (c *chunk) types() (types *schema.TypeSet, err error) {
	if err := c.rec.use(); err != nil {
		return nil, err
	}
	defer c.rec.done()
	defer c.rec.recoverFault(debug.SetPanicOnFault(true), &err)
	if types, err = c.ix.Types(); err == nil {
		err = c.checkUnchanged()
	}
	return types, c.rec.addCause(err)
}

// Types returns the types that the chunk's metadata describes; see [Recording.Types] for types
// in older metadata.
func (c Chunk) Types() ([]Type, error) {
	types, err := c.orEmpty().types()
	if err != nil {
		return nil, err
	}
	list := make([]Type, len(types.Types))
	for i := range types.Types {
		list[i] = Type{types.Types[i]}
	}
	return list, nil
}

// Index returns the index of the recording, for tools that work on chunks, pools and event
// headers themselves. It must not be changed, nor used after Close. It does not keep the
// recording from being collected: read the bytes that it leads to inside [Recording.Protect].
func (r *Recording) Index() *index.Index { return r.index }

// DropPages advises the operating system that the bytes of the recording between two
// offsets will not be read soon. Where the file is mapped, and the system can be advised,
// whole pages of them are taken from the program until it reads them again; they stay in
// the system's cache of the file. Call it while reading a large recording once, so that
// the program does not grow to the size of the recording, and closing is quicker. Views
// stay valid. It does nothing after Close.
func (r *Recording) DropPages(from, to uint64) {
	if r.use() != nil {
		return
	}
	defer r.done()
	r.mapping.DropPages(from, to)
}
