package copies

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// NewAssemble makes the verb that makes one recording of a disk repository.
func NewAssemble(a *cli.App) *cobra.Command {
	o := output{App: a}
	cmd := &cobra.Command{
		Use:         "assemble [flags] REPOSITORY OUT",
		Annotations: map[string]string{cli.RecordingsKey: ""},
		Short:       "Join the chunks of a disk repository",
		Long: `Write the chunks in a directory, such as the repository of a JVM, to OUT, as the JDK's jfr does. If
the JVM was killed, what its last chunk had flushed becomes a chunk that every tool reads. Other files
are named and left out. If files are damaged, use mjfr repair.

` + aboutOut,
		Example: "  mjfr assemble /tmp/2026_11_21_12_00_00_4711 all.jfr",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usagef("name the folder and the file to write, as in %s repository all.jfr", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.assemble(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&o.force, "force", false, "replace OUT if it exists")
	o.verifyFlag(cmd.Flags())
	return cmd
}

func (o *output) assemble(ctx context.Context, dir, out string) error {
	paths, foreign, err := chunkFiles(dir)
	if err != nil {
		return err
	}
	for _, path := range foreign {
		o.Notice(path + ": it is not a recording, and was left out")
	}
	text := "\nAssembling files... \n\n"
	for _, path := range paths {
		text += " " + terminal.Printable(path) + "\n"
	}
	w := o.to(out)
	return o.with(ctx, append(paths, out), func(set *input.Set, out string) error {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
		if _, err := o.write(ctx, set, out, "assembling", &rewrite.Plan{Readable: true}); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "Finished.")
		return err
	})
}

// chunkFiles returns the files of a folder that the JDK's jfr takes for chunks, in their order, and
// those of them that are no recordings. Empty ones are those of a JVM that has just begun a chunk.
func chunkFiles(dir string) (paths, foreign []string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, nil, fmt.Errorf("directory does not exist, %s", dir)
	} else if !info.IsDir() {
		return nil, nil, fmt.Errorf("path must be directory, %s", dir)
	}
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(path, ".jfr") || info.Size() == 0:
		case isRecording(path):
			paths = append(paths, path)
		default:
			foreign = append(foreign, path)
		}
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("no *.jfr files found at %s", dir)
	}
	return paths, foreign, nil
}

// isRecording reports whether a file begins like a recording, or cannot be read, which is said when
// it is opened.
func isRecording(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	head := make([]byte, 68) // a chunk header
	_, err = io.ReadFull(f, head)
	return err == nil && input.CheckPlain(head, func(string) string { return "" }) == nil
}

// splitting is how a recording is cut into several files.
type splitting struct {
	output
	dir, maxSize, every string
	maxChunks           int

	bytes  int64         // greatest size of a file; 0 is no limit
	length time.Duration // of a file; 0 is no limit
	chunks bool          // maxChunks holds
}

// NewDisassemble makes the verb that cuts a recording into several.
func NewDisassemble(a *cli.App) *cobra.Command {
	s := splitting{output: output{App: a}}
	cmd := &cobra.Command{
		Use:         "disassemble [flags] FILE",
		Annotations: map[string]string{cli.RecordingsKey: ""},
		Short:       "Split a recording into several",
		Long: `Split FILE by chunks, as the JDK's jfr does, into FILE_0.jfr, FILE_1.jfr and so on.

--every splits by time: each file has the events that begin in one interval, counted from the start of
the recording, and the events about JVM and machine that belong to it. Intervals without events give
no file.`,
		Example: `  mjfr disassemble --max-chunks 1 app.jfr
  mjfr disassemble --max-size 100MB --output parts app.jfr
  mjfr disassemble --every 1m app.jfr`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("name one recording, as in %s app.jfr", cmd.CommandPath())
			}
			return s.check(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
				return fmt.Errorf("directory does not exist, %s; make it first", s.dir)
			}
			ctx := cmd.Context()
			return s.WithInput(ctx, args, input.Options{}, func(set *input.Set) error { return s.split(ctx, set, args[0]) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.dir, "output", ".", "write the files into this `FOLDER`")
	f.IntVar(&s.maxChunks, "max-chunks", 5, "put at most `N` chunks into a file")
	f.StringVar(&s.maxSize, "max-size", "", "put at most `SIZE` bytes into a file, such as 100MB, if more than one chunk is in it; without --max-chunks there may be any number of chunks")
	f.StringVar(&s.every, "every", "", "put the events of this `TIME`, such as 1m, into a file")
	f.BoolVar(&s.force, "force", false, "replace existing files")
	s.verifyFlag(f)
	return cmd
}

func (s *splitting) check(cmd *cobra.Command) (err error) {
	s.chunks = s.maxSize == "" || cmd.Flags().Changed("max-chunks")
	if s.maxChunks < 1 {
		return cli.Usagef("max chunks must be at least 1")
	}
	if s.maxSize != "" {
		if s.bytes, err = parseSize("--max-size", s.maxSize); err != nil {
			return err
		}
	}
	if s.every != "" {
		if cmd.Flags().Changed("max-chunks") || s.maxSize != "" {
			return cli.Usagef("--every cannot be combined with --max-chunks or --max-size")
		}
		var ok bool
		if s.length, ok = parseunit.Duration(s.every); !ok || s.length <= 0 {
			return cli.Usagef("--every cannot be %q: give a length of time, such as 1m or 30s", s.every)
		}
	}
	return nil
}

// part is a file to write.
type part struct {
	path    string
	isThere bool // already
	plan    *rewrite.Plan
}

func (s *splitting) split(ctx context.Context, set *input.Set, name string) error {
	if path, err := filepath.Abs(name); err == nil {
		if _, err := fmt.Fprintf(s.Stdout, "\nExamining recording %s ...\n", terminal.Printable(path)); err != nil {
			return err
		}
	}
	parts, text, err := s.parts(set)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.Stdout, "\n%s\n", text); err != nil || len(parts) == 0 {
		return err
	}
	stem, _, _ := strings.Cut(filepath.Base(name), ".jfr")
	for i := range parts {
		number := fmt.Sprintf("%0*d", len(fmt.Sprint(len(parts)-1)), i)
		if parts[i].path, err = filepath.Abs(filepath.Join(s.dir, stem+"_"+number+".jfr")); err != nil {
			return err
		}
		if err := cli.CheckOut(parts[i].path, s.force); err != nil {
			return err
		}
		info, err := os.Stat(parts[i].path)
		if parts[i].isThere = err == nil; err == nil && info.IsDir() {
			return fmt.Errorf("%s: it is a folder", parts[i].path)
		}
	}
	if _, err := fmt.Fprintln(s.Stdout); err != nil {
		return err
	}
	return s.writeAll(ctx, set, parts)
}

