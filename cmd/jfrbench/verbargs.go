package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// parseOneFile parses the arguments of a verb that takes one file.
func parseOneFile(flags *flag.FlagSet, args []string) (file string, err error) {
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	switch flags.NArg() {
	case 0:
		return "", fmt.Errorf("no file given: name a recording, as in jfrbench %s app.jfr", flags.Name())
	case 1:
		return flags.Arg(0), nil
	}
	return "", fmt.Errorf("one file at a time, and flags go before it: %q is one too many", flags.Arg(1))
}

// misused answers arguments of a verb that could not be parsed, which can be
// because help was asked for.
func misused(verb, help string, err error, stdout, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return write(stdout, stderr, help)
	}
	fmt.Fprintf(stderr, "jfrbench %s: %v\nTry jfrbench %s -help.\n", verb, err, verb)
	return exitUsage
}
