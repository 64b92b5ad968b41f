// Package errtext turns errors about recordings into messages for users.
package errtext

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// library is the prefix of the library's errors.
const library = "mmapjfr: "

// Message returns the text of an error without the name of the library, and without that
// of the recording, which the caller shows itself.
func Message(err error) string {
	text := shorten(err.Error())
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok && format.File != "" {
		text = strings.Replace(text, format.File+": ", "", 1)
	}
	return text
}

// Opening returns a sentence that says why a recording could not be opened, and, if
// possible, what to do. It does not name the file.
func Opening(err error) string {
	// A reason is the error without file and offset.
	reason := Message(err)
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok {
		reason = format.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file; check the path"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read; ask for the permission, or copy it as its owner"
	case errors.Is(err, mmapjfr.ErrEmpty):
		return "the file is empty; if the program still runs, jcmd PID JFR.dump writes its recording"
	case errors.Is(err, mmapjfr.ErrNotRecording) && (strings.Contains(reason, "unpack") || strings.Contains(reason, "check that")):
		return reason // it says what to do
	case errors.Is(err, mmapjfr.ErrNotRecording):
		return reason + "; check that it is the .jfr file itself"
	case errors.Is(err, mmapjfr.ErrUnsupported):
		return reason // it says what to do
	case errors.Is(err, mmapjfr.ErrTruncated) && !strings.Contains(reason, "copy it again"):
		return reason + "; copy it again, its end is missing"
	}
	return reason
}

// Error returns the message for any error that [Each] returns. For a file that could not
// be opened it is the file's name, once, and the sentence of [Opening].
func Error(err error) string {
	text := err.Error()
	if name, cause := opening(err); cause != nil {
		before, after, found := strings.Cut(text, cause.Error())
		if before == "" {
			before = name
		}
		if found { // else an outer error has another text
			text = before + Opening(cause) + after
		}
	}
	return once(shorten(text))
}

// shorten removes what is for programmers.
func shorten(text string) string {
	first, advice, _ := strings.Cut(text, "; ")
	for part := range strings.SplitSeq(advice, "; ") {
		if part != "" && !strings.Contains(part, "package mmapjfr/") && !strings.Contains(part, "ReadChunks") {
			first += "; " + part
		}
	}
	return strings.ReplaceAll(first, library, "")
}

// opening returns the part of an error about a file that could not be opened, or nil. The
// name is that of the file, unless the part does not have it.
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

// reads are the operations on files that are to be read.
var reads = map[string]bool{
	"open": true, "stat": true, "lstat": true, "read": true,
	"CreateFile": true, "GetFileAttributesEx": true, // on Windows
}

// once removes the prefix of a text if it is there twice, as when two functions have put
// the name of the file before an error.
func once(text string) string {
	for i := range text {
		name, is := strings.CutSuffix(text[:i], ": ")
		if is && name != "" && strings.HasPrefix(text[i:], text[:i]) {
			return text[i:]
		}
	}
	return text
}

// Each returns the errors that were joined, in their order. Any other error is returned
// alone; nil has none.
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
