package where_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// column returns what NDJSON or TSV write of a field of all events, a line each.
func column(t *testing.T, rec *mmapjfr.Recording, field string, format print.Format) []string {
	t.Helper()
	var out bytes.Buffer
	o := print.Options{Format: format, Fields: []string{field}, Order: print.ByFile}
	require.NoError(t, print.Write(t.Context(), &out, []*mmapjfr.Recording{rec}, o))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if format == print.TSV {
		return lines[1:]
	}
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(strings.TrimPrefix(line, `{"`+field+`":`), "}")
	}
	return lines
}

// TestTextsCanBeGivenBack compares strings with what NDJSON and TSV write of them, and with
// all characters as code units.
func TestTextsCanBeGivenBack(t *testing.T) {
	b := jfrtest.NewChunk()
	e := b.Event("test.E", jfrtest.Of("text", jfrtest.StringClass))
	list := b.NastyStrings(7, 40)
	for _, s := range list {
		b.Emit(e, b.Header.StartTicks+5, s.Value)
	}
	rec := opentest.Bytes(t, b.Bytes())
	ndjson, tsv := column(t, rec, "text", print.NDJSON), column(t, rec, "text", print.TSV)
	i := 0
	for ev := range rec.Events() {
		written := []string{"text=" + ndjson[i]}
		if s := list[i]; s.Units != nil {
			var units strings.Builder
			for _, u := range s.Units[:min(len(s.Units), 500)] {
				fmt.Fprintf(&units, `\u%02x%02X`, u>>8, u&0xff)
			}
			// A cell has no quote that would have to be escaped for a condition.
			written = append(written, "text='"+strings.ReplaceAll(tsv[i], "'", `\'`)+"'")
			if len(s.Units) < 500 {
				written = append(written, `text="`+units.String()+`"`, `text~"(?s)^`+units.String()+`$"`)
			}
		}
		for _, text := range written {
			c, err := where.Parse(text)
			require.NoError(t, err, text)
			assert.True(t, c.Matches(ev), "%s of %q", text, list[i])
		}
		i++
	}
	require.Equal(t, len(list), i)
}

// TestFarYears compares points in time with what NDJSON writes of them.
func TestFarYears(t *testing.T) {
	b := jfrtest.NewChunk()
	at := jfrtest.Of("at", "long").With(jfrtest.Note("jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH"))
	e := b.Event("test.E", at)
	years := []int{-9999, -400, -1, 0, 1, 4, 1970, 9999, 10000, 12024, 99999, 1234567}
	for _, year := range years {
		b.Emit(e, b.Header.StartTicks+5, time.Date(year, 2, 28, 23, 59, 58, 7e6, time.UTC).UnixMilli())
	}
	rec := opentest.Bytes(t, b.Bytes())
	written := column(t, rec, "at", print.NDJSON)
	for i, text := range written {
		year := years[i]
		if got := ""; assert.NoError(t, json.Unmarshal([]byte(text), &got)) {
			assert.Contains(t, got, "-02-28T23:59:58.007")
		}
		for op, holds := range map[string]func(other int) bool{
			"=": func(other int) bool { return other == year }, "<": func(other int) bool { return other < year }, ">=": func(other int) bool { return other >= year },
		} {
			c, err := where.Parse("at " + op + text)
			require.NoError(t, err)
			j := 0
			for ev := range rec.Events() {
				assert.Equal(t, holds(years[j]), c.Matches(ev), "%s for %d", c, years[j])
				j++
			}
		}
	}
}
