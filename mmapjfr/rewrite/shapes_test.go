package rewrite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/repair"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// rewriting are ways to copy a recording that are to keep all that its events say.
var rewriting = map[string]func(rec *mmapjfr.Recording) ([]byte, error){
	"slice":   byPlan(rewrite.Plan{Keep: func(mmapjfr.Event) bool { return true }, Readable: true}),
	"scrub":   byPlan(rewrite.Plan{Drop: func(t mmapjfr.Type) bool { return t.Name() == "test.Nothing" }, Readable: true}),
	"redact":  byPlan(rewrite.Plan{Edits: nothing{}}),
	"convert": byPlan(rewrite.Plan{Convert: true, Readable: true}),
	"compact": byPlan(rewrite.Plan{Join: true}),
	"merge":   byPlan(rewrite.Plan{Anew: true, Readable: true, ByTime: true}),
	"copy":    byPlan(rewrite.Plan{Readable: true}), // as assemble and disassemble do
	"repair": func(rec *mmapjfr.Recording) ([]byte, error) {
		var out bytes.Buffer
		report, err := repair.Write(context.Background(), &out, rec)
		if err == nil && len(report.Chunks[0].LeftOut) > 0 {
			err = fmt.Errorf("%w: %v", mmapjfr.ErrCorrupt, report.Chunks[0].LeftOut)
		}
		return out.Bytes(), err
	},
}

func byPlan(plan rewrite.Plan) func(rec *mmapjfr.Recording) ([]byte, error) {
	return func(rec *mmapjfr.Recording) ([]byte, error) {
		own := plan
		var wrong error
		own.OnError = func(_ *mmapjfr.Recording, err error) { wrong = err }
		var out bytes.Buffer
		_, err := rewrite.Write(context.Background(), &out, []*mmapjfr.Recording{rec}, &own)
		if err == nil {
			err = wrong
		}
		return out.Bytes(), err
	}
}

// nothing edits nothing.
type nothing struct{}

func (nothing) Text(rewrite.Place) rewrite.TextEdit                 { return nil }
func (nothing) Number(rewrite.Place) rewrite.NumberEdit             { return nil }
func (nothing) Array(rewrite.Place) rewrite.ArrayEdit               { return nil }
func (nothing) Described(_ rewrite.Description, text string) string { return text }

// said returns what the events of a recording say: a line for each, with its fields by their names.
func said(t testing.TB, rec *mmapjfr.Recording) []string {
	t.Helper()
	var list []string
	for line := range strings.Lines(ndjson(t, print.Options{}, rec)) {
		from := json.NewDecoder(strings.NewReader(line))
		from.UseNumber()
		var event map[string]any
		require.NoError(t, from.Decode(&event), "%.500s", line)
		text, err := json.Marshal(event)
		require.NoError(t, err)
		list = append(list, string(text))
	}
	return list
}

// TestShapesAreKept: whatever the types of a recording look like, copies say the same.
func TestShapesAreKept(t *testing.T) {
	for _, name := range shaped() {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		require.NoError(t, err)
		content, err := jfrtest.NewContent(data, 2)
		require.NoError(t, err)
		for seed := range uint64(longtest.Cases(1, 200)) {
			shape := jfrtest.Shape{Seed: seed + 1, InOrder: seed%3 == 0, Odd: seed%4 == 3}
			keepsAll(t, content, shape)
		}
	}
}

// shaped are the recordings that are written in other shapes.
func shaped() []string {
	if longtest.Enabled() {
		return []string{"jdk25-kinds.jfr", "jdk25-virtual.jfr", "jdk17-oldobjects.jfr", "jdk25-profile.jfr"}
	}
	return []string{"jdk25-kinds.jfr"}
}

func keepsAll(t *testing.T, content *jfrtest.Content, shape jfrtest.Shape) {
	t.Helper()
	rec := open(t, content.As(shape))
	require.NotNil(t, rec)
	want := said(t, rec)
	for name, verb := range rewriting {
		out, err := verb(rec)
		if shape.Odd && errors.Is(err, mmapjfr.ErrCorrupt) && (name == "convert" || name == "repair") {
			continue // it says what the JDK cannot print
		}
		require.NoError(t, err, "%s: %+v", name, shape)
		made := open(t, out)
		require.NotNil(t, made, "%s: %+v", name, shape)
		got := said(t, made)
		require.Len(t, got, len(want), "%s: %+v", name, shape)
		for i := range got {
			require.Equal(t, want[i], got[i], "%s: %+v: event %d", name, shape, i)
		}
	}
}

// TestOtherWriters copies recordings whose types are not as HotSpot's: of JMC's writer, for one.
func TestOtherWriters(t *testing.T) {
	const dir = "../../../shared/cases"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("there are no such recordings here")
	}
	for _, name := range []string{"jmcwriter.jfr.gz", "string-arrays.jfr.gz"} {
		rec := open(t, longtest.Read(t, filepath.Join(dir, name)))
		require.NotNil(t, rec)
		want := said(t, rec)
		for verb, copied := range rewriting {
			out, err := copied(rec)
			require.NoError(t, err)
			assert.Equal(t, want, said(t, open(t, out)), "%s: %s", name, verb)
		}
	}
}
