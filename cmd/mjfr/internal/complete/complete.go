// Package complete completes command lines in shells: bash, zsh, fish and PowerShell.
package complete

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// flagCompletions complete the values of flags with these names, of all verbs.
var flagCompletions = map[string]cobra.CompletionFunc{
	"events":         completeTypes(true, ","),
	"exclude-events": completeTypes(true, ","), "include-events": completeTypes(true, ","),
	"categories":         completeCategories,
	"exclude-categories": completeCategories, "include-categories": completeCategories,
	"thread": completeThreads, "threads": completeThreads,
	"exclude-threads": completeThreads, "include-threads": completeThreads,
	"fields": completeFields(","),
	"where":  completeFields(" ,()!<>=&|'\""),
	"diff":   completeRecordings,
	// Shells that can offer files, too, do so.
	"settings": cobra.FixedCompletions([]string{"default", "profile"}, cobra.ShellCompDirectiveDefault),
	"color":    cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp),
}

// argCompletions complete arguments, by their name in the usage of a verb.
var argCompletions = map[string]cobra.CompletionFunc{
	"FILE":   completeRecordings,
	"TYPE":   completeTypes(false, ""),
	"VERB":   CompleteVerbs,
	"VIEW":   completeViews,
	"SOURCE": completeSources,
	"DIR": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	},
}

// Register adds completion to the flags and arguments of all verbs, except where a verb has its
// own, once a shell asks for it.
func Register(root *cobra.Command) {
	before := root.PersistentPreRun
	root.PersistentPreRun = func(cmd *cobra.Command, args []string) {
		if before != nil {
			before(cmd, args)
		}
		if cmd.Name() == cobra.ShellCompRequestCmd {
			registerAll(root)
			unquoteUsages(root)
		}
	}
}

func registerAll(root *cobra.Command) {
	register := func(cmd *cobra.Command, flags *pflag.FlagSet) {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, has := cmd.GetFlagCompletionFunc(f.Name); has || f.NoOptDefVal != "" {
				return
			}
			if do := completionOf(f); do != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, do) // it has the flag
			}
		})
	}
	register(root, root.PersistentFlags())
	for _, cmd := range root.Commands() {
		register(cmd, cmd.LocalNonPersistentFlags())
		if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
			cmd.ValidArgsFunction = completeArgs
		}
	}
}

// unquoteUsages removes the backquotes around the name of a value from the usages of all flags:
// shells show a usage as it is.
func unquoteUsages(root *cobra.Command) {
	unquote := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	root.PersistentFlags().VisitAll(unquote)
	for _, cmd := range root.Commands() {
		cmd.LocalNonPersistentFlags().VisitAll(unquote)
	}
}

// choice finds the values in the usage of a flag that lists them, as in
// "sort by `KEY`: name, count or bytes".
var choice = lazy.Regexp(`: ((?:[a-z0-9-]+, )*[a-z0-9-]+ or [a-z0-9-]+)(?:[.;,(\s]|$)`)

// completionOf returns what completes a flag. It returns nil if the shell is to offer files.
func completionOf(f *pflag.Flag) cobra.CompletionFunc {
	if do := flagCompletions[f.Name]; do != nil {
		return do
	}
	if found := choice().FindStringSubmatch(f.Usage); found != nil {
		return cobra.FixedCompletions(regexp.MustCompile(`, | or `).Split(found[1], -1), cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64", "float64", "duration":
		return cobra.NoFileCompletions
	}
	return nil
}

// completeArgs completes an argument by its name in the usage.
func completeArgs(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	places := slices.DeleteFunc(strings.Fields(cmd.Use)[1:], func(s string) bool { return strings.Contains(s, "flags") })
	if len(places) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	i := len(args)
	if last := len(places) - 1; i > last {
		if !strings.Contains(places[last], "...") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		i = last
	}
	if do := argCompletions[strings.Trim(places[i], "[].")]; do != nil {
		return do(cmd, args, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// recordingSuffixes are usual ends of the names of recordings, without the dot.
var recordingSuffixes = []string{"jfr", "jfr.gz", "jfr.zst", "jfr.lz4", "jfr.xz", "zip"}

func completeRecordings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return recordingSuffixes, cobra.ShellCompDirectiveFilterFileExt
}

func CompleteVerbs(cmd *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, verb := range cmd.Root().Commands() {
			if verb.IsAvailableCommand() {
				list = append(list, cobra.CompletionWithDesc(verb.Name(), verb.Short))
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeTypes completes types with separators between them: all types, or those of events.
func completeTypes(events bool, separators string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		var list offers
		aboutTypes(args, func(t mmapjfr.Type) {
			if events && !t.IsEvent() {
				return
			}
			list.add(t.Name(), t.Label())
			if word != "" { // otherwise each type would be offered twice
				list.add(t.SimpleName(), t.Label())
			}
		})
		return list.continuing(word, separators)
	}
}

// completeCategories completes a list of categories, with commas between them.
func completeCategories(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var list offers
	aboutTypes(args, func(t mmapjfr.Type) {
		for i, name := range t.Category() {
			list.add(name, strings.Join(t.Category()[:i], " > "))
		}
	})
	return list.continuing(word, ",")
}

// completeThreads completes the name of a thread.
func completeThreads(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var list offers
	aboutThreads(args, func(t mmapjfr.Thread) { list.add(t.Name(), "") })
	return list.continuing(word, "")
}

// eventsWanted returns the names of --events.
func eventsWanted(cmd *cobra.Command) []string {
	if f := cmd.Flag("events"); f != nil {
		return strings.Split(strings.Trim(f.Value.String(), "[]"), ",")
	}
	return nil
}

// completeFields completes fields of the event types that --events selects, with separators between
// them.
func completeFields(separators string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		var list offers
		events := eventsWanted(cmd)
		last := word[strings.LastIndexAny(word, separators)+1:]
		path := last[:strings.LastIndexByte(last, '.')+1]
		aboutTypes(args, func(t mmapjfr.Type) {
			if t.IsEvent() && isWanted(t, events) {
				for _, f := range fieldsAt(t, path) {
					list.add(path+f.Name(), f.Label())
				}
			}
		})
		return list.continuing(word, separators)
	}
}
