package repository

import (
	"path/filepath"
	"time"
)

// Paths returns what is watched.
func (w *Watch) Paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var paths []string
	for p := range w.paths {
		paths = append(paths, p)
	}
	return paths
}

// SetLife makes the virtual machine live as l says.
func (r *Repository) SetLife(l *Liveness) { r.liveness = l }

// SetAgeSlack changes by how much a process may seem younger than what it has made.
func SetAgeSlack(d time.Duration) { ageSlack = d }

// IsAnother reports whether a process is surely not the one that records into a directory.
func IsAnother(pid int, dir string) bool {
	p, found := findProcess(pid)
	return found != yes || mayRecordInto(pid, p, dir) == no
}

// ListedAfter returns the names that are listed when passes have seen these names and the
// last one still saw new ones, and those that are listed after a scan.
func ListedAfter(path string, passes ...[]string) (at, after []string, err error) {
	d := newFolder(path)
	d.scans++
	for _, names := range passes {
		d.passes++
		for _, name := range names {
			d.addName(name)
		}
	}
	d.listReadable(true)
	for _, f := range d.files {
		at = append(at, f.Name)
	}
	err = d.scan()
	for _, f := range d.files {
		after = append(after, f.Name)
	}
	return at, after, err
}

// PID returns the number of the virtual machine's process, as the name of its directory
// tells; in a container it has another one. It is false if the name does not tell or
// there is no directory yet.
func (r *Repository) PID() (int, bool) {
	if !r.current.existed {
		return 0, false
	}
	return pidOf(nameOf(r.current.path))
}

// Others returns the directories of other virtual machines in the base directory that
// seem to live. It looks into all of them.
func (r *Repository) Others() ([]string, error) {
	if !r.base {
		return nil, nil
	}
	jvms, err := jvmsIn(r.root)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, jvm := range jvms {
		d := newFolder(filepath.Join(r.root, jvm.Name()))
		if d.path != r.current.path && d.scan() == nil && d.exists && d.rank(time.Now()) == active {
			others = append(others, d.path)
		}
	}
	return others, nil
}

// Polling reports whether the system does not notify of all there is to watch, so that
// Wait does not wait long.
func (w *Watch) Polling() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.polling()
}
