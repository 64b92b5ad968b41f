package repository

import (
	"path/filepath"
)

// Repository finds the chunks of one virtual machine.
type Repository struct {
	root    string
	base    bool // root holds directories of virtual machines
	absent  bool // a base that existed and has been removed
	denied  error
	current *folder // of the virtual machine that is followed; empty in a base without one

	// Of a base only.

	// The rest is used for a base only.
	liveness  *Liveness           // of the current virtual machine
	preferred bool                // current stays current while it lives
	settled   bool                // current is preferred and lives
	hadActive bool                // a virtual machine has been preferred
	jvms      map[string]*folder  // all but current, by name
	abandoned map[string]struct{} // those that were followed earlier, by name
}

// Open returns the repository in a directory. The directory is a virtual machine's own one, which
// has such a name or holds chunks, or a base directory with directories of virtual machines,
// whatever else is in it. It need not exist yet. Open does not read it; [Repository.Scan] does.
func Open(dir string) *Repository {
	dir = filepath.Clean(dir)
	return &Repository{root: dir, current: newFolder(dir)}
}

// Scan reads the directory. In a base directory it follows the newest virtual machine, by the start
// of its newest chunk or, without chunks, by the time of its directory; one that seems to have
// ended only if there is no other. A virtual machine that lives and has a chunk stays the current
// one until it is removed or dead, see [Liveness]. Then another one that lives and was not followed
// earlier takes its place.
//
// Files that have been removed are dropped. Files without a header, or that cannot be read, are
// tried again by the next scan. Links are ignored.
//
// If nothing is new, a scan costs reading the names in the directory once. It fails if the
// directory cannot be read, but not if it does not exist, see [Repository.Gone].
func (r *Repository) Scan() error {
	if !r.base {
		if err := r.current.scan(); err != nil || !r.current.hasJVMs {
			return err
		}
		r.base, r.current = true, newFolder(r.root)
	}
	if r.chosen() {
		if err := r.current.scan(); err != nil {
			return err
		}
		if r.settled = r.preferred && r.current.exists && r.Liveness().State() != Dead; r.settled {
			return nil
		}
	}
	return r.choose()
}

// chosen reports whether a virtual machine in the base is followed.
func (r *Repository) chosen() bool { return r.base && r.current.path != r.root }

// Dir returns the directory of the virtual machine that is followed; of a repository that is no
// base, its directory. It is "" if the directory does not exist yet.
func (r *Repository) Dir() string {
	if !r.current.existed {
		return ""
	}
	return r.current.path
}

// Gone reports whether the directory of the virtual machine existed, but did not at the last scan.
// Virtual machines remove it when they exit.
func (r *Repository) Gone() bool {
	if r.base && !r.chosen() {
		return r.absent
	}
	return r.current.existed && !r.current.exists
}

// Liveness returns the liveness of the virtual machine that is followed; nil if there is no virtual
// machine yet.
func (r *Repository) Liveness() *Liveness {
	if r.liveness == nil && r.current.existed {
		r.liveness = NewLiveness(r.current.path)
	}
	return r.liveness
}

// Denied returns why the last scan skipped the directory of a virtual machine in the base
// directory; nil if it skipped none.
func (r *Repository) Denied() error { return r.denied }

// WatchWith makes w watch exactly what may change the result of the next scan: the virtual
// machine's directory, and the base directory while another virtual machine may take over. Call it
// after each scan; it costs little if nothing has changed.
func (r *Repository) WatchWith(w *Watch) {
	switch dir := r.Dir(); {
	case dir == "" || dir == r.root:
		w.set(r.root)
	case r.settled:
		w.set(dir)
	default:
		w.set(r.root, dir)
	}
}
