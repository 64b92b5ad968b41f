package table_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// open opens a recording of testdata, or a chunk of one.
func open(t testing.TB, name string) *mmapjfr.Recording {
	return opentest.Bytes(t, said.Recording(t, name))
}

// ask answers a statement as the prepared views do.
func ask(t testing.TB, rec *mmapjfr.Recording, title, statement string) *query.Result {
	t.Helper()
	st, err := query.Parse(statement, query.Options{})
	require.NoError(t, err)
	types, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	plan, err := st.Plan(types, query.Options{JDK: true})
	require.NoError(t, err)
	found, err := query.Read(t.Context(), []*mmapjfr.Recording{rec}, []*query.Plan{plan}, query.ReadOptions{})
	require.NoError(t, err)
	r := found[0].Result()
	r.Title = title
	return r
}

// show returns a result as it is written.
func show(t testing.TB, r *query.Result, o table.Options) string {
	t.Helper()
	var b bytes.Buffer
	w := table.New(&b, o)
	require.NoError(t, w.Write(r))
	require.NoError(t, w.Close())
	return b.String()
}

// apart are the recordings of which jfr shows events in another way, and from where on. It gives each
// of several types with one name the columns of all, and reads chunks by the clock of the first.
var apart = map[string]string{
	"jdk17-profile.jfr": "\nS... D... E... S... type r...", "jdk25-profile.jfr": "\nS... D... E... S... type r...",
	"concat-jdk25-jdk25.jfr": "\n00:49:05        0 s round 1      gen.Round.commit", "concat-jdk17-jdk25.jfr": "\n\nNo events found for 'File Force'",
}

// TestEventsAreThoseOfTheJDK shows all events of each recording as jfr view all-events does.
func TestEventsAreThoseOfTheJDK(t *testing.T) {
	for i, q := range said.ViewQuestions() {
		name := q.Recording
		if q.Words[0] != "all-events" || !longtest.Every(i, 2) {
			continue
		}
		kept := said.View(t, name, q.Words...)
		if kept.Refusal != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got := allEvents(t, open(t, name))
			want, got := sameUnknowns(kept.Out), sameUnknowns(got)
			if from, ok := apart[name]; ok {
				end := bytes.Index(want, []byte(from))
				require.Positive(t, end)
				want, got = want[:end], got[:end]
			}
			said.Same(t, want, got)
		})
	}
}

// sameUnknowns returns a text in which characters that are none, such as half of one, are the same:
// jfr writes a question mark for some.
func sameUnknowns(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("\ufffd"), []byte("?"))
}

// otherwise are event types of jdk25-kinds.jfr that differ: a field that is one character can end the
// line in jfr; times have no more than 292 years from 1970; empty labels count as missing.
var otherwise = []string{"gen.KindEvents$Primitives", "gen.KindEvents$Instants", "gen.Übung.名前", "ActiveSetting"}

// allEvents shows the events of the types in the first chunk's metadata.
func allEvents(t testing.TB, rec *mmapjfr.Recording) []byte {
	t.Helper()
	types, err := rec.Chunks()[0].Types()
	require.NoError(t, err)
	var b bytes.Buffer
	w := table.New(&b, table.Options{})
	for _, typ := range types {
		if typ.IsEvent() {
			require.NoError(t, w.Write(ask(t, rec, typ.Label(), "SELECT * FROM `"+typ.Name()+"`")))
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// TestOtherProducers compares with what jfr shows of the recordings that it can show.
func TestOtherProducers(t *testing.T) {
	longtest.Slow(t, "asks a JDK")
	home := longtest.JDK25(t)
	for _, path := range longtest.Others(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := unpack(t, path)
			rec, err := mmapjfr.OpenBytes(data)
			if err != nil || len(rec.Chunks()) > 1 {
				t.Skip("packed twice, or several chunks: ", err)
			}
			defer rec.Close()
			file := filepath.Join(t.TempDir(), "recording.jfr")
			require.NoError(t, os.WriteFile(file, data, 0o600))
			want := func(view string) []byte {
				out, refusal, err := oracle.Verbatim(t.Context(), home, file, "view", view)
				if err != nil || refusal != "" {
					t.Skip("the JDK has no answer to compare with: ", err, refusal)
				}
				return sameUnknowns(out)
			}
			said.Same(t, want("all-events"), sameUnknowns(allEvents(t, rec)))
			list := standard()
			for i, cut := range sections(t, string(want("all-views")), list) {
				got := string(sameUnknowns([]byte(viewed(t, rec, list[i], table.Options{}))))
				if !strings.HasPrefix(cut, "Can't find") && cut != got {
					said.Same(t, []byte(cut), []byte(got))
				}
			}
		})
	}
}

func unpack(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return data
}

// TestOptionsAreThoseOfTheJDK shows event types with the options of jfr view.
func TestOptionsAreThoseOfTheJDK(t *testing.T) {
	for _, q := range said.ViewQuestions() {
		o, view := optionsOf(t, q.Words)
		rec := open(t, q.Recording)
		typ, ok := typeOf(rec, view)
		kept := said.View(t, q.Recording, q.Words...)
		if !ok || kept.Refusal != "" || slices.Contains(otherwise, view) {
			continue
		}
		t.Run(strings.Join(append(q.Words, q.Recording), " "), func(t *testing.T) {
			title := typ.Label()
			if typ.IsExperimental() {
				title += " (Experimental)" // jfr says it twice
			}
			got := show(t, ask(t, rec, title, "SELECT * FROM "+typ.Name()), o)
			if o.Verbose {
				got += "\nExecution: \n"
			}
			said.Same(t, sameUnknowns(kept.Out), sameUnknowns([]byte(got)))
		})
	}
}

// optionsOf returns the options that words of jfr view mean, and the name of the view.
func optionsOf(t testing.TB, words []string) (o table.Options, view string) {
	t.Helper()
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--verbose":
			o.Verbose = true
		case "--width", "--cell-height":
			n, err := strconv.Atoi(words[i+1])
			require.NoError(t, err)
			if words[i] == "--width" {
				o.Width = n
			} else {
				o.CellHeight = n
			}
			i++
		case "--truncate":
			o.Truncate = table.Beginning
			i++
		default:
			view = words[i]
		}
	}
	return o, view
}

// typeOf returns an event type by its name, or by the end of it as jfr does.
func typeOf(rec *mmapjfr.Recording, name string) (mmapjfr.Type, bool) {
	types, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec})
	for _, typ := range types {
		if typ.Name() == name || strings.HasSuffix(typ.Name(), "."+name) {
			return typ, true
		}
	}
	return mmapjfr.Type{}, false
}
