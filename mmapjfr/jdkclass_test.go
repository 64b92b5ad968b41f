package mmapjfr_test

import (
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// appendType appends a type as `jfr metadata` writes it.
func appendType(dst []byte, t mmapjfr.Type) []byte {
	if strings.Contains(t.Name(), ".") {
		dst = append(dst, "@Name(\""+t.Name()+"\")\n"...)
	}
	dst = appendAnnotations(dst, t.Annotations(), "")
	dst = append(dst, "class "+t.SimpleName()...)
	if t.Super() != "" {
		dst = append(dst, " extends "+t.Super()...)
	}
	dst = append(dst, " {\n"...)
	for i, f := range t.Fields() {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = appendAnnotations(dst, f.Annotations(), "  ")
		dst = append(dst, "  "...)
		if f.Type().Super() == "jdk.jfr.SettingControl" {
			dst = append(dst, "static "...)
		}
		dst = append(dst, shownType(f).SimpleName()...)
		if f.IsArray() {
			dst = append(dst, "[]"...)
		}
		dst = append(dst, " "+f.Name()+";\n"...)
	}
	return append(dst, '}')
}

func appendAnnotations(dst []byte, list []mmapjfr.Annotation, indent string) []byte {
	for _, a := range list {
		if a.Name() == "jdk.jfr.Name" {
			continue
		}
		dst = append(dst, indent+"@"+a.Type().SimpleName()...)
		if values := a.Values(); len(values) > 0 {
			texts := make([]string, len(values))
			for i, v := range values {
				texts[i] = annotationText(a.Type(), v)
				if len(values) != 1 || v.Name != "value" {
					texts[i] = v.Name + "=" + texts[i]
				}
			}
			dst = append(dst, "("+strings.Join(texts, ", ")+")"...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func annotationText(t mmapjfr.Type, v mmapjfr.AnnotationValue) string {
	member, _ := t.Field(v.Name)
	texts := make([]string, len(v.Texts))
	for i, text := range v.Texts {
		texts[i] = text
		switch member.Type().Name() {
		case "java.lang.String":
			texts[i] = `"` + text + `"`
		case "float", "double":
			bits := map[string]int{"float": 32, "double": 64}[member.Type().Name()]
			if f, err := strconv.ParseFloat(text, bits); err == nil {
				texts[i] = string(javatext.AppendFloat(nil, f, bits))
			}
		}
	}
	if v.Array && len(texts) != 1 {
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return strings.Join(texts, "")
}

// shownType returns the type of a field as the JDK shows it: that of the one
// field inside, if it is a simple one.
func shownType(f mmapjfr.Field) mmapjfr.Type {
	t := f.Type()
	for engine.TypeIsSimple(t) {
		t = t.Fields()[0].Type()
	}
	return t
}
