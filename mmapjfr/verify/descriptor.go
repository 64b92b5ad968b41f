package verify

import (
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// descriptors checks what the JDK parses as it prints methods and classes. Until it does so, they are texts like others.
func (s *chunkCheck) descriptors() {
	if s.types == nil || s.found == nil {
		return
	}
	for _, t := range s.types.Types {
		switch t.CurrentName() {
		case jdktypes.Method:
			s.parsed(t, "descriptor", jdktypes.PrintsDescriptor)
		case jdktypes.Class:
			s.parsed(t, "name", jdktypes.PrintsClass)
		}
	}
}

// parsed checks the texts of a field in the constants of a type.
func (s *chunkCheck) parsed(t *schema.Type, field string, fits func(text string) bool) {
	plan, err := t.Plan()
	i := t.Field(field)
	if err != nil || i < 0 || t.Fields[i].Array {
		return
	}
	s.found.All(t, func(_ int64, at uint64) bool {
		if text, ok := s.symbol(plan, &t.Fields[i], int(at)); ok && !fits(text) {
			s.report(badDescriptor, at, t.Name, "%s is %q, which the JDK cannot parse", field, text)
		}
		return true
	})
}

// symbol returns the text of a field of the value at an offset: one that lies there, or that of the constant that the
// field refers to, whose first value it is then.
func (s *chunkCheck) symbol(plan *schema.Plan, f *schema.Field, at int) (text string, ok bool) {
	data, form := s.c.Data(), s.c.IntEncoding()
	at, ok = plan.SlotOffset(data, at, f.Slot())
	for n := 0; ok && f.Constant && n < schema.MaxWrappers; n++ {
		key, size := form.Long(data[at:])
		place, found := s.found.Lookup(f.Type, key)
		if size == 0 || !found {
			return "", false
		}
		if at = int(place); len(f.Type.Fields) == 0 {
			break
		}
		f = &f.Type.Fields[0]
	}
	if !ok || f.Array || f.Unwrapped().Kind != schema.String {
		return "", false
	}
	t, size := wire.ReadText(data[at:], form)
	if t.Encoding == wire.Constant {
		if place, found := s.found.Lookup(s.found.Named(jdktypes.String), t.Key); found {
			t, size = wire.ReadText(data[place:], form)
		}
	}
	if size == 0 || t.Encoding == wire.Null || t.Encoding == wire.Constant {
		return "", false
	}
	return string(t.Append(nil)), true
}
