package attach

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// repositoryProperty is the system property with the path of Flight Recorder's repository.
const repositoryProperty = "jdk.jfr.repository"

// Repository returns the directory in which the JVM writes what it records, as this process can
// open it. It is empty as long as nothing has been recorded to disk. The directory is removed when
// the JVM ends. JFR.configure can change it.
func (vm *VM) Repository(ctx context.Context) (string, error) {
	properties, err := vm.Properties(ctx)
	if err != nil || properties[repositoryProperty] == "" {
		return "", err
	}
	return vm.Path(properties[repositoryProperty]), nil
}

// Path returns where this process finds a file of the JVM: the same path, made absolute, unless the
// JVM has another file system, as in a container. Then it leads through /proc/PID/root and is valid
// as long as the JVM lives.
func (vm *VM) Path(path string) string {
	t := vm.target
	if !filepath.IsAbs(path) {
		dir, err := filepath.EvalSymlinks(t.cwd)
		if t.cwd == "" || err != nil {
			return path
		}
		if t.container {
			return filepath.Join(t.cwd, path)
		}
		return filepath.Join(dir, path)
	}
	inside := filepath.Join(t.root, path)
	// What is not there yet is judged by what it is to be in.
	for p := path; ; p = filepath.Dir(p) {
		theirs, err := os.Stat(filepath.Join(t.root, p))
		if err != nil && p != filepath.Dir(p) {
			continue
		}
		ours, ourErr := os.Stat(p)
		if err == nil && (ourErr != nil || !os.SameFile(theirs, ours)) {
			return inside
		}
		return path
	}
}

// javaVersion returns the version of Java, such as 17. That of Java 8 is 8.
func (vm *VM) javaVersion(ctx context.Context) (int, error) {
	if known := vm.feature.Load(); known != 0 {
		return int(known), nil
	}
	properties, err := vm.Properties(ctx)
	if err != nil {
		return 0, err
	}
	text := properties["java.vm.specification.version"]
	version, err := strconv.ParseInt(strings.TrimPrefix(text, "1."), 10, 32)
	if err != nil || version <= 0 {
		return 0, fmt.Errorf("process %d reports its version of Java as %q: %w", vm.PID(), text, ErrBadReply)
	}
	vm.feature.Store(int32(version))
	return int(version), nil
}
