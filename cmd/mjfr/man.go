package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/atomicfile"
)

// newMan makes the verb that writes man pages.
func newMan(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write man pages",
		Long: `Write a man page for mjfr and for each of its verbs into DIR. DIR is made if it does not
exist; its parent must exist. Without DIR, the page of mjfr goes to standard output.

The same mjfr writes the same pages. Their date is that in SOURCE_DATE_EPOCH, or that of
the sources of mjfr.`,
		Example: `  mjfr man ~/.local/share/man/man1
  mjfr man | man -l -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("man takes one directory, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := manDate()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return writePage(a.Stdout, cmd.Root(), date)
			}
			// Parent directories are not made: the name may be mistyped.
			err = os.Mkdir(args[0], 0o777)
			if info, _ := os.Stat(args[0]); err != nil && (info == nil || !info.IsDir()) {
				return fmt.Errorf("cannot create the directory: %w", err)
			}
			return writePages(args[0], cmd.Root(), date)
		},
	}
}

// manDate returns the date of the pages.
func manDate() (time.Time, error) {
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return time.Time{}, cli.Usagef("SOURCE_DATE_EPOCH must be seconds since 1970, not %q", text)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if date, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return date.UTC(), nil
			}
		}
	}
	return time.Unix(0, 0).UTC(), nil
}

// writePages writes the pages of a command and its verbs: all of them, or none.
func writePages(dir string, root *cobra.Command, date time.Time) error {
	temp, err := atomicfile.CreateFolder(dir)
	if err != nil {
		return fmt.Errorf("%s: cannot write into it: %w", dir, err)
	}
	defer os.RemoveAll(temp) // what is left of it is swept
	var write func(cmd *cobra.Command) error
	var names []string
	write = func(cmd *cobra.Command) error {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		names = append(names, name)
		err := atomicfile.Write(filepath.Join(temp, name), func(w io.Writer) error { return writePage(w, cmd, date) })
		if err != nil {
			return fmt.Errorf("%s: cannot write it: %w", filepath.Join(dir, name), err)
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
				if err := write(sub); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := write(root); err != nil {
		return err
	}
	for _, name := range names {
		if err := atomicfile.Place(filepath.Join(temp, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("%s: cannot write it: %w", filepath.Join(dir, name), err)
		}
	}
	return nil
}

func writePage(w io.Writer, cmd *cobra.Command, date time.Time) error {
	cmd.DisableAutoGenTag = true // it would name the generator
	long := cmd.Long
	defer func() { cmd.Long = long }()
	cmd.Long = asMarkdown.Replace(long)
	cmd.InitDefaultHelpFlag()
	cmd.Long += manOptions("OPTIONS", cmd.LocalFlags()) + manOptions("OPTIONS OF ALL VERBS", cmd.InheritedFlags())
	defer hideFlags(cmd)()
	if text := several(cmd); text != "" {
		cmd.Long += "\n\n# RECORDINGS\n" + asMarkdown.Replace(aboutRecordings+"\n"+text)
	}
	if !cmd.HasParent() {
		cmd.Long += "\n\n# EXIT STATUS\n```\n" + exitCodes + "```\n"
	}
	return doc.GenMan(cmd, &doc.GenManHeader{
		Section: "1",
		Source:  "mjfr",
		Manual:  "mjfr, a reader of Flight Recorder files",
		Date:    &date,
	}, w)
}

// manOptions lists flags as the help does. Cobra's own list lacks the names of values, and shows
// empty defaults, as in --events=[].
func manOptions(title string, flags *pflag.FlagSet) string {
	var list strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		option, usage, _ := strings.Cut(strings.TrimSpace(one.FlagUsages()), "   ")
		name, value, _ := strings.Cut(option, "--")
		name = strings.TrimSuffix(name, ", ")
		if name != "" {
			name = "**" + name + "**, "
		}
		value, argument, _ := strings.Cut(value, " ")
		fmt.Fprintf(&list, "%s**--%s**", name, value)
		if argument != "" {
			fmt.Fprintf(&list, " *%s*", asMarkdown.Replace(argument))
		}
		fmt.Fprintf(&list, "\n\t%s\n\n", asMarkdown.Replace(strings.TrimSpace(usage)))
	})
	if list.Len() == 0 {
		return ""
	}
	return "\n\n# " + title + "\n" + list.String()
}

// hideFlags hides all flags of a command from cobra, which would list them again. The result shows
// them again.
func hideFlags(cmd *cobra.Command) (show func()) {
	var hidden []*pflag.Flag
	hide := func(f *pflag.Flag) {
		if !f.Hidden {
			f.Hidden = true
			hidden = append(hidden, f)
		}
	}
	cmd.LocalFlags().VisitAll(hide)
	cmd.InheritedFlags().VisitAll(hide)
	return func() {
		for _, f := range hidden {
			f.Hidden = false
		}
	}
}

// asMarkdown escapes plain text for Markdown.
var asMarkdown = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`)
