package configure

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// complete completes the names of options and settings, and the values of options, from the files
// to begin with.
func (v *verb) complete(cmd *cobra.Command, _ []string, word string) (list []string, _ cobra.ShellCompDirective) {
	const names = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	t, err := findTemplates(cmd.Context(), v.jvm)
	if err != nil {
		return nil, names
	}
	option, _, valued := strings.Cut(word, "=")
	add := func(text, description string) {
		if strings.HasPrefix(text, word) && !slices.Contains(list, text) {
			list = append(list, cobra.CompletionWithDesc(text, description))
		}
	}
	for _, name := range v.inputNames() {
		file, err := t.read(name)
		if err != nil {
			continue // the verb will say so
		}
		for _, o := range file.Options() {
			switch {
			case !valued:
				add(o.Name()+"=", o.Label())
			case o.Name() == option:
				for _, c := range o.Choices() {
					add(option+"="+c.Name, c.Label)
				}
			}
		}
		if valued || !strings.Contains(word, ".") {
			continue // event types are many
		}
		for s := range file.Settings() {
			if strings.Contains(word, "#") {
				add(s.Event+"#"+s.Name+"=", "now "+s.Value)
			} else {
				add(s.Event+"#", "")
			}
		}
	}
	if valued {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return list, names
}
