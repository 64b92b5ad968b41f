package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const scanHelp = `usage: jfrbench scan -work count|read|type [-type NAME] [-workers N] FILE

Does one work on a recording, and prints in a line of JSON how many events it
saw and how many nanoseconds it took from opening the file to its last event.

flags:
  -work count  count the events
  -work read   read every field of every event
  -work type   count the events of one type
  -type NAME   the full name of that type, such as jdk.ExecutionSample
  -workers N   read with N goroutines at once, not one per processor
`

// scanOptions are the arguments of jfrbench scan.
type scanOptions struct {
	work, typeName, file string
	workers              uint
}

func parseScan(args []string) (o scanOptions, err error) {
	flags := flag.NewFlagSet("scan", flag.ContinueOnError)
	flags.StringVar(&o.work, "work", "", "")
	flags.StringVar(&o.typeName, "type", "", "")
	flags.UintVar(&o.workers, "workers", 0, "")
	if o.file, err = parseOneFile(flags, args); err != nil {
		return o, err
	}
	switch o.work {
	case "count", "read":
		if o.typeName != "" {
			return o, fmt.Errorf("-type goes with -work type, not with -work %s", o.work)
		}
	case "type":
		if o.typeName == "" {
			return o, errors.New("-work type needs -type NAME, such as jdk.ExecutionSample")
		}
	default:
		return o, fmt.Errorf("-work is %q; it must be count, read or type", o.work)
	}
	return o, nil
}

// scanVerb is the command jfrbench scan.
func scanVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parseScan(args)
	if err != nil {
		return misused("scan", scanHelp, err, stdout, stderr)
	}
	start := time.Now()
	rec, err := mmapjfr.Open(o.file, mmapjfr.Workers(int(o.workers)))
	if err != nil {
		fmt.Fprintf(stderr, "jfrbench: %s\n", explanation(o.file, err))
		return exitDamaged
	}
	defer rec.Close() // only read
	boundMemory(rec.Size())
	var s scanned
	if err := guarded(func() error { s = scan(rec, o); return nil }); err != nil {
		s.damage.add(err)
	}
	s.Nanos = time.Since(start).Nanoseconds()
	if s.Events == 0 && o.work == "type" {
		if _, ok := rec.Type(o.typeName); !ok {
			fmt.Fprintf(stderr, "jfrbench: %s: it has no type %s; jfrbench summary -all lists those it has\n",
				printable(o.file), printable(o.typeName))
			return exitDamaged
		}
	}
	code := exitOK
	if s.damage.total > 0 {
		fmt.Fprintf(stderr, "jfrbench: %s: %s, the first: %s; jfrbench without scan lists them\n",
			printable(o.file), plural(uint64(s.damage.total), "error"), printable(errtext.Message(s.damage.list[0])))
		code = exitDamaged
	}
	var out strings.Builder
	_ = json.NewEncoder(&out).Encode(&s) // it writes to memory
	return max(code, write(stdout, stderr, out.String()))
}

// scanned is what came of a scan. It is printed for programs.
type scanned struct {
	Work   string `json:"work"`
	Type   string `json:"type,omitempty"`
	Events uint64 `json:"events"`
	// Checksum is of all that was read, if values were.
	Checksum string `json:"checksum,omitempty"`
	Nanos    int64  `json:"nanos"`

	damage damage
}

func scan(rec *mmapjfr.Recording, o scanOptions) scanned {
	s := scanned{Work: o.work, Type: o.typeName}
	switch o.work {
	case "count":
		s.Events = countEvents(rec, &s.damage)
	case "read":
		events, sum, err := readAll(rec, func(int) {})
		s.damage.addAll(err)
		s.Events, s.Checksum = events, fmt.Sprintf("%016x", sum)
	case "type":
		s.Events = countType(rec, o.typeName, &s.damage)
	}
	return s
}

// countEvents counts all events. The fields of each are found and checked to lie
// inside it.
func countEvents(rec *mmapjfr.Recording, d *damage) uint64 {
	return countSelection(rec.Select(), rec.Workers(), nil, nil, d)
}

// countType counts the events of the type of that full name. The selection takes
// the name for a pattern, which can fit other types, too.
func countType(rec *mmapjfr.Recording, name string, d *damage) uint64 {
	var wanted func(ev mmapjfr.Event) bool
	if strings.ContainsAny(name, "*?") || !strings.Contains(name, ".") {
		wanted = func(ev mmapjfr.Event) bool { return ev.Type().Name() == name }
	}
	return countSelection(rec.Select(mmapjfr.Types(name)), rec.Workers(), wanted, nil, d)
}

// counter is a number that no other worker's is near.
type counter struct {
	n uint64
	_ [56]byte
}

// often is the number of events, a power of two, between two reports of progress.
const often = 4096

// countSelection counts events, all or those that are wanted. If it is not nil,
// tell is called with numbers of events that have been counted.
func countSelection(sel *mmapjfr.Selection, workers int, wanted func(mmapjfr.Event) bool, tell func(events int), d *damage) (n uint64) {
	counters := make([]counter, workers)
	d.addAll(sel.Parallel(context.Background(), func(worker int, ev mmapjfr.Event) error {
		if wanted != nil && !wanted(ev) {
			return nil
		}
		c := &counters[worker]
		if c.n++; tell != nil && c.n%often == 0 {
			tell(often)
		}
		return nil
	}))
	for i := range counters {
		n += counters[i].n
	}
	return n
}
