package repository

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
func (r *Repository) SetLife(l *Life) { r.life = l }

// IsAnother tells whether a process is surely not the one that records into a directory.
func IsAnother(pid int, dir string) bool {
	p, found := find(pid)
	return found != yes || mayBe(pid, p, dir) == no
}
