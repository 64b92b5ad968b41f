package jfrtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
)

// printedEvent is an event as `jfr print --json` prints it. Numbers are [json.Number].
type printedEvent struct {
	Type   string
	Values map[string]any
}

// printed returns all events that `jfr print --json` prints.
func printed(t *testing.T, recording []byte) []printedEvent {
	t.Helper()
	var out struct {
		Recording struct{ Events []printedEvent }
	}
	text := said.Now(t, recording, "print", "--json", "--stack-depth", "5000")
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&out))
	return out.Recording.Events
}

func TestJDKReadsWhatTheBuilderMade(t *testing.T) {
	s := newSample()
	events := printed(t, s.Bytes())
	// The tool sorts by the time of the end.
	require.Len(t, events, 7)

	kinds := events[0].Values
	assert.Equal(t, "test.Kinds", events[0].Type)
	assertValues(t, map[string]any{
		"startTime": "2023-11-14T22:13:20.000000010Z", "duration": "PT0.000000005S",
		"truth": true, "b": "-2", "c": "ß", "s": "-300", "i": "-70000", "l": "-4611686018427387904",
		"f": "1.5", "d": "-2.25",
	}, kinds)
	thread := kinds["eventThread"].(map[string]any)
	assertValues(t, map[string]any{"javaName": "main", "osThreadId": "77", "virtual": false}, thread)
	assert.Equal(t, map[string]any{"parent": nil, "name": "main-group"}, thread["group"])

	assertValues(t, map[string]any{
		"startTime": "2023-11-14T22:13:20.000000020Z", "eventThread": nil, "truth": false,
		"b": "127", "s": "300", "i": "-70000", "l": "72057594037927935", "d": "1.0E300",
	}, events[1].Values)
	assertValues(t, map[string]any{
		"null": nil, "empty": "", "pooled": "from the pool", "utf8": "ü€", "utf16": "a😀b",
		"latin1": "Größe", "constant": "from the pool",
	}, events[2].Values)
	assertValues(t, map[string]any{
		"ints": []any{"1", "-2", "3"}, "bytes": []any{"0", "-1"}, "doubles": []any{"0.5", "-1.0"},
		"strings": []any{"one", nil, "zwei", ""}, "symbols": []any{"run", "()V", nil},
		"points": []any{map[string]any{"x": "1", "y": "2"}, map[string]any{"x": "-3", "y": "4"}},
		"none":   []any{},
	}, events[3].Values)
	assertValues(t, map[string]any{
		"code": "-7",
		"box": map[string]any{
			"from": map[string]any{"x": "1", "y": "2"},
			"to":   map[string]any{"x": "30000", "y": "-4"},
			"tags": []any{"a", "b"},
		},
	}, events[4].Values)

	stack := events[5].Values["stackTrace"].(map[string]any)
	frames := stack["frames"].([]any)
	require.Len(t, frames, 2)
	top := frames[0].(map[string]any)
	assertValues(t, map[string]any{"lineNumber": "12", "type": "JIT compiled"}, top)
	method := top["method"].(map[string]any)
	assert.Equal(t, "run", method["name"])
	class := method["type"].(map[string]any)
	assert.Equal(t, "com/acme/App", class["name"])
	assert.Equal(t, "app", class["classLoader"].(map[string]any)["name"])
	assert.Equal(t, "STATE_RUNNABLE", events[5].Values["state"])
	assert.Nil(t, events[6].Values["stackTrace"])
}

// assertValues compares those values that are wanted; numbers are given as texts.
func assertValues(t *testing.T, want, got map[string]any) {
	t.Helper()
	for name, v := range want {
		if assert.Contains(t, got, name) {
			assert.Equal(t, v, plain(got[name]), name)
		}
	}
}

// plain turns numbers into their texts.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, plain(x))
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for name, x := range v {
			m[name] = plain(x)
		}
		return m
	}
	return v
}

func TestJDKAcceptsEveryArrangement(t *testing.T) {
	for name, arrange := range map[string]func(*jfrtest.Builder){
		"as it comes":        func(*jfrtest.Builder) {},
		"constants first":    func(b *jfrtest.Builder) { b.ConstantsFirst = true },
		"like a profiler":    func(b *jfrtest.Builder) { b.MetadataFirst = true; b.Header.Minor = 0 },
		"wide sizes":         func(b *jfrtest.Builder) { b.SizeWidth = 5 },
		"Latin-1 by default": func(b *jfrtest.Builder) { b.StringEncoding = 5 },
		"metadata strings in all encodings": func(b *jfrtest.Builder) {
			b.Region.Locale = "zürich"
			b.Metadata(&jfrtest.Metadata{ID: 9, StringEncodings: []byte{3, 4, 5}, ExtraStrings: []string{"€", ""}})
		},
		"two metadata events": func(b *jfrtest.Builder) {
			b.Metadata(&jfrtest.Metadata{ID: 1, Classes: b.Classes()[:5]})
			b.Metadata(&jfrtest.Metadata{ID: 2})
		},
		"the chain goes forward": func(b *jfrtest.Builder) {
			first, second := b.Checkpoint(0), b.Checkpoint(0)
			first.Prev, b.ChainStart = second, first
			second.Delta = new(int64)
			second.Unlinked, first.Unlinked = true, true
			second.Add("jdk.types.Symbol", 7, "from the second")
			// The one of b.Constant would otherwise have no place in the chain.
			b.Constants().Unlinked = true
			first.Add("jdk.types.Symbol", 8, "from the first")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := jfrtest.NewChunk()
			b.Constant("jdk.types.Symbol", 7, "sieben")
			ty := b.Event("test.Symbol", jfrtest.Const("symbol", "jdk.types.Symbol"))
			arrange(b)
			b.Emit(ty, start, 7)
			events := printed(t, b.Bytes())
			require.Len(t, events, 1)
			want := "sieben"
			if name == "the chain goes forward" {
				want = "from the second"
			}
			assert.Equal(t, want, events[0].Values["symbol"])

			rec, err := jfrtest.Decode(b.Bytes())
			require.NoError(t, err)
			c := rec.Chunks[0]
			assert.Equal(t, want, c.Path(c.Events[0].Field("symbol")))
		})
	}
}

func TestJDKTakesTheOldestOfEqualKeys(t *testing.T) {
	s := newSample()
	odd := s.Event("test.Odd", jfrtest.Const("symbol", "jdk.types.Symbol"))
	s.Emit(odd, start+99, 900)
	events := printed(t, s.Bytes())
	assert.Equal(t, "overwritten", events[len(events)-1].Values["symbol"])
}
