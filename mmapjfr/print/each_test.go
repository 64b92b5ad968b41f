package print_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
)

// TestEachIsWhatWriteWrites compares offsets, in both orders and with limits.
func TestEachIsWhatWriteWrites(t *testing.T) {
	data, _ := jfrtest.Concat(crowded(), crowded())
	rec, err := mmapjfr.OpenBytes(data)
	require.NoError(t, err)
	defer rec.Close()
	recs := []*mmapjfr.Recording{rec}
	for _, o := range []print.Options{
		{}, {Order: print.ByFile}, {Limit: 10}, {Tail: 10}, {Tail: 10, Limit: 4}, {Order: print.ByFile, Tail: 7},
		{Where: func(ev mmapjfr.Event) bool { return ev.Offset()%2 == 0 }, Tail: 20},
		{Filters: []mmapjfr.Filter{mmapjfr.Types("Tick")}},
	} {
		var got []string
		require.NoError(t, print.Each(t.Context(), recs, o, func(ev mmapjfr.Event) error {
			got = append(got, strconv.FormatUint(ev.Offset(), 10))
			return nil
		}))
		var b bytes.Buffer
		o.Format, o.Fields = print.TSV, []string{"@offset"}
		require.NoError(t, print.Write(t.Context(), &b, recs, o))
		assert.Equal(t, strings.Split(strings.TrimSpace(b.String()), "\n")[1:], got)
	}
	enough := errors.New("enough")
	n := 0
	err = print.Each(t.Context(), recs, print.Options{}, func(mmapjfr.Event) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	assert.Equal(t, enough, err)
	assert.Equal(t, 3, n)
}
