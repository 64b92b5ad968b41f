package batch

import (
	"cmp"
	"errors"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Damage is something that could not be read.
type Damage struct {
	Object string `json:"object"`
	Error  string `json:"error"`
	// Unread is set if nothing of the object was read or counts, and Note if nothing is wrong: the object is a recording
	// that has no end yet, for example.
	Unread bool `json:"unread,omitempty"`
	Note   bool `json:"note,omitempty"`
	// Again is set if the object could not be fetched, which may succeed another time: the item is done again.
	Again bool `json:"again,omitempty"`
	// At is the offset of the error in the object, plus 1; 0 if it has none.
	At uint64 `json:"at,omitempty"`
	// More is how many errors after At are not listed.
	More int `json:"more,omitempty"`
}

// mostDamage is how many errors with an offset are listed of an object. Those after them are counted: so the list does not depend
// on how the object was divided.
const mostDamage = 32

// compare orders damage by objects and offsets. Only equal damage is in the same place.
func (d Damage) compare(o Damage) int {
	flags := func(d Damage) (n int) {
		for i, flag := range []bool{d.Unread, d.Note, d.Again} {
			if flag {
				n |= 1 << i
			}
		}
		return n
	}
	return cmp.Or(strings.Compare(d.Object, o.Object), cmp.Compare(d.At, o.At), strings.Compare(d.Error, o.Error), flags(d)-flags(o), cmp.Compare(d.More, o.More))
}

// limited returns damage in order, each once, without what is more than is listed of an object.
func limited(list []Damage) (short []Damage) {
	listed, more, last := 0, 0, uint64(0)
	for i, all := 0, ordered(list, Damage.compare); i < len(all); i++ {
		switch d := all[i]; {
		case d.More > 0:
			more += d.More
		case d.At > 0 && listed == mostDamage:
			more++
		case d.At > 0:
			listed, last = listed+1, d.At
			fallthrough
		default:
			short = append(short, d)
		}
		if i+1 < len(all) && all[i+1].Object == all[i].Object {
			continue
		}
		if more > 0 {
			omitted := (&mmapjfr.OmittedErrors{N: more}).Error()
			short = append(short, Damage{Object: all[i].Object, Error: omitted, At: last, More: more})
		}
		listed, more, last = 0, 0, 0
	}
	return short
}

// damageOf returns the damage that an error is, found when a range of a recording was read, or with nil when it was opened.
func damageOf(p Part, rec *mmapjfr.Recording, err error) Damage {
	if rec != nil {
		err = engine.RecordingIndex(rec).Cause(err)
	}
	d := Damage{Object: p.Object, Error: errtree.Unnamed(err).Error(), Unread: errors.As(err, new(*left))}
	d.Note = !d.Unread && (errors.Is(err, mmapjfr.ErrUnfinished) || errors.As(err, new(input.Remark)))
	if rec == nil {
		return d
	}
	if omitted, ok := errors.AsType[*mmapjfr.OmittedErrors](err); ok {
		d.More, d.At = omitted.N, p.From+1
	} else if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok && format.Chunk >= 0 && format.Chunk < len(rec.Chunks()) {
		d.At = format.Offset + 1
	}
	return d
}
