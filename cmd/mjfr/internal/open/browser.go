package open

import (
	"os/exec"
	"runtime"
)

// browse opens an address in the browser of the user. It fails if no such program can be started.
func browse(address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // it may be the browser itself, which ends when the user wants it
	return nil
}
