package configure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/internal/jfc"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// suffix ends the names of .jfc files.
const suffix = ".jfc"

// templates are the .jfc files of a JDK.
type templates struct {
	dir   string // empty if no JDK was found
	names []string
}

// findTemplates finds the files of the JDK of a running JVM, or else of the user.
func findTemplates(ctx context.Context, jvm string) (*templates, error) {
	if jvm == "" {
		return userTemplates(), nil
	}
	pid, err := strconv.Atoi(jvm)
	if err != nil {
		if pid, err = live.ProcessOf(jvm); err != nil {
			return nil, err
		}
	}
	vm, err := attach.Open(ctx, pid)
	if err != nil {
		return nil, err
	}
	properties, err := vm.Properties(ctx)
	if err != nil {
		return nil, err
	}
	dir := vm.Path(path.Join(properties["java.home"], "lib", "jfr"))
	t := &templates{dir: dir}
	if !t.list() {
		return nil, fmt.Errorf("the JDK of process %d has no .jfc files in %s, or they cannot be read; run this as root, or name a file by --input", pid, dir)
	}
	return t, nil
}

// userTemplates finds the files of the JDK of JAVA_HOME, or else of java on PATH.
func userTemplates() *templates {
	homes := []string{os.Getenv("JAVA_HOME")}
	if java, err := exec.LookPath("java"); err == nil {
		if java, err = filepath.EvalSymlinks(java); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(java)))
		}
	}
	for _, home := range homes {
		for _, inside := range []string{"lib", filepath.Join("jre", "lib")} { // the second one is that of JDK 8
			t := &templates{dir: filepath.Join(home, inside, "jfr")}
			if home != "" && t.list() {
				return t
			}
		}
	}
	return &templates{}
}

// list reads the names of the files, and reports whether there are any.
func (t *templates) list() bool {
	entries, _ := os.ReadDir(t.dir) // without it there are none
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && !e.IsDir() {
			t.names = append(t.names, name)
		}
	}
	return len(t.names) > 0
}

// path returns the path of a file: that of the JDK if it has one of that name.
func (t *templates) path(name string) string {
	for _, n := range t.names {
		if name == n || name == n+suffix {
			return filepath.Join(t.dir, n+suffix)
		}
	}
	return name
}

// read reads a file by its name; none is an empty one.
func (t *templates) read(name string) (*jfc.File, error) {
	if name == "none" {
		return jfc.New("None"), nil
	}
	f, err := open(t.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("could not find file '%s'%s", name, t.hint(name))
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("could not access file '%s'", name)
	case err != nil:
		return nil, fmt.Errorf("could not open file '%s': %w", name, err)
	}
	defer f.Close() // only read
	file, err := jfc.Read(f)
	return file, failed(err, name)
}

// open opens an ordinary file or a pipe.
func open(name string) (*os.File, error) {
	f, err := os.Open(name)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, wrong.Err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(errors.New("it is a directory"), f.Close())
	}
	return f, err
}

// failed says what could not be done with a file.
func failed(err error, name string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jfc.ErrUse):
		return fmt.Errorf("could not use file '%s'. %w", name, err)
	case errors.Is(err, jfc.ErrParse):
		return fmt.Errorf("could not parse file '%s'. %w", name, err)
	}
	return fmt.Errorf("could not open file '%s': %w", name, err)
}

// hint says what to do about a file that is not there.
func (t *templates) hint(name string) string {
	switch base := strings.TrimSuffix(name, suffix); {
	case t.dir == "" && (base == "default" || base == "profile"):
		return ": it belongs to a JDK, and none was found; set JAVA_HOME, put java on PATH, name a running JVM by --jvm, or a file by --input"
	case len(suggest.To(base, t.names)) > 0:
		return suggest.Question(base, t.names)
	case t.dir != "":
		return "; the JDK has " + strings.Join(t.names, ", ") + " in " + t.dir
	}
	return ""
}
