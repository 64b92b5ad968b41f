package open

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestAnyRow reads rows here and there, in lists of one and of many chunks, of files that are damaged, and with a
// condition, and compares them with all events.
func TestAnyRow(t *testing.T) {
	names := []string{"jdk25-chunks.jfr", "jdk17-chunks.jfr", "concat-jdk17-jdk25.jfr", "jdk25-profile.jfr", "jdk25-killed.jfr"}
	damaged, err := filepath.Glob(testdata("damaged/*.jfr.gz"))
	require.NoError(t, err)
	for _, path := range damaged {
		names = append(names, "damaged/"+filepath.Base(path))
	}
	for _, name := range names {
		for _, condition := range []string{"startTime is not null", ""}[:longtest.Cases(1, 2)] {
			x := explore(t, name)
			if types := must(t, x, "/api/recording")["types"]; len(types.([]any)) == 0 {
				continue
			}
			typ := busiest(t, x)
			var want []string
			for _, ev := range byEnd(x, typ) {
				want = append(want, strconv.FormatUint(ev.Offset(), 10))
			}
			for i := range 12 {
				from := (i*7 + 5) * len(want) / 12 % (len(want) + 1)
				page := must(t, x, "/api/events", "type", typ, "offset", strconv.Itoa(from), "limit", "3", "where", condition)
				var got []string
				for _, at := range page["at"].([]any) {
					got = append(got, at.(map[string]any)["offset"].(string))
				}
				// Where events are damaged, a row that is jumped to is that of a header.
				if page["lost"] == nil {
					require.EqualValues(t, len(want), page["total"], name)
					require.Equal(t, want[from:min(from+3, len(want))], append([]string{}, got...), "%s from %d", name, from)
				} else {
					assert.Subset(t, want, got, "%s from %d", name, from)
				}
			}
			must(t, x, "/api/events", "type", typ, "offset", "0", "limit", "500", "where", condition)
			page := must(t, x, "/api/events", "type", typ, "offset", strconv.Itoa(len(want)), "limit", "3", "where", condition)
			assert.EqualValues(t, len(want), page["total"], "%s: all have been read", name)
		}
	}
}

// byEnd returns the events of a type, in each chunk in the order in which they ended, as print has them.
func byEnd(x *explorer, typ string) (list []mmapjfr.Event) {
	for _, rec := range x.set.Recordings {
		for _, c := range rec.Chunks() {
			var own []mmapjfr.Event
			for ev := range c.Select(mmapjfr.Types(typ)).Events() {
				if !ev.IsZero() {
					own = append(own, ev.Detached())
				}
			}
			slices.SortStableFunc(own, func(a, b mmapjfr.Event) int {
				return cmp.Compare(a.Int(pathStart)+a.Int(pathDuration), b.Int(pathStart)+b.Int(pathDuration))
			})
			list = append(list, own...)
		}
	}
	return list
}

// TestRowOfEvent finds the rows of events, in lists of which nothing and of which all is known.
func TestRowOfEvent(t *testing.T) {
	for _, name := range []string{"jdk25-chunks.jfr", "concat-jdk17-jdk25.jfr", "jdk25-profile.jfr"} {
		for _, condition := range []string{"", "startTime is not null"} {
			x := explore(t, name)
			typ := busiest(t, x)
			row := 0
			for _, ev := range byEnd(x, typ) {
				if row%97 == 0 {
					at := x.place(ev)
					page := must(t, x, "/api/events", "type", typ, "where", condition, "limit", "0", "at", strconv.Itoa(at.File)+":"+at.Offset)
					require.EqualValues(t, row, page["row"], name)
				}
				row++
			}
			assert.EqualValues(t, -1, must(t, x, "/api/events", "type", typ, "where", condition, "limit", "0", "at", "0:3")["row"])
			assert.EqualValues(t, -1, must(t, x, "/api/events", "type", typ, "where", condition, "limit", "0")["row"])
		}
	}
	status, _ := ask(t, explore(t, "jdk25-profile.jfr"), "/api/events", "type", "jdk.ThreadPark", "at", "here")
	assert.Equal(t, http.StatusBadRequest, status)
}

// TestThreadsWithoutNames calls virtual threads in rows of events what lanes call them.
func TestThreadsWithoutNames(t *testing.T) {
	x := explore(t, "jdk25-virtual.jfr")
	found := 0
	for _, typ := range []string{"jdk.VirtualThreadPinned", "jdk.VirtualThreadStart", "jdk.ThreadPark"} {
		page := must(t, x, "/api/events", "type", typ, "limit", "500")
		for i, name := range values(t, page, "eventThread") {
			at := page["at"].([]any)[i].(map[string]any)
			ev, err := x.set.Recordings[0].EventAtOffset(offsetOf(t, at))
			require.NoError(t, err)
			require.Equal(t, keyOf(ev.Thread()).title(), name)
			if ev.Thread().Name() == "" {
				found++
				assert.Equal(t, "virtual thread "+strconv.FormatInt(ev.Thread().JavaThreadID(), 10), name)
				assert.Equal(t, name, must(t, x, "/api/event", "offset", at["offset"].(string))["thread"])
			}
		}
	}
	assert.Positive(t, found)
}

// offsetOf returns where an event of an answer lies.
func offsetOf(t *testing.T, at map[string]any) uint64 {
	t.Helper()
	offset, err := strconv.ParseUint(at["offset"].(string), 10, 64)
	require.NoError(t, err)
	return offset
}

// TestDetailsAreAsTheRow has the kinds and units of fields of an event as those of its row, for the page to write them alike.
func TestDetailsAreAsTheRow(t *testing.T) {
	x := explore(t, "jdk25-profile.jfr")
	for _, typ := range []string{"jdk.GCHeapSummary", "jdk.ObjectAllocationSample", "jdk.ThreadPark", "jdk.CPULoad", "jdk.ActiveRecording"} {
		page := must(t, x, "/api/events", "type", typ, "limit", "1")
		at := page["at"].([]any)[0].(map[string]any)
		fields := must(t, x, "/api/event", "offset", at["offset"].(string))["fields"].([]any)
		for i, c := range page["columns"].([]any) {
			got, want := fields[i].(map[string]any)["column"].(map[string]any), c.(map[string]any)
			for _, key := range []string{"name", "title", "kind", "unit", "rate"} {
				assert.Equal(t, want[key], got[key], "%s.%v", typ, want["name"])
			}
			if _, isList := want["values"].([]any)[0].([]any); !isList && want["kind"] != "thread" { // the row has fewer frames, and titles of threads
				assert.Equal(t, want["values"], got["values"], "%s.%v", typ, want["name"])
			}
		}
	}
}

// TestTypesWithoutLabels are called by their names: a link needs a text.
func TestTypesWithoutLabels(t *testing.T) {
	b := jfrtest.NewChunk()
	b.Emit(b.Event("com.acme.Plain"), 1)
	path := filepath.Join(t.TempDir(), "plain.jfr")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	x := exploreFile(t, path)
	types := must(t, x, "/api/recording")["types"].([]any)
	require.Len(t, types, 1)
	assert.Equal(t, "com.acme.Plain", types[0].(map[string]any)["label"])
	page := must(t, x, "/api/events", "type", "com.acme.Plain")
	at := page["at"].([]any)[0].(map[string]any)
	assert.Equal(t, "com.acme.Plain", must(t, x, "/api/event", "offset", at["offset"].(string))["label"])
}
