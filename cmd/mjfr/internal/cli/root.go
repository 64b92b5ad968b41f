package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/internal/suggest"
)

// Verb makes the command of a verb.
type Verb = func(*App) *cobra.Command

// RecordingsKey is the annotation of verbs that do not read several recordings as one. Its
// value says what they do with several; it is empty if they take only files.
const RecordingsKey = "recordings"

// NewRoot makes the command that verbs are added to, each by [App.Prepare].
func (a *App) NewRoot(name string) *cobra.Command {
	root := &cobra.Command{
		Use:           name + " VERB FILE...",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UnknownVerb(cmd, args[0])
			}
			return nil
		},
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.verb = cmd
			a.Dress()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	a.persistentFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(a.flagError)
	return root
}

// Prepare makes a verb note when it begins to run: its command line is right then.
func (a *App) Prepare(verb *cobra.Command) *cobra.Command {
	if run := verb.RunE; run != nil {
		verb.RunE = func(cmd *cobra.Command, args []string) error {
			a.began = true
			return run(cmd, args)
		}
	}
	return verb
}

// asVerb replaces -?, which the JDK's jfr takes for a verb.
func asVerb(args []string) []string {
	if len(args) > 0 && args[0] == "-?" {
		return append([]string{"help"}, args[1:]...)
	}
	return args
}

// UnknownVerb makes the error for a word that is no verb.
func UnknownVerb(root *cobra.Command, word string) error {
	hint := "mjfr help --all lists all"
	switch like := suggestNames(verbNames(root), word); {
	case meant[strings.ToLower(word)] != "":
		hint = "use mjfr " + meant[strings.ToLower(word)]
	case strings.Contains(strings.ToLower(word), ".jfr"):
		word = remote.New(remote.Options{}).Show(word)
		hint = "put one before the recording, as in mjfr summary " + word
	case like != "":
		hint = "did you mean " + like + "?"
	}
	return Usagef("unknown verb %s; %s", word, hint)
}

// meant has words that people try, and the command line that does what they mean.
var meant = map[string]string{
	"flamegraph": "profile -o flame.html FILE",
	"flame":      "profile -o flame.html FILE",
	"top":        "view hot-methods FILE, or mjfr watch for a running JVM",
	"diff":       "profile -o diff.html --diff OLD NEW",
	"compare":    "profile -o diff.html --diff OLD NEW",
	"serve":      "open FILE",
	"server":     "open FILE",
	"ui":         "open FILE",
	"gui":        "open FILE",
	"web":        "open FILE",
	"cat":        "print FILE",
	"show":       "print FILE",
	"dump":       "print FILE, or jcmd PID JFR.dump for a running JVM",
	"grep":       "print --where CONDITION FILE",
	"info":       "summary FILE",
	"stats":      "summary FILE",
	"select":     "query 'select ...' FILE",
	"record":     "profile --for 30s -o flame.html PID",
	"follow":     "tail -f PID",
	"monitor":    "watch PID",
	"ps":         "jvms",
	"anonymize":  "redact FILE OUT",
	"sanitize":   "redact FILE OUT",
	"check":      "verify FILE",
	"validate":   "verify FILE",
	"recover":    "repair FILE OUT",
	"fix":        "repair FILE OUT",
	"join":       "merge FILE... OUT",
	"filter":     "slice FILE OUT, or mjfr print --where CONDITION FILE",
}

func verbNames(root *cobra.Command) (names []string) {
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// suggestNames returns the names that look like a word; empty if none does.
func suggestNames(names []string, word string) string {
	return strings.Join(suggest.To(word, names), " or ")
}

// persistentFlags adds the flags of all verbs.
func (a *App) persistentFlags(f *pflag.FlagSet) {
	a.color = terminal.Auto
	f.Var(&a.color, "color", "use colors: `WHEN` is auto, always (also aligns columns, for less -R) or never")
	a.remoteFlags(f)
	f.BoolVar(&a.NoCache, "no-cache", false, "keep nothing in your cache folder for the next run, and use nothing from it")
	f.BoolVar(&a.noProgress, "no-progress", false, "show no progress; only terminals show it")
}

// flagError makes the error for a wrong flag.
func (a *App) flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() {
		// If a word is no verb, its flags mean nothing.
		if words := cmd.Flags().Args(); len(words) > 0 {
			return UnknownVerb(cmd, words[0])
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedName() == "v" {
			return Usagef("%w; mjfr -v prints the version", err)
		}
		if unknown.GetSpecifiedShortnames() != "" {
			return usageError{err}
		}
		if use := meantFlags[unknown.GetSpecifiedName()]; use != "" && cmd.Flags().Lookup("type") != nil {
			return Usagef("%w; use %s", err, use)
		}
		if like := suggestNames(flagNames(cmd), unknown.GetSpecifiedName()); like != "" {
			return Usagef("%w; did you mean %s?", err, "--"+strings.ReplaceAll(like, " or ", " or --"))
		}
	}
	if short, ok := errors.AsType[*pflag.ValueRequiredError](err); ok && strings.Contains("0123456789", short.GetSpecifiedName()) {
		return Usagef("-%s is not a position; write it with a unit, as in -%[1]ss", short.GetSpecifiedName())
	}
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return Usagef("--%s cannot be %q: %w", value.GetFlag().Name, value.GetValue(), badValue(value))
	}
	return usageError{err}
}

// meantFlags has flags that people try with mjfr profile, as jfrconv has them, and those that do
// what they mean.
var meantFlags = map[string]string{
	"cpu": "-t cpu", "alloc": "-t alloc", "wall": "-t wall", "lock": "-t lock", "live": "-t live",
	"leak": "-t leak", "nativemem": "-t malloc", "flamegraph": "-o flame.html", "html": "-o flame.html",
	"heatmap": "-o heatmap.html", "pprof": "-o app.pb.gz", "collapsed": "-o app.collapsed", "otlp": "-o app.otlp",
}

// badValue says what the value of a flag should be.
func badValue(err *pflag.InvalidValueError) error {
	switch err.GetFlag().Value.Type() {
	case "int", "int32", "int64", "uint", "uint32", "uint64":
		if number, ok := errors.AsType[*strconv.NumError](err); ok && number.Err == strconv.ErrRange {
			return errors.New("that is too large, or too small")
		} else if ok {
			return errors.New("it must be a whole number")
		}
	case "bool":
		return errors.New("it must be true or false; without a value it is true")
	case "duration":
		return errors.New("it must be a length of time, such as 20ms or 1m30s")
	}
	return fmt.Errorf("%w", err.Unwrap())
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
