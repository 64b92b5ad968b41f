package print_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestRowsSayWhatWasRecorded reads the rows of each event type again and compares them
// with what the recordings hold.
func TestRowsSayWhatWasRecorded(t *testing.T) {
	for _, name := range readable(t) {
		t.Run(name, func(t *testing.T) {
			if name == "jdk25-profile.jfr" {
				longtest.Long(t, "it is large")
			}
			rec := open(t, name)
			byType := make(map[string][]mmapjfr.Event)
			for ev, err := range rec.Events() {
				if err == nil {
					byType[ev.Type().Name()] = append(byType[ev.Type().Name()], ev.Detached())
				}
			}
			for typ, events := range byType {
				o := print.Options{StackDepth: math.MaxInt, Order: print.ByFile, Filters: []mmapjfr.Filter{mmapjfr.Types(typ)}}
				o.Format = print.CSV
				requireRows(t, events, readCSV(t, writtenOf(t, rec, o)))
				o.Format = print.TSV
				requireRows(t, events, readTSV(t, writtenOf(t, rec, o)))
			}
		})
	}
}

func readCSV(t *testing.T, text []byte) [][]string {
	t.Helper()
	// The reader takes \r\n for \n within quotes.
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("<CR>"))
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, row := range rows {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "<CR>", "\r")
		}
	}
	return rows
}

func readTSV(t *testing.T, text []byte) (rows [][]string) {
	t.Helper()
	escapes := strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
	for line := range strings.Lines(string(text)) {
		require.NotContains(t, line, "\r")
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range row {
			row[i] = escapes.Replace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// requireRows compares rows with the events of a type.
func requireRows(t *testing.T, events []mmapjfr.Event, rows [][]string) {
	t.Helper()
	require.Len(t, rows, len(events)+1)
	titles := rows[0]
	for _, f := range events[0].Type().Fields() {
		found := false
		for _, title := range titles {
			found = found || title == f.Name() || strings.HasPrefix(title, f.Name()+".")
		}
		require.True(t, found, f.Name())
	}
	for i, ev := range events {
		for j, title := range titles {
			path, err := mmapjfr.ParsePath(title)
			require.NoError(t, err)
			requireCell(t, ev.Get(path), rows[i+1][j], ev.Type().Name()+"."+title)
		}
	}
}

// requireCell compares a cell with the value that it is to hold.
func requireCell(t *testing.T, v mmapjfr.Value, cell, title string) {
	t.Helper()
	f, _ := v.Field()
	if v.Kind() == mmapjfr.KindStruct {
		switch v.Type().Name() {
		case "java.lang.Thread":
			require.Equal(t, v.Thread().Name(), cell, title)
			return
		case "jdk.types.ThreadGroup":
			require.Equal(t, v.Get(mmapjfr.Path("name")).Str(), cell, title)
			return
		case "jdk.types.ClassLoader":
			require.Contains(t, []string{v.ClassLoader().Name(), plainClass(v.ClassLoader().Type())}, cell, title)
			require.NotEmpty(t, cell, title)
			return
		case "jdk.types.StackTrace":
			require.Equal(t, strings.Join(frameTexts(v.StackTrace()), ";"), cell, title)
			return
		}
	}
	switch plain := plainValue(f, v, math.MaxInt).(type) {
	case nil:
		require.Empty(t, cell, title)
	case string, json.Number, bool:
		require.Equal(t, fmt.Sprint(plain), cell, title)
	default:
		dec := json.NewDecoder(strings.NewReader(cell))
		dec.UseNumber()
		var got any
		require.NoError(t, dec.Decode(&got), title)
		require.Equal(t, plain, got, title)
	}
}

func frameTexts(s mmapjfr.StackTrace) (list []string) {
	for f := range s.Frames() {
		list = append(list, plainStruct(engine.FrameValue(f), 0).(string))
	}
	return list
}

func rows(t *testing.T, name string, o print.Options) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := print.Write(t.Context(), &b, []*mmapjfr.Recording{open(t, name)}, o)
	return b.String(), err
}

func TestRowsOfFields(t *testing.T) {
	o := print.Options{
		Format: print.CSV, Order: print.ByFile, Limit: 2, StackDepth: 1,
		Fields:  []string{"@type", "@offset", "@size", "@end", "duration", "eventThread", "eventThread.javaName", "stackTrace", "stackTrace.frames[0].method.name", "parkedClass"},
		Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.ThreadPark")},
	}
	out, err := rows(t, "jdk25-profile.jfr", o)
	require.NoError(t, err)
	lines := readCSV(t, []byte(out))
	assert.Equal(t, o.Fields, lines[0])
	require.Len(t, lines, 3)
	var ev mmapjfr.Event
	for ev = range open(t, "jdk25-profile.jfr").Select(mmapjfr.Types("jdk.ThreadPark")).Events() {
		break
	}
	assert.Equal(t, []string{
		"jdk.ThreadPark", fmt.Sprint(ev.Offset()), fmt.Sprint(ev.Size()), ev.End().Format("2006-01-02T15:04:05.000000000Z"),
		fmt.Sprint(int64(ev.Timespan(mmapjfr.Path("duration")))), ev.Thread().Name(), ev.Thread().JavaName(),
		"jdk.internal.misc.Unsafe.park(boolean, long)", "park", plainClass(ev.Get(mmapjfr.Path("parkedClass")).Class()),
	}, lines[1])
	assert.Contains(t, out, `,"jdk.internal.misc.Unsafe.park(boolean, long)",park,`)

	o.Fields, o.Limit, o.Zone = []string{"startTime"}, 1, time.FixedZone("", -3600)
	out, err = rows(t, "jdk25-profile.jfr", o)
	require.NoError(t, err)
	assert.Equal(t, "startTime\n"+ev.Start().In(o.Zone).Format("2006-01-02T15:04:05.000000000Z07:00")+"\n", out)
}

func TestRowsOfSeveralTypes(t *testing.T) {
	types := func(globs ...string) []mmapjfr.Filter { return []mmapjfr.Filter{mmapjfr.Types(globs...)} }
	_, err := rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV})
	require.ErrorIs(t, err, print.ErrMixedTypes)
	_, err = rows(t, "jdk25-profile.jfr", print.Options{Format: print.TSV, Filters: types("jdk.ThreadPark", "jdk.CPULoad")})
	require.ErrorIs(t, err, print.ErrMixedTypes)
	require.ErrorContains(t, err, ": jdk.CPULoad and jdk.ThreadPark")

	// Two are enough to know.
	_, err = rows(t, "jdk25-profile.jfr", print.Options{Format: print.TSV})
	require.Regexp(t, `: [\w.$]+ and [\w.$]+$`, err.Error())

	one, err := rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV, Filters: types("jdk.ThreadPark")})
	require.NoError(t, err)
	out, err := rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV, Filters: types("jdk.ThreadPark", "jdk.ZPageAllocation")})
	require.NoError(t, err)
	assert.Equal(t, one, out, "there are no events of the other type")
	out, err = rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV, Filters: types("jdk.ThreadPark", "jdk.CPULoad"),
		Where: func(ev mmapjfr.Event) bool { return ev.Type().Name() == "jdk.ThreadPark" }})
	require.NoError(t, err)
	assert.Equal(t, one, out)

	out, err = rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV, Filters: types("jdk.ZPageAllocation")})
	require.NoError(t, err)
	assert.Regexp(t, "^startTime,.*\n$", out, "no event, and one type: titles alone")
	out, err = rows(t, "jdk25-empty.jfr", print.Options{Format: print.CSV})
	require.NoError(t, err)
	assert.Empty(t, out, "no event, and no type that could have titles")

	out, err = rows(t, "jdk25-profile.jfr", print.Options{Format: print.TSV, Fields: []string{"@type", "parkedClass"},
		Filters: types("jdk.ThreadPark", "jdk.CPULoad"), Limit: 1 << 20})
	require.NoError(t, err)
	assert.Contains(t, out, "jdk.CPULoad\t\n", "what an event has not is empty")
	assert.Contains(t, out, "jdk.ThreadPark\tjava.")
}

