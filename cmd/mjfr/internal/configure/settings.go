package configure

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/jfc"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// settingsVerb is mjfr settings with its flags.
type settingsVerb struct {
	*cli.App
	table, json bool
	diff        string
}

// NewSettings makes the verb that shows what recordings were made with.
func NewSettings(a *cli.App) *cobra.Command {
	v := &settingsVerb{App: a}
	cmd := &cobra.Command{
		Use:   "settings [flags] FILE...",
		Short: "Show the settings of a recording",
		Long: `Print the settings of a recording as a .jfc file, with which a JVM records the same events with the same
periods and thresholds. If several recordings of a JVM ran at once, these are the settings of all of
them together. If a setting was changed, the last value counts.

Options of async-profiler are settings that no .jfc file can set; --table, --json and --diff show them.

--diff shows the settings that differ in OTHER. The exit code is 0 with or without differences.`,
		Example: `  mjfr settings app.jfr > again.jfc
  mjfr settings --table app.jfr
  mjfr settings --diff slow.jfr fast.jfr
  mjfr settings --json app.jfr | jq '.events[] | select(.settings.enabled == "true").name'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if v.table && v.json {
				return cli.Usagef("--table and --json cannot be used together")
			}
			return cli.NeedFiles(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.With(cmd.Context(), args, func(set *input.Set) error { return v.show(cmd, set) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&v.table, "table", false, "print a table instead of a .jfc file")
	f.BoolVar(&v.json, "json", false, "print one JSON document instead of a .jfc file")
	f.StringVar(&v.diff, "diff", "", "show how the settings of the recording `OTHER` differ from those of FILE")
	return cmd
}

func (v *settingsVerb) show(cmd *cobra.Command, set *input.Set) error {
	all := v.collect(set)
	if v.diff != "" {
		return v.With(cmd.Context(), []string{v.diff}, func(other *input.Set) error {
			return v.showDiff(differences(all, v.collect(other)))
		})
	}
	if len(all.jvm)+len(all.profiler) == 0 {
		return fmt.Errorf("%s: it has no settings, which are events jdk.ActiveSetting of a known event type", cli.Title(set))
	}
	switch {
	case v.json:
		return v.WriteJSON(document{all.jvm.list(), all.profiler.list()})
	case v.table:
		return v.showTable(all)
	}
	return v.showJFC(set, all)
}

// showJFC prints a .jfc file.
func (v *settingsVerb) showJFC(set *input.Set, all *collected) error {
	title := cli.Title(set)
	if len(all.jvm) == 0 {
		return fmt.Errorf("%s: its settings are options of async-profiler, which no .jfc file can set; --table shows them", title)
	}
	if len(all.profiler) > 0 {
		v.Report(errors.New("options of async-profiler are left out, as no .jfc file can set them; --table shows them"))
	}
	file := jfc.New("Settings of " + title)
	file.Describe("Made by mjfr settings of the events jdk.ActiveSetting in "+title, "mjfr")
	for _, e := range all.jvm.list() {
		var settings []jfc.Setting
		for _, name := range e.names() {
			settings = append(settings, jfc.Setting{Event: e.Name, Name: name, Value: e.Settings[name]})
		}
		file.AddEvent(e.Name, settings)
	}
	_, err := file.WriteTo(v.Stdout)
	return err
}

// Names of recorders, in tables and documents.
const (
	recorderJVM      = "JVM"
	recorderProfiler = "async-profiler"
)

func (v *settingsVerb) showTable(all *collected) error {
	t := terminal.NewTable(terminal.Column{Title: "Event"}, terminal.Column{Title: "Setting"},
		terminal.Column{Title: "Value"}, terminal.Column{Title: "Recorder"})
	rows := func(events eventSettings, recorder string) {
		for _, e := range events.list() {
			for _, name := range e.names() {
				t.Row(terminal.Plain(e.Name), terminal.Plain(name), terminal.Plain(e.Settings[name]), terminal.Plain(recorder))
			}
		}
	}
	rows(all.jvm, recorderJVM)
	rows(all.profiler, recorderProfiler)
	return t.Write(v.Stdout, v.Style)
}

// document is what mjfr settings --json prints.
type document struct {
	Events []eventDocument `json:"events"`
	// AsyncProfiler has the options of async-profiler, with the event types that it writes them
	// for.
	AsyncProfiler []eventDocument `json:"asyncProfiler"`
}

// difference is a setting that differs. A value is nil if the setting is missing.
type difference struct {
	Recorder string  `json:"recorder"`
	Event    string  `json:"event"`
	Setting  string  `json:"setting"`
	Value    *string `json:"value"`
	Other    *string `json:"other"`
}

// differences lists the settings that differ, by recorder, event and name.
func differences(all, other *collected) []difference {
	list := []difference{}
	compare := func(a, b eventSettings, recorder string) {
		for _, key := range keysOf(a, b) {
			before, after := a.value(key), b.value(key)
			if before == nil || after == nil || *before != *after {
				list = append(list, difference{recorder, key.event, key.setting, before, after})
			}
		}
	}
	compare(all.jvm, other.jvm, recorderJVM)
	compare(all.profiler, other.profiler, recorderProfiler)
	return list
}

func (v *settingsVerb) showDiff(list []difference) error {
	if v.json {
		return v.WriteJSON(struct {
			Differences []difference `json:"differences"`
		}{list})
	}
	t := terminal.NewTable(terminal.Column{Title: "Event"}, terminal.Column{Title: "Setting"},
		terminal.Column{Title: "Value"}, terminal.Column{Title: "Other"}, terminal.Column{Title: "Recorder"})
	cell := func(value *string) terminal.Cell {
		if value == nil {
			return terminal.Cell{Text: "-"} // a program gets an empty value
		}
		return terminal.Plain(*value)
	}
	for _, d := range list {
		t.Row(terminal.Plain(d.Event), terminal.Plain(d.Setting), cell(d.Value), cell(d.Other), terminal.Plain(d.Recorder))
	}
	if len(list) == 0 {
		v.Report(errors.New("the settings are the same"))
		return nil
	}
	return t.Write(v.Stdout, v.Style)
}

// names returns the names of the settings: enabled, and then the others in order.
func (e *eventDocument) names() []string {
	return slices.SortedFunc(maps.Keys(e.Settings), compareSettings)
}
