package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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

// check looks for patterns in files.
func check(ctx context.Context, a *cli.App, names []string, rules *redact.Rules, o *options) error {
	var all []checkedFile
	for _, name := range names {
		some, err := checkNamed(ctx, a, name, rules)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	for _, f := range all {
		a.Damaged = a.Damaged || f.Count > 0
	}
	if o.report == "json" {
		return a.WriteJSON(map[string]any{"files": all})
	}
	for _, f := range all {
		for _, found := range f.Findings {
			if _, err := fmt.Fprintf(a.Stdout, "%s: 0x%x: %s (%s)\n", terminal.Printable(f.File), found.Offset, terminal.Printable(found.Rule), found.Encoding); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s: %s in %s\n", terminal.Printable(f.File), terminal.CountOf(uint64(f.Count), "pattern"), terminal.CountOf(uint64(f.Bytes), "byte")); err != nil {
			return err
		}
	}
	return nil
}

// checkNamed checks what a name leads to: a file as it is, or the recordings in a packed file or a directory.
func checkNamed(ctx context.Context, a *cli.App, name string, rules *redact.Rules) ([]checkedFile, error) {
	if name == "-" {
		checked, err := redact.Check(ctx, a.Stdin, rules)
		return []checkedFile{{"standard input", checked}}, err
	}
	if isPlain(name) {
		f, err := checkFile(ctx, name, rules)
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
			f, err = checkFile(ctx, path, rules)
		} else {
			f.Checked, err = checkUnpacked(ctx, rec, rules)
		}
		if err != nil {
			return nil, errors.Join(err, set.Close())
		}
		all = append(all, f)
	}
	return all, set.Close()
}

// isPlain reports whether a name is that of a file that is not packed, or of no file.
func isPlain(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return false
	}
	head := make([]byte, 4)
	_, _ = io.ReadFull(f, head) // a short file is not packed
	for _, magic := range []string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "\x04\x22\x4d\x18", "\xfd7zX", "PK"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return false
		}
	}
	return true
}

func checkFile(ctx context.Context, path string, rules *redact.Rules) (checkedFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return checkedFile{}, err
	}
	defer f.Close()
	checked, err := redact.Check(ctx, f, rules)
	if err != nil {
		return checkedFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return checkedFile{path, checked}, nil
}

// checkUnpacked checks the bytes of a recording that was packed.
func checkUnpacked(ctx context.Context, rec *mmapjfr.Recording, rules *redact.Rules) (checked *redact.Checked, err error) {
	err = rec.Protect(func() error {
		var parts []io.Reader
		for _, c := range rec.Chunks() {
			parts = append(parts, bytes.NewReader(c.Bytes()))
		}
		checked, err = redact.Check(ctx, io.MultiReader(parts...), rules)
		return err
	})
	return checked, err
}
