package stream

import (
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// interests tells who wants events of which type, for the types of a chunk and the
// handlers of a moment.
type interests struct {
	types *index.TypeSet
	list  *[]*Handler
	dense []interest // by number of the type
	more  map[index.TypeID]*interest
}

// interest is who wants events of a type.
type interest struct {
	known    bool
	handlers []*Handler
	times    times
}

// maxDense bounds the types that are found by their number; virtual machines count them
// from 0 on.
const maxDense = 1 << 13

// nobody is who wants events of a type that is not described.
var nobody interest

// of returns who wants events of a type.
func (t *interests) of(id index.TypeID) *interest {
	if uint64(id) < uint64(len(t.dense)) {
		return &t.dense[id]
	}
	if i := t.more[id]; i != nil {
		return i
	}
	return &nobody
}

// make finds out who wants what. There may be no types, or no handlers; views are the types
// as handlers see them.
func (t *interests) make(types *index.TypeSet, views []mmapjfr.Type, list *[]*Handler) {
	*t = interests{types: types, list: list, more: make(map[index.TypeID]*interest)}
	if types == nil {
		return
	}
	most := index.TypeID(-1)
	for _, class := range types.Types {
		if class.ID < maxDense {
			most = max(most, class.ID)
		}
	}
	t.dense = make([]interest, most+1)
	for n, class := range types.Types {
		if types.ByID(class.ID) != class {
			continue
		}
		i := interest{known: true, handlers: wantedBy(list, views[n]), times: timesOf(class)}
		if class.ID >= 0 && class.ID < maxDense {
			t.dense[class.ID] = i
		} else {
			t.more[class.ID] = &i
		}
	}
}

// wantedBy returns the handlers that want events of a type.
func wantedBy(list *[]*Handler, t mmapjfr.Type) (handlers []*Handler) {
	if list == nil {
		return nil
	}
	for _, h := range *list {
		if h.kind == kindEvent && (h.filter == nil || mmapjfr.MatchesType(h.filter, t)) {
			handlers = append(handlers, h)
		}
	}
	return handlers
}
