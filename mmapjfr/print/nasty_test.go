package print_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// nastyRecordings are recordings made of nasty strings of which the JDK's answers are
// kept.
var nastyRecordings = map[string]func() []byte{
	"nasty-events.jfr": func() []byte { return jfrtest.NastyEvents(1, 60).Bytes() },
	"nasty-names.jfr":  func() []byte { return jfrtest.NastyNames(1, 60, false).Bytes() },
}

// TestNastyStringsAreThoseOfTheJDK has strings that are hard to write in all places, and
// the names of all there is.
func TestNastyStringsAreThoseOfTheJDK(t *testing.T) {
	for name, recording := range nastyRecordings {
		data := recording()
		t.Run(name, func(t *testing.T) {
			want := said.OfBytes(t, name, data, "print", "--json")
			require.Empty(t, want.Refusal)
			said.Same(t, want.Out, []byte(bytesOf(t, data, print.Options{Format: print.JSON, StackDepth: 5})))
			want = said.OfBytes(t, name, data, "print", "--xml")
			require.Empty(t, want.Refusal)
			said.Same(t, wellFormed(want.Out), []byte(bytesOf(t, data, print.Options{Format: print.XML, StackDepth: 5})))
			// The JDK fails at arrays of strings.
			want = said.OfBytes(t, name, data, "print", "--events", "Text,Places,T*")
			require.Empty(t, want.Refusal)
			o := print.Options{StackDepth: 5, Filters: []mmapjfr.Filter{mmapjfr.Types("Text", "Places", "T*")}}
			said.Same(t, want.Out, []byte(bytesOf(t, data, o)))
		})
	}
}

// TestNastyStringsAgainstAJDK asks a JDK about strings that nobody has looked at.
func TestNastyStringsAgainstAJDK(t *testing.T) {
	longtest.Slow(t, "it asks JDKs again and again")
	home := longtest.JDK25(t)
	for range 5 {
		seed := rand.Uint64()
		for name, data := range map[string][]byte{
			"events": jfrtest.NastyEvents(seed, 200).Bytes(), "names": jfrtest.NastyNames(seed, 200, false).Bytes(),
		} {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "nasty.jfr")
				require.NoError(t, os.WriteFile(file, data, 0o600))
				for format, question := range map[print.Format]string{print.JSON: "--json", print.XML: "--xml"} {
					want, refusal, err := oracle.Verbatim(t.Context(), home, file, "print", question)
					require.NoError(t, err)
					require.Empty(t, refusal)
					if format == print.XML {
						want = wellFormed(want)
					}
					said.Same(t, want, []byte(bytesOf(t, data, print.Options{Format: format, StackDepth: 5})))
				}
				want, _, err := oracle.Verbatim(t.Context(), home, file, "print", "--events", "Text,Places,T*")
				require.NoError(t, err)
				o := print.Options{StackDepth: 5, Filters: []mmapjfr.Filter{mmapjfr.Types("Text", "Places", "T*")}}
				said.Same(t, want, []byte(bytesOf(t, data, o)))
			})
		}
	}
}

// nastySeeds calls do with chunks of nasty strings, in both forms of integers.
func nastySeeds(t *testing.T, do func(t *testing.T, data []byte)) {
	for seed := range uint64(longtest.Cases(2, 50)) {
		b := jfrtest.NastyEvents(100+seed, longtest.Cases(8, 20))
		if seed%2 == 1 {
			b.Uncompressed()
		}
		data := b.Bytes()
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { do(t, data) })
	}
}

