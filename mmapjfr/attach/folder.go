package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// MakeFolder makes a directory that nobody but the JVM's user and root can look into. JVMs make
// files that all may read, and recordings have the environment and the command line in them: what a
// JVM is to write for you, it can write in there. The path is one of the JVM's file system, below
// its temporary directory. The function removes the directory with all that is in it.
func (vm *VM) MakeFolder(ctx context.Context) (dir string, remove func() error, err error) {
	properties, err := vm.Properties(ctx)
	if err != nil {
		return "", nil, err
	}
	t, name := vm.target, OwnedName(folderName)
	for _, parent := range []string{properties["java.io.tmpdir"], t.itsTmp} {
		if !path.IsAbs(parent) {
			continue
		}
		var in *os.Root
		if in, err = t.openDir(parent); err != nil {
			continue
		}
		if err = t.makeFolder(in, name); err != nil {
			err = errors.Join(err, in.Close())
			continue
		}
		return path.Join(parent, name), func() error { return errors.Join(in.RemoveAll(name), in.Close()) }, nil
	}
	return "", nil, fmt.Errorf("process %d has no temporary directory to write to; give it one with -Djava.io.tmpdir: %w", t.pid, err)
}

// makeFolder makes a directory of the JVM's user in another.
func (t *target) makeFolder(in *os.Root, name string) error {
	// The JVM chooses its temporary directory. It is to get no place where its user has none.
	info, err := in.Stat(".")
	if err != nil {
		return err
	}
	if owner, ok := ownerOf(info); !ok || owner != t.uid && info.Mode().Perm()&0o002 == 0 {
		return &fs.PathError{Op: "mkdir", Path: in.Name(), Err: fs.ErrPermission}
	}
	if err := in.Mkdir(name, 0o700); err != nil {
		return err
	}
	err = t.giveFolder(in, name)
	if err != nil {
		err = errors.Join(err, in.Remove(name))
	}
	return err
}

// giveFolder gives a new directory to the JVM's user. Who may rename in the outer one may have put
// a link in its place.
func (t *target) giveFolder(in *os.Root, name string) error {
	dir, err := in.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	opened, err := dir.Stat()
	if err != nil {
		return err
	}
	named, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if !named.IsDir() || !os.SameFile(named, opened) {
		return &fs.PathError{Op: "chown", Path: name, Err: ErrNotOurs}
	}
	if owner, ok := ownerOf(opened); ok && owner != t.uid {
		if err := dir.Chown(t.uid, t.gid); err != nil {
			return err
		}
	}
	return dir.Chmod(0o700) // whatever the umask
}

// openDir opens a directory of the JVM. For a container, links cannot lead out of its file system.
func (t *target) openDir(dir string) (*os.Root, error) {
	if !t.container || t.root == "" {
		return os.OpenRoot(path.Join(t.root, dir))
	}
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot(strings.TrimPrefix(dir, "/"))
}
