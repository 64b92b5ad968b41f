package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// indexing makes an index of a recording and measures it.
type indexing struct {
	file  string
	place mmapjfr.IndexLocation
	bar   func(name string, size int64) *progress.Bar // nil to show none

	path string
	size int64
	info index.SavedIndexInfo
	// What there is in the chunks that are saved.
	blocks, events, constants uint64
	// open and ready are what it takes without the index and with it, see the
	// comment of the package; saving what it takes to write it.
	open, ready [2]time.Duration
	saving      time.Duration
}

// save makes the index.
func (s *indexing) save() error {
	start := time.Now()
	rec, err := mmapjfr.Open(s.file)
	if err != nil {
		return errors.New(explanation(s.file, err))
	}
	defer rec.Close() // only read
	s.open[0], s.size = time.Since(start), rec.Size()

	start = time.Now()
	err = guarded(func() error { s.build(rec.Index()); return nil })
	s.ready[0] = time.Since(start)
	if err != nil {
		return errors.New(explanation(s.file, err))
	}
	start = time.Now()
	if s.path, err = rec.SaveIndex(s.place); err != nil {
		return s.explain(err)
	}
	s.saving = time.Since(start)
	if s.info, err = rec.CheckIndex(s.place); err != nil {
		return s.explain(err)
	}
	return nil
}

// build goes through the recording. What is wrong in it is told by other verbs.
func (s *indexing) build(x *index.Index) {
	show := s.show("blocks")
	for _, c := range x.Chunks() {
		c.BuildBlocks(0)
		show.Add(uint64(len(c.Data())))
	}
	show.Done()
	show = s.show("constants")
	defer show.Done()
	x.Sweep(0, show.Add)
}

func (s *indexing) show(name string) *progress.Bar {
	if s.bar == nil {
		return nil
	}
	return s.bar(name, s.size)
}

func (s *indexing) explain(err error) error {
	name := printable(s.file)
	if errors.Is(err, mmapjfr.ErrUnfinished) {
		return fmt.Errorf("%s: it has no finished chunk yet; end the recording, or dump it with jcmd PID JFR.dump, and take that", name)
	}
	return fmt.Errorf("%s: the index could not be saved: %s", name, printable(errtext.Message(err)))
}

// reopen opens the recording by the index, and uses all of it.
func (s *indexing) reopen() error {
	start := time.Now()
	rec, err := mmapjfr.Open(s.file, mmapjfr.SavedIndex(s.place))
	if err != nil {
		return errors.New(explanation(s.file, err))
	}
	defer rec.Close() // only read
	s.open[1] = time.Since(start)
	if state := rec.IndexState(); !state.Used {
		return fmt.Errorf("%s: the index was written and could not be used: %w; try again when nobody writes to the recording",
			printable(s.file), state.LoadErr)
	}
	start = time.Now()
	return guarded(func() error {
		for _, c := range rec.Index().Chunks() {
			b := c.CachedBlocks()
			if b == nil {
				continue // nothing is saved of it
			}
			k, err := c.Constants()
			if err != nil {
				continue
			}
			s.blocks += uint64(b.Len())
			s.events += b.Events()
			types, err := c.Types()
			if err != nil {
				continue
			}
			for _, class := range types.Types {
				s.constants += uint64(k.Len(class))
			}
		}
		s.ready[1] = time.Since(start)
		return nil
	})
}

func (s *indexing) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, index of %s saved in %s\n\n", printable(s.file), humanize.Bytes(uint64(s.size)),
		plural(uint64(s.info.Chunks), "chunk"), printable(s.path))
	row := func(name string, bytes, n uint64, of string) []string {
		each := "-"
		if v, ok := perEvent(float64(bytes), n); ok {
			each = digits(v)
		}
		return []string{name, humanize.Comma(int64(bytes)), percent(bytes, uint64(s.size)), humanize.Comma(int64(n)) + " " + of, each}
	}
	table(w, [][]string{
		{"part", "bytes", "share", "for", "bytes each"},
		row("blocks", s.info.Blocks, s.blocks, "blocks"),
		row("", s.info.Blocks, s.events, "events"),
		row("constants", s.info.Constants, s.constants, "constants"),
		row("all", s.info.Size, uint64(s.info.Saved), "chunks"),
	})
	fmt.Fprintln(w)
	table(w, [][]string{
		{"", "without", "with"},
		{"open", short(s.open[0]), short(s.open[1])},
		{"ready", short(s.ready[0]), short(s.ready[1])},
	})
	fmt.Fprintf(w, "\nsaving it took %s\n", short(s.saving))
	if left := s.info.Chunks - s.info.Saved; left > 0 {
		fmt.Fprintf(w, "note: %s not in the index, being unfinished or damaged\n", are(left))
	}
}

func are(chunks int) string {
	if chunks == 1 {
		return "1 chunk is"
	}
	return plural(uint64(chunks), "chunk") + " are"
}
