package profile

import (
	"cmp"

	"github.com/mmapjfr/jfr/internal/weigh"
)

// Kind is what stacks are weighted by.
type Kind struct {
	// Name is short, such as "cpu" or "alloc": what option -t of mjfr profile takes.
	Name string
	// Title is a name for people, such as "CPU time".
	Title string
	// Values are what each sample has: the number of events first. There is at least one.
	Values []ValueType
	// Sampled is true if each event was taken after a length of time, whatever a thread did.
	Sampled bool
}

// ValueType says what a number of a sample counts.
type ValueType struct {
	Name string // such as "samples"
	Unit Unit
}

// Unit is the unit of a value.
type Unit string

// The units of values.
const (
	Count       Unit = weigh.Count
	Nanoseconds Unit = weigh.Nanoseconds
	Bytes       Unit = weigh.Bytes
)

// maxValues is how many values a kind has at most.
const maxValues = weigh.MaxValues

// Main returns the index of the value that people look at first: time or bytes if there are
// any, else the number of events. [Profile.Main] knows which of them were recorded.
func (k *Kind) Main() int { return len(k.Values) - 1 }

// Kinds returns the kinds that [Read] knows by name, in the order in which profiles have them.
func Kinds() []Kind {
	list := make([]Kind, len(weigh.Kinds))
	for i := range weigh.Kinds {
		list[i] = kindOf(&weigh.Kinds[i])
	}
	return list
}

// kindOf returns a kind as profiles have it.
func kindOf(k *weigh.Kind) Kind {
	of := Kind{k.Name, k.Title, make([]ValueType, len(k.Values)), k.Sampled}
	for i, v := range k.Values {
		of.Values[i] = ValueType{v.Name, Unit(v.Unit)}
	}
	return of
}

// Events returns the names of the event types that a kind is made of, the most exact first; nil
// for a kind that Read does not know by name.
func Events(kind string) (names []string) {
	for _, k := range weigh.Kinds {
		if k.Name == kind {
			for _, s := range k.Sources {
				names = append(names, s.Event)
			}
		}
	}
	return names
}

// kindOrder is the position of each known kind.
var kindOrder = func() map[string]int {
	order := make(map[string]int)
	for i, k := range weigh.Kinds {
		order[k.Name] = i - len(weigh.Kinds) // others are 0
	}
	return order
}()

func compareKindNames(a, b string) int { return compareKinds(Kind{Name: a}, Kind{Name: b}) }

// compareKinds puts known kinds first.
func compareKinds(a, b Kind) int {
	return cmp.Or(kindOrder[a.Name]-kindOrder[b.Name], cmp.Compare(a.Name, b.Name))
}
