package schema

import (
	"strings"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Annotation is an annotation of a type, a field or a setting.
type Annotation struct {
	// Type is the annotation's type; nil if the metadata does not describe it.
	Type *Type
	// TypeID is the number of that type.
	TypeID TypeID

	attributes
}

// AnnotationValue is one member of an annotation. The file stores all of them as text.
type AnnotationValue struct {
	// Name is the name of the member, usually "value".
	Name string
	// Texts are the elements of an array member, or the one value.
	Texts []string
	// Array reports whether the member is an array.
	Array bool
}

// Name returns the full name of the annotation's type; empty if the metadata
// does not describe it.
func (a *Annotation) Name() string {
	if a.Type == nil {
		return ""
	}
	return a.Type.Name
}

// Values returns the members, in the order in which the annotation's type declares them; none if
// the metadata does not describe the type. Of members with one name the first has the value.
// Values allocates the members.
func (a *Annotation) Values() []AnnotationValue {
	if a.Type == nil {
		return nil
	}
	list := make([]AnnotationValue, len(a.Type.Fields))
	members := make(map[string]int, len(list))
	for i := range list {
		member := &a.Type.Fields[i]
		list[i] = AnnotationValue{Name: member.Name, Array: member.Array}
		wire.StepBytes(len(member.Name) + 8)
		if _, again := members[member.Name]; !again {
			members[member.Name] = i
		}
	}
	for _, attr := range a.attributes {
		wire.StepBytes(len(attr.name) + 8)
		if i, ok := members[attr.name]; ok && !list[i].Array && list[i].Texts == nil {
			list[i].Texts = []string{attr.value}
		}
		if name, ok := arrayMember(attr.name); ok {
			if i, ok := members[name]; ok && list[i].Array {
				list[i].Texts = append(list[i].Texts, attr.value)
			}
		}
	}
	return list
}

// Texts returns the elements of the array member of that name; none if there is no such member. It
// allocates the slice.
func (a *Annotation) Texts(member string) (texts []string) {
	for _, attr := range a.attributes {
		wire.StepBytes(len(attr.name) + 8)
		if name, ok := arrayMember(attr.name); ok && name == member {
			texts = append(texts, attr.value)
		}
	}
	return texts
}

// Text returns the text of the member of that name, or the first text of an array; "" if there is
// no such member.
func (a *Annotation) Text(member string) string {
	if text, ok := a.attr(member); ok {
		return text
	}
	text, _ := a.attr(member + "-0")
	return text
}

// arrayMember returns the name of the array member that an attribute is an element of: the
// elements of member are called member-0, member-1, and so on.
func arrayMember(attr string) (member string, ok bool) {
	i := strings.LastIndexByte(attr, '-')
	if i < 0 || i+1 == len(attr) || strings.Trim(attr[i+1:], "0123456789") != "" {
		return "", false
	}
	return attr[:i], true
}

// FindAnnotation returns the annotation of that type, or nil.
func FindAnnotation(annotations []Annotation, name string) *Annotation {
	for i := range annotations {
		wire.Step()
		if annotations[i].Name() == name {
			return &annotations[i]
		}
	}
	return nil
}
