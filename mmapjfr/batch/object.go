package batch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/labels"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Object is a file, or another thing with bytes, that may hold recordings.
type Object struct {
	// Name is the path, or the URI.
	Name string `json:"uri"`
	// Size is the number of bytes; 0 if it is not known.
	Size int64 `json:"size,omitempty"`
	// Version changes when the content does: the ETag of a store, or size and time of a file.
	Version string `json:"etag,omitempty"`
	// Labels are what is known of it, such as service and host.
	Labels map[string]string `json:"labels,omitempty"`

	source string // the URI, if the name is without its secrets
	wrong  error
}

// Err returns why the object is no recording that can be read, if that was found out when it was listed; nil if nothing is
// known. Reading it says so, too, but for objects that could not be fetched or have another size than a list says: work that
// is divided by [Plan] does not read these.
func (o *Object) Err() error { return cmp.Or(o.wrong, o.unlisted()) }

// maxSize is how many bytes an object may have, as in package internal/remote.
const maxSize int64 = 1 << 40

// unlisted returns why the object is not read, or nil.
func (o *Object) unlisted() error {
	switch {
	case o.Size < 0 || o.Size > maxSize:
		return fmt.Errorf("it has %d bytes, as the list or the server says, and recordings have at most %d here", o.Size, maxSize)
	case errors.As(o.wrong, new(*unfetched)) || errors.As(o.wrong, new(*input.NoFile)) || errors.Is(o.wrong, mmapjfr.ErrChanged):
		return o.wrong
	}
	return nil
}

// otherSize returns the error of an object with another size than a list says.
func otherSize(has, listed int64) error {
	return &worded{fmt.Sprintf("it has %d bytes, and %d as the list says: the object has changed, or the list is wrong; list the objects again", has, listed), mmapjfr.ErrChanged}
}

// ErrUnreadable matches the error of [Store.List] and [Store.ReadManifest] if they return a list besides, of which nothing can be read.
var ErrUnreadable = errors.New("no recording can be read")

// unreadable is why nothing of a list can be read.
type unreadable struct{ error }

func (u *unreadable) Unwrap() error        { return u.error }
func (u *unreadable) Is(target error) bool { return target == ErrUnreadable }

// readable returns an error that matches [ErrUnreadable] if all objects of a list are wrong in some way.
func readable(list []Object, isWrong func(o *Object) bool) error {
	for i := range list {
		if !isWrong(&list[i]) {
			return nil
		}
	}
	if len(list) == 0 {
		return nil
	}
	err := fmt.Errorf("%s: %w", list[0].Name, list[0].Err())
	if len(list) > 1 {
		err = fmt.Errorf("none of %d recordings can be read: %w", len(list), err)
	}
	return &unreadable{err}
}

// address returns what to open.
func (o *Object) address() string { return cmp.Or(o.source, o.Name) }

var isRecording = lazy.Regexp(`\.jfr` + labels.Packings)

// List returns the objects that names lead to, in the order of their names: files, patterns, and folders, which
// stand for all recordings below them by their names, packed ones included. Names of buckets that end in / are folders,
// too. A packed copy beside a recording is left out. The same file counts once, however it is named.
//
// A recording that is missing, one that may not be read, and what is none are in the list, see [Object.Err]: they stop nothing
// of the work on others. If there is nothing else, the error matches [ErrUnreadable].
func (s *Store) List(ctx context.Context, names []string) ([]Object, error) {
	l := lister{sizes: make(map[int64][]fs.FileInfo)}
	for _, name := range names {
		if !s.takes(name) {
			if err := l.named(name); err != nil {
				return nil, err
			}
			continue
		}
		list, err := s.remote(ctx, name)
		if err != nil {
			return nil, err
		}
		l.list = append(l.list, list...)
	}
	if err := s.ask(ctx, l.list, false); err != nil {
		return nil, err
	}
	for _, o := range l.list {
		if errors.Is(o.wrong, fs.ErrNotExist) && !strings.HasPrefix(o.Name, "http") && !isRecording().MatchString(o.Name) {
			return nil, fmt.Errorf("%s: %w; the name of a folder must end in /", o.Name, o.wrong)
		}
	}
	list, err := sorted(l.list)
	if err != nil {
		return nil, err
	}
	return list, readable(list, func(o *Object) bool { return o.Err() != nil })
}

type lister struct {
	list  []Object
	sizes map[int64][]fs.FileInfo // of files that are in the list, by size
}

