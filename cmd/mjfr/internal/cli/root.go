package cli

import (
	"strings"

	"github.com/spf13/cobra"

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
	hint := "mjfr help lists all"
	switch like := suggestNames(verbNames(root), word); {
	case strings.Contains(strings.ToLower(word), ".jfr"):
		hint = "put one before the recording, as in mjfr summary " + word
	case like != "":
		hint = "did you mean " + like + "?"
	}
	return Usagef("there is no verb %s; %s", word, hint)
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
