package at

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// document is what mjfr at --json prints of a position.
type document struct {
	Position string     `json:"position"`
	Before   []stub     `json:"before"`
	Place    described  `json:"place"`
	After    []stub     `json:"after"`
	Hex      []hexLine  `json:"hex,omitempty"`
	Head     []headLine `json:"head,omitempty"`
	Pools    []poolJSON `json:"pools,omitempty"`
	Types    int        `json:"types,omitempty"`
}

// stub is the location of a place, and the main values of an event.
type stub struct {
	File          string `json:"file"`
	Kind          string `json:"kind"`
	Chunk         int    `json:"chunk"`
	Offset        uint64 `json:"offset"`
	Size          uint64 `json:"size"`
	Ordinal       uint64 `json:"ordinal"`
	Type          string `json:"type,omitempty"`
	Start         string `json:"start,omitempty"`
	DurationNanos int64  `json:"durationNanos"`
	Thread        string `json:"thread,omitempty"`
}

// described is a place with all its fields.
type described struct {
	stub
	Inside uint64  `json:"bytesInside"`
	Fields []field `json:"fields,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// field is a field of an event.
type field struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// headLine is a value of a chunk header, or of the beginning of a checkpoint.
type headLine struct {
	Path    string `json:"path"`
	Value   string `json:"value"`
	Meaning string `json:"meaning,omitempty"`
}

// hexLine is some bytes and their meaning.
type hexLine struct {
	Offset  uint64 `json:"offset"`
	Bytes   string `json:"bytes"`
	Depth   int    `json:"depth"`
	Path    string `json:"path"`
	Type    string `json:"type"`
	Value   string `json:"value"`
	Meaning string `json:"meaning,omitempty"`
}

func (s *writer) document(pos *position, p *place, near [2][]place) document {
	d := document{Position: pos.text, Before: s.stubs(near[0]), After: s.stubs(near[1])}
	d.Place = described{stub: s.stub(p), Inside: p.inside}
	if p.Err != nil {
		d.Place.Error = p.Err.Error()
	}
	switch {
	case s.o.hex:
		for l := range p.Lines() {
			d.Hex = append(d.Hex, hexLine{l.Offset, hex.EncodeToString(l.Bytes), l.Depth, l.Path, l.Type, l.Value, l.Meaning})
		}
	case p.Kind != inspect.EventItem:
		for l := range p.Head() {
			d.Head = append(d.Head, headLine{l.Path, l.Value, l.Meaning})
		}
	case !p.Event.IsZero():
		for f, v := range p.Event.Fields() {
			d.Place.Fields = append(d.Place.Fields, field{f.Name(), engine.TypeRecordedName(f.Type()), value(v)})
		}
	}
	switch p.Kind {
	case inspect.MetadataItem:
		d.Types = typesIn(p)
	case inspect.CheckpointItem:
		pools, err := poolsOf(p)
		if err != nil {
			d.Place.Error = err.Error()
		}
		d.Pools = pools
	}
	return d
}

func (s *writer) stubs(places []place) []stub {
	list := []stub{}
	for i := range places {
		list = append(list, s.stub(&places[i]))
	}
	return list
}

func (s *writer) stub(p *place) stub {
	stub := stub{
		File: s.set.Name(p.rec), Kind: p.Kind.String(), Chunk: p.Chunk.Number(), Offset: p.Offset, Size: p.Size, Ordinal: p.ordinal,
	}
	if ev := p.Event; !ev.IsZero() {
		stub.Type, stub.Thread = engine.TypeRecordedName(ev.Type()), ev.Thread().Name()
		if !ev.Start().IsZero() {
			stub.Start, stub.DurationNanos = ev.Start().Format(jsonout.Time), int64(ev.Duration())
		}
	}
	return stub
}

// value returns a value for a program: numbers in full, lengths of time as Go writes them, points
// in time as in RFC 3339, and other values as text for people.
func value(v mmapjfr.Value) string {
	if v.Kind() > mmapjfr.KindString {
		return v.Text()
	}
	switch x := v.Any().(type) {
	case time.Time:
		return x.Format(jsonout.Time)
	case time.Duration, int64, uint64, float64:
		return fmt.Sprint(x)
	}
	return v.Text()
}
