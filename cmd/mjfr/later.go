package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// laterVerb is a verb of the JDK's jfr that mjfr does not have yet.
type laterVerb struct {
	name, short string
	instead     string // what to use instead
	example     string
}

// laterVerbs are all of them.
var laterVerbs = []laterVerb{
	{
		"scrub", "Write a recording without some of its events",
		`jfr scrub of a JDK 19 or later; mjfr print --ndjson with --events, --thread or --where
writes the events that may be seen, but no recording`,
		"  mjfr print --ndjson --events 'GC*' app.jfr",
	},
	{
		"assemble", "Make one recording of a disk repository",
		`mjfr repair REPOSITORY OUT.jfr, which leaves out what is damaged; all verbs that read
recordings take the directory of a repository as it is`,
		"  mjfr repair /tmp/2026_11_21_12_00_00_4711 all.jfr",
	},
	{
		"disassemble", "Cut a recording into its chunks",
		`jfr disassemble of a JDK; mjfr chunks lists the chunks, and every verb that reads events
takes a part of a recording, however large that is, by --from and --to`,
		"  mjfr print --from 50% --to 60% app.jfr",
	},
}

// newLater makes verbs that say what to use instead of them. Any arguments of such a verb are wrong
// usage.
func newLater() (verbs []cli.Verb) {
	for _, v := range laterVerbs {
		verbs = append(verbs, func(*cli.App) *cobra.Command { return v.command() })
	}
	return verbs
}

func (v *laterVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:     v.name,
		Short:   v.short,
		Long:    "mjfr does not have the verb " + v.name + " of the JDK's jfr yet. Until it has, use\n" + v.instead + ".",
		Example: v.example,
		// Its options are those of the JDK's.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				return cmd.Help()
			}
			return cli.Usagef("mjfr does not have this verb of the JDK's jfr yet; use %s", oneLine(v.instead))
		},
	}
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
