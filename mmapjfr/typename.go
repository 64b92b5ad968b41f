package mmapjfr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/wire"
)

// hasFullName reports whether a name is the full name of the type, today's or that in the recording.
func hasFullName(typ *schema.Type, name string) bool {
	wire.StepBytes(len(typ.Name) + 8)
	return name == typ.Name || schema.CurrentName(name) == typ.CurrentName()
}

// hasShortName reports whether a name is one of the type's full names without its package.
func hasShortName(typ *schema.Type, name string) bool {
	return name == simpleName(typ.CurrentName()) || name == simpleName(typ.Name)
}

// hasFoldedName reports whether a name is one of the type's names in another case.
func hasFoldedName(typ *schema.Type, name string) bool {
	return slices.ContainsFunc([]string{typ.CurrentName(), typ.Name}, func(full string) bool {
		return strings.EqualFold(name, full) || strings.EqualFold(name, simpleName(full))
	})
}

// eventTypeNamed returns the event type that a name means where it must mean one: the type with
// this full name, or else the one called so without its package, or else in another case. The
// error matches [ErrNoType]; it has the names that are most like it, or those of the types that
// share it.
func eventTypeNamed(types []Type, name string) (Type, error) {
	for _, is := range []func(*schema.Type, string) bool{hasFullName, hasShortName, hasFoldedName} {
		var found Type
		var names []string
		for _, t := range types {
			if t.IsEvent() && is(t.typ, name) {
				found = t
				names = append(names, t.Name())
			}
		}
		slices.Sort(names)
		switch names = slices.Compact(names); {
		case len(names) == 1:
			return found, nil
		case len(names) > 1:
			return Type{}, &nameError{fmt.Sprintf("%.100s is the name of %d event types; write one of them with its package: %s",
				name, len(names), strings.Join(names[:min(len(names), 10)], ", ")), errors.Join(ErrNoType, schema.ErrAmbiguous)}
		}
	}
	var names []string
	for _, t := range types {
		if t.IsEvent() {
			names = append(names, t.Name())
		}
	}
	return Type{}, typeErr(name, names)
}
