package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// document is the report for programs. Names of its members never change.
type document struct {
	File     string              `json:"file"`
	Bytes    int64               `json:"bytes"`
	Chunks   int                 `json:"chunks"`
	Events   uint64              `json:"events"`
	Start    string              `json:"start,omitempty"`
	Seconds  float64             `json:"duration_seconds"`
	Types    map[string]typeJSON `json:"types"`
	Stages   []stageJSON         `json:"stages"`
	Index    indexJSON           `json:"index"`
	Checksum string              `json:"checksum,omitempty"`
	Notes    []errorJSON         `json:"notes"`
	Errors   []errorJSON         `json:"errors"`
	More     int                 `json:"more_errors,omitempty"`
}

type typeJSON struct {
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
}

type stageJSON struct {
	Name           string  `json:"name"`
	Seconds        float64 `json:"seconds"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	// NsPerEvent and AllocsPerEvent are null if there are no events.
	NsPerEvent     *float64 `json:"ns_per_event"`
	AllocsPerEvent *float64 `json:"allocs_per_event"`
	Allocs         uint64   `json:"allocs"`
	AllocatedBytes uint64   `json:"allocated_bytes"`
	HeapBytes      uint64   `json:"heap_bytes"`
	AnonymousBytes uint64   `json:"anonymous_bytes,omitempty"`
}

type indexJSON struct {
	Bytes        int     `json:"bytes"`
	Constants    int     `json:"constants_bytes"`
	ConstantsNum int     `json:"constants"`
	Blocks       int     `json:"blocks_bytes"`
	BlocksNum    int     `json:"blocks"`
	Share        float64 `json:"share"`
}

// errorJSON is something wrong; offset and chunk are null if it has no place.
type errorJSON struct {
	Chunk   *int    `json:"chunk"`
	Offset  *uint64 `json:"offset"`
	Message string  `json:"message"`
}

// writeJSON writes a document on a line. failed is why the file was not opened,
// or nil.
func writeJSON(w io.Writer, r *result, failed error) {
	d := document{
		File: r.file, Bytes: r.size, Chunks: r.chunks, Events: r.events,
		Seconds: r.duration.Seconds(),
		Types:   make(map[string]typeJSON, len(r.types)),
		Stages:  make([]stageJSON, 0, len(r.stages)),
		Index:   indexJSON{Bytes: r.index.bytes(), Constants: r.index.constants, ConstantsNum: r.index.keys, Blocks: r.index.blocks, BlocksNum: r.index.number},
		Notes:   errorsJSON(r.damage.unfinished),
		Errors:  errorsJSON(r.damage.list),
		More:    r.damage.total - len(r.damage.list),
	}
	if r.size > 0 {
		d.Index.Share = float64(r.index.bytes()) / float64(r.size)
	}
	if failed != nil {
		d.Errors = errorsJSON([]error{failed})
	} else {
		d.Start = r.start.Format(time.RFC3339Nano)
		d.Checksum = fmt.Sprintf("%016x", r.checksum)
	}
	for name, n := range r.types {
		d.Types[name] = typeJSON{n.Events, n.Bytes}
	}
	for i := range r.stages {
		d.Stages = append(d.Stages, newStageJSON(&r.stages[i], r))
	}
	_ = jsonout.New(w).Encode(&d) // it writes to memory, and all numbers are finite
}

func newStageJSON(m *measurement, r *result) stageJSON {
	s := stageJSON{
		Name: m.name, Seconds: m.time.Seconds(), BytesPerSecond: m.bytesPerSecond(r.size),
		Allocs: m.mallocs, AllocatedBytes: m.allocated, HeapBytes: m.heap, AnonymousBytes: m.anonymous,
	}
	if v, ok := perEvent(float64(m.time), r.events); ok {
		s.NsPerEvent = &v
	}
	if v, ok := perEvent(float64(m.mallocs), r.events); ok {
		s.AllocsPerEvent = &v
	}
	return s
}

func errorsJSON(list []error) []errorJSON {
	out := make([]errorJSON, 0, len(list))
	for _, err := range list {
		e := errorJSON{Message: errtext.Message(err)}
		var format *mmapjfr.FormatError
		if errors.As(err, &format) {
			e = errorJSON{&format.Chunk, &format.Offset, format.Section + ": " + format.Err.Error()}
		}
		out = append(out, e)
	}
	return out
}
