package copies

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// NewCompact makes the verb that makes recordings small.
func NewCompact(a *cli.App) *cobra.Command {
	o := output{App: a}
	var chunkSize string
	cmd := &cobra.Command{
		Use:         "compact [flags] FILE... OUT",
		Annotations: become,
		Short:       "Shrink a recording; all events stay",
		Long: `Write all events of FILE to OUT in fewer bytes: constants that no event uses are dropped, duplicates
are joined, and short chunks of one JVM become one, up to --chunk-size. Large chunks are smaller in
all; small ones can be read in parallel and skipped. Below a megabyte OUT can become the larger file.

` + aboutOut,
		Example: `  mjfr compact app.jfr small.jfr
  mjfr compact --chunk-size 64MB repository/ app.jfr`,
		Args: func(cmd *cobra.Command, args []string) error {
			if _, err := parseSize("--chunk-size", chunkSize); err != nil {
				return err
			}
			return o.args(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			bytes, err := parseSize("--chunk-size", chunkSize)
			if err != nil {
				return err
			}
			return o.copyAll(cmd.Context(), args, &rewrite.Plan{Join: true, ChunkSize: int(bytes)})
		},
	}
	o.flags(cmd.Flags())
	cmd.Flags().StringVar(&chunkSize, "chunk-size", "32MB", "make chunks of at most `SIZE` bytes, more or less, such as 8MB")
	return cmd
}

// Chunks can have sizes between these: each has a description of all types, and is held in memory.
const (
	leastChunk    = 64 << 10
	greatestChunk = 1 << 30
)

// parseSize parses the size of chunks or of files.
func parseSize(flag, text string) (int64, error) {
	n, ok := parseunit.Bytes(text)
	switch {
	case !ok || n < 1:
		return 0, cli.Usagef("%s cannot be %q: give a number of bytes, such as 8000000 or 8MB", flag, text)
	case n > 1<<62:
		return 0, cli.Usagef("%s cannot be %q: that is too large", flag, text)
	case flag == "--chunk-size" && n > greatestChunk:
		return 0, cli.Usagef("%s cannot be %q: chunks can be at most 1GB", flag, text)
	case flag == "--chunk-size" && n < leastChunk:
		return 0, cli.Usagef("%s cannot be %q: chunks must be at least 64kB", flag, text)
	}
	return int64(n), nil
}

// copyAll copies all events of recordings by a plan.
func (o *output) copyAll(ctx context.Context, args []string, plan *rewrite.Plan) error {
	return o.with(ctx, args, func(set *input.Set, out string) error {
		report, err := o.write(ctx, set, out, "writing", plan)
		if err != nil {
			return err
		}
		return o.show(set, out, report, nil)
	}, whole)
}

// NewConvert makes the verb that writes recordings in another form.
func NewConvert(a *cli.App) *cobra.Command {
	o := output{App: a}
	var to, integers string
	cmd := &cobra.Command{
		Use:         "convert [flags] FILE... OUT",
		Annotations: become,
		Short:       "Convert to the format of JDK 11 and later",
		Long: `Write all events of FILE in format 2.1, which JDKs since 11 write. FILE can be in an older format, or
from async-profiler, a native image or another recorder: what the JDK's reader cannot parse is fixed.

Integers are compressed, as JVMs write them. --integers uncompressed is for JDK Mission Control; the
JDK's jfr does not read it.

` + aboutOut,
		Example: `  mjfr convert profile.jfr jdk.jfr
  mjfr convert --to 2.1 --integers uncompressed app.jfr wide.jfr`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case to != "2.1":
				return cli.Usagef("--to cannot be %q: the format that can be written is 2.1", to)
			case integers != "compressed" && integers != "uncompressed":
				return cli.Usagef("--integers cannot be %q: it must be compressed or uncompressed", integers)
			}
			return o.args(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.copyAll(cmd.Context(), args, &rewrite.Plan{Convert: true, Wide: integers == "uncompressed"})
		},
	}
	o.flags(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "2.1", "write this `VERSION` of the format")
	cmd.Flags().StringVar(&integers, "integers", "compressed", "write integers `HOW`: compressed or uncompressed")
	return cmd
}

