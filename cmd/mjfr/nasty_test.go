package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// nastyFile returns the path of a recording that was made.
func nastyFile(t *testing.T, b *jfrtest.Builder) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nasty.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// nastyCode returns the exit code that a command must have: 0, except that verify may find names that
// the JDK refuses.
func nastyCode(args []string, code int) int {
	if args[0] == "verify" && code == cli.ExitData {
		return code
	}
	return cli.ExitOK
}

// nastyDocument returns the JSON document that a command prints.
func nastyDocument(t *testing.T, args ...string) any {
	t.Helper()
	code, out, told := mjfrCommand(t, args...)
	require.Equal(t, nastyCode(args, code), code, told)
	var document any
	require.NoError(t, json.Unmarshal([]byte(out), &document), args)
	return document
}

// textsAt returns the strings of a document at keys of that name, wherever they are.
func textsAt(document any, key string) (texts []string) {
	switch d := document.(type) {
	case []any:
		for _, e := range d {
			texts = append(texts, textsAt(e, key)...)
		}
	case map[string]any:
		for k, e := range d {
			if text, ok := e.(string); ok && k == key {
				texts = append(texts, text)
			} else {
				texts = append(texts, textsAt(e, key)...)
			}
		}
	}
	return texts
}

// TestNastyStringsInDocuments looks for the values of events and constants.
func TestNastyStringsInDocuments(t *testing.T) {
	b := jfrtest.NastyEvents(3, 40)
	file := nastyFile(t, b)
	rec := opentest.Bytes(t, b.Bytes())
	var events, pool, positions []string
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if v := ev.Get(mmapjfr.Path("text")); ev.Type().Name() == "test.Text" && !v.IsNull() && ev.Ordinal()%3 == 0 {
			events, positions = append(events, v.Str()), append(positions, fmt.Sprint("#", ev.Ordinal()))
		}
	}
	texts := textsAt(nastyDocument(t, append([]string{"at", "--json", file}, positions...)...), "value")
	assert.Subset(t, texts, events)
	typ, ok := rec.Type(jfrtest.StringClass)
	require.True(t, ok)
	for _, v := range engine.ChunkConstants(rec.Chunks()[0], typ) {
		pool = append(pool, v.Str())
	}
	got := textsAt(nastyDocument(t, "constants", "--json", file, "String"), "value")
	slices.Sort(got)
	slices.Sort(pool)
	assert.Equal(t, pool, got)
	for _, args := range [][]string{{"constants", "--json", "--duplicates", file}, {"constants", "--json", "--unused", file}, {"verify", "--json", file}} {
		nastyDocument(t, args...)
	}
}

// TestNastyTextsInTables holds that a row is a line, and that no character of a recording
// does anything to a terminal.
func TestNastyTextsInTables(t *testing.T) {
	names, events := nastyFile(t, jfrtest.NastyNames(3, 40, true)), nastyFile(t, jfrtest.NastyEvents(3, 40))
	rec, err := jfrtest.Decode(jfrtest.NastyEvents(3, 40).Bytes())
	require.NoError(t, err)
	for _, args := range [][]string{
		{"events", events}, {"events", names}, {"types", names}, {"summary", "--extended", names}, {"metadata", "--search", "a", names},
		{"constants", events, "String"}, {"constants", events, "Thread,Class,Method"}, {"chunks", names}, {"verify", names}, {"verify", events},
	} {
		for _, colour := range []string{"never", "always"} {
			code, out, told := mjfrCommand(t, append(args, "--color", colour)...)
			require.Equal(t, nastyCode(args, code), code, told)
			out = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(out, "")
			at := strings.IndexFunc(out, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
			require.Equal(t, -1, at, "%s %s: %q", args, colour, out[max(at-20, 0):])
			if args[0] == "events" && args[1] == events {
				assert.Equal(t, 1+len(rec.Chunks[0].Events), strings.Count(out, "\n"))
			}
		}
	}
}

// TestAllEventsOfAnyName shows the events of types whose names statements need quotes for, or that have none.
func TestAllEventsOfAnyName(t *testing.T) {
	names := []string{"", "test.a`b", `test.a"b`, `test.a\u0041`, "from", "test.new\nline"}
	b := jfrtest.NewChunk()
	for i, name := range names {
		b.Emit(b.Event(name, jfrtest.Of("n", "int")), b.Header.StartTicks, 7000+i)
	}
	file := nastyFile(t, b)
	code, out, told := mjfrCommand(t, "view", "--csv", "all-events", file)
	require.Equal(t, cli.ExitOK, code, told)
	for i, name := range names {
		assert.Equal(t, 1, strings.Count(out, fmt.Sprint(7000+i)), "%q: %s", name, out)
		quoted, err := json.Marshal(name)
		require.NoError(t, err)
		code, out, told := mjfrCommand(t, "query", "--csv", "select n from "+string(quoted), file)
		require.Equal(t, cli.ExitOK, code, told)
		assert.Equal(t, fmt.Sprintf("n\n%d\n", 7000+i), strings.ReplaceAll(out, "\r", ""))
	}
}
