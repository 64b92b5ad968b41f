package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// columns are the values of a sample that are of one kind.
type columns struct {
	kind  profile.Kind
	first int
}

// maxValues is how many values a kind has at most.
const maxValues = 3

// kindsOf makes kinds of sample types. Those in a row whose names begin alike, as alloc_objects
// and alloc_space do, are one kind if the first is a count; so are a count and a time or size after
// it, as samples and cpu. Kinds that [profile.Kinds] has are recognized by their values.
func kindsOf(types []profile.ValueType) (list []columns) {
	names := make(map[string]bool)
	for i := 0; i < len(types); {
		k := kindOf(types[i:])
		for _, known := range profile.Kinds() {
			if (known.Name == k.Name || len(k.Values) > 1 && k.Name == k.Values[len(k.Values)-1].Name) && slices.Equal(known.Values, k.Values) && !names[known.Name] {
				k = known
				break
			}
		}
		name := k.Name
		for n := 2; names[k.Name]; n++ {
			k.Name = name + "_" + strconv.Itoa(n)
		}
		names[k.Name] = true
		list = append(list, columns{k, i})
		i += len(k.Values)
	}
	return list
}

// kindOf makes a kind of the first of some types.
func kindOf(types []profile.ValueType) profile.Kind {
	first := types[0]
	kind := func(name string, values ...profile.ValueType) profile.Kind {
		return profile.Kind{Name: name, Title: name, Values: values}
	}
	i := strings.LastIndexByte(first.Name, '_')
	if first.Unit == profile.Count && i > 0 {
		name := first.Name[:i]
		values := []profile.ValueType{{Name: first.Name[i+1:], Unit: first.Unit}}
		for _, t := range types[1:min(len(types), maxValues)] {
			rest, ok := strings.CutPrefix(t.Name, name)
			if !ok || rest != "" && rest[0] != '_' || rest == "" && t.Unit == profile.Count {
				break
			}
			if rest = strings.TrimPrefix(rest, "_"); rest == "" {
				rest = name
			}
			values = append(values, profile.ValueType{Name: rest, Unit: t.Unit})
		}
		isKnown := func(k profile.Kind) bool { return k.Name == name && slices.Equal(k.Values, values) }
		if len(values) > 1 || values[0].Name == "events" || slices.ContainsFunc(profile.Kinds(), isKnown) {
			return kind(name, values...)
		}
	}
	if first.Unit == profile.Count && len(types) > 1 && types[1].Unit != profile.Count {
		return kind(types[1].Name, first, types[1])
	}
	return kind(first.Name, first)
}
