package stream_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// BenchmarkStream measures a stream of a recording of 4400 events of many types, and one of a
// million small ones.
func BenchmarkStream(b *testing.B) {
	profile, err := os.ReadFile(file("jdk25-profile.jfr"))
	require.NoError(b, err)
	for _, r := range []struct {
		name, typ string
		data      []byte
	}{
		{"profile", "jdk.ExecutionSample", profile},
		{"long", "test.Tick", long(100, 10_000)},
	} {
		path := written(b, r.data)
		all := 0
		for _, err := range openFile(b, path).Events(b.Context()) {
			require.NoError(b, err)
			all++
		}
		fromFile := func() *stream.Stream { return openFile(b, path) }
		for _, c := range []struct {
			name    string
			types   string
			ordered bool
			open    func() *stream.Stream
		}{
			{"OpenFile/none", "no.Such", true, fromFile},
			{"OpenFile/type", r.typ, true, fromFile},
			{"OpenFile/all", "*", true, fromFile},
			{"OpenFile/unordered", "*", false, fromFile},
			{"OpenReader/type", r.typ, true, func() *stream.Stream { return stream.OpenReader(bytes.NewReader(r.data)) }},
			{"OpenReader/all", "*", true, func() *stream.Stream { return stream.OpenReader(bytes.NewReader(r.data)) }},
		} {
			b.Run(r.name+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(r.data)))
				b.ReportAllocs()
				for b.Loop() {
					s := c.open()
					require.NoError(b, s.SetOrdered(c.ordered))
					s.OnEventType(c.types, func(mmapjfr.Event) error { return nil })
					require.NoError(b, s.Start(b.Context()))
				}
				b.ReportMetric(float64(all)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}
