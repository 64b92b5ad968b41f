package main

import "io"

// verb is a command of its own: it gets the arguments after its name and
// returns the exit code.
type verb func(args []string, stdout, stderr io.Writer) int

// verbs are what the first argument can name instead of a file.
var verbs = map[string]verb{
	"gen":     genVerb,
	"peers":   peersVerb,
	"scan":    scanVerb,
	"summary": summaryVerb,
}
