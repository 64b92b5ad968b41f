package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

const scanHelp = `usage: jfrbench scan -work count|read|type [-type NAME] FILE

Does one work on a recording, and prints in a line of JSON how many events it
saw and how many nanoseconds it took from opening the file to its last event.

flags:
  -work count  count the events
  -work read   read every field of every event
  -work type   count the events of one type
  -type NAME   the full name of that type, such as jdk.ExecutionSample
`

// scanOptions are the arguments of jfrbench scan.
type scanOptions struct {
	work, typeName, file string
}

func parseScan(args []string) (o scanOptions, err error) {
	flags := flag.NewFlagSet("scan", flag.ContinueOnError)
	flags.StringVar(&o.work, "work", "", "")
	flags.StringVar(&o.typeName, "type", "", "")
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
	rec, err := mmapjfr.Open(o.file)
	if err != nil {
		fmt.Fprintf(stderr, "jfrbench: %s\n", explain(o.file, err))
		return exitDamaged
	}
	defer rec.Close() // only read
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
			printable(o.file), plural(uint64(s.damage.total), "error"), printable(message(s.damage.list[0])))
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
		var sum uint64
		s.Events, sum = readEvents(rec, &s.damage)
		s.Checksum = fmt.Sprintf("%016x", sum)
	case "type":
		s.Events = countType(rec, o.typeName, &s.damage)
	}
	return s
}

// countEvents counts all events. The fields of each are found and checked to lie
// inside it.
func countEvents(rec *mmapjfr.Recording, d *damage) (n uint64) {
	for _, err := range rec.Events() {
		if err != nil {
			d.add(err)
			continue
		}
		n++
	}
	return n
}

// readEvents reads every field of every event, as the comment of the package says.
func readEvents(rec *mmapjfr.Recording, d *damage) (n, checksum uint64) {
	var r reader
	for ev, err := range rec.Events() {
		if err != nil {
			d.add(err)
			continue
		}
		r.event(ev)
		n++
	}
	return n, r.sum
}

// countType counts the events of the type of that full name. The selection takes
// the name for a pattern, which can fit other types, too.
func countType(rec *mmapjfr.Recording, name string, d *damage) (n uint64) {
	for ev, err := range rec.Select(mmapjfr.Types(name)).Events() {
		switch {
		case err != nil:
			d.add(err)
		case ev.Type().Name() == name:
			n++
		}
	}
	return n
}
