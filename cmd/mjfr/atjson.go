package main

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/inspect"
)

// atDocument is what mjfr at --json prints of a position.
type atDocument struct {
	Position string       `json:"position"`
	Before   []atStub     `json:"before"`
	Place    atDescribed  `json:"place"`
	After    []atStub     `json:"after"`
	Hex      []atHexLine  `json:"hex,omitempty"`
	Head     []atHeadLine `json:"head,omitempty"`
	Pools    []atPool     `json:"pools,omitempty"`
	Types    int          `json:"types,omitempty"`
}

// atStub is where a place is, and of an event a little more.
type atStub struct {
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

// atDescribed is a place in full.
type atDescribed struct {
	atStub
	Inside uint64    `json:"bytesInside"`
	Fields []atField `json:"fields,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// atField is a field of an event.
type atField struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// atHeadLine is a value of a header, or of the head of a checkpoint.
type atHeadLine struct {
	Path    string `json:"path"`
	Value   string `json:"value"`
	Meaning string `json:"meaning,omitempty"`
}

// atHexLine is some bytes with what they say.
type atHexLine struct {
	Offset  uint64 `json:"offset"`
	Bytes   string `json:"bytes"`
	Depth   int    `json:"depth"`
	Path    string `json:"path"`
	Type    string `json:"type"`
	Value   string `json:"value"`
	Meaning string `json:"meaning,omitempty"`
}

func (s *atShow) document(pos *atPosition, p *atPlace, near [2][]atPlace) atDocument {
	d := atDocument{Position: pos.text, Before: s.stubs(near[0]), After: s.stubs(near[1])}
	d.Place = atDescribed{atStub: s.stub(p), Inside: p.inside}
	if p.Err != nil {
		d.Place.Error = p.Err.Error()
	}
	switch {
	case s.o.hex:
		for l := range p.Lines() {
			d.Hex = append(d.Hex, atHexLine{l.Offset, hex.EncodeToString(l.Bytes), l.Depth, l.Path, l.Type, l.Value, l.Meaning})
		}
	case p.Kind != inspect.EventItem:
		for l := range p.Head() {
			d.Head = append(d.Head, atHeadLine{l.Path, l.Value, l.Meaning})
		}
	case !p.Event.IsZero():
		for f, v := range p.Event.Fields() {
			d.Place.Fields = append(d.Place.Fields, atField{f.Name(), f.Type().Name(), atValue(v)})
		}
	}
	switch p.Kind {
	case inspect.MetadataItem:
		d.Types = atTypes(p)
	case inspect.CheckpointItem:
		pools, err := atPools(p)
		if err != nil {
			d.Place.Error = err.Error()
		}
		d.Pools = pools
	}
	return d
}

func (s *atShow) stubs(places []atPlace) []atStub {
	list := []atStub{}
	for i := range places {
		list = append(list, s.stub(&places[i]))
	}
	return list
}

func (s *atShow) stub(p *atPlace) atStub {
	stub := atStub{
		File: s.set.Name(p.rec), Kind: p.Kind.String(), Chunk: p.Chunk.Number(), Offset: p.Offset, Size: p.Size, Ordinal: p.ordinal,
	}
	if ev := p.Event; !ev.IsZero() {
		stub.Type, stub.Thread = ev.Type().Name(), ev.Thread().Name()
		if !ev.Start().IsZero() {
			stub.Start, stub.DurationNanos = ev.Start().Format(timeInJSON), int64(ev.Duration())
		}
	}
	return stub
}

// timeInJSON is how documents have points in time: with nine digits, as NDJSON and CSV.
const timeInJSON = "2006-01-02T15:04:05.000000000Z07:00"

// atValue returns a value for a program: numbers in full, lengths of time as Go writes them,
// points in time as in RFC 3339, and all else as people read it.
func atValue(v mmapjfr.Value) string {
	if v.Kind() > mmapjfr.KindString {
		return v.Text()
	}
	switch x := v.Any().(type) {
	case time.Time:
		return x.Format(timeInJSON)
	case time.Duration, int64, uint64, float64:
		return fmt.Sprint(x)
	}
	return v.Text()
}
