// Package peers has the programs that other readers of recordings are measured with: the
// JDK's own and JMC's as Java sources, Grafana's as a Go module of its own. jfrbench peers
// compiles and runs them; they are part of the command, so that it needs no checkout.
package peers

import (
	"embed"
	"strings"
)

// The names of the classes, each in the file of its name.
const (
	// Main has a reader, the class that its first argument names, do a work.
	Main = "Peers"
	// JDKReader reads recordings with the JDK's readers, and JMCReader with JMC's.
	JDKReader, JMCReader = "JDKReader", "JMCReader"
	// Stacks counts events by stack with JMC's reader.
	Stacks = "Stacks"
)

//go:embed *.java
var sources embed.FS

// Source returns the Java source of a class. There are those whose names are constants here.
func Source(class string) []byte {
	source, err := sources.ReadFile(class + ".java")
	if err != nil {
		panic(err) // a mistake of this program
	}
	return source
}

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

// GrafanaVersion returns the version of Grafana's parser that the module uses.
func GrafanaVersion() string {
	_, rest, _ := strings.Cut(string(grafanaMod), "/jfr-parser v")
	version, _, _ := strings.Cut(rest, "\n")
	return version
}
