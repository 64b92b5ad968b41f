package main

import (
	"maps"
	"slices"

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

// group is verbs that stand together in the help. The help of mjfr alone lists the first of
// them, mjfr help --all lists all.
type group struct {
	id, title   string
	first, more []cli.Verb
}

// groups are all verbs, in the order of the help.
var groups = []group{
	{"look", "Look", []cli.Verb{overview.NewSummary, query.NewView, print.New}, []cli.Verb{overview.NewTypes, overview.NewChunks,
		constants.New, events.New, at.New, metadata.New, configure.NewSettings}},
	{"ask", "Ask", []cli.Verb{query.New}, []cli.Verb{sql.New}},
	{"profile", "Profile and compare", []cli.Verb{profile.New, open.New}, nil},
	{"follow", "Follow a running JVM", []cli.Verb{watch.New, tail.New}, []cli.Verb{live.NewJVMs}},
	{"share", "Share", []cli.Verb{redact.New}, []cli.Verb{report.New, export.New, batch.New}},
	{"files", "Work on files", []cli.Verb{verify.New}, []cli.Verb{repair.New, copies.NewSlice, copies.NewMerge, copies.NewScrub,
		copies.NewCompact, copies.NewConvert, copies.NewAssemble, copies.NewDisassemble, configure.New}},
	{"more", "More", nil, []cli.Verb{newVersion, newHelp, complete.New, newMan}},
}

// firstKey is the annotation of verbs that the help of mjfr alone lists.
const firstKey = "first"

// newMjfr makes the command with all its verbs.
func newMjfr(a *cli.App) *cobra.Command {
	var version bool
	root := a.NewRoot("mjfr")
	root.Short = "Read Flight Recorder files"
	root.Long = `mjfr reads Java Flight Recorder (JFR) files. It takes the verbs and options of the JDK's
jfr, and needs no JVM.`
	root.Example = `  mjfr summary app.jfr
  mjfr profile -o flame.html app.jfr
  mjfr print --events CPULoad,GarbageCollection app.jfr
  mjfr query 'select path, count(*) from FileRead group by path' app.jfr.gz
  mjfr watch 4711`
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
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for i, make := range slices.Concat(g.first, g.more) {
			verb := a.Prepare(make(a))
			verb.GroupID = g.id
			if i < len(g.first) {
				verb.Annotations = maps.Collect(maps.All(verb.Annotations)) // never nil
				verb.Annotations[firstKey] = g.id
			}
			root.AddCommand(verb)
			if verb.Name() == "help" {
				root.SetHelpCommand(verb)
			}
		}
	}
	complete.Register(root)
	return root
}
