package main

import (
	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/at"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/batch"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/complete"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/configure"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/constants"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/copies"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/events"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/export"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/index"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/metadata"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/open"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/overview"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/print"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/profile"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/query"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/redact"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/repair"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/report"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/sql"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tail"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/verify"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/watch"
)

// group is verbs that stand together in the help.
type group struct {
	id, title string
	verbs     []cli.Verb
}

// groups are all verbs, in the order of the help.
var groups = []group{
	{"jdk", "As the JDK's jfr has them", []cli.Verb{print.New, overview.NewSummary, metadata.New, query.NewView,
		copies.NewScrub, copies.NewAssemble, copies.NewDisassemble, configure.New}},
	{"questions", "Questions", []cli.Verb{query.New, sql.New}},
	{"views", "Other views", []cli.Verb{overview.NewTypes, overview.NewChunks, constants.New, events.New, at.New, configure.NewSettings}},
	{"profiles", "Profiles", []cli.Verb{profile.New}},
	{"pages", "Pages", []cli.Verb{open.New, report.New}},
	{"fleets", "Many recordings", []cli.Verb{batch.New}},
	{"live", "Running JVMs", []cli.Verb{live.NewJVMs, watch.New, tail.New}},
	{"files", "Files", []cli.Verb{copies.NewSlice, copies.NewMerge, copies.NewCompact, copies.NewConvert, export.New, redact.New, verify.New, repair.New, index.New}},
	{"more", "More", []cli.Verb{newVersion, newHelp, complete.New, newMan, complete.NewBash}},
}

// newMjfr makes the command with all its verbs.
func newMjfr(a *cli.App) *cobra.Command {
	var version bool
	root := a.NewRoot("mjfr")
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
			verb := a.Prepare(make(a))
			verb.GroupID = g.id
			root.AddCommand(verb)
			if verb.Name() == "help" {
				root.SetHelpCommand(verb)
			}
		}
	}
	complete.Register(root)
	return root
}
