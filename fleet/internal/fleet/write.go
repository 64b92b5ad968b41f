package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

func init() {
	register.DoFn5x1[context.Context, string, Sum, string, func(string), error](&writeFn{})
	register.DoFn4x1[context.Context, int, func(*Sum) bool, func(string), error](&completeFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&reportFn{})
	register.Iter1[string]()
}

// The files of a job besides those of keys.
const (
	ResultsFile = "results.ndjson"
	DamageFile  = "damage.ndjson"
)

// Result is a line of [ResultsFile]: what has been written of a key.
type Result struct {
	Key     []batch.Label `json:"key"`
	Objects int           `json:"objects,omitempty"`
	Files   []string      `json:"files"` // in the folder
	// Missing is the label of the key that --diff asked for and no recording has.
	Missing *batch.Label `json:"missing,omitempty"`
	// Fits say which names of the question recordings have.
	Fits []batch.Fit `json:"fits,omitempty"`
	// Damage is what could not be read. It is in [DamageFile].
	Damage []batch.Damage `json:"damage,omitempty"`
}

// Prepare removes what an earlier job has reported in a folder for results, so that none takes it for the report of a job that
// has not ended. An error means that the folder cannot be used.
func Prepare(ctx context.Context, out string) error {
	for _, file := range []string{ResultsFile, DamageFile} {
		if !isRemote(out) {
			if err := os.Remove(filepath.Join(out, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := remove(ctx, strings.TrimSuffix(out, "/")+"/"+file); err != nil {
			return fmt.Errorf("%s: %w", out, err)
		}
	}
	return nil
}

// remove removes a file of one of Beam's file systems, if it is there.
func remove(ctx context.Context, name string) error {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer system.Close() // the errors of requests count
	found, err := system.List(ctx, name)
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err // without a long URL
	}
	if err != nil || len(found) == 0 {
		return err
	}
	r, ok := system.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("nothing can be removed")
	}
	return r.Remove(ctx, name)
}

// Report returns what a job has written of each key, and what it could not read.
func Report(ctx context.Context, out string) (results []Result, damage []batch.Damage, err error) {
	if results, err = readLines[Result](ctx, out, ResultsFile); err != nil {
		return nil, nil, err
	}
	damage, err = readLines[batch.Damage](ctx, out, DamageFile)
	return results, damage, err
}

// readLines reads a file of a folder in which each line is JSON.
func readLines[T any](ctx context.Context, out, file string) (list []T, err error) {
	data, err := readFile(ctx, strings.TrimSuffix(out, "/")+"/"+file)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var one T
		if err := d.Decode(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// line returns a result as an element of the pipeline.
func (r *Result) line() (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}

// writeFn writes the files of a key.
type writeFn struct{ Job Job }

// ProcessElement writes the files, and emits the result. Fits are those of all keys: nothing is written if no recording has what
// the question names.
func (f *writeFn) ProcessElement(ctx context.Context, _ string, s Sum, fits string, emit func(string)) error {
	r := Result{Files: []string{}}
	all, err := parseFits(fits)
	if err != nil {
		return err
	}
	lacks := len(Lacking(all, f.Job.Note[0] == "view")) > 0
	for _, name := range f.Job.Names {
		p, err := s.copied(f.Job.Note)
		if err != nil {
			return err
		}
		r.Key, r.Objects, r.Damage, r.Fits = p.Key, p.Objects(), p.Damage(), batch.FitsOf(p)
		if lacks {
			break
		}
		file := path.Join(folderOf(p.Key), name)
		err = writeAnswer(ctx, f.Job.Out, file, p, nil)
		if errors.Is(err, batch.ErrNoTypes) {
			continue // damage says why
		}
		if err != nil {
			return err
		}
		r.Files = append(r.Files, file)
	}
	line, err := r.line()
	if err == nil {
		emit(line)
	}
	return err
}

// completeFn lists the files of a data set, which have been written where items were read.
type completeFn struct{ Job Job }

// ProcessElement writes the list of all files, and emits the results of keys.
func (f *completeFn) ProcessElement(_ context.Context, _ int, next func(*Sum) bool, emit func(string)) error {
	var list []*batch.Partial
	for s := (Sum{}); next(&s); {
		p, err := s.copied(f.Job.Note)
		if err != nil {
			return err
		}
		r := Result{Key: p.Key, Objects: p.Objects(), Files: []string{}, Damage: p.Damage(), Fits: p.Fits}
		for _, file := range p.Files() {
			r.Files = append(r.Files, file.Path)
		}
		line, err := r.line()
		if err != nil {
			return err
		}
		emit(line)
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *batch.Partial) int { return batch.CompareKeys(a.Key, b.Key) })
	return answers.WriteAll(os.Stderr, list)
}

// folderOf returns the folder of a key, as in service=shop/version=1%2F2, as data sets have it. No two keys have the same.
func folderOf(key []batch.Label) string {
	var parts []string
	for _, l := range key {
		parts = append(parts, columns.PartitionName(l.Name, l.Value))
	}
	return path.Join(parts...)
}

// writeAnswer writes a file of an answer, or of the differences from base.
func writeAnswer(ctx context.Context, out, file string, p, base *batch.Partial) error {
	return place(ctx, out, file, func(local string) error {
		return answers.Write(ctx, os.Stderr, p, base, local)
	})
}

// place makes a file of a folder, which write makes as a local one. It is there as a whole or not at all.
func place(ctx context.Context, out, file string, write func(local string) error) error {
	if !isRemote(out) {
		local := filepath.Join(out, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(local), 0o777); err != nil {
			return err
		}
		return write(local)
	}
	dir, err := os.MkdirTemp("", "mjfr-fleet")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // nobody needs it
	local := filepath.Join(dir, filepath.Base(file))
	if err := write(local); err != nil {
		return err
	}
	data, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	to := strings.TrimSuffix(out, "/") + "/" + file
	system, err := filesystem.New(ctx, to)
	if err != nil {
		return err
	}
	return errors.Join(filesystem.Write(ctx, system, to, data), system.Close())
}

// reportFn writes what has been written, and what could not be read.
type reportFn struct{ Out string }

// ProcessElement writes the lines of all results, in the order of keys.
func (f *reportFn) ProcessElement(ctx context.Context, _ int, next func(*string) bool) error {
	var results []Result
	for line := ""; next(&line); {
		var r Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return err
		}
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b Result) int {
		return batch.CompareValues(strings.Join(a.Files, " "), strings.Join(b.Files, " "))
	})
	var damage []batch.Damage
	var lines, damaged bytes.Buffer
	for _, r := range results {
		damage = append(damage, r.Damage...)
		r.Damage = nil
		line, err := r.line()
		if err != nil {
			return err
		}
		lines.WriteString(line + "\n")
	}
	slices.SortStableFunc(damage, func(a, b batch.Damage) int { return strings.Compare(a.Object, b.Object) })
	for _, d := range damage {
		line, err := json.Marshal(d)
		if err != nil {
			return err
		}
		damaged.WriteString(string(line) + "\n")
	}
	for name, data := range map[string][]byte{ResultsFile: lines.Bytes(), DamageFile: damaged.Bytes()} {
		err := place(ctx, f.Out, name, func(local string) error {
			return atomicfile.Replace(local, 0o666, func(w *os.File) error {
				_, err := w.Write(data)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
