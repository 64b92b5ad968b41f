// Package jdk finds the Java development kits of this machine and runs their commands, for
// tests and for measurements against them.
package jdk

import (
	"cmp"
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

	"github.com/mmapjfr/jfr/internal/lazy"
)

// JudgeMajor is the least major version of a JDK whose jfr command decides what is right.
const JudgeMajor = 25

// ErrNone is returned for a folder that holds no JDK.
var ErrNone = errors.New("no JDK")

// JDK is a Java development kit.
type JDK struct {
	Home    string
	Major   int
	Version string // in full, for example 17.0.15
}

// Judge returns the home of the JDK that decides what is right: the one that the environment
// variable JAVA25_HOME names, or else the oldest of [All] that is new enough.
func Judge() (home string, ok bool) {
	named, _ := at(os.Getenv(fmt.Sprintf("JAVA%d_HOME", JudgeMajor))) // an error has no version
	for _, j := range append([]JDK{named}, All()...) {
		if j.Major >= JudgeMajor {
			return j.Home, true
		}
	}
	return "", false
}

// JudgeVersion returns the version of the JDK in home, for example 25.0.3. The error matches
// [ErrNone] if home holds no JDK or one too old to be the judge.
func JudgeVersion(home string) (string, error) {
	j, err := at(home)
	if err == nil && j.Major < JudgeMajor {
		err = fmt.Errorf("%w in %q that is new enough: its version is %s", ErrNone, home, j.Version)
	}
	return j.Version, err
}

var named = lazy.Regexp(`^JAVA(_|[0-9]+_)HOME$`)

// All returns the JDKs of this machine, the oldest first: those that JAVA_HOME, JAVA17_HOME and
// the like name, those of the java and jfr on PATH, and those in the folders beside them.
func All() []JDK {
	var homes []string
	for _, v := range os.Environ() {
		if name, home, _ := strings.Cut(v, "="); named().MatchString(name) && home != "" {
			homes = append(homes, home)
		}
	}
	for _, name := range []string{"java", "jfr"} {
		if path, err := exec.LookPath(name); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(realPath(path))))
		}
	}
	for _, home := range slices.Clone(homes) {
		beside := filepath.Dir(realPath(home))
		entries, _ := os.ReadDir(beside) // a folder that cannot be read has no JDKs for us
		for _, e := range entries {
			homes = append(homes, filepath.Join(beside, e.Name()))
		}
	}
	var all []JDK
	seen := map[string]bool{}
	for _, home := range homes {
		if home = realPath(home); seen[home] {
			continue
		}
		seen[home] = true
		if j, err := at(home); err == nil {
			all = append(all, j)
		}
	}
	slices.SortStableFunc(all, func(a, b JDK) int {
		return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Home, b.Home))
	})
	return all
}

// at returns the JDK in a folder. The error matches [ErrNone] if the folder holds no JDK
// with a jfr command.
func at(home string) (JDK, error) {
	if home == "" {
		return JDK{}, ErrNone
	}
	j := JDK{Home: home}
	for _, name := range []string{"java", "jfr"} {
		if !j.Has(name) {
			return JDK{}, fmt.Errorf("%w in %q: it has no command %s", ErrNone, home, name)
		}
	}
	ok := false
	if j.Version, ok = releaseVersion(home); !ok {
		out, err := exec.Command(j.path("jfr"), "version").Output() // the caller chose the JDK
		if err != nil {
			return JDK{}, fmt.Errorf("%w in %q: %w", ErrNone, home, err)
		}
		j.Version = strings.TrimSpace(string(out))
	}
	digits := j.Version[:len(j.Version)-len(strings.TrimLeft(j.Version, "0123456789"))]
	var err error
	if j.Major, err = strconv.Atoi(digits); err != nil {
		return JDK{}, fmt.Errorf("%w in %q: its version is %q", ErrNone, home, j.Version)
	}
	return j, nil
}

// releaseVersion reads the version from the release file of a JDK, which is quicker than to
// start it.
func releaseVersion(home string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(home, "release")) // the caller chose the JDK
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "JAVA_VERSION="); ok {
			return strings.Trim(v, `"`), true
		}
	}
	return "", false
}

// Has reports whether the JDK has a command, such as javac, which only some have.
func (j JDK) Has(name string) bool {
	info, err := os.Stat(j.path(name))
	return err == nil && !info.IsDir()
}

// Command returns a command of the JDK in home, such as java, that is killed when the context
// ends. It takes no options from environment variables: a JVM reports them on standard error,
// and they may change its answers.
func Command(ctx context.Context, home, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, JDK{Home: home}.path(name), args...) // the caller chose the JDK
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "JAVA_TOOL_OPTIONS" || name == "JDK_JAVA_OPTIONS" || name == "_JAVA_OPTIONS"
	})
	cmd.WaitDelay = time.Second
	return cmd
}

func (j JDK) path(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(j.Home, "bin", name)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}
