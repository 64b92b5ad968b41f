// Package javaname turns the virtual machine's names of classes and methods into those of
// Java source code.
package javaname

import "strings"

// primitives are the types that have a letter in descriptors.
var primitives = [256]string{
	'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'Z': "boolean",
}

// unknown is what the JDK writes for a type that has no letter.
const unknown = "<unknown-descriptor-type>"

// AppendClass appends the name of a class, which has dots, such as "java.lang.String". An
// array such as "[[I" becomes "int[][]".
func AppendClass(dst []byte, name string) []byte {
	if strings.HasPrefix(name, "[") {
		if text, rest, ok := AppendType(dst, name, "", false); ok && rest == "" {
			return text
		}
	}
	return append(dst, name...)
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
		if dst[len(dst)-1] != '(' {
			dst = append(dst, ", "...)
		}
		var ok bool
		if dst, rest, ok = AppendType(dst, rest, "", true); !ok {
			return append(dst[:at], descriptor...)
		}
	}
	return append(dst, ')')
}

// AppendType appends the first type of a descriptor such as "[I[[Ljava/lang/String;",
// as it is written in source code, and returns the rest of the descriptor. The length is
// written between the first brackets; simple leaves out the package. AppendType reports false
// if the descriptor does not begin with a type; then it appends what the JDK does.
func AppendType(dst []byte, descriptor, length string, simple bool) (text []byte, rest string, ok bool) {
	rest = strings.TrimLeft(descriptor, "[")
	dims := len(descriptor) - len(rest)
	switch {
	case strings.HasPrefix(rest, "L"):
		var name string
		name, rest, ok = strings.Cut(rest[1:], ";")
		if simple {
			name = name[strings.LastIndexAny(name, "./")+1:]
		}
		dst = append(dst, strings.ReplaceAll(name, "/", ".")...)
	case rest == "":
		dst = append(dst, unknown...)
	default:
		name := primitives[rest[0]]
		if ok, rest = name != "", rest[1:]; !ok {
			name = unknown
		}
		dst = append(dst, name...)
	}
	for i := range dims {
		dst = append(dst, '[')
		if i == 0 {
			dst = append(dst, length...)
		}
		dst = append(dst, ']')
	}
	return dst, rest, ok
}
