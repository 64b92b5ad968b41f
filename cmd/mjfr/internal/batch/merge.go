package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/atomicfile"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
)

// merge is mjfr batch merge with its flags.
type merge struct {
	*cli.App
	out    string
	force  bool
	passed []string // flags for the verb
	joined joint    // that writes all answers to standard output; nil if each is an output of its own
}

// joint is a verb of whose answers several can be one output, which says of which key each is.
type joint interface {
	writer
	// Join makes one output of the answers that are written next; false if their format holds one.
	Join() bool
	Close() error
}

// tables is a verb whose answers are tables.
type tables interface {
	// WriteTo says in which format to write, by the name of a file.
	WriteTo(name string) error
}

// passedFlag is a flag of a verb that merge passes on.
type passedFlag struct {
	pflag.Value
	name string
	to   *[]string
}

// Set implements pflag.Value.
func (f *passedFlag) Set(text string) error {
	*f.to = append(*f.to, "--"+f.name+"="+text)
	return nil
}

func newMerge(a *cli.App) *cobra.Command {
	m := &merge{App: a}
	cmd := &cobra.Command{
		Use:   "merge [flags] DIR...",
		Short: "Merge partial results",
		Long: `Merge the partial results in folders, and write what the plain verb writes, in any of its
formats. Give its flags for formats and presentation here, or name the format by the ending of
FILE: .csv, .tsv, .json, .ndjson, .md, .html or .txt.

With --key, labels in braces name a file for each key: -o 'profiles/{service}.pb.gz'. Without,
titles, columns or first frames say which key a result is of.

The exit code is 1 if recordings could not be read, which are listed, or if results are missing
because a machine is not done.`,
		Example: `  mjfr batch merge -o fleet.html work/
  mjfr batch merge --json work/
  mjfr batch merge -o 'profiles/{service}.pb.gz' work/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("name the folder with partial results")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&m.out, "output", "o", "", "write to `FILE`, by default standard output; {service} is a label of a key")
	f.BoolVar(&m.force, "force", false, "replace existing files")
	for _, v := range verbs {
		of, _ := v.make(&cli.App{})
		of.Flags().VisitAll(func(one *pflag.Flag) {
			if f.Lookup(one.Name) != nil {
				return
			}
			passed := *one
			passed.Value, passed.Hidden = &passedFlag{one.Value, one.Name, &m.passed}, true
			if passed.Shorthand != "" && f.ShorthandLookup(passed.Shorthand) != nil {
				passed.Shorthand = ""
			}
			f.AddFlag(&passed)
		})
	}
	return cmd
}

func (m *merge) run(cmd *cobra.Command, dirs []string) error {
	folder, err := batch.OpenFolders(dirs)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		m.Narrow(modeIn(dir))
	}
	_, v, q, err := m.question(folder, m.out)
	if err != nil {
		return err
	}
	all, isDataSet := v.(dataSet)
	if isDataSet && m.out != "" {
		return cli.Usagef("mjfr batch export has written its files; leave out -o")
	}
	if q.Text() != folder.Question {
		return cli.Usagef("these flags change the question; give them to mjfr batch %s, with another folder", folder.Note[0])
	}
	list, err := folder.Merge(cmd.Context(), q)
	if err != nil {
		return err
	}
	var fits []batch.Fit
	for _, p := range list {
		fits = batch.MergeFits(fits, p.Fits)
	}
	switch err := misfit(v, q, fits); {
	case err != nil && folder.Missing > 0:
		m.Report(fmt.Errorf("%w; recordings that have not been read yet may have it", err))
	case err != nil:
		return err
	}
	if err := m.join(v, list); err != nil {
		return err
	}
	if len(list) > 1 && (m.out == "" || m.out == "-") && !isDataSet && m.joined == nil {
		return cli.Usagef("there are %d results, and this format holds one: write each to a file, as in -o 'out/{%s}.html'", len(list), list[0].Key[0].Name)
	}
	names, err := m.names(list)
	if err != nil {
		return err
	}
	if err := m.prepare(names); err != nil {
		return err
	}
	m.report(folder)
	if isDataSet {
		return all.WriteAll(folder, list)
	}
	for i, p := range list {
		switch err := m.write(cmd.Context(), folder, p, names[i]); {
		case errors.Is(err, batch.ErrNoTypes) && len(list) > 1:
			m.Damaged = true
			m.Report(fmt.Errorf("%s: %w; no result is written", title(p), err))
		case err != nil:
			return err
		}
	}
	if m.joined != nil {
		return m.joined.Close()
	}
	return nil
}

// join makes one output of answers that go to standard output, and checks the name of a file for
// others.
func (m *merge) join(v verb, list []*batch.Partial) error {
	if m.out != "" && m.out != "-" {
		if t, ok := v.(tables); ok {
			return t.WriteTo(m.out)
		}
	} else if j, ok := v.(joint); ok && len(list) > 0 && len(list[0].Key) > 0 && j.Join() {
		m.joined = j
	}
	return nil
}

// prepare makes folders for files, unless one is there that is not to be replaced.
func (m *merge) prepare(names []string) error {
	for _, name := range names {
		if err := cli.CheckOut(name, m.force); err != nil {
			return err
		}
		if label().MatchString(m.out) {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
		}
	}
	return nil
}

// misfit returns an error if no recording has what a question names.
func misfit(v verb, q batch.Question, fits []batch.Fit) error {
	return wrongUsage(v, batch.Misfit(q, fits))
}

// wrongUsage returns what is wrong with a question as wrong usage.
func wrongUsage(v verb, err error) error {
	if w, ok := v.(interface{ Wrong(err error) error }); ok && err != nil {
		return w.Wrong(err)
	}
	return cli.Usage(err)
}

// question returns the verb that the folder has answers for, with its flags and those that were
// given.
func (m *merge) question(folder *batch.Folder, out string) (*cobra.Command, verb, batch.Question, error) {
	var cmd *cobra.Command
	var v verb
	if len(folder.Note) > 0 {
		cmd, v = find(m.App, folder.Note[0])
	}
	end := slices.Index(folder.Note, "--")
	if v == nil || end < 0 {
		return nil, nil, nil, fmt.Errorf("another program has written the partial results; merge them with that")
	}
	args := slices.Concat(folder.Note[1:end], m.passed)
	if out != "" && cmd.Flags().Lookup("output") != nil {
		args = append(args, "--output="+out)
	}
	if m.force && cmd.Flags().Lookup("force") != nil {
		args = append(args, "--force")
	}
	if err := cmd.ParseFlags(slices.Concat(args, folder.Note[end:])); err != nil {
		return nil, nil, nil, cli.Usage(err)
	}
	q, _, err := v.Question(cmd, cmd.Flags().Args())
	return cmd, v, q, err
}

// modeOf returns the permissions of an object: of one of a server its user alone has any.
func modeOf(name string) fs.FileMode {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0o600
	}
	return info.Mode().Perm()
}

// modeIn returns the permissions that all files of a folder have in common.
func modeIn(dir string) fs.FileMode {
	mode := fs.ModePerm
	entries, _ := os.ReadDir(dir) // to read them says what is wrong
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			mode &= info.Mode().Perm()
		}
	}
	return mode
}

// write writes the result of a key to a file, or to standard output if out is "".
func (m *merge) write(ctx context.Context, folder *batch.Folder, p *batch.Partial, out string) error {
	of, v, _, err := m.question(folder, out)
	if err != nil {
		return err
	}
	to, ok := v.(writer)
	if !ok {
		return fmt.Errorf("%s has no answers to write", of.Name())
	}
	name := title(p)
	if m.joined != nil {
		return m.joined.Write(ctx, p, name)
	}
	switch {
	case out == "", out == "-", of.Flags().Lookup("output") != nil:
		return to.Write(ctx, p, name)
	}
	if t, ok := v.(tables); ok {
		if err := t.WriteTo(out); err != nil {
			return err
		}
	}
	stdout, style := m.Stdout, m.Style
	defer func() { m.Stdout, m.Style = stdout, style }()
	err = atomicfile.Write(out, func(w io.Writer) error {
		m.Stdout, m.Style = w, terminal.Style{}
		return to.Write(ctx, p, name)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// title returns what to call a result: its key, or how many recordings it is of.
func title(p *batch.Partial) string {
	if len(p.Key) > 0 {
		return batch.KeyText(p.Key)
	}
	return terminal.CountOf(uint64(p.Objects()), "recording")
}

var (
	label        = lazy.Regexp(`\{\w+\}`)
	unsafeInName = lazy.Regexp(`^\.+|[^\pL\pN_.-]`)
)

// names returns the files for results; "" is standard output.
func (m *merge) names(list []*batch.Partial) (names []string, err error) {
	for _, p := range list {
		unknown := ""
		name := label().ReplaceAllStringFunc(m.out, func(text string) string {
			for _, l := range p.Key {
				switch {
				case "{"+l.Name+"}" != text:
				case l.Value == "":
					return withoutLabel
				default:
					return columns.ShortValue(unsafeInName().ReplaceAllStringFunc(l.Value, hexadecimal))
				}
			}
			unknown = text
			return text
		})
		switch {
		case unknown != "":
			return nil, cli.Usagef("-o %s: the results have no label %s; --key of the first step sets them", m.out, unknown)
		case name != "" && name != "-" && slices.Contains(names, name):
			return nil, cli.Usagef("-o %s: several results would have the name %s; name labels that tell them apart, as in -o 'out/{service}.html'", m.out, name)
		}
		names = append(names, name)
	}
	return names, nil
}

// withoutLabel stands in names of files for a label that recordings do not have: no label makes
// that name.
const withoutLabel = "%none"

// hexadecimal returns a text as % and two hexadecimal digits for each byte, so that no two labels
// make one name.
func hexadecimal(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// mostListed is how many recordings that do not count are listed.
const mostListed = 50

// report lists what does not count, and what is missing.
func (m *merge) report(f *batch.Folder) {
	listed := 0
	wrongFirst := func(a, b batch.Damage) int {
		switch {
		case a.Note == b.Note:
			return 0
		case b.Note:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(f.Damage, wrongFirst)
	for _, d := range f.Damage {
		if listed++; listed <= mostListed {
			m.Report(fmt.Errorf("%s: %s", d.Object, d.Error))
		}
	}
	if listed > mostListed {
		m.Notice(fmt.Sprintf("and %d more", listed-mostListed))
	}
	unread, damaged, _ := split(f.Damage)
	if len(unread)+len(damaged) > 0 {
		m.Damaged = true
		m.Notice(fmt.Sprintf("%d of %s not counted, %d in part", len(unread), terminal.CountOf(uint64(f.Objects), "file"), len(damaged)))
	}
	if f.Missing > 0 {
		m.Damaged = true
		m.Notice(fmt.Sprintf("the result is not complete: %s of work missing; do them by the same command, or wait for other machines", terminal.CountOf(uint64(f.Missing), "item")))
	}
	if f.Stale > 0 {
		m.Notice(fmt.Sprintf("%s of recordings that no list has are left out", terminal.CountOf(uint64(f.Stale), "partial result")))
	}
}
