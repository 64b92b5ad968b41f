package index

import "strings"

// Annotation is a statement about a class, a field or a setting.
type Annotation struct {
	// Class is the annotation's type; nil if the metadata does not describe it.
	Class *Class
	// ClassID is the number of that class.
	ClassID ClassID

	attrs []attribute
}

// AnnotationValue is one member of an annotation. The file keeps all of them as
// text.
type AnnotationValue struct {
	// Name is the name of the member, usually "value".
	Name string
	// Texts are the elements of an array member, or the one value.
	Texts []string
	// Array tells whether the member is an array.
	Array bool
}

// Name returns the full name of the annotation's type; empty if the metadata
// does not describe it.
func (a *Annotation) Name() string {
	if a.Class == nil {
		return ""
	}
	return a.Class.Name
}

// Values returns the members, in the order in which the annotation's type
// declares them; none if the metadata does not describe it. It allocates them.
func (a *Annotation) Values() []AnnotationValue {
	if a.Class == nil {
		return nil
	}
	list := make([]AnnotationValue, len(a.Class.Fields))
	for i := range list {
		member := &a.Class.Fields[i]
		list[i] = AnnotationValue{Name: member.Name, Array: member.Array}
		if member.Array {
			list[i].Texts = a.elements(member.Name)
		} else if text, ok := a.attr(member.Name); ok {
			list[i].Texts = []string{text}
		}
	}
	return list
}

// Text returns the text of the member of that name, of an array the first; "" if
// there is none.
func (a *Annotation) Text(member string) string {
	if text, ok := a.attr(member); ok {
		return text
	}
	text, _ := a.attr(member + "-0")
	return text
}

func (a *Annotation) attr(name string) (string, bool) {
	for _, attr := range a.attrs {
		if attr.name == name {
			return attr.value, true
		}
	}
	return "", false
}

// elements gathers the attributes name-0, name-1, ... of an array member.
func (a *Annotation) elements(name string) (texts []string) {
	for _, attr := range a.attrs {
		if rest, ok := strings.CutPrefix(attr.name, name+"-"); ok && isNumber(rest) {
			texts = append(texts, attr.value)
		}
	}
	return texts
}

func isNumber(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// Find returns the annotation of that type, or nil.
func Find(annotations []Annotation, name string) *Annotation {
	for i := range annotations {
		if annotations[i].Name() == name {
			return &annotations[i]
		}
	}
	return nil
}
