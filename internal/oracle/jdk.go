package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MinJDK is the least major version of a JDK whose answers are believed.
const MinJDK = 25

// ErrNoJDK is returned for a folder that is not the home of a JDK of at least
// [MinJDK] with a jfr command.
var ErrNoJDK = errors.New("oracle: no jfr command of JDK 25")

// FindJDK25 returns the home of a JDK of at least [MinJDK]. It looks at the
// environment variable JAVA25_HOME, then at folders with 25 in their name beside the
// home of the java on PATH, then at the jfr on PATH.
func FindJDK25() (home string, ok bool) {
	candidates := []string{os.Getenv("JAVA25_HOME")}
	if java, ok := homeOfCommand("java"); ok {
		beside, _ := filepath.Glob(filepath.Join(quoteGlob(filepath.Dir(java)), "*25*"))
		slices.Sort(beside)
		candidates = append(candidates, beside...)
	}
	if jfr, ok := homeOfCommand("jfr"); ok {
		candidates = append(candidates, jfr)
	}
	for _, home := range candidates {
		if home == "" {
			continue
		}
		if _, err := JDKVersion(home); err == nil {
			return home, true
		}
	}
	return "", false
}

// JDKVersion returns the version of the JDK in home, for example 25.0.3. The error
// is [ErrNoJDK] if there is no jfr command there or it is too old.
func JDKVersion(home string) (string, error) {
	if _, err := os.Stat(jfrCommand(home)); err != nil {
		return "", fmt.Errorf("%w in %q: %w", ErrNoJDK, home, err)
	}
	version, ok := releaseVersion(home)
	if !ok {
		out, err := exec.Command(jfrCommand(home), "version").Output() // the caller chose the JDK
		if err != nil {
			return "", fmt.Errorf("%w in %q: %w", ErrNoJDK, home, err)
		}
		version = strings.TrimSpace(string(out))
	}
	major, _, _ := strings.Cut(version, ".")
	major, _, _ = strings.Cut(major, "-")
	if n, err := strconv.Atoi(major); err != nil || n < MinJDK {
		return "", fmt.Errorf("%w in %q: its version is %q", ErrNoJDK, home, version)
	}
	return version, nil
}

// releaseVersion reads the version from the release file of a JDK, which is quicker
// than to start it.
func releaseVersion(home string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(home, "release")) // the caller chose the JDK
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := cutAround(strings.TrimSpace(line), `JAVA_VERSION="`, `"`); ok {
			return v, true
		}
	}
	return "", false
}

// homeOfCommand returns the home of the JDK that a command on PATH belongs to.
func homeOfCommand(name string) (string, bool) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", false
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", false
	}
	return filepath.Dir(filepath.Dir(path)), true
}

// Command returns a command of the JDK in home, such as java, that is killed when
// the context ends. It takes no options from environment variables.
func Command(ctx context.Context, home, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, commandPath(home, name), args...) // the caller chose the JDK
	cmd.Env = withoutJavaOptions(os.Environ())
	cmd.WaitDelay = time.Second
	return cmd
}

func jfrCommand(home string) string { return commandPath(home, "jfr") }

func commandPath(home, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(home, "bin", name)
}

// quoteGlob protects the characters of a path that filepath.Glob would interpret.
func quoteGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
