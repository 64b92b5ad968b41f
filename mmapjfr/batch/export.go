package batch

import (
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
	"sync"

	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// Export is the question of all events as tables: each item becomes files of a data set, whose names are
// hashes of the question and the item, wherever they lie.
// See docs/BATCH.md for the folders.
type Export struct {
	// Dir is the folder of the data set.
	Dir    string
	Format columns.Format
	// InlineStacks is that of [columns.Options].
	InlineStacks bool
	Selection    Selection
}

// exportAnswer is the answer to [Export].
type exportAnswer struct {
	files    []File
	question *Export
}

// Files returns the files of a data set that an [Export] has made of these items, in the order of
// their paths; none for other questions.
func (p *Partial) Files() []File {
	if a, ok := p.answer.(*exportAnswer); ok {
		return a.inOrder()
	}
	return nil
}

func (a *exportAnswer) inOrder() []File { return ordered(a.files, File.compare) }

// File is a file of a data set.
type File struct {
	// Path is where it lies in the folder of the data set, with slashes.
	Path  string `json:"path"`
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
	// OutOfOrder is the number of rows that begin before an earlier row.
	OutOfOrder int64 `json:"rowsOutOfOrder,omitempty"`
}

// compare orders files by paths.
func (f File) compare(o File) int {
	return cmp.Or(strings.Compare(f.Path, o.Path), cmp.Compare(f.Bytes, o.Bytes), cmp.Compare(f.Rows, o.Rows))
}

// Text returns the question as text.
func (q *Export) Text() string {
	return fmt.Sprintf("export %s inline %t version %s of %s", q.Format.Extension(), q.InlineStacks, columns.SchemaVersion, q.Selection.Text)
}

func (q *Export) isDivisible() bool { return true }

func (q *Export) newAnswer() answer { return &exportAnswer{question: q} }

func (q *Export) unmarshal(data []byte) (answer, error) {
	a := &exportAnswer{question: q}
	if err := json.Unmarshal(data, &a.files); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return a, nil
}

func (a *exportAnswer) MarshalBinary() ([]byte, error) { return json.Marshal(a.inOrder()) }

func (a *exportAnswer) merge(o answer) error {
	a.files = append(a.files, o.(*exportAnswer).files...)
	return nil
}

// add is not called: files have all recordings of an item, see addAll.
func (a *exportAnswer) add(*section) error { return errors.ErrUnsupported }

// isThere reports whether a file of a data set is as it was written.
func (f File) isThere(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
	return err == nil && info.Size() == f.Bytes
}

// addAll writes the recordings of an item. The files get their names if everything could be fetched.
func (a *exportAnswer) addAll(ctx context.Context, item Item, inputs []*section) error {
	q := a.question
	ranges := make(map[*mmapjfr.Recording]*section)
	var recs []*mmapjfr.Recording
	for _, in := range inputs {
		recs, ranges[in.recording] = append(recs, in.recording), in
	}
	slices.SortStableFunc(recs, func(a, b *mmapjfr.Recording) int { return a.Start().Compare(b.Start()) })
	o := columns.Options{
		InlineStacks: q.InlineStacks, Workers: 1, // items are read side by side
		Name:    func(rec *mmapjfr.Recording) string { return ranges[rec].object },
		Ranges:  func(rec *mmapjfr.Recording) mmapjfr.ChunkRange { return ranges[rec].chunks },
		OnError: func(rec *mmapjfr.Recording, err error) { ranges[rec].onError(err) },
	}
	o.Labels, o.LabelValues = item.labels(o.Name)
	if q.Selection.Choose != nil {
		types, _ := mmapjfr.EventTypes(recs) // reading the events returns the errors
		o.Filters, o.Where = q.Selection.Choose(types)
	}
	files := &itemFiles{dir: q.Dir, name: item.name(q.Text()) + q.Format.Extension(), folder: folderOf(item.Key), written: make(map[string]*File), temps: make(map[string]string)}
	defer files.discard()
	report, err := columns.Export(ctx, recs, q.Format, files.sink, o)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if errors.Is(rec.FileErr(), mmapjfr.ErrUnfetched) {
			return nil // the caller looks for that, too, and tries without it
		}
	}
	for _, t := range report.Tables {
		one := files.written[t.Name]
		one.Rows, one.OutOfOrder = t.Rows, t.Late
	}
	list, err := files.rename()
	a.files = append(a.files, list...)
	return err
}

