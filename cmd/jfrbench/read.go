package main

import (
	"context"
	"math"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxStr is the length from which on a string is not asked for as such: one that
// has to be converted is not kept by the recording then.
const maxStr = 4 << 10

// readAll reads every field of every event, as the comment of the package says.
// The checksum depends on all that was read, and neither on the order nor on how
// many workers there are. It tells progress of numbers of events.
func readAll(rec *mmapjfr.Recording) (events, checksum uint64, err error) {
	readers := make([]reader, engine.RecordingWorkers(rec))
	err = engine.SelectionBatches(rec.Select(), context.Background(), func(worker int, b *mmapjfr.Batch) error {
		readers[worker].batch(b)
		return nil
	})
	for i := range readers {
		events += readers[i].events
		checksum += readers[i].sum
	}
	return events, checksum, err
}

// reader reads fields of events, and allocates nothing but a plan for each type.
type reader struct {
	events, sum uint64

	plans map[mmapjfr.Type][]column
	last  mmapjfr.Type
	plan  []column
	text  []byte
}

// column is a field that all events of a type have, or one of a struct in them.
type column struct {
	path   *mmapjfr.FieldPath
	how    how
	weight uint64 // what tells it from others in the checksum
}

// how says how a column is read.
type how uint8

const (
	asInts how = iota
	asFloats
	asStrings
	asConstants
	asArrays
)

// batch reads all fields of some events of one type.
func (r *reader) batch(b *mmapjfr.Batch) {
	if engine.BatchType(b) != r.last {
		r.last = engine.BatchType(b)
		if r.plans == nil {
			r.plans = make(map[mmapjfr.Type][]column)
		}
		plan, ok := r.plans[r.last]
		if !ok {
			plan = columns(nil, b, r.last, "", 0)
			r.plans[r.last] = plan
		}
		r.plan = plan
	}
	r.events += uint64(engine.BatchLen(b))
	for i := range r.plan {
		c := &r.plan[i]
		r.sum += r.column(b, c) * c.weight
	}
}

// maxInline is how deep structs in structs are looked into, which is deeper than
// the library reads them.
const maxInline = 100

// columns returns how to read the fields of a type, and of the structs in it.
// Names that no Java field can have, and no path, are left out.
func columns(list []column, b *mmapjfr.Batch, t mmapjfr.Type, prefix string, depth int) []column {
	for _, f := range t.Fields() {
		path, err := mmapjfr.ParsePath(prefix + f.Name())
		if err != nil {
			continue
		}
		c := column{path: path, weight: 2*uint64(len(list)) + 1}
		switch {
		case f.IsArray():
			c.how = asArrays
		case engine.BatchStrings(b, path) != nil:
			c.how = asStrings
		case engine.BatchConstants(b, path) != nil:
			c.how = asConstants
		case engine.BatchInts(b, path) != nil:
			c.how = asInts
		case engine.BatchFloats(b, path) != nil:
			c.how = asFloats
		default:
			if depth < maxInline {
				list = columns(list, b, f.Type(), prefix+f.Name()+".", depth+1)
			}
			continue
		}
		list = append(list, c)
	}
	return list
}

// column reads a column and returns a sum of all that was in it.
func (r *reader) column(b *mmapjfr.Batch, c *column) (sum uint64) {
	switch c.how {
	case asInts:
		for _, n := range engine.BatchInts(b, c.path) {
			sum += uint64(n)
		}
	case asConstants:
		for _, place := range engine.BatchConstants(b, c.path) {
			sum += uint64(place)
		}
	case asStrings:
		for _, s := range engine.BatchStrings(b, c.path) {
			sum += ends(s)
		}
	case asFloats:
		for _, f := range engine.BatchFloats(b, c.path) {
			sum += math.Float64bits(f)
		}
	case asArrays:
		for i := range engine.BatchLen(b) {
			v := engine.BatchValue(b, c.path, i)
			f, _ := v.Field()
			sum += r.array(v, f.IsConstant())
		}
	}
	return sum
}

// ends stands for a string: its length, and its first and last byte.
func ends(s string) uint64 {
	if s == "" {
		return 0
	}
	return uint64(len(s))<<16 | uint64(s[0])<<8 | uint64(s[len(s)-1])
}

// array reads the elements of an array in an event.
func (r *reader) array(v mmapjfr.Value, constants bool) (sum uint64) {
	for e := range v.Elements() {
		sum = sum*31 + r.single(e, constants)
	}
	return sum
}

// single reads a value that is no array in an event. Of a constant it reads the
// key, and the string it may stand for.
func (r *reader) single(v mmapjfr.Value, constant bool) (sum uint64) {
	sum = uint64(engine.ValueKey(v))
	switch kind := v.Kind(); {
	case kind == mmapjfr.KindString && v.Len() > maxStr:
		r.text = v.AppendStr(r.text[:0])
		return sum + uint64(len(r.text))
	case kind == mmapjfr.KindString:
		return sum + ends(v.StrView())
	case constant:
		return sum
	case kind == mmapjfr.KindStruct:
		for f, e := range v.Fields() {
			if f.IsArray() {
				sum = sum*31 + r.array(e, f.IsConstant())
			} else {
				sum = sum*31 + r.single(e, f.IsConstant())
			}
		}
		return sum
	case kind == mmapjfr.KindFloat || kind == mmapjfr.KindDouble:
		return sum + math.Float64bits(v.Float())
	}
	return sum + v.Uint()
}
