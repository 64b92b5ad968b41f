// Package javaname turns the virtual machine's names of classes and methods into those of
// Java source code.
package javaname

import "strings"

// primitives are the types that have a letter in descriptors.
var primitives = map[byte]string{
	'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'V': "void", 'Z': "boolean",
}

// AppendClass appends the name of a class, which has dots, such as "java.lang.String". An
// array such as "[[I" becomes "int[][]".
func AppendClass(dst []byte, name string) []byte {
	if !strings.HasPrefix(name, "[") {
		return append(dst, name...)
	}
	element, rest, ok := cutType(name)
	if !ok || rest != "" {
		return append(dst, name...)
	}
	return appendArray(append(dst, element...), name)
}

// appendArray appends a pair of brackets for each dimension of a type.
func appendArray(dst []byte, descriptor string) []byte {
	for i := 0; descriptor[i] == '['; i++ {
		dst = append(dst, "[]"...)
	}
	return dst
}

// AppendParameters appends the types of a method's parameters in parentheses, without
// their packages: "(int, String[])" for "(I[Ljava/lang/String;)V". A text that is no
// descriptor of a method is appended unchanged.
func AppendParameters(dst []byte, descriptor string) []byte {
	if !strings.HasPrefix(descriptor, "(") {
		return append(dst, descriptor...)
	}
	at := len(dst)
	dst = append(dst, '(')
	for rest := descriptor[1:]; !strings.HasPrefix(rest, ")"); {
		element, next, ok := cutType(rest)
		if !ok {
			return append(dst[:at], descriptor...)
		}
		if dst[len(dst)-1] != '(' {
			dst = append(dst, ", "...)
		}
		dst = append(dst, element[strings.LastIndexAny(element, "/.")+1:]...)
		dst = appendArray(dst, rest)
		rest = next
	}
	return append(dst, ')')
}

// cutType returns the first type of a descriptor, or the element of an array, and the rest
// of the descriptor.
func cutType(descriptor string) (element, rest string, ok bool) {
	s := strings.TrimLeft(descriptor, "[")
	if s == "" {
		return "", "", false
	}
	if s[0] == 'L' {
		element, rest, ok = strings.Cut(s[1:], ";")
		return element, rest, ok
	}
	element, ok = primitives[s[0]]
	return element, s[1:], ok
}