// writeAll writes the files, or none of them.
func (s *splitting) writeAll(ctx context.Context, set *input.Set, parts []part) (err error) {
	var there []string // that were not there before
	defer func() {
		for _, path := range there {
			if err != nil {
				_ = os.Remove(path) // the first error is the one to return
			}
		}
	}()
	for _, p := range parts {
		report, err := s.write(ctx, set, p.path, "writing", p.plan)
		if err == cli.ErrNothing {
			continue
		}
		if err != nil {
			return err
		}
		if !p.isThere {
			there = append(there, p.path)
		}
		if _, err := fmt.Fprintf(s.Stdout, "Writing %s ... %d\n", terminal.Printable(p.path), report.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the files to write, and a sentence. There are none if there is nothing to cut.
func (s *splitting) parts(set *input.Set) (parts []part, text string, err error) {
	if s.length > 0 {
		return s.byTime(set)
	}
	var chunks []mmapjfr.Chunk
	var bytes int64
	for _, rec := range set.Recordings {
		for _, c := range rec.Chunks() {
			chunks = append(chunks, c)
			bytes += int64(c.Size())
		}
	}
	if s.chunks && s.bytes == 0 && len(chunks) <= s.maxChunks {
		return nil, "", fmt.Errorf("number of chunks in recording (%d) doesn't exceed max chunks (%d); --every 1m cuts at times", len(chunks), s.maxChunks)
	}
	if s.bytes > 0 && bytes <= s.bytes && (!s.chunks || len(chunks) <= s.maxChunks) {
		return nil, fmt.Sprintf("File size (%d) does not exceed max size (%d)", bytes, s.bytes), nil
	}
	var size int64
	in := make(map[*index.Chunk]int) // the part that has a chunk
	number := 0
	for i, c := range chunks {
		if i == 0 || s.chunks && number == s.maxChunks || s.bytes > 0 && size+int64(c.Size()) > s.bytes {
			n := len(parts)
			skip := func(c mmapjfr.Chunk) bool { return in[engine.ChunkIndex(c)] != n }
			parts, size, number = append(parts, part{plan: &rewrite.Plan{Readable: true, Skip: skip, Repeats: true}}), 0, 0
		}
		in[engine.ChunkIndex(c)] = len(parts) - 1
		size += int64(c.Size())
		number++
	}
	return parts, fmt.Sprintf("File consists of %d chunks. The recording will be split into %d files", len(chunks), len(parts)), nil
}

// mostFiles is how many files are written at most.
const mostFiles = 10_000

// byTime returns files of the same length of time.
func (s *splitting) byTime(set *input.Set) (parts []part, text string, err error) {
	start, end := set.Span()
	n := end.Sub(start)/s.length + 1
	if n > mostFiles {
		return nil, "", cli.Usagef("--every %s would make %d files; choose a longer time", s.every, n)
	}
	for i := range n {
		plan := &rewrite.Plan{Context: true, Readable: true}
		if i > 0 { // events that begin before the recording are in the first file
			plan.From = start.Add(i * s.length)
		}
		if i < n-1 {
			plan.To = start.Add((i + 1) * s.length)
		}
		parts = append(parts, part{plan: plan})
	}
	if len(parts) < 2 {
		return nil, "", fmt.Errorf("the recording is no longer than %s", s.every)
	}
	return parts, fmt.Sprintf("The recording will be split into %d files at most", len(parts)), nil
}
