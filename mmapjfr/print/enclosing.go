package print

import (
	"math"

	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// isContextual tells whether events of the type enclose others.
func isContextual(t mmapjfr.Type) bool {
	for _, f := range t.Fields() {
		if annotated(f, jdktypes.Contextual) {
			return true
		}
	}
	return false
}

// noOffset is behind all events.
const noOffset = math.MaxUint64

// enclosing are the events of a recording that enclose others, whether the filters
// want them or not; none if the zero enclosing.
type enclosing struct {
	cursor *mmapjfr.Cursor
	types  map[mmapjfr.Type]bool // nil when there is no event left
	held   bool                  // that the cursor stands at an event that has not been given
}

// enclosingEvents returns those of the recording. What cannot be read of it is told
// elsewhere.
func enclosingEvents(rec *mmapjfr.Recording) enclosing {
	var names []string
	types := make(map[mmapjfr.Type]bool)
	for _, c := range rec.Chunks() {
		list, err := c.Types()
		if err != nil {
			continue
		}
		for _, t := range list {
			if t.IsEvent() && !types[t] && isContextual(t) {
				types[t] = true
				names = append(names, t.Name())
			}
		}
	}
	if names == nil {
		return enclosing{}
	}
	return enclosing{cursor: rec.Select(mmapjfr.Types(names...)).Cursor(), types: types}
}

// before gives the events that begin before that offset. It is false if give was.
func (e *enclosing) before(offset uint64, give func(mmapjfr.Event) bool) bool {
	for e.stands() && e.cursor.Event().Offset() < offset {
		e.held = false
		if !give(e.cursor.Event()) {
			return false
		}
	}
	return true
}

// at gives the event that begins at that offset, which those before have been given
// of; false if there is none.
func (e *enclosing) at(offset uint64) (ev mmapjfr.Event, ok bool) {
	if !e.stands() || e.cursor.Event().Offset() != offset {
		return ev, false
	}
	e.held = false
	return e.cursor.Event(), true
}

// stands tells whether the cursor stands at an event that has not been given; it goes
// there if need be.
func (e *enclosing) stands() bool {
	for !e.held && e.types != nil {
		switch {
		case e.cursor.Next():
			e.held = e.types[e.cursor.Event().Type()]
		case e.cursor.Err() == nil:
			e.types = nil
		}
	}
	return e.held
}
