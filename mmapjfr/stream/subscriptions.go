package stream

import (
	"github.com/mmapjfr/jfr/index/schema"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// subscriptions are the handlers for each type, for the types of a chunk and a list of handlers.
type subscriptions struct {
	types  *schema.TypeSet
	list   *[]*Handler
	dense  []subscription // by number of the type
	sparse map[schema.TypeID]*subscription
}

// subscription lists the handlers for events of a type.
type subscription struct {
	described bool
	handlers  []*Handler
	end       endTime
}

// maxDense bounds the type ids that index a slice. Virtual machines count types from 0 on.
const maxDense = 1 << 13

// noSubscription is the subscription of a type that is not described.
var noSubscription subscription

// byType returns the subscription of a type.
func (t *subscriptions) byType(id schema.TypeID) *subscription {
	if uint64(id) < uint64(len(t.dense)) {
		return &t.dense[id]
	}
	if i := t.sparse[id]; i != nil {
		return i
	}
	return &noSubscription
}

// build finds the handlers for each type. types and list may be nil; views are the types as filters
// see them.
func (t *subscriptions) build(types *schema.TypeSet, views []mmapjfr.Type, list *[]*Handler) {
	*t = subscriptions{types: types, list: list, sparse: make(map[schema.TypeID]*subscription)}
	if types == nil {
		return
	}
	most := schema.TypeID(-1)
	for _, class := range types.Types {
		if class.ID < maxDense {
			most = max(most, class.ID)
		}
	}
	t.dense = make([]subscription, most+1)
	for n, class := range types.Types {
		if types.ByID(class.ID) != class {
			continue
		}
		i := subscription{described: true, handlers: subscribers(list, views[n]), end: endTimeOf(class)}
		if class.ID >= 0 && class.ID < maxDense {
			t.dense[class.ID] = i
		} else {
			t.sparse[class.ID] = &i
		}
	}
}

// subscribers returns the handlers for events of a type.
func subscribers(list *[]*Handler, t mmapjfr.Type) (handlers []*Handler) {
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
