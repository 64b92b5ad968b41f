package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const summaryHelp = `usage: jfrbench summary [-all] [-json] [-workers N] FILE

Prints the number and size of the events by type, as jfr summary does.

flags:
  -all        show event types without events, too
  -json       print one JSON document
  -workers N  count with N goroutines at once, not one per processor
`

// summaryVerb is the command jfrbench summary.
func summaryVerb(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("summary", flag.ContinueOnError)
	all := flags.Bool("all", false, "")
	asJSON := flags.Bool("json", false, "")
	workers := flags.Uint("workers", 0, "")
	file, err := parseOneFile(flags, args)
	if err != nil {
		return misused("summary", summaryHelp, err, stdout, stderr)
	}
	r, err := summarize(file, int(*workers))
	if err != nil {
		fmt.Fprintf(stderr, "jfrbench: %s\n", explanation(file, err))
		return exitDamaged
	}
	var out strings.Builder
	if *asJSON {
		writeSummaryJSON(&out, r)
	} else {
		fmt.Fprintf(&out, "%s: %s, %s, %s\n", printable(r.file), humanize.Bytes(uint64(r.size)),
			plural(uint64(r.chunks), "chunk"), plural(r.events, "event"))
		fmt.Fprintf(&out, "recorded from %s for %s\n\n", r.start.UTC().Format("2006-01-02 15:04:05 MST"), short(r.duration))
		writeTypes(&out, r, *all)
		writeDamage(&out, r)
	}
	if code := write(stdout, stderr, out.String()); code != exitOK {
		return code
	}
	if r.damage.total > 0 {
		return exitDamaged
	}
	return exitOK
}

// summarize counts the events of a recording by type. It fails if the file cannot
// be opened; what is wrong inside it is part of the result.
func summarize(file string, workers int) (*result, error) {
	rec, err := mmapjfr.Open(file, mmapjfr.Workers(workers))
	if err != nil {
		return nil, err
	}
	defer rec.Close() // only read
	r := &result{file: file, size: rec.Size(), chunks: len(rec.Index().Chunks()), start: rec.Start(), duration: rec.Duration()}
	types, s := count(rec, nil)
	for _, f := range s.Faults {
		r.damage.add(f.Err)
	}
	r.types, r.events = types, s.Events
	return r, nil
}

func (d *damage) addIf(err error) {
	if err != nil {
		d.add(err)
	}
}

// summaryDocument is the summary for programs.
type summaryDocument struct {
	File   string              `json:"file"`
	Bytes  int64               `json:"bytes"`
	Chunks int                 `json:"chunks"`
	Events uint64              `json:"events"`
	Types  map[string]typeJSON `json:"types"`
	Notes  []errorJSON         `json:"notes"`
	Errors []errorJSON         `json:"errors"`
	More   int                 `json:"more_errors,omitempty"`
}

func writeSummaryJSON(w io.Writer, r *result) {
	d := summaryDocument{
		File: r.file, Bytes: r.size, Chunks: r.chunks, Events: r.events,
		Types:  make(map[string]typeJSON, len(r.types)),
		Notes:  errorsJSON(r.damage.unfinished),
		Errors: errorsJSON(r.damage.list),
		More:   r.damage.total - len(r.damage.list),
	}
	for name, n := range r.types {
		d.Types[name] = typeJSON{n.Events, n.Bytes}
	}
	_ = jsonout.New(w).Encode(&d) // it writes to memory
}
