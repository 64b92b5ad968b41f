package jdktypes

import "strings"

// PrintsDescriptor reports whether the JDK can print a method with a descriptor. At others its jfr
// fails as a whole; a letter that stands for no type it prints as unknown.
func PrintsDescriptor(descriptor string) bool {
	end := strings.LastIndexByte(descriptor, ')')
	return end > 0 && printsTypes(descriptor[1:end])
}

// PrintsClass reports whether the JDK can print a class with a name: that of an array is a
// descriptor.
func PrintsClass(name string) bool {
	return !strings.HasPrefix(name, "[") || printsTypes(name)
}

// printsTypes reports whether brackets are before a type, and a semicolon after a class.
func printsTypes(text string) bool {
	for len(text) > 0 {
		text = strings.TrimLeft(text, "[")
		if text == "" {
			return false
		}
		end := 0
		if text[0] == 'L' {
			if end = strings.IndexByte(text, ';'); end < 0 {
				return false
			}
		}
		text = text[end+1:]
	}
	return true
}

// PrintsUnit reports whether the JDK can print numbers of a field with an annotation: its jfr fails
// as a whole at a time whose unit it does not know.
func PrintsUnit(annotation, unit string) bool {
	switch annotation {
	case Timestamp:
		return unit == "TICKS" || unit == "MILLISECONDS_SINCE_EPOCH"
	case Timespan:
		switch unit {
		case "TICKS", "SECONDS", "MILLISECONDS", "MICROSECONDS", "NANOSECONDS":
			return true
		}
		return false
	}
	return true
}
