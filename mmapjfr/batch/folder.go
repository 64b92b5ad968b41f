package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// The endings of files in a folder of a batch.
const (
	partialEnd = ".partial"
	planEnd    = ".plan"
)

// Work is what one machine does of a batch.
type Work struct {
	Question Question
	// Note goes into partial results, see [Partial].
	Note  []string
	Items []Item
	// Shard is the number of this machine, from 0, of Shards. Items are dealt out one by one. Shards 0 is one machine.
	Shard, Shards int
	// Dir is the folder for partial results. It may be shared by all machines.
	Dir string
	// Open opens objects; nil is that of the zero [Store].
	Open Opener
	// Workers is how many items are read at once; 0 is one.
	Workers int
	// Done, if it is not nil, is called for each item that is done, with nil for one that had been done before.
	Done func(p *Partial)
}

// plan is the list of all items of a batch, which all machines write.
type plan struct {
	Format   int      `json:"format"`
	Question string   `json:"question"`
	Note     []string `json:"note,omitempty"`
	Items    []string `json:"items"` // names of files, without the ending
	// Unlisted are objects that one machine could not fetch when it listed them, or that are not what a list says: no item has them.
	Unlisted []Damage `json:"unlisted,omitempty"`
}

// Check returns an error that matches [ErrMixed] if the folder has answers to another question: [Work.Run] would refuse it.
func (w *Work) Check() error {
	entries, err := os.ReadDir(w.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f := &Folder{Question: w.Question.Text(), Note: w.Note}
	for _, e := range entries {
		if err != nil || !strings.HasSuffix(e.Name(), planEnd) {
			continue
		}
		if err = f.list(filepath.Join(w.Dir, e.Name()), make(map[string]bool)); errors.Is(err, ErrMixed) {
			return &worded{w.Dir + ": it has answers to another question; use a folder for each, or remove this one", ErrMixed}
		}
	}
	return err
}

// checkOthers returns an error that matches [ErrMixed] if the folder has a result of an item that is not among the names, and
// of an object that is: then the list of objects was another one, and the results cannot be merged.
func (w *Work) checkOthers(names []string) error {
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return err
	}
	others := make(map[string]bool)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), planEnd) {
			if err := new(Folder).list(filepath.Join(w.Dir, e.Name()), others); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		delete(others, name)
	}
	own := make(map[string]bool)
	for _, item := range w.Items {
		for _, p := range item.Parts {
			own[p.Object] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		data, err := os.ReadFile(filepath.Join(w.Dir, name+partialEnd))
		if err != nil {
			continue // it has not been done
		}
		p, err := Unmarshal(data, nil)
		if err != nil {
			continue // it would be done again
		}
		for _, part := range p.Parts() {
			if own[part.Object] {
				return &worded{w.Dir + ": it has answers about another list of recordings, or by other labels, and " + part.Object + " is in both; use a folder for each, or remove this one", ErrMixed}
			}
		}
	}
	return nil
}

// Unlisted returns the names of objects that earlier runs into a folder could not list: the items of all others are as if
// there were none of them.
func Unlisted(dir string) (map[string]bool, error) {
	f, names := &Folder{}, make(map[string]bool)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), planEnd) {
			err = cmp.Or(err, f.list(filepath.Join(dir, e.Name()), make(map[string]bool)))
		}
	}
	for _, d := range f.unlisted {
		names[d.Object] = true
	}
	return names, err
}

// Run does the items of a machine, and writes a partial result for each to the folder, and the list of all items. Items
// that have been done before, also by another machine or by one that ended too early, are not done again, unless some of
// their objects could not be fetched. It fails if [Work.Check] does, and with an error that matches [ErrMixed] if the folder has results of the
// same objects by another list. A file is written under another name first, so that each is there as a whole or not at all.
func (w *Work) Run(ctx context.Context) error {
	if err := cmp.Or(w.Check(), os.MkdirAll(w.Dir, 0o777)); err != nil {
		return err
	}
	list := plan{Format: formatVersion, Question: w.Question.Text(), Note: w.Note, Items: []string{}}
	identity := strings.Join(append([]string{list.Question}, w.Note...), "\x00")
	var todo []Item
	var names []string
	m := newMapper(w.Question, w.Note, w.Open)
	for i, item := range w.Items {
		if len(item.Parts) == 0 {
			list.Unlisted = append(list.Unlisted, item.Unlisted...)
			continue
		}
		name := item.name(identity)
		list.Items = append(list.Items, name)
		switch {
		case w.Shards > 1 && i%w.Shards != w.Shard:
		case isDone(filepath.Join(w.Dir, name+partialEnd), w.Question):
			w.done(nil)
		default:
			todo, names = append(todo, item), append(names, name)
			m.expect(item.Parts)
		}
	}
	if err := cmp.Or(w.checkOthers(list.Items), list.write(w.Dir)); err != nil {
		return err
	}
	return w.each(ctx, len(todo), func(ctx context.Context, i int) error {
		p, err := m.item(ctx, todo[i])
		if err != nil {
			return err
		}
		data, err := p.MarshalBinary()
		if err == nil {
			err = write(filepath.Join(w.Dir, names[i]+partialEnd), data)
		}
		if err == nil {
			w.done(p)
		}
		return err
	})
}

