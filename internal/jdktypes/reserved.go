package jdktypes

import (
	"slices"
	"strings"
)

// IsReserved reports whether a word is none that classes can have as a name in Java.
func IsReserved(word string) bool { return slices.Contains(reserved, word) }

// reserved has the words that are not names in Java.
var reserved = strings.Fields(`abstract assert boolean break byte case catch char class const
	continue default do double else enum extends final finally float for goto if implements import
	instanceof int interface long native new package private protected public return short static
	strictfp super switch synchronized this throw throws transient try void volatile while true
	false null _`)
