package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// maxListed is how much of what is wrong is listed.
const maxListed = 20

// damage is what is wrong in a file.
type damage struct {
	list  []error // the first maxListed
	total int
	// unfinished are the chunks that were still being written, the first
	// maxListed of them; that is no damage.
	unfinished []error
}

func (d *damage) add(err error) {
	if errors.Is(err, mmapjfr.ErrUnfinished) {
		if len(d.unfinished) < maxListed {
			d.unfinished = append(d.unfinished, err)
		}
		return
	}
	if d.total++; len(d.list) < maxListed {
		d.list = append(d.list, err)
	}
}

// addAll adds what several errors that have been joined tell, each by itself.
func (d *damage) addAll(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			d.add(e)
		}
		var more *mmapjfr.OmittedErrors
		if errors.As(err, &more) {
			d.total += more.N - 1 // itself has been counted
		}
		return
	}
	d.add(err)
}

// explanation says in one sentence why a file could not be opened and what to do.
func explanation(file string, err error) string {
	name := printable(file)
	if isFolder(file) && !errors.Is(err, fs.ErrPermission) {
		return name + ": it is a folder; name the recordings in it, as in jfrbench " + name + "/*.jfr"
	}
	return name + ": " + errtext.Opening(err)
}

func isFolder(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}
