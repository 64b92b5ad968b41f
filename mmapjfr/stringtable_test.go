package mmapjfr_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var pathText = mmapjfr.Path("text")

// texts returns a recording of events with these texts.
func texts(t *testing.T, list []string, opts ...mmapjfr.Option) *mmapjfr.Recording {
	t.Helper()
	b := jfrtest.NewChunk()
	ty := b.Event("E", jfrtest.Of("text", jfrtest.StringClass))
	for i, s := range list {
		b.Emit(ty, start+i, s)
	}
	rec, err := mmapjfr.OpenBytes(b.Bytes(), opts...)
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec
}

// readAll returns the texts of all events.
func readAll(t *testing.T, rec *mmapjfr.Recording) (list []string) {
	t.Helper()
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		list = append(list, ev.Str(pathText))
	}
	return list
}

// TestSharedStringsAreKeptOnce: in one table, for recordings that have the same texts.
func TestSharedStringsAreKeptOnce(t *testing.T) {
	list := []string{"one", "Größe", strings.Repeat("long ", 2000), "", "one"}
	var table mmapjfr.StringTable
	first := readAll(t, texts(t, list, engine.ShareStrings(&table)))
	second := readAll(t, texts(t, list, engine.ShareStrings(&table)))
	other := readAll(t, texts(t, list))
	require.Equal(t, list, first)
	require.Equal(t, list, second)
	require.Equal(t, list, other)
	for i, s := range first {
		if s != "" {
			assert.True(t, sameString(s, second[i]), s)
			assert.False(t, sameString(s, other[i]), s)
		}
	}
	assert.True(t, sameString(first[0], first[4]))
}

// TestStringTableIsBounded: texts that are not read for long go, those that are read stay,
// and what has been handed out stays right.
func TestStringTableIsBounded(t *testing.T) {
	const most = 1 << 20
	mmapjfr.SetMaxTexts(t, most)
	var list []string
	for i := range 500 { // some 5 MB
		list = append(list, "often", fmt.Sprintf("%06d", i)+strings.Repeat("x", 10<<10))
	}
	var table mmapjfr.StringTable
	for part := range 10 {
		part := list[part*len(list)/10 : (part+1)*len(list)/10]
		got := readAll(t, texts(t, part, engine.ShareStrings(&table)))
		require.True(t, slices.Equal(part, got))
		require.True(t, sameString(got[0], got[len(got)-2]), "what is read often stays")
		require.LessOrEqual(t, table.Kept(), 2*most)
	}
	before := table.Kept()
	assert.Greater(t, before, most)
	over := strings.Repeat("y", 70<<10)
	assert.Equal(t, []string{over}, readAll(t, texts(t, []string{over}, engine.ShareStrings(&table))))
	assert.Equal(t, before, table.Kept(), "texts above 64 KiB are not kept")
}

// TestStringTableIsShared by goroutines that read the same texts: all get the same strings.
func TestStringTableIsShared(t *testing.T) {
	var list []string
	for i := range 2000 {
		list = append(list, fmt.Sprint("text ", i))
	}
	rec := texts(t, list)
	got := make([][]string, 4)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = readAll(t, rec) })
	}
	all.Wait()
	for i, s := range list {
		for _, g := range got {
			if g[i] != s || !sameString(g[i], got[0][i]) {
				require.Fail(t, "another string", s)
			}
		}
	}
}

// TestStrAllocatesNothingWhenWarm reads all strings of real recordings again.
func TestStrAllocatesNothingWhenWarm(t *testing.T) {
	for _, name := range []string{"jdk25-profile.jfr", "jdk17-strings.jfr"} {
		rec := openFile(t, name)
		var values []mmapjfr.Value
		for _, ev := range all(t, rec) {
			for _, v := range ev.Fields() {
				if v.Kind() == mmapjfr.KindString && len(v.StrView()) <= 64<<10 {
					values = append(values, v)
				}
			}
		}
		require.NotEmpty(t, values)
		allocatesNothing(t, func() {
			for _, v := range values {
				sinkInt += int64(len(v.Str()) + len(v.StrView()))
			}
		})
	}
}

// TestLongTextsAreReadOnce reads a text of many events that is too long for the table. Those of other chunks are others.
func TestLongTextsAreReadOnce(t *testing.T) {
	const length = 200_000
	var data []byte
	for _, letter := range []string{"a", "b"} {
		b := jfrtest.NewChunk()
		text := b.Constant("java.lang.String", 7, strings.Repeat(letter, length))
		ty := b.Event("E", jfrtest.Const("text", "java.lang.String"))
		for i := range 100 {
			b.Emit(ty, start+i, text)
		}
		data = append(data, b.Bytes()...)
	}
	rec := opentest.Bytes(t, data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list := readAll(t, rec)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*length))
	require.Len(t, list, 200)
	for i, text := range list {
		require.True(t, text == strings.Repeat([]string{"a", "b"}[i/100], length))
	}
}
