// Package lazy puts off work that most processes never need until something needs it: a command
// should begin at once.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the regular expression, which its first call compiles.
// That call panics if the expression is none.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