func (l *lister) named(name string) error {
	info, err := os.Stat(name)
	if matches, bad := filepath.Glob(name); err != nil && bad == nil && len(matches) > 0 {
		for _, match := range matches {
			_, err := input.Entry(match)
			switch {
			case !isNoFile(err):
				if err := l.named(match); err != nil {
					return err
				}
			case isRecording().MatchString(match):
				l.list = append(l.list, Object{Name: cleaned(match), wrong: err})
			}
		}
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && isRecording().MatchString(name):
		l.list = append(l.list, Object{Name: cleaned(name), wrong: err})
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		l.add(name, info)
		return nil
	}
	return filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isRecording().MatchString(path) {
			return err
		}
		info, err := input.Entry(path)
		switch {
		case isNoFile(err):
			l.list = append(l.list, Object{Name: cleaned(path), wrong: err})
			return nil
		case err != nil || info.IsDir():
			return nil //nolint:nilerr // it has been removed, or is a link to a folder
		}
		if end := filepath.Ext(path); end != ".jfr" {
			if _, err := os.Stat(strings.TrimSuffix(path, end)); err == nil {
				return nil
			}
		}
		l.add(path, info)
		return nil
	})
}

func isNoFile(err error) bool { return errors.As(err, new(*input.NoFile)) }

func (l *lister) add(path string, info fs.FileInfo) {
	if slices.ContainsFunc(l.sizes[info.Size()], func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
		return
	}
	l.sizes[info.Size()] = append(l.sizes[info.Size()], info)
	l.list = append(l.list, Object{Name: cleaned(path), Size: info.Size(), Version: versionOf(info)})
}

// cleaned returns a path as results have it.
func cleaned(path string) string { return filepath.ToSlash(filepath.Clean(path)) }

// versionOf returns the version of a file.
func versionOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())
}

// sorted returns objects in the order of their names, each once.
func sorted(list []Object) ([]Object, error) {
	slices.SortStableFunc(list, func(a, b Object) int { return cmp.Compare(a.Name, b.Name) })
	var out []Object
	for _, o := range list {
		if n := len(out); n == 0 || out[n-1].Name != o.Name {
			out = append(out, o)
		} else if out[n-1].Version != o.Version {
			return nil, fmt.Errorf("%s is listed with two versions", o.Name)
		}
	}
	return out, nil
}

// ReadManifest returns the objects of a list: a name in each line, or a JSON object with uri, size, etag and
// labels. Objects without etag get the size and the etag that they have, for which servers are asked. Servers are also asked for
// objects of more than 64 MiB: a wrong size is an error of the object. Empty lines and those that begin with # are left out. If all
// objects have another size, or cannot be fetched, the error matches [ErrUnreadable].
func (s *Store) ReadManifest(ctx context.Context, r io.Reader) (list []Object, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	n := 1
	for ; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		o := Object{Name: line}
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '{':
			o = Object{}
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if o.Name == "" {
				return nil, fmt.Errorf("line %d has no uri", n)
			}
		}
		list = append(list, s.listed(o))
	}
	if err = lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("line %d has more than a MB; is it a list of recordings?", n)
	}
	if err == nil {
		err = s.ask(ctx, list, true)
	}
	if err == nil {
		list, err = sorted(list)
	}
	if err != nil {
		return nil, err
	}
	return list, readable(list, func(o *Object) bool { return o.unlisted() != nil })
}

// WriteManifest writes a list for [Store.ReadManifest], a JSON object in each line. It has the URIs as they were named, also
// with what of them may be secret.
func WriteManifest(w io.Writer, list []Object) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, o := range list {
		o.Name = o.address()
		if err := e.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// Labeler finds labels in the names of objects.
type Labeler struct{ template labels.Template }

// NewLabeler returns what finds labels by a template such as {service}/{date}/{host}/{time}.jfr, which
// names end with, maybe followed by the ending of a packing. Folders such as service=shop are labels with any
// template, and without one.
func NewLabeler(template string) (*Labeler, error) {
	t, err := labels.Parse(template)
	if err != nil {
		return nil, err
	}
	return &Labeler{*t}, nil
}

// Labels returns the labels of an object: its own, those of the template, and those of folders.
func (l *Labeler) Labels(o Object) map[string]string {
	found := l.template.Of(o.Name)
	for k, v := range o.Labels {
		found[k] = v
	}
	return found
}
