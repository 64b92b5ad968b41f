package print_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// far is a recording whose bytes are fetched in blocks.
type far struct {
	all, data []byte
	fetched   map[uint64]bool
}

const farBlock = 1 << 10

func (f *far) Data() []byte         { return f.data }
func (f *far) Ahead(uint64, uint64) {}
func (f *far) Close() error         { return nil }
func (f *far) Fetch(from, to uint64) error {
	for at := from / farBlock * farBlock; at < to; at += farBlock {
		f.fetched[at] = true
		copy(f.data[at:min(at+farBlock, uint64(len(f.data)))], f.all[at:])
	}
	return nil
}

// enclosing makes a chunk in which each event is enclosed by another one.
func enclosing() *jfrtest.Builder {
	b := jfrtest.NewChunk()
	b.Constant("java.lang.Thread", 1, nil, 7, "main", 1, 0, false)
	request := b.Event("test.Request", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("id", "int").With(mark("jdk.jfr.Contextual")))
	work := b.Event("test.Work", jfrtest.Duration(), jfrtest.EventThread(), jfrtest.Of("n", "int"))
	for n := range 800 {
		b.Emit(work, 1_000_000+100*n+10, 10, 1, n)
		b.Emit(request, 1_000_000+100*n, 90, 1, n)
	}
	return b
}

// TestFetchesWhatEnclosesEventsOfATime prints the events of a time of a recording far away, in which events enclose others.
func TestFetchesWhatEnclosesEventsOfATime(t *testing.T) {
	const n = 10
	var list []*jfrtest.Builder
	for i := range n {
		b := enclosing()
		b.Header.StartNanos += int64(i) * int64(time.Minute)
		b.Header.DurationNanos = int64(time.Minute)
		list = append(list, b)
	}
	data, _ := jfrtest.Concat(list...)
	f := &far{data, make([]byte, len(data)), make(map[uint64]bool)}
	rec, err := mmapjfr.OpenSource(f)
	require.NoError(t, err)
	defer rec.Close()
	from := rec.Start().Add(5*time.Minute - 2*time.Second)
	o := print.Options{Format: print.Text, Filters: []mmapjfr.Filter{mmapjfr.Between(from, from.Add(30*time.Second))}}
	var got, want bytes.Buffer
	require.NoError(t, print.Write(t.Context(), &got, []*mmapjfr.Recording{rec}, o))
	assert.Less(t, len(f.fetched)*farBlock, len(data)/2, "two chunks, and the metadata of all")
	near, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	require.NoError(t, print.Write(t.Context(), &want, []*mmapjfr.Recording{near}, o))
	assert.Equal(t, 800, strings.Count(want.String(), "Context: "))
	assert.True(t, want.String() == got.String())
}
