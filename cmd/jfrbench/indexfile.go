package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr"
)

const indexHelp = `usage: jfrbench index [-where beside|cache] [-check | -remove] FILE...

Goes through each recording, saves an index of where its events and constants
lie, and prints how large that is and how much faster the recording opens with it.
An index that is there is replaced.

flags:
  -where beside  save it beside the recording, as FILE` + mmapjfr.IndexSuffix + `; the default
  -where cache   save it in the user's cache directory
  -check         tell whether the index that is there can be used, and why not
  -remove        remove the index
`

// indexOptions are the arguments of jfrbench index.
type indexOptions struct {
	place         mmapjfr.IndexLocation
	check, remove bool
	files         []string
}

func parseIndex(args []string) (o indexOptions, err error) {
	flags := flag.NewFlagSet("index", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	where := flags.String("where", "beside", "")
	flags.BoolVar(&o.check, "check", false, "")
	flags.BoolVar(&o.remove, "remove", false, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch *where {
	case "beside":
		o.place = mmapjfr.IndexBeside
	case "cache":
		o.place = mmapjfr.IndexInCache
	default:
		return o, fmt.Errorf("-where is %q; it must be beside or cache", *where)
	}
	if o.check && o.remove {
		return o, errors.New("-check and -remove do not go together")
	}
	if o.files = flags.Args(); len(o.files) == 0 {
		return o, errors.New("no file given: name a recording, as in jfrbench index app.jfr")
	}
	return o, nil
}

// indexVerb is the command jfrbench index.
func indexVerb(args []string, stdout, stderr io.Writer) int {
	o, err := parseIndex(args)
	if err != nil {
		return misused("index", indexHelp, err, stdout, stderr)
	}
	code := exitOK
	for i, file := range o.files {
		var out strings.Builder
		switch {
		case o.remove:
			err = removeIndex(&out, file, o.place)
		case o.check:
			err = checkIndex(&out, file, o.place)
		default:
			if i > 0 {
				out.WriteString("\n\n")
			}
			err = saveIndex(&out, file, o.place, stderr)
		}
		if err != nil {
			fmt.Fprintf(stderr, "jfrbench: %v\n", err)
			code = exitDamaged
			continue
		}
		if c := write(stdout, stderr, out.String()); c != exitOK {
			return c
		}
	}
	return code
}

func removeIndex(w io.Writer, file string, place mmapjfr.IndexLocation) error {
	err := mmapjfr.RemoveIndex(file, place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(w, "%s: there is no saved index\n", printable(file))
	case err != nil:
		return fmt.Errorf("%s: the index could not be removed: %s", printable(file), printable(errtext.Message(err)))
	default:
		fmt.Fprintf(w, "%s: the index was removed\n", printable(file))
	}
	return nil
}

func checkIndex(w io.Writer, file string, place mmapjfr.IndexLocation) error {
	rec, err := mmapjfr.Open(file)
	if err != nil {
		return errors.New(explanation(file, err))
	}
	defer rec.Close() // only read
	info, err := rec.CheckIndex(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no saved index; jfrbench index makes one", printable(file))
	case err != nil:
		return fmt.Errorf("%s: %s; jfrbench index makes it anew", printable(file), printable(errtext.Message(err)))
	}
	fmt.Fprintf(w, "%s: the index fits: %s, %s of the file, with %s of %s\n", printable(file), humanize.Bytes(info.Size),
		percent(info.Size, uint64(rec.Size())), humanize.Comma(int64(info.Saved)), plural(uint64(info.Chunks), "chunk"))
	return nil
}

// saveIndex makes an index, and measures what it costs and what it brings.
func saveIndex(w io.Writer, file string, place mmapjfr.IndexLocation, stderr io.Writer) error {
	s := indexing{file: file, place: place}
	if progress.IsTerminal(stderr) {
		s.bar = func(name string, size int64) *progress.Bar { return oneStage(stderr, name, size) }
	}
	if err := s.save(); err != nil {
		return err
	}
	if err := s.reopen(); err != nil {
		return err
	}
	s.write(w)
	return nil
}
