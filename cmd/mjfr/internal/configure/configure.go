// Package configure has the verbs configure and settings: they write .jfc files, which say what a
// JVM records.
package configure

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/jfc"
)

// verb is mjfr configure with its flags.
type verb struct {
	*cli.App
	verbose, list   bool
	inputs, outputs []string
	jvm             string

	ui  io.Writer         // where the verb says what it does
	log map[string]string // settings that have changed, for --verbose
}

const configureText = `Write a .jfc file, which says which events a JVM records, and from which duration on. It begins
with the settings of a JDK and changes what you name.

OPTION=VALUE sets an option, such as gc=high, which decides several settings at once;
--list-options lists them. EVENT#SETTING=VALUE sets one setting of one event type, such as
jdk.FileRead#threshold=1ms. A + before the event type adds a setting that the file lacks.

--input names the .jfc files to begin with, separated by commas: files of the JDK, such as default and
profile, or paths; none begins empty. The JDK is that of JAVA_HOME, of java on PATH, or of a running
JVM (--jvm).

The file is byte for byte what the JDK's jfr configure writes; an existing one is replaced. Use it with
java -XX:StartFlightRecording:settings=FILE, jcmd PID JFR.start settings=FILE, or
mjfr watch --settings FILE PID.`

// New makes the verb that writes a .jfc file.
func New(a *cli.App) *cobra.Command {
	v := &verb{App: a}
	cmd := &cobra.Command{
		Use:         "configure [flags] [OPTION=VALUE]... [EVENT#SETTING=VALUE]...",
		Annotations: map[string]string{cli.RecordingsKey: ""},
		Short:       "Write a settings file (.jfc)",
		Long:        configureText,
		Example: `  mjfr configure gc=high method-profiling=high --output high.jfc
  mjfr configure --input profile jdk.JavaMonitorEnter#threshold=1ms --output locks.jfc
  mjfr configure +com.example.Order#enabled=true +com.example.Order#stackTrace=true
  mjfr configure --input none +jdk.CPULoad#enabled=true +jdk.CPULoad#period=1s
  mjfr configure --list-options --jvm 4711`,
		Args:              v.args,
		ValidArgsFunction: v.complete,
		RunE:              v.run,
	}
	f := cmd.Flags()
	f.StringArrayVar(&v.inputs, "input", nil, "begin with these `FILES`, separated by commas: files of the JDK or paths, or none (default \"default.jfc\")")
	f.StringArrayVar(&v.outputs, "output", nil, "write this `FILE`; - is standard output (default \"custom.jfc\")")
	f.StringVar(&v.jvm, "jvm", "", "take the files of the JDK of a running `JVM`, by its number or name")
	f.BoolVar(&v.verbose, "verbose", false, "show the settings that the file gets")
	f.BoolVar(&v.list, "list-options", false, "list the options of the files, the values that they take, and in parentheses those that they have")
	return cmd
}

// args checks the command line.
func (v *verb) args(_ *cobra.Command, args []string) error {
	for _, arg := range args {
		if at := strings.IndexByte(arg, '='); at < 1 || at == len(arg)-1 {
			return cli.Usagef("unknown option %s; write options and settings like gc=high and jdk.CPULoad#period=1s", arg)
		}
	}
	switch {
	case len(v.outputs) > 1:
		return cli.Usagef("only one output file can be specified")
	case len(v.outputs) == 1 && v.outputs[0] != "-" && !strings.HasSuffix(v.outputs[0], ".jfc"):
		return cli.Usagef("filename must end with '.jfc'")
	case v.list && len(args)+len(v.outputs) > 0:
		return cli.Usagef("--list-options writes no file: leave out options and settings")
	case !v.list && len(v.outputs) == 0 && len(args) == 0:
		return cli.Usagef("missing argument: say what to set, as in gc=high, or name the file to write with --output; --list-options lists the options")
	}
	return nil
}

