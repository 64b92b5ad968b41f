// Package testdata carries a recording inside the program, for machines that have
// no other at hand. The others of this folder are files only.
package testdata

import _ "embed"

// Profile is jdk25-profile.jfr: one finished chunk with the JDK's usual events. It
// must not be changed.
//
//go:embed jdk25-profile.jfr
var Profile []byte
