//go:build !unix

package open

import "os/exec"

// setApart does nothing: Ctrl-C ends the programs of a console alone, and a browser is none.
func setApart(*exec.Cmd) {}
