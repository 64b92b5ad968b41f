// Package peers has the loops over a recording that the JDK's own readers are
// measured with, as the source of a Java program. jfrbench peers compiles and runs
// it; it is part of the command, so that it needs no checkout.
package peers

import _ "embed"

// Class is the name of the program's class, and its file's without the .java.
const Class = "Peers"

// Source is the Java source of the program.
//
//go:embed Peers.java
var Source []byte
