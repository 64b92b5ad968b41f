package configure

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// -record asks a JDK 25 again about the command lines of commands.json.
var record = flag.Bool("record", false, "record what the JDK says, in testdata/commands.json")

// recorded has command lines of jfr configure with files of testdata, and what the JDK says to each.
const recorded = "testdata/commands.json"

// command is a command line and what came of it.
type command struct {
	Args []string `json:"args"`
	Code int      `json:"code"`
	Out  string   `json:"out,omitempty"`
	// Err is the message; of wrong usage without the help.
	Err string `json:"err,omitempty"`
	// File is the SHA-256 of the file that was written, in hexadecimal.
	File string `json:"file,omitempty"`
}

// work makes a directory with copies of the .jfc files of testdata, and makes it the current one.
func work(t *testing.T) (dir string) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.jfc")
	require.NoError(t, err)
	dir, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
	}
	t.Chdir(dir)
	return dir
}

// finish completes an answer by the file that was written, and removes that. The names of the directory
// become DIR.
func (c *command) finish(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"custom.jfc", "out.jfc"} {
		if data, err := os.ReadFile(name); err == nil {
			sum := sha256.Sum256(data)
			c.File = hex.EncodeToString(sum[:])
			require.NoError(t, os.Rename(name, "last-"+name+".txt"))
		}
	}
	c.Out = strings.ReplaceAll(c.Out, dir, "DIR")
	c.Err = strings.ReplaceAll(c.Err, dir, "DIR")
}

// askJDK runs jfr configure of a JDK.
func askJDK(t *testing.T, home, dir string, c command) command {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := jdk.Command(t.Context(), home, "jfr", append([]string{"configure"}, c.Args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	c.Code, c.Out = cmd.ProcessState.ExitCode(), out.String()
	c.Err, _, _ = strings.Cut(strings.TrimPrefix(errs.String(), "jfr configure: "), "\n\nUsage:")
	c.Err = strings.TrimSuffix(c.Err, "\n")
	c.finish(t, dir)
	return c
}

// askMjfr runs mjfr configure.
func askMjfr(t *testing.T, dir string, c command) command {
	t.Helper()
	var out, errs bytes.Buffer
	a := &cli.App{Stdin: new(bytes.Buffer), Stdout: &out, Stderr: &errs, Root: clitest.Verbs(New)}
	c.Code = a.Run(context.Background(), append([]string{"configure"}, c.Args...))
	c.Out, c.Err = out.String(), errs.String()
	c.finish(t, dir)
	return c
}

var (
	warning = regexp.MustCompile(`(?m)^Warning! (.*)\n`)
	// usage are mistakes of the command line for which the JDK has the exit code of bad data.
	usage = regexp.MustCompile(`^(Option '|Could not find|Incorrect value|'.*' is not a valid|Timespan|only one output|filename must)`)
)

// same compares what the JDK and mjfr said. The JDK's warnings stand between its output, and those of mjfr
// on standard error; mjfr says more about errors.
func same(t *testing.T, want, got command) {
	t.Helper()
	for _, w := range warning.FindAllStringSubmatch(want.Out, -1) {
		assert.Contains(t, got.Err, "mjfr configure: "+w[1]+"\n")
	}
	assert.Equal(t, warning.ReplaceAllString(want.Out, ""), got.Out, want.Args)
	assert.Equal(t, want.File, got.File, want.Args)
	if usage.MatchString(want.Err) {
		want.Code = cli.ExitUsage
	}
	assert.Equal(t, want.Code, got.Code, "%q: %s", want.Args, got.Err)
	if want.Err != "" {
		assert.Contains(t, got.Err, strings.ReplaceAll(want.Err, "\n", " "), want.Args)
	}
}

// TestSaysWhatTheJDKSays needs no JDK: its answers were recorded, about files that are no JDK's.
func TestSaysWhatTheJDKSays(t *testing.T) {
	data, err := os.ReadFile(recorded)
	require.NoError(t, err)
	var commands []command
	require.NoError(t, json.Unmarshal(data, &commands))
	path, err := filepath.Abs(recorded)
	require.NoError(t, err)
	dir := work(t)
	if *record {
		home := longtest.JDK25(t)
		for i, c := range commands {
			commands[i] = askJDK(t, home, dir, command{Args: c.Args})
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		require.NoError(t, e.Encode(commands))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	}
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", "")
	for _, c := range commands {
		same(t, c, askMjfr(t, dir, command{Args: c.Args}))
	}
}

// TestFilesOfJDKs compares with JDKs about their own files: all choices of all options, and more.
func TestFilesOfJDKs(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	longtest.JVM(t)
	dir := work(t)
	compared := 0
	for _, j := range jdk.All() {
		if j.Major < 17 { // it has no jfr configure
			continue
		}
		t.Setenv("JAVA_HOME", j.Home)
		if j.Major >= jdk.JudgeMajor {
			help, err := jdk.Command(t.Context(), j.Home, "jfr", "help", "configure").Output()
			require.NoError(t, err)
			_, listed, _ := mjfr(t, "configure", "--list-options")
			assert.Contains(t, string(help), listed+"\n\nTo run interactive")
		}
		for i, args := range commandsFor(t) {
			if !longtest.Every(i, 3) {
				continue
			}
			want := askJDK(t, j.Home, dir, command{Args: args})
			if j.Major == 17 && want.Err != "" {
				continue // its messages are others
			}
			got := askMjfr(t, dir, command{Args: args})
			if j.Major < 25 {
				want.Out, got.Out = "", "" // --verbose shows other settings
			}
			same(t, want, got)
			compared++
		}
	}
	t.Logf("%d command lines compared", compared)
}

// commandsFor returns command lines for the files of the JDK of JAVA_HOME.
func commandsFor(t *testing.T) (list [][]string) {
	t.Helper()
	templates := userTemplates()
	for _, name := range templates.names {
		file, err := templates.read(name)
		require.NoError(t, err)
		first := []string{"--input", name + ".jfc"}
		add := func(args ...string) { list = append(list, append(append([]string{}, first...), args...)) }
		add("--output", "out.jfc")
		add("--output", "out.jfc", "--verbose")
		add("jdk.ThreadSleep#threshold=77us", "jdk.CPULoad#period=endChunk", "jdk.CPULoad#enabled=false", "--verbose")
		add("+own.Event#enabled=true", "+own.Event#threshold=1h", "+jdk.CPULoad#own=x y")
		add("no.Event#enabled=true")
		add("jdk.CPULoad#nothing=true")
		var all []string
		for _, o := range file.Options() {
			for _, c := range o.Choices() {
				add(o.Name() + "=" + c.Name)
			}
			last := o.Name() + "=true"
			switch o.ContentType() {
			case "timespan":
				last = o.Name() + "=5ms"
			case "method-filter":
				last = o.Name() + "=a.B::c"
			}
			if choices := o.Choices(); len(choices) > 0 {
				last = o.Name() + "=" + choices[len(choices)-1].Name
			}
			add(last, "--verbose")
			add(o.Name() + "=wrong value")
			all = append(all, last)
		}
		add(all...)
	}
	list = append(list, []string{"--input", "default,profile", "--output", "out.jfc"}, []string{"--input", "default.jfc,more.jfc", "more=true"})
	return list
}
