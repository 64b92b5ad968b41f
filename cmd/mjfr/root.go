package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/internal/suggest"
)

// group is some verbs that stand together in the help.
type group struct {
	id, title string
	verbs     []string // in their order
}

// groups are all there are. Verbs that none of them names are in the second one.
var groups = []group{
	{"jdk", "As the JDK's jfr has them", []string{"print", "summary", "metadata"}},
	{"views", "Other views", []string{"types", "chunks", "constants", "events", "at"}},
	{"live", "Running JVMs", []string{"jvms", "watch", "tail"}},
	{"files", "Files", []string{"verify", "repair", "index"}},
	{"later", "Of the JDK's jfr, not there yet", nil},
	{"more", "More", []string{"version", "help", "completion", "man"}},
}

// root makes the command with all its verbs.
func (a *app) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "mjfr VERB FILE...",
		Short: "Read Flight Recorder files",
		Long: `mjfr reads Flight Recorder files. It has the verbs, options and outputs of the JDK's
jfr, and more; it needs no JVM.`,
		Example: `  mjfr summary app.jfr
  mjfr print --events CPULoad,GarbageCollection app.jfr
  mjfr summary repository/*.jfr old.jfr.gz
  mjfr watch 4711
  curl -s https://example.com/app.jfr.zst | mjfr types -
  mjfr help print`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(cmd, args[0])
			}
			return nil
		},
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.verb = cmd
			a.dress()
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v, _, err := cmd.Find([]string{"version"}); version && err == nil {
				return v.RunE(v, nil)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "tell the version, as the verb does")
	a.persistentFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpFunc(a.help)
	cobra.EnableCommandSorting = false
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title + ":"})
	}
	root.SetHelpCommand(a.begins(newHelp()))
	root.SetHelpCommandGroupID("more")
	for _, verb := range verbs {
		root.AddCommand(a.begins(verb(a)))
	}
	root.AddCommand(a.begins(newBash(a)))
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" {
			cmd.GroupID = groupOf(cmd.Name())
		}
	}
	a.completions(root)
	return root
}

// begins lets the app know when a verb has got so far that its command line is right.
func (a *app) begins(cmd *cobra.Command) *cobra.Command {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			a.began = true
			return run(cmd, args)
		}
	}
	return cmd
}

func groupOf(verb string) string {
	for _, g := range groups {
		for _, name := range g.verbs {
			if name == verb {
				return g.id
			}
		}
	}
	return "views"
}

// asVerb gives what the JDK's jfr also takes for verbs their names.
func asVerb(args []string) []string {
	if len(args) > 0 && args[0] == "-?" {
		return append([]string{"help"}, args[1:]...)
	}
	return args
}

// unknownVerb makes the error for a word that is no verb.
func unknownVerb(root *cobra.Command, word string) error {
	hint := "mjfr help lists all"
	switch like := suggestNames(verbNames(root), word); {
	case strings.Contains(strings.ToLower(word), ".jfr"):
		hint = "put one before the recording, as in mjfr summary " + word
	case like != "":
		hint = "did you mean " + like + "?"
	}
	return usagef("there is no verb %s; %s", word, hint)
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