func (v *verb) run(cmd *cobra.Command, args []string) error {
	output := "custom.jfc"
	v.ui = v.Stdout
	switch {
	case len(v.outputs) == 0:
	case v.outputs[0] == "-":
		output, v.ui = "-", v.Stderr
	default:
		output = absolute(v.outputs[0])
	}
	t, err := findTemplates(cmd.Context(), v.jvm)
	if err != nil {
		return err
	}
	if v.list {
		return v.listOptions(t)
	}
	file := jfc.New("Custom")
	for _, name := range v.inputNames() {
		other, err := t.read(name)
		if err == nil {
			err = failed(file.Add(other), name)
		}
		if err != nil {
			return err
		}
		v.warn(other)
	}
	v.note(slices.Collect(file.Settings()))
	if err := v.set(file, args); err != nil {
		return err
	}
	return v.write(file, output)
}

// inputNames returns the names of the files to begin with.
func (v *verb) inputNames() (names []string) {
	for _, list := range v.inputs {
		names = append(names, strings.Split(strings.TrimRight(list, ","), ",")...)
	}
	if len(names) == 0 {
		return []string{"default.jfc"}
	}
	return names
}

func (v *verb) warn(file *jfc.File) {
	for _, text := range file.Warnings() {
		v.Report(errors.New(text))
	}
}

// set sets options and settings. Of several values of one name the last counts, at the place of the
// first.
func (v *verb) set(file *jfc.File, args []string) error {
	values := make(map[string]string)
	var names []string
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = value
	}
	for _, name := range names {
		_, isOption := file.Option(name)
		changed, err := file.Set(name, values[name])
		if err != nil {
			return cli.Usage(oneLine{err})
		}
		v.note(changed)
		if isOption {
			v.showLog()
		}
	}
	v.showLog()
	return nil
}

// oneLine is an error whose text has one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.ReplaceAll(e.error.Error(), "\n", " ") }
func (e oneLine) Unwrap() error { return e.error }

// note remembers settings for --verbose.
func (v *verb) note(changed []jfc.Setting) {
	if !v.verbose {
		return
	}
	if v.log == nil {
		v.log = make(map[string]string)
	}
	for _, s := range changed {
		if s.Value != "" {
			v.log[s.Event+"#"+s.Name] = s.Value
		}
	}
}

// showLog shows the settings that have changed since it was called last.
func (v *verb) showLog() {
	if len(v.log) == 0 {
		return
	}
	fmt.Fprintf(v.ui, "\nSetting:\n")
	for _, name := range slices.Sorted(maps.Keys(v.log)) {
		fmt.Fprintf(v.ui, "\"%s=%s\"\n", name, v.log[name])
	}
	clear(v.log)
}

// listOptions lists the options of each file.
func (v *verb) listOptions(t *templates) error {
	for i, name := range v.inputNames() {
		file, err := t.read(name)
		if err != nil {
			return err
		}
		v.warn(file)
		if i > 0 {
			fmt.Fprintln(v.Stdout)
		}
		fmt.Fprintf(v.Stdout, "Options for %s:\n", name)
		for _, o := range file.Options() {
			fmt.Fprintf(v.Stdout, "\n  %s\n", o.Syntax())
		}
	}
	return nil
}

// write writes the file and says where.
func (v *verb) write(file *jfc.File, output string) error {
	if output == "-" {
		_, err := file.WriteTo(v.Stdout)
		return err
	}
	err := atomicfile.Write(output, func(w io.Writer) error {
		_, err := file.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", output, err)
	}
	_, err = fmt.Fprintf(v.ui, "Configuration written successfully to:\n%s\n", absolute(output))
	return err
}

// absolute returns an absolute path as Java has it, which may have . and .. in it.
func absolute(name string) string {
	dir, err := os.Getwd()
	if err != nil || filepath.IsAbs(name) {
		return name
	}
	return strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + name
}
