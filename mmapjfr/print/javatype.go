package print

import "strings"

// javaTypes are the names of the types that have a letter in descriptors.
var javaTypes = [256]string{
	'B': "byte", 'C': "char", 'D': "double", 'F': "float",
	'I': "int", 'J': "long", 'S': "short", 'Z': "boolean",
}

// appendJavaType appends the first type that a descriptor such as "[I[[Ljava/lang/String;"
// has, as it stands in a program, and returns the rest of the descriptor. The length
// stands in the first brackets. Simple is without the package.
func appendJavaType(dst []byte, descriptor, length string, simple bool) (text []byte, rest string) {
	dims := 0
	for dims < len(descriptor) && descriptor[dims] == '[' {
		dims++
	}
	switch rest = descriptor[dims:]; {
	case rest == "":
		dst = append(dst, "<unknown-descriptor-type>"...)
	case rest[0] == 'L':
		var name string
		name, rest, _ = strings.Cut(rest[1:], ";")
		if simple {
			name = name[strings.LastIndexAny(name, "./")+1:]
		}
		dst = appendDots(dst, name)
	case javaTypes[rest[0]] != "":
		dst, rest = append(dst, javaTypes[rest[0]]...), rest[1:]
	default:
		dst, rest = append(dst, "<unknown-descriptor-type>"...), rest[1:]
	}
	for i := range dims {
		dst = append(dst, '[')
		if i == 0 {
			dst = append(dst, length...)
		}
		dst = append(dst, ']')
	}
	return dst, rest
}

// appendDots appends a name with dots for slashes.
func appendDots(dst []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if c == '/' {
			c = '.'
		}
		dst = append(dst, c)
	}
	return dst
}
