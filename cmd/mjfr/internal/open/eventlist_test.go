package open

import (
	"net/http"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		for _, condition := range []string{"", "startTime is not null"} {
			x := explore(t, name)
			if types := must(t, x, "/api/recording")["types"]; len(types.([]any)) == 0 {
				continue
			}
			typ := busiest(t, x)
			var want []string
			for ev := range x.set.Events(mmapjfr.Types(typ)) {
				if !ev.IsZero() {
					want = append(want, strconv.FormatUint(ev.Offset(), 10))
				}
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

// TestRowOfEvent finds the rows of events, in lists of which nothing and of which all is known.
func TestRowOfEvent(t *testing.T) {
	for _, name := range []string{"jdk25-chunks.jfr", "concat-jdk17-jdk25.jfr", "jdk25-profile.jfr"} {
		for _, condition := range []string{"", "startTime is not null"} {
			x := explore(t, name)
			typ := busiest(t, x)
			row := 0
			for ev, err := range x.set.Events(mmapjfr.Types(typ)) {
				require.NoError(t, err)
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