// labels returns the names of the labels of recordings, and what returns their values. Items without labels have those of the key.
func (i Item) labels(object func(*mmapjfr.Recording) string) (names []string, values func(*mmapjfr.Recording) []string) {
	of := make(map[string][]string)
	for n, p := range i.Parts {
		list := i.Key
		if len(i.Labels) > 0 {
			list = i.Labels[n]
		}
		names = names[:0]
		for _, l := range list {
			names, of[p.Object] = append(names, l.Name), append(of[p.Object], l.Value)
		}
	}
	return names, func(rec *mmapjfr.Recording) []string { return of[object(rec)] }
}

// itemFiles are the files of an item, which have other names until all are written.
type itemFiles struct {
	dir, name, folder string

	mu      sync.Mutex
	written map[string]*File  // by table
	temps   map[string]string // paths of those without a name
}

// sink writes the file of a table.
func (i *itemFiles) sink(table string, fill func(io.Writer) error) (err error) {
	f := &File{Path: strings.Trim(columns.FolderName(table)+"/"+i.folder, "/") + "/" + i.name, Table: table}
	path := filepath.Join(i.dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	to, err := atomicfile.Create(path, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	i.mu.Lock()
	i.temps[table], i.written[table] = to.Name(), f
	i.mu.Unlock()
	err = fill(to)
	if err == nil {
		err = to.Sync()
	}
	if info, e := to.Stat(); e == nil {
		f.Bytes = info.Size()
	}
	return errors.Join(err, to.Close())
}

// rename gives the files their names.
func (i *itemFiles) rename() (list []File, err error) {
	for table, f := range i.written {
		if err := os.Rename(i.temps[table], filepath.Join(i.dir, filepath.FromSlash(f.Path))); err != nil {
			return nil, err
		}
		delete(i.temps, table)
		list = append(list, *f)
	}
	return list, nil
}

// discard removes what has no name.
func (i *itemFiles) discard() {
	for _, temp := range i.temps {
		_ = os.Remove(temp) // there may be none
	}
}

// folderOf returns the folders of a key, as Hive names them.
func folderOf(key []Label) string {
	var steps []string
	for _, l := range key {
		steps = append(steps, columns.PartitionName(l.Name, l.Value))
	}
	return strings.Join(steps, "/")
}

// manifestName is the name of the list of files of a data set.
const manifestName = "_manifest.json"

// Manifest is the list of files of a data set.
type Manifest struct {
	Format int    `json:"format"`
	Schema string `json:"schema"`
	// Missing is how many items have not been done yet.
	Missing int    `json:"missing"`
	Files   []File `json:"files"`
	// Others are files in the folder that belong to other work.
	Others []string `json:"-"`
}

// manifestVersion is that of _manifest.json.
const manifestVersion = 1

// Complete writes _manifest.json, the list of the files of a data set, into its folder, and looks for other files there. It removes
// those that killed processes of this machine were writing.
func (q *Export) Complete(f *Folder, list []*Partial) (*Manifest, error) {
	m := &Manifest{Format: manifestVersion, Schema: columns.SchemaVersion, Missing: f.Missing, Files: []File{}}
	for _, p := range list {
		m.Files = append(m.Files, p.Files()...)
	}
	m.Files = ordered(m.Files, File.compare)
	for _, one := range m.Files {
		if !one.isThere(q.Dir) {
			return nil, fmt.Errorf("%s is missing in %s, or has been changed; run the same command again", one.Path, q.Dir)
		}
	}
	err := filepath.WalkDir(q.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			atomicfile.Sweep(path)
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != q.Format.Extension() {
			return err
		}
		rel, err := filepath.Rel(q.Dir, path)
		if err != nil {
			return err
		}
		_, known := slices.BinarySearchFunc(m.Files, filepath.ToSlash(rel), func(f File, path string) int { return strings.Compare(f.Path, path) })
		if !known {
			m.Others = append(m.Others, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	return m, write(filepath.Join(q.Dir, manifestName), append(data, '\n'))
}
