package repository

import (
	"path/filepath"
)

// Repository finds the chunks of one virtual machine.
type Repository struct {
	root    string
	base    bool // root holds directories of virtual machines
	absent  bool // root was there once, but is not any more; only of a base
	denied  error
	current *folder // of the virtual machine; in a base without one an empty one

	// Of a base only.

	liveness  *Liveness           // of the virtual machine of current
	preferred bool                // current is not to be left while it lives
	settled   bool                // it is held and lives
	hadActive bool                // one was ever held
	jvms      map[string]*folder  // all but current, by name
	abandoned map[string]struct{} // those that were followed before, by name
}

// Open returns the repository in a directory. That may be a virtual machine's own one,
// which is named as such or holds chunks, or a base directory with directories of
// virtual machines in it. It is a base as soon as there is one, whatever else there is.
// It need not be there yet. Open does not look at it, that is for [Repository.Scan].
func Open(dir string) *Repository {
	dir = filepath.Clean(dir)
	return &Repository{root: dir, current: newFolder(dir)}
}

// Scan looks at the directory. In a base directory it picks the newest virtual machine,
// by the start of its newest chunk, or by when its directory was made if there is no
// chunk yet; one that seems to be dead only if there is no other. A living one with a
// chunk is kept until it is gone or dead, see [Liveness]; then a living one takes over, which
// none does that was followed before.
//
// Files that vanish are dropped, those without a header, or that can not be read, are
// tried again by the next scan. Links are ignored.
//
// It costs to read the names in the directory once if nothing is new. If the directory
// can not be read, that is the error. That it is not there is none; see
// [Repository.Gone].
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

// chosen tells whether a virtual machine has been chosen in the base.
func (r *Repository) chosen() bool { return r.base && r.current.path != r.root }

// Dir returns the directory of the virtual machine whose chunks are listed; the one that
// was opened if that is no base directory. It is "" if there is none yet.
func (r *Repository) Dir() string {
	if !r.current.existed {
		return ""
	}
	return r.current.path
}

// Gone tells whether the directory of the virtual machine was there, but was not any
// more when it was looked at last. Virtual machines remove it when they exit.
func (r *Repository) Gone() bool {
	if r.base && !r.chosen() {
		return r.absent
	}
	return r.current.existed && !r.current.exists
}

// Liveness returns what tells whether the virtual machine lives; nil if there is none yet.
// Another virtual machine has another one.
func (r *Repository) Liveness() *Liveness {
	if r.liveness == nil && r.current.existed {
		r.liveness = NewLiveness(r.current.path)
	}
	return r.liveness
}

// Denied returns why the directory of a virtual machine in the base directory was passed
// over when they were looked at last; nil if none was.
func (r *Repository) Denied() error { return r.denied }

// WatchWith makes w watch what may change the answers of the next scan, and nothing
// else: the virtual machine's directory, and the base directory while another machine
// may take over. It is to be called after each scan, and costs little if that is as
// before.
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
