package profile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Batch is the verb as a question of mjfr batch.
type Batch struct {
	// Base, if it is not nil, is what --diff names: it is not opened.
	Base  *profile.Profile
	v     *verb
	joins bool // answers say of which key they are
}

// NewBatch returns the verb for mjfr batch, and a command with its flags.
func NewBatch(a *cli.App) (*cobra.Command, *Batch) {
	v := &verb{App: a}
	cmd := &cobra.Command{Use: "profile"}
	v.flags(cmd.Flags())
	return cmd, &Batch{v: v}
}

// Question returns what the flags ask of recordings, and which arguments are inputs.
func (b *Batch) Question(cmd *cobra.Command, args []string) (batch.Question, []string, error) {
	v := b.v
	switch {
	case v.length > 0 || v.every > 0:
		return nil, nil, cli.Usagef("--for and --every record a JVM; mjfr batch reads recordings")
	case v.grafana:
		return nil, nil, cli.Usagef("mjfr batch does not take --grafana; write pprof")
	case v.latency > 0 || v.pauses != "":
		return nil, nil, cli.Usagef("mjfr batch does not take --latency and --gc-pauses: they depend on other events")
	}
	if err := v.check(cmd, args); err != nil {
		return nil, nil, err
	}
	if v.output.Events {
		return nil, nil, cli.Usagef("the format %s has all events, which mjfr batch does not sum up", v.output.Name)
	}
	s, err := v.OfEach()
	if err != nil {
		return nil, nil, err
	}
	o := v.readOptions()
	if v.event != "" {
		o.Events = []profile.EventKind{{Type: v.event, Value: v.value}}
	}
	return &batch.Profile{Options: o, Selection: s}, args, nil
}

// readOptions returns what of samples is read, without a selection.
func (v *verb) readOptions() profile.Options {
	times := v.output.Times
	if v.timestamps {
		times = time.Nanosecond
	}
	kinds := v.kinds
	if slices.Contains(kinds, "cpu") && !slices.Contains(kinds, "running") {
		kinds = append(slices.Clone(kinds), "running") // see orRunning
	}
	paths := slices.Contains([]string{string(profile.ByObject), string(profile.ByPath)}, v.by)
	return profile.Options{Times: times, Kinds: kinds, Grafana: v.grafana, BytecodeIndex: v.index, Paths: paths}
}

// Join makes the answers that are written next say of which key they are, so that several can be
// one output; false if the format holds one.
func (b *Batch) Join() bool {
	b.joins = slices.Contains([]string{"top", "tree", "collapsed"}, b.v.output.Name)
	return b.joins
}

// Close ends one output of several answers.
func (b *Batch) Close() error { return nil }

// Write writes the answer, with a title for formats that have one.
func (b *Batch) Write(ctx context.Context, p *batch.Partial, title string) error {
	if b.joins {
		b.v.key = p.Key
		if b.v.output.Name == "tree" || b.v.Style.Aligned && b.v.output.Name == "top" && !b.v.json && !b.v.csv {
			fmt.Fprintf(b.v.Stdout, "\n%s\n\n", terminal.Printable(title))
		}
	}
	b.v.title = cmp.Or(b.v.title, title)
	if b.Base != nil {
		base, _, err := b.v.profile(ctx, merged(b.Base))
		if err != nil {
			return err
		}
		b.v.base = base
	}
	return b.v.run(ctx, merged(p.Profile()))
}

// merged returns inputs that stand for a profile that has been read.
func merged(p *profile.Profile) *inputs {
	return &inputs{set: input.SetOf(nil, nil), merged: p}
}