// each calls do with the numbers below n, several at once, until there is an error.
func (w *Work) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(max(w.Workers, 1), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func (w *Work) done(p *Partial) {
	if w.Done != nil {
		w.Done(p)
	}
}

// isDone reports whether a file is a whole partial result, all objects could be fetched, and the files are there that
// an answer to the question is about.
func isDone(path string, q Question) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	e, ok := q.(*Export)
	if !ok {
		q = nil // the answer need not be read
	}
	p, err := Unmarshal(data, q)
	if err != nil || !p.isFinal() {
		return false
	}
	return !slices.ContainsFunc(p.Files(), func(f File) bool { return !f.isThere(e.Dir) })
}

func write(path string, data []byte) error {
	return atomicfile.Replace(path, 0o666, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Sync()
	})
}

// write writes the list unless it is there.
func (l *plan) write(dir string) error {
	slices.Sort(l.Items)
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	path := filepath.Join(dir, hex.EncodeToString(sum[:16])+planEnd)
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	return write(path, data)
}

// Folder is what machines have written to folders.
type Folder struct {
	// Question and Note are those of all partial results, see [Partial].
	Question string
	Note     []string
	// Missing is how many items have no result yet, and Stale how many results are of items that no list has.
	Missing, Stale int
	// Objects is how many objects have been read, and Damage what could not be read of them.
	Objects int
	Damage  []Damage

	files    []string
	unlisted []Damage // of lists
}

// ErrNothing matches the error of [OpenFolders] if there is no list of items.
var ErrNothing = errors.New("no batch results found")

// OpenFolders looks for the results in folders.
func OpenFolders(dirs []string) (*Folder, error) {
	f := &Folder{}
	wanted, found := make(map[string]bool), make(map[string]string)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if name, ok := strings.CutSuffix(e.Name(), partialEnd); ok {
				if found[name] == "" || !isDone(found[name], nil) {
					found[name] = path
				}
			}
			if !strings.HasSuffix(e.Name(), planEnd) {
				continue
			}
			if err := f.list(path, wanted); err != nil {
				return nil, err
			}
		}
	}
	if len(wanted)+len(f.unlisted) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNothing, strings.Join(dirs, ", "))
	}
	for name := range wanted {
		if found[name] == "" {
			f.Missing++
			continue
		}
		f.files = append(f.files, found[name])
	}
	f.Stale = len(found) - len(f.files)
	slices.SortFunc(f.files, func(a, b string) int { return cmp.Compare(filepath.Base(a), filepath.Base(b)) })
	return f, nil
}

// list adds the items of a list.
func (f *Folder) list(path string, wanted map[string]bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var l plan
	if err := json.Unmarshal(data, &l); err != nil {
		return fmt.Errorf("%s: %w", path, ErrFormat)
	}
	if l.Format != formatVersion {
		return fmt.Errorf("%s: %w", path, otherVersion(l.Format))
	}
	if f.Question != "" && (f.Question != l.Question || !slices.Equal(f.Note, l.Note)) {
		return fmt.Errorf("%s: %w: the folders hold answers to different questions; use a folder for each", path, ErrMixed)
	}
	f.Question, f.Note = l.Question, l.Note
	for _, name := range l.Items {
		wanted[name] = true
	}
	f.unlisted = append(f.unlisted, l.Unlisted...)
	return nil
}

// Merge returns the results, one for each key, in the order of [CompareKeys].
func (f *Folder) Merge(ctx context.Context, q Question) ([]*Partial, error) {
	sums := make(map[string]*Partial)
	for _, path := range f.files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := Unmarshal(data, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		key := KeyText(p.Key)
		if sums[key] == nil {
			sums[key] = p
		} else if err := sums[key].Merge(p); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	f.addUnlisted(sums)
	var list []*Partial
	for _, p := range sums {
		list = append(list, p)
		f.Objects += p.Objects()
		f.Damage = append(f.Damage, p.Damage()...)
	}
	slices.SortFunc(list, func(a, b *Partial) int { return CompareKeys(a.Key, b.Key) })
	slices.SortStableFunc(f.Damage, func(a, b Damage) int { return strings.Compare(a.Object, b.Object) })
	return list, nil
}

// addUnlisted adds the damage of objects that no list has had since they could not be fetched.
func (f *Folder) addUnlisted(sums map[string]*Partial) {
	slices.SortFunc(f.unlisted, Damage.compare)
	last := ""
	for _, d := range f.unlisted {
		known := d.Object == last
		for _, p := range sums {
			known = known || len(p.parts[d.Object]) > 0
		}
		if last = d.Object; !known {
			f.Objects++
			f.Damage = append(f.Damage, d)
		}
	}
}