func TestRowsWithoutSuchAField(t *testing.T) {
	types := func(globs ...string) []mmapjfr.Filter { return []mmapjfr.Filter{mmapjfr.Types(globs...)} }
	for _, tc := range []struct {
		field   string
		filters []mmapjfr.Filter
		want    string
	}{
		{"parkedClas", types("jdk.ThreadPark"), "it has startTime, duration, eventThread, stackTrace, parkedClass, timeout"},
		{"parkedClas", nil, "no event type has a field parkedClas; did you mean parkedClass?"},
		{"@typ", nil, "no event type has a field @typ; did you mean @top or @type?"},
		{"eventThread.", nil, "a field name is missing"},
	} {
		_, err := rows(t, "jdk25-profile.jfr", print.Options{Format: print.CSV, Fields: []string{"startTime", tc.field}, Filters: tc.filters})
		require.ErrorContains(t, err, tc.want)
	}
}

// TestRowsOfSeveralRecordings is about one type that has other fields in each.
func TestRowsOfSeveralRecordings(t *testing.T) {
	recs := []*mmapjfr.Recording{open(t, "jdk17-oldobjects.jfr"), open(t, "jdk25-oldobjects.jfr")}
	var b bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &b, recs, print.Options{
		Format: print.CSV, Order: print.ByFile, Filters: []mmapjfr.Filter{mmapjfr.Types("jdk.OldObjectSample")},
	}))
	lines := readCSV(t, b.Bytes())
	at := -1
	for i, title := range lines[0] {
		if title == "objectSize" { // which JDK 17 does not know
			at = i
		}
	}
	require.Positive(t, at)
	assert.Empty(t, lines[1][at])
	assert.NotEmpty(t, lines[len(lines)-1][at])
}
