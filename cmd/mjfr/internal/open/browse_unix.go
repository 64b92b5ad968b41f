//go:build unix

package open

import (
	"os/exec"
	"syscall"
)

// setApart makes a program the first of a session of its own: Ctrl-C, which ends mjfr, does not end
// it.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
