package main

import (
	"github.com/spf13/cobra"
)

// group is verbs that stand together in the help, in their order.
type group struct {
	id, title string
	verbs     []func(*app) *cobra.Command
}

// groups have all verbs.
var groups = []group{
	{"jdk", "As the JDK's jfr has them", []func(*app) *cobra.Command{newPrint, newSummary, newMetadata}},
	{"views", "Other views", []func(*app) *cobra.Command{newTypes, newChunks, newConstants, newEvents, newAt}},
	{"live", "Running JVMs", []func(*app) *cobra.Command{newJVMs, newWatch, newTail}},
	{"files", "Files", []func(*app) *cobra.Command{newVerify, newRepair, newIndex}},
	{"later", "Of the JDK's jfr, not there yet", newLater()},
	{"more", "More", []func(*app) *cobra.Command{newVersion, newHelp, newCompletion, newMan, newBash}},
}

// newMjfr makes the command with all its verbs.
func newMjfr(a *app) *cobra.Command {
	var version bool
	root := a.newRoot("mjfr")
	root.Short = "Read Flight Recorder files"
	root.Long = `mjfr reads Flight Recorder files. It has the verbs, options and outputs of the JDK's
jfr, and more; it needs no JVM.`
	root.Example = `  mjfr summary app.jfr
  mjfr print --events CPULoad,GarbageCollection app.jfr
  mjfr summary repository/*.jfr old.jfr.gz
  mjfr watch 4711
  curl -s https://example.com/app.jfr.zst | mjfr types -
  mjfr help print`
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if v, _, err := cmd.Find([]string{"version"}); version && err == nil {
			return v.RunE(v, nil)
		}
		return cmd.Help()
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version, as the verb does")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(a, cmd) })
	cobra.EnableCommandSorting = false
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title + ":"})
		for _, make := range g.verbs {
			verb := a.prepare(make(a))
			verb.GroupID = g.id
			root.AddCommand(verb)
			if verb.Name() == "help" {
				root.SetHelpCommand(verb)
			}
		}
	}
	registerCompletions(root)
	return root
}
