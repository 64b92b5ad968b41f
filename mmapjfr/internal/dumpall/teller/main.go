// The teller reads recordings from its input and answers with dumps of them, see
// tell.Serve. Tests build it without unsafe code, to compare what it says with what they
// read themselves.
package main

import (
	"fmt"
	"os"

	"github.com/mmapjfr/jfr/mmapjfr/internal/dumpall"
)

func main() {
	if err := dumpall.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
