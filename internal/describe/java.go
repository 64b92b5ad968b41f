package describe

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/metatree"
)

// typeName returns the name of the type as it is written. The JDK's reader fails at event types
// whose names are not names in Java.
func typeName(typ *schema.Type) string {
	if !typ.IsEvent() {
		return typ.Name
	}
	return JavaName(typ.Name)
}

// JavaName returns a name that a class can have in Java: the name itself if it is one.
func JavaName(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = strings.Map(identifier, part)
		if part == "" || !isStart([]rune(parts[i])[0]) {
			parts[i] = "_" + parts[i]
		}
		if jdktypes.IsReserved(parts[i]) {
			parts[i] += "_"
		}
	}
	return strings.Join(parts, ".")
}

func isStart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

// identifier returns a character that names can have in Java.
func identifier(r rune) rune {
	if isStart(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}

// annotations adds the annotations that the JDK can read: it parses their texts.
func (d *Description) annotations(e *metatree.Element, list []schema.Annotation) {
	for i := range list {
		a := &list[i]
		if !d.Has(a.Type) || len(Written(a.Type)) != len(a.Type.Fields) {
			continue
		}
		note := (&metatree.Element{Name: "annotation"}).Set("class", d.number(a.TypeID))
		ok := true
		for j, v := range a.Values() {
			kind := a.Type.Fields[j].Type.Kind
			ok = ok && kind != schema.Struct && (v.Array || len(v.Texts) == 1)
			for k, text := range v.Texts {
				name := v.Name
				if v.Array {
					name += "-" + strconv.Itoa(k)
				}
				ok = ok && isText(kind, text)
				note.Set(name, text)
			}
		}
		if ok {
			e.Children = append(e.Children, note)
		}
	}
}

// isText reports whether Java can parse a text as a value of the kind.
func isText(kind schema.Kind, text string) bool {
	bits := map[schema.Kind]int{schema.Byte: 8, schema.Short: 16, schema.Int: 32, schema.Long: 64}
	switch kind {
	case schema.Byte, schema.Short, schema.Int, schema.Long:
		_, err := strconv.ParseInt(text, 10, bits[kind])
		return err == nil
	case schema.Float, schema.Double:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	case schema.Char:
		return len(utf16.Encode([]rune(text))) == 1
	}
	return true
}