// NewMerge makes the verb that makes one recording of several.
func NewMerge(a *cli.App) *cobra.Command {
	o := output{App: a}
	var label string
	cmd := &cobra.Command{
		Use:         "merge [flags] FILE... OUT",
		Annotations: become,
		Short:       "Merge recordings",
		Long: `Write the events of all FILEs to OUT, ordered by time. A chunk that several FILEs have, as overlapping
dumps do, is written once.

If the FILEs are of several JVMs, they get a common clock, and thread names begin with the process ID,
as in "[4711] main", or with the file name (--label file). Equal process IDs, as in containers, are
counted: "[1 #2] main".

` + aboutOut,
		Example: `  mjfr merge monday.jfr tuesday.jfr both.jfr
  mjfr merge --label file frontend.jfr backend.jfr request.jfr
  mjfr merge dumps/ - | gzip > all.jfr.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if label != "pid" && label != "file" && label != "none" {
				return cli.Usagef("--label cannot be %q: it must be pid, file or none", label)
			}
			return o.args(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return o.with(ctx, args, func(set *input.Set, out string) error { return o.merge(ctx, set, out, label) }, func(o *input.Options) { o.Copies = true }, whole)
		},
	}
	o.flags(cmd.Flags())
	o.verifyFlag(cmd.Flags())
	cmd.Flags().StringVar(&label, "label", "pid", "tell threads of several JVMs apart by `WHAT`: pid, file or none")
	return cmd
}

func (o *output) merge(ctx context.Context, set *input.Set, out, label string) error {
	var plan rewrite.Plan
	names := make(map[*rewrite.Machine]string)
	prefix := func(m *rewrite.Machine) string { return "[" + names[m] + "] " }
	if label == "none" {
		prefix = nil
	}
	merged, err := plan.Merge(ctx, set.Recordings, prefix)
	if err != nil {
		return err
	}
	seen := make(map[string]int)
	for _, m := range merged.Machines {
		name := fileOf(set, m)
		if label == "pid" && m.PID != 0 {
			name = fmt.Sprint(m.PID)
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, seen[name])
		}
		names[m] = name
	}
	report, err := o.write(ctx, set, out, "merging", &plan)
	if err != nil {
		return err
	}
	return o.show(set, out, report, merged)
}

// fileOf returns the name of the first file of a virtual machine, without folders and what says how
// it is packed.
func fileOf(set *input.Set, m *rewrite.Machine) string {
	name, _, _ := strings.Cut(filepath.Base(set.Name(m.Recordings[0])), ".jfr")
	return name
}

// machine is a virtual machine as mjfr merge shows it.
type machine struct {
	PID     int64      `json:"pid"`
	Started *time.Time `json:"started"`
	Chunks  int        `json:"chunks"`
	Files   []string   `json:"files"`
}

func machinesOf(set *input.Set, merged *rewrite.Merged) (list []machine) {
	for _, m := range merged.Machines {
		one := machine{PID: m.PID, Chunks: m.Chunks}
		if !m.Started.IsZero() {
			one.Started = &m.Started
		}
		for _, rec := range m.Recordings {
			one.Files = append(one.Files, set.Name(rec))
		}
		list = append(list, one)
	}
	return list
}

// Texts name that many JVMs, and files of each.
const (
	namedJVMs  = 32
	namedFiles = 8
)

func (m *machine) text(number int) string {
	text := fmt.Sprintf("JVM %d: ", number)
	if m.PID != 0 {
		text += fmt.Sprintf("process %d, ", m.PID)
	}
	if m.Started != nil {
		text += "started " + m.Started.UTC().Format("2006-01-02 15:04:05 (UTC)") + ", "
	}
	text += terminal.CountOf(uint64(m.Chunks), "chunk") + " of " + strings.Join(m.Files[:min(len(m.Files), namedFiles)], ", ")
	if n := len(m.Files) - namedFiles; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
