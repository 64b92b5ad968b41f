package attach

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
)

// leaveSettings writes a .jfc file into the temporary directory of the JVM, and
// returns its path there. The function removes it.
func (vm *VM) leaveSettings(events []EventSetting) (file string, remove func(), err error) {
	text, err := jfc(events)
	if err != nil {
		return "", nil, err
	}
	root, err := vm.target.openTmp()
	if err != nil {
		return "", nil, fmt.Errorf("event settings cannot be left for process %d: %w", vm.PID(), err)
	}
	name := "settings-" + rand.Text() + ".jfc"
	// The JVM's user, who may be another, has to read it. It holds no secrets.
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("event settings cannot be left for process %d: %w", vm.PID(), err), root.Close())
	}
	remove = func() {
		_ = root.Remove(name)
		_ = root.Close()
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil { // whatever the umask
		remove()
		return "", nil, err
	}
	return path.Join(vm.target.itsTmp, name), remove, nil
}
