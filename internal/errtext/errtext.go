// Package errtext says to people what went wrong with a recording, and what to do.
package errtext

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// library is how errors of the library begin.
const library = "mmapjfr: "

// Message returns the text of an error without the name of the library, wherever it
// stands, and without that of the recording, which those who show it name themselves.
func Message(err error) string {
	text := shorn(err)
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok && format.File != "" {
		text = strings.Replace(text, format.File+": ", "", 1)
	}
	return text
}

// Opening returns in one sentence why a recording could not be opened, and what to do
// about it where something can be done. It does not name the file.
func Opening(err error) string {
	// A reason is the error without file and offset.
	reason := Message(err)
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok {
		reason = format.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file; check the path"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read; ask for the permission, or copy it as its owner"
	case errors.Is(err, mmapjfr.ErrEmpty):
		return "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"
	case errors.Is(err, mmapjfr.ErrNotRecording) && strings.Contains(reason, "unpack"):
		return reason // and that tells what to do
	case errors.Is(err, mmapjfr.ErrNotRecording):
		return reason + "; check that it is the .jfr file itself"
	case errors.Is(err, mmapjfr.ErrUnsupported):
		return reason // and that tells what to do
	case errors.Is(err, mmapjfr.ErrTruncated) && !strings.Contains(reason, "copy it again"):
		return reason + "; copy it again, its end is missing"
	}
	return reason
}

// Error returns the text of any error for people, that of one which [Each] gives.
// Where it tells of a file that could not be opened, that is said as [Opening] does,
// behind the name of the file, which stands there once.
func Error(err error) string {
	text := err.Error()
	if name, cause := opening(err); cause != nil {
		before, after, found := strings.Cut(text, cause.Error())
		if before == "" {
			before = name
		}
		if found { // or else somebody has put it in other words
			text = before + Opening(cause) + after
		}
	}
	return once(strings.ReplaceAll(strings.ReplaceAll(text, forPrograms, ""), library, ""))
}

// forPrograms is advice that is for those who write programs.
const forPrograms = "; package mmapjfr/input opens packed recordings and those of a directory"

// shorn returns the text of an error without what is for programs.
func shorn(err error) string {
	return strings.ReplaceAll(strings.ReplaceAll(err.Error(), forPrograms, ""), library, "")
}

// opening finds what an error tells of a file that could not be opened, and the name
// of the file if that is part of it.
func opening(err error) (name string, cause error) {
	if path, ok := errors.AsType[*fs.PathError](err); ok && reads[path.Op] && isAny(err, fs.ErrNotExist, fs.ErrPermission) {
		return path.Path + ": ", path
	}
	format, ok := errors.AsType[*mmapjfr.FormatError](err)
	if ok && format.Offset == 0 && isAny(err, mmapjfr.ErrEmpty, mmapjfr.ErrNotRecording, mmapjfr.ErrUnsupported, mmapjfr.ErrTruncated) {
		return "", format
	}
	return "", nil
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// reads are the names of what is done to files that are to be read.
var reads = map[string]bool{
	"open": true, "stat": true, "lstat": true, "read": true,
	"CreateFile": true, "GetFileAttributesEx": true, // on Windows
}

// once leaves out what a text begins with if the same comes again at once, as it does
// where two have put the name of the file before an error.
func once(text string) string {
	for i := range text {
		name, is := strings.CutSuffix(text[:i], ": ")
		if is && name != "" && strings.HasPrefix(text[i:], text[:i]) {
			return text[i:]
		}
	}
	return text
}

// Each returns the errors that were joined, in their order, and any other error by
// itself; none for nil.
func Each(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Each(e)...)
	}
	return all
}
