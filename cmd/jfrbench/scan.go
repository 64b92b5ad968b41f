package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/printable"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

const scanHelp = `usage: jfrbench scan -work summary|count|read|type [-type NAME] [flags] FILE

Does one work on a recording, and prints in a line of JSON how many events it
saw and how many nanoseconds it took from opening the file to its last event.

flags:
  -work summary  count events and bytes by type, as jfr summary does
  -work count    count the events
  -work read     read every field of every event
  -work type     count the events of one type
  -type NAME     the full name of that type, such as jdk.ExecutionSample
  -workers N     read with N goroutines at once, not one per processor
`

// scanOptions are the arguments of jfrbench scan.
type scanOptions struct {
	work, typeName, file string
	workers              uint
}

func parseScan(args []string) (o scanOptions, err error) {
	flags := flag.NewFlagSet("jfrbench scan", flag.ContinueOnError)
	flags.StringVar(&o.work, "work", "", "")
	flags.StringVar(&o.typeName, "type", "", "")
	flags.UintVar(&o.workers, "workers", 0, "")
	o.file, err = parseOneFile(flags, args)
	switch {
	case err != nil:
	case !slices.Contains(workNames, o.work):
		err = fmt.Errorf("-work is %q; it must be one of %s", o.work, strings.Join(workNames, ", "))
	case o.work == "type" && o.typeName == "":
		err = errors.New("-work type needs -type NAME, such as jdk.ExecutionSample")
	case o.work != "type" && o.typeName != "":
		err = fmt.Errorf("-type goes with -work type, not with -work %s", o.work)
	}
	return o, err
}

// scanVerb is the command jfrbench scan.
func scanVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parseScan(args)
	if err != nil {
		return misused("jfrbench scan", scanHelp, err, stdout, stderr)
	}
	s, err := scan(o)
	if err != nil {
		fmt.Fprintf(stderr, "jfrbench: %v\n", err)
		return exitDamaged
	}
	code := exitOK
	if _, damages, first := problems(s.err); damages > 0 {
		fmt.Fprintf(stderr, "jfrbench: %s: %s\n", printable.Text(o.file), damaged(first, damages))
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
	// Types are counts by type, of the work "summary".
	Types map[string]oracle.Count `json:"types,omitempty"`
	// Checksum is of all that was read, if values were.
	Checksum string `json:"checksum,omitempty"`
	Nanos    int64  `json:"nanos"`

	chunks int
	size   int64
	err    error // what is wrong inside the recording
}

// scan does a work. It fails if the file cannot be opened or has no such type.
func scan(o scanOptions) (scanned, error) {
	s := scanned{Work: o.work, Type: o.typeName}
	start := time.Now()
	rec, err := mmapjfr.Open(o.file, mmapjfr.Workers(int(o.workers)))
	if err != nil {
		return s, cannotOpen(o.file, err)
	}
	defer rec.Close() // only read
	boundMemory(rec.Size())
	s.chunks, s.size = len(rec.Chunks()), rec.Size()
	fault := guarded(func() error {
		switch o.work {
		case "summary":
			s.Types, s.Events, s.err = countTypes(rec)
		case "count":
			s.Events, s.err = count(rec.Select(), engine.RecordingWorkers(rec), nil)
		case "read":
			var sum uint64
			s.Events, sum, s.err = readAll(rec)
			s.Checksum = fmt.Sprintf("%016x", sum)
		case "type":
			s.Events, s.err = countType(rec, o.typeName)
		}
		return nil
	})
	s.err = errors.Join(s.err, fault)
	s.Nanos = time.Since(start).Nanoseconds()
	if _, ok := rec.Type(o.typeName); !ok && o.work == "type" {
		return s, fmt.Errorf("%s: it has no type %s; mjfr types lists those it has",
			printable.Text(o.file), printable.Text(o.typeName))
	}
	return s, nil
}

// countTypes counts events and bytes by the name of the type: ids mean nothing across chunks.
func countTypes(rec *mmapjfr.Recording) (types map[string]oracle.Count, events uint64, err error) {
	s, _ := summary.Count(context.Background(), []*mmapjfr.Recording{rec}, nil) // nobody cancels it
	types = make(map[string]oracle.Count, len(s.Types))
	for _, t := range s.Types {
		n := types[t.Name]
		types[t.Name] = oracle.Count{Events: n.Events + t.Events, Bytes: n.Bytes + t.Bytes}
	}
	for _, f := range s.Faults {
		err = errors.Join(err, f.Err)
	}
	return types, s.Events, err
}

// countType counts the events of the type of that full name. The selection takes
// the name for a pattern, which can fit other types, too.
func countType(rec *mmapjfr.Recording, name string) (uint64, error) {
	var wanted func(ev mmapjfr.Event) bool
	if strings.ContainsAny(name, "*?") || !strings.Contains(name, ".") {
		wanted = func(ev mmapjfr.Event) bool { return ev.Type().Name() == name }
	}
	return count(rec.Select(mmapjfr.Types(name)), engine.RecordingWorkers(rec), wanted)
}

// counter is a number that no other worker's is near.
type counter struct {
	n uint64
	_ [56]byte
}

// count counts events, all or those that are wanted. The fields of each are found and
// checked to lie inside it.
func count(sel *mmapjfr.Selection, workers int, wanted func(mmapjfr.Event) bool) (n uint64, err error) {
	counters := make([]counter, workers)
	err = sel.Parallel(context.Background(), func(worker int, ev mmapjfr.Event) error {
		if wanted == nil || wanted(ev) {
			counters[worker].n++
		}
		return nil
	})
	for i := range counters {
		n += counters[i].n
	}
	return n, err
}