// TestNastyStringsAreReadAgain reads documents, lines and rows by the parsers of others.
func TestNastyStringsAreReadAgain(t *testing.T) {
	nastySeeds(t, func(t *testing.T, data []byte) {
		rec := opentest.Bytes(t, data)
		var texts []any // of test.Text
		for ev, err := range rec.Select(mmapjfr.Types("test.Text")).Events() {
			require.NoError(t, err)
			texts = append(texts, ev.Get(mmapjfr.Path("text")).Any())
		}
		assert.Equal(t, texts, jsonTexts(t, []byte(bytesOf(t, data, print.Options{Format: print.JSON, StackDepth: 5}))))
		var lines []any
		for line := range strings.Lines(bytesOf(t, data, print.Options{Format: print.NDJSON})) {
			require.True(t, utf8.ValidString(line))
			require.Equal(t, -1, strings.IndexFunc(line[:len(line)-1], func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }))
			var ev map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &ev))
			if ev["@type"] == "test.Text" {
				lines = append(lines, ev["text"])
			}
		}
		assert.Equal(t, texts, lines)
		root := readXML(t, xml.NewDecoder(strings.NewReader(bytesOf(t, data, print.Options{Format: print.XML}))))
		for i, ev := range root.children[0].children[:len(texts)] {
			if want, ok := texts[i].(string); ok {
				require.Equal(t, xmlText(want), ev.children[1].text)
			} else {
				require.Equal(t, "true", ev.children[1].attr("nil"))
			}
		}
		sameRows(t, data, texts)
	})
}

// jsonTexts returns the field text of the events of a document that have one.
func jsonTexts(t *testing.T, document []byte) (texts []any) {
	t.Helper()
	var doc struct {
		Recording struct {
			Events []struct {
				Type   string
				Values map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(document, &doc))
	for _, ev := range doc.Recording.Events {
		if ev.Type == "test.Text" {
			texts = append(texts, ev.Values["text"])
		}
	}
	return texts
}

// sameRows reads CSV and TSV, as they are and safe for spreadsheets.
func sameRows(t *testing.T, data []byte, texts []any) {
	t.Helper()
	for _, safe := range []bool{false, true} {
		o := print.Options{
			Format: print.CSV, Fields: []string{"text", "startTime"}, SpreadsheetSafe: safe,
			Filters: []mmapjfr.Filter{mmapjfr.Types("test.Text")},
		}
		want := func(i int) string {
			text, _ := texts[i].(string)
			first, _ := utf8.DecodeRuneInString(text)
			if safe && text != "" && strings.ContainsRune("=+-@\t\r\n\uff1d", first) && text != "+1" && text != "-1" && text != "-0" {
				return "'" + text
			}
			return text
		}
		// encoding/csv takes \r\n for \n, also between quotes.
		r := csv.NewReader(strings.NewReader(bytesOf(t, data, o)))
		rows, err := r.ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1+len(texts))
		for i := range texts {
			require.Equal(t, strings.ReplaceAll(want(i), "\r\n", "\n"), rows[i+1][0])
		}
		o.Format = print.TSV
		lines := bytes.Split([]byte(bytesOf(t, data, o)), []byte("\n"))
		require.Len(t, lines, 2+len(texts))
		for i := range texts {
			cell, _, _ := bytes.Cut(lines[i+1], []byte("\t"))
			require.Equal(t, want(i), untabbed(string(cell)))
		}
	}
}

// TestNastyNamesAreValid has names of event types that the JDK refuses, too.
func TestNastyNamesAreValid(t *testing.T) {
	b := jfrtest.NastyNames(7, 40, true)
	data := b.Bytes()
	var want []string
	for _, c := range b.Classes() {
		if c.IsEvent() {
			want = append(want, c.Name)
		}
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(bytesOf(t, data, print.Options{Format: print.NDJSON})) {
		var ev map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &ev))
		seen[ev["@type"].(string)] = true
		require.Len(t, ev, 6, "no name of a field is lost: %s", line)
	}
	for _, name := range want {
		assert.Contains(t, seen, name)
	}
	require.True(t, json.Valid([]byte(bytesOf(t, data, print.Options{Format: print.JSON}))))
	readXML(t, xml.NewDecoder(strings.NewReader(bytesOf(t, data, print.Options{Format: print.XML}))))
}

// untabbed takes the escapes of TSV back.
func untabbed(cell string) string {
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(cell)
}
