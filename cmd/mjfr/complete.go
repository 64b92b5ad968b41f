package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// flagCompletions are what shells offer for flags of these names, whatever the verb.
var flagCompletions = map[string]cobra.CompletionFunc{
	"events":         completeTypes,
	"exclude-events": completeTypes, "include-events": completeTypes,
	"categories":         completeCategories,
	"exclude-categories": completeCategories, "include-categories": completeCategories,
	"thread": completeThreads, "threads": completeThreads,
	"exclude-threads": completeThreads, "include-threads": completeThreads,
	"fields": completeFields,
	"where":  completeWhere,
	"diff":   completeRecordings,
	"color":  cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp),
}

// argCompletions are what shells offer for arguments, by what stands for them in the
// usage of a verb.
var argCompletions = map[string]cobra.CompletionFunc{
	"FILE":   completeRecordings,
	"TYPE":   completeClasses,
	"VERB":   completeVerbs,
	"SOURCE": completeSources,
	"DIR": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	},
}

// completions lets shells complete the flags and arguments of all verbs, unless a verb
// has seen to that.
func (a *app) completions(root *cobra.Command) {
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

// choice finds the values in the usage of a flag that lists them, as in
// "sort by `KEY`: name, count or bytes".
var choice = regexp.MustCompile(`: ((?:[a-z0-9-]+, )*[a-z0-9-]+ or [a-z0-9-]+)(?:[.;,(\s]|$)`)

// completionOf returns what completes a flag; nil if the shell is to offer files.
func completionOf(f *pflag.Flag) cobra.CompletionFunc {
	if do := flagCompletions[f.Name]; do != nil {
		return do
	}
	if found := choice.FindStringSubmatch(f.Usage); found != nil {
		return cobra.FixedCompletions(regexp.MustCompile(`, | or `).Split(found[1], -1), cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64", "float64", "duration":
		return cobra.NoFileCompletions
	}
	return nil
}

// completeArgs completes an argument by what stands for it in the usage.
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

// recordingSuffixes are how the names of recordings tend to end, without the dot.
var recordingSuffixes = []string{"jfr", "jfr.gz", "jfr.zst", "jfr.lz4", "jfr.xz", "zip"}

func completeRecordings(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return recordingSuffixes, cobra.ShellCompDirectiveFilterFileExt
}

func completeVerbs(cmd *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, verb := range cmd.Root().Commands() {
			if verb.IsAvailableCommand() {
				list = append(list, cobra.CompletionWithDesc(verb.Name(), verb.Short))
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeTypes completes a list of event types, with commas between them.
func completeTypes(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var list offers
	aboutTypes(args, func(t mmapjfr.Type) {
		if t.IsEvent() {
			list.add(t.Name(), t.Label())
			if word != "" { // or else there would be everything twice
				list.add(t.SimpleName(), t.Label())
			}
		}
	})
	return list.continuing(word, ",")
}

// completeClasses completes a type of any kind.
func completeClasses(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var list offers
	aboutTypes(args, func(t mmapjfr.Type) { list.add(t.Name(), t.Label()) })
	return list.continuing(word, "")
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
	aboutThreads(args, func(t mmapjfr.Thread) { list.add(strings.Clone(t.Name()), "") })
	return list.continuing(word, "")
}

// completeFields completes a list of fields of the event types that are wanted.
func completeFields(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return completeField(cmd, args, word, ",")
}

// completeWhere completes the last field in a condition.
func completeWhere(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	list, directive := completeField(cmd, args, word, " ,()!<>=&|'\"")
	return list, directive | cobra.ShellCompDirectiveNoSpace
}

func completeField(cmd *cobra.Command, args []string, word, separators string) ([]string, cobra.ShellCompDirective) {
	var (
		list   offers
		events []string
	)
	if f := cmd.Flag("events"); f != nil {
		events = strings.Split(strings.Trim(f.Value.String(), "[]"), ",")
	}
	path, _, _ := cutLast(word[strings.LastIndexAny(word, separators)+1:], ".")
	aboutTypes(args, func(t mmapjfr.Type) {
		if t.IsEvent() && isWanted(t, events) {
			for _, f := range fieldsAt(t, path) {
				list.add(path+f.Name(), f.Label())
			}
		}
	})
	return list.continuing(word, separators)
}
