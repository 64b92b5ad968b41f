package redact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/redact"
)

// checkedFile is what mjfr redact --check --report json prints of a file.
type checkedFile struct {
	File string `json:"file"`
	*redact.Checked
}

// check looks for patterns in files, and for what the rules replace in an original.
func check(ctx context.Context, a *cli.App, names []string, rules *redact.Rules, o *options) error {
	r := redact.New(rules, redact.Key{})
	if o.original != "" {
		if err := learnOriginal(ctx, a, o.original, r); err != nil {
			return err
		}
	}
	var all []checkedFile
	var bad []error
	for _, name := range names {
		some, err := checkNamed(ctx, a, name, r)
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			bad = append(bad, err)
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return errors.Join(bad...)
	}
	a.Damaged = a.Damaged || len(bad) > 0
	return errors.Join(showChecked(a, all, rules, o), errors.Join(bad...))
}

// showChecked shows what was found in files.
func showChecked(a *cli.App, all []checkedFile, rules *redact.Rules, o *options) error {
	for _, f := range all {
		a.Damaged = a.Damaged || f.Count > 0
	}
	if o.report == "json" {
		return a.WriteJSON(map[string]any{"files": all, "knows": rules.Knows()})
	}
	for _, f := range all {
		for _, found := range f.Findings {
			if _, err := fmt.Fprintf(a.Stdout, "%s: 0x%x: %s (%s, %s)\n", terminal.Printable(f.File), found.Offset, terminal.Printable(found.Rule),
				terminal.CountOf(uint64(found.Length), "byte"), found.Encoding); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s: %s in %s\n", terminal.Printable(f.File), terminal.CountOf(uint64(f.Count), "pattern"), terminal.CountOf(uint64(f.Bytes), "byte")); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(all, func(f checkedFile) bool { return f.Count == 0 }) {
		return nil
	}
	more := "; --original FILE also looks for what is replaced in the recording before it was redacted"
	if o.original != "" {
		more = "; and what the rules replace in " + terminal.Printable(o.original)
	}
	_, err := fmt.Fprintf(a.Stdout, "0 patterns prove only that nothing is left of what the rules know: %s%s. What only words or a place tell they do not find (docs/REDACT.md).\n",
		terminal.Printable(strings.Join(rules.Knows(), ", ")), more)
	return err
}

// learnOriginal makes a Redactor know what it would replace in a recording.
func learnOriginal(ctx context.Context, a *cli.App, name string, r *redact.Redactor) error {
	return a.WithInput(ctx, []string{name}, input.Options{}, func(set *input.Set) error {
		r.Remember()
		_, err := edit(ctx, a, set, io.Discard, r)
		return err
	})
}

// checkNamed checks what a name leads to: a file as it is, or the recordings in a packed file or a directory.
func checkNamed(ctx context.Context, a *cli.App, name string, r *redact.Redactor) ([]checkedFile, error) {
	if name == "-" {
		from := bufio.NewReaderSize(a.Stdin, headLen)
		head, _ := from.Peek(headLen) // the error comes again
		if a.Stdin = from; !input.IsPacked(head) {
			checked, err := r.Check(ctx, from)
			return []checkedFile{{"standard input", checked}}, err
		}
	} else if isPlain(name) {
		f, err := checkFile(ctx, name, r)
		return []checkedFile{f}, err
	}
	set, err := a.Open(ctx, []string{name}, input.Options{})
	if err != nil {
		return nil, err
	}
	var all []checkedFile
	for _, rec := range set.Recordings {
		f := checkedFile{File: set.Name(rec)}
		if path := set.Path(rec); path != "" {
			f, err = checkFile(ctx, path, r)
		} else {
			f.Checked, err = checkUnpacked(ctx, rec, r)
		}
		if err != nil {
			return nil, errors.Join(err, set.Close())
		}
		all = append(all, f)
	}
	return all, set.Close()
}

// headLen is how many bytes of a file say whether it is packed.
const headLen = 512

// isPlain reports whether a name is that of an ordinary file that is not packed.
func isPlain(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false // to open a pipe is to wait for its writer
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, headLen)
	n, _ := io.ReadFull(f, head) // a file may be shorter
	return !input.IsPacked(head[:n])
}

func checkFile(ctx context.Context, path string, r *redact.Redactor) (checkedFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return checkedFile{}, err
	}
	defer f.Close()
	checked, err := r.Check(ctx, f)
	if err != nil {
		return checkedFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return checkedFile{path, checked}, nil
}

// checkUnpacked checks the bytes of a recording that was packed.
func checkUnpacked(ctx context.Context, rec *mmapjfr.Recording, r *redact.Redactor) (checked *redact.Checked, err error) {
	err = rec.Protect(func() error {
		var parts []io.Reader
		for _, c := range rec.Chunks() {
			parts = append(parts, bytes.NewReader(c.Bytes()))
		}
		checked, err = r.Check(ctx, io.MultiReader(parts...))
		return err
	})
	return checked, err
}
