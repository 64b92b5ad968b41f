package repository

import "time"

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

// IsAnother tells whether a process is surely not the one that records into a directory.
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
