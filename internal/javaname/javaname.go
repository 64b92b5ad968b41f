// Package javaname turns the virtual machine's names of classes and methods into those of
// Java source code.
package javaname

import (
	"regexp"
	"strings"
	"sync"
)

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

// hidden is the end of the name of a hidden class: what makes it different from others that
// were made of the same class.
var hidden = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$`) })

// Stable cuts off what the virtual machine adds to the names of hidden classes: it differs between
// runs. T$$Lambda is what stays of T$$Lambda+0x00000000b8001200, of T$$Lambda/0x00000000b8001200
// and of T$$Lambda$88+0x00007f042c007a08.360062456.
func Stable(class string) string {
	last := strings.LastIndexAny(class, "/.+") + 1
	if last == 0 || last == len(class) || class[last] < '0' || class[last] > '9' {
		return class // most are no hidden ones
	}
	if at := hidden().FindStringIndex(class); at != nil {
		return class[:at[0]]
	}
	return class
}
