package javaname

import (
	"regexp"
	"strings"
	"sync"
)

// hidden is the end of the name of a hidden class: what makes it different from others that
// were made of the same class.
var hidden = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\$\d+)?([/.+](0x[0-9a-fA-F]+|\d+))+$`) })

// Stable cuts off what the virtual machine adds to the names of hidden classes: it differs
// between runs. T$$Lambda is what stays of T$$Lambda+0x00000000b8001200, of T$$Lambda/0x00000000b8001200
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
