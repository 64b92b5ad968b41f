package index

// Annotation is a statement about a class, a field or a setting.
type Annotation struct {
	// Class is the annotation's type; nil if the metadata does not describe it.
	Class *Class
	// ClassID is the number of that class.
	ClassID ClassID
	// Values are its members, in the order in which its type declares them.
	Values []AnnotationValue
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

// Text returns the first text of the member of that name, or "".
func (a *Annotation) Text(member string) string {
	for _, v := range a.Values {
		if v.Name == member && len(v.Texts) > 0 {
			return v.Texts[0]
		}
	}
	return ""
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
