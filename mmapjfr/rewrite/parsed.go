package rewrite

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// The JDK's jfr parses descriptors of methods and names of classes as it prints them, and fails at what it cannot parse.
// In chunks that are made anew, such a text gets what it lacks.

// mendOf returns the edit that mends the texts of a field; nil if the JDK does not parse them.
func mendOf(t *schema.Type, field string) TextEdit {
	switch field, _, _ = strings.Cut(field, "."); {
	case t.CurrentName() == jdktypes.Method && field == "descriptor":
		return func(text string, _ Values) (string, bool) {
			mended := mendDescriptor(text)
			return mended, mended != text
		}
	case t.CurrentName() == jdktypes.Class && field == "name":
		return func(text string, _ Values) (string, bool) {
			return strings.TrimLeft(text, "["), !jdktypes.PrintsClass(text)
		}
	}
	return nil
}

// mendsOf returns the edits that mend texts to which fields of types refer.
func mendsOf(types *schema.TypeSet) map[*schema.Slot]TextEdit {
	mends := make(map[*schema.Slot]TextEdit)
	for _, t := range types.Types {
		if name := t.CurrentName(); name != jdktypes.Method && name != jdktypes.Class {
			continue
		}
		plan, err := t.Plan()
		for i := range t.Fields {
			f := &t.Fields[i]
			if mend := mendOf(t, f.Name); err == nil && mend != nil && f.Constant && !f.Array {
				mends[plan.Slot(f.Slot())] = mend
			}
		}
	}
	return mends
}

// mendDescriptor keeps as much of a text as the JDK can parse: its types may be what somebody looks for.
func mendDescriptor(text string) string {
	if jdktypes.PrintsDescriptor(text) {
		return text
	}
	if mended := "(" + strings.TrimPrefix(text, "(") + ")V"; jdktypes.PrintsDescriptor(mended) {
		return mended
	}
	return "()V"
}

// mended returns the key of the constant that takes the place of one whose text the JDK cannot parse; false if it can.
func (s *source) mended(mend TextEdit, t *schema.Type, key int64) (int64, bool) {
	at, found := s.constants.Lookup(t, key)
	inner := t
	for n := 0; found && len(inner.Fields) > 0 && n < schema.MaxWrappers; n++ {
		f := &inner.Fields[0]
		if inner = f.Type; f.Array {
			return 0, false
		}
		if f.Constant {
			key, _ := s.form.Long(s.data[at:])
			at, found = s.constants.Lookup(inner, key)
		}
	}
	if !found || inner.Kind != schema.String {
		return 0, false
	}
	text, ok := s.textAt(int(at), len(s.data))
	if !ok {
		return 0, false
	}
	if text, ok = mend(text, nil); !ok {
		return 0, false
	}
	return s.addText(t, text, 0)
}

// addText returns the key of a constant with a text; false if constants of the type are not a text alone.
func (s *source) addText(t *schema.Type, text string, depth int) (int64, bool) {
	value := wire.Appender{Encoding: s.out.form}
	inner := t
	for ; len(inner.Fields) == 1 && depth < schema.MaxWrappers; depth++ {
		f := &inner.Fields[0]
		if inner = f.Type; !f.Constant {
			continue
		}
		key, ok := s.addText(inner, text, depth+1)
		value.Long(key)
		return s.out.intern(s.out.pool(s.jvm.ID(t.ID)), value.Bytes), ok
	}
	if inner.Kind != schema.String {
		return 0, false
	}
	value.Text(text)
	return s.out.intern(s.out.pool(s.jvm.ID(t.ID)), value.Bytes), true
}
