package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

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
		var more *mmapjfr.MoreError
		if errors.As(err, &more) {
			d.total += more.N - 1 // itself has been counted
		}
		return
	}
	d.add(err)
}

// message is the text of an error without the name of the library.
func message(err error) string { return strings.TrimPrefix(err.Error(), "mmapjfr: ") }

// explain says in one sentence why a file could not be opened and what to do.
func explain(file string, err error) string {
	// A reason is the error without file and offset.
	reason := message(err)
	var format *mmapjfr.FormatError
	if errors.As(err, &format) {
		reason = format.Err.Error()
	}
	name := printable(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + ": there is no such file; check the path"
	case errors.Is(err, fs.ErrPermission):
		return name + ": it may not be read; ask for the permission, or copy it as its owner"
	case isFolder(file):
		return name + ": it is a folder; name the recordings in it, as in jfrbench " + name + "/*.jfr"
	case errors.Is(err, mmapjfr.ErrEmpty):
		return name + ": the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"
	case errors.Is(err, mmapjfr.ErrNotRecording) && strings.Contains(reason, "unpack"):
		return name + ": " + reason // and that tells what to do
	case errors.Is(err, mmapjfr.ErrNotRecording):
		return name + ": " + reason + "; check that it is the .jfr file itself"
	case errors.Is(err, mmapjfr.ErrUnsupported):
		return name + ": " + reason + "; make the recording with JDK 9 or newer"
	case errors.Is(err, mmapjfr.ErrTruncated):
		return name + ": " + reason + "; copy it again, its end is missing"
	}
	return name + ": " + reason
}

func isFolder(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}
