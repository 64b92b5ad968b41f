// Package peers has the programs that other readers of recordings are measured with: the
// JDK's own and JMC's as Java sources, Grafana's as a Go module of its own. jfrbench peers
// compiles and runs them; they are part of the command, so that it needs no checkout.
package peers

import _ "embed"

// Class is the name of the class that Source has, and its file's without the .java. It reads
// recordings with the JDK's readers.
const Class = "Peers"

// StacksClass is that of StacksSource, which counts events by stack with JMC's reader.
const StacksClass = "Stacks"

// Source is the Java source of the class Class.
//
//go:embed Peers.java
var Source []byte

// StacksSource is the Java source of the class StacksClass.
//
//go:embed Stacks.java
var StacksSource []byte

// The files of a module whose command makes profiles with Grafana's parser. It is no part of
// this module, which must not depend on that parser.
var (
	//go:embed grafana/main.go.txt
	grafanaMain []byte
	//go:embed grafana/go.mod.txt
	grafanaMod []byte
	//go:embed grafana/go.sum.txt
	grafanaSum []byte
)

// Grafana returns the files of the module that uses Grafana's parser, by their names.
func Grafana() map[string][]byte {
	return map[string][]byte{"main.go": grafanaMain, "go.mod": grafanaMod, "go.sum": grafanaSum}
}
