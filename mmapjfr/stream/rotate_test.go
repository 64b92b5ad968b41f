package stream_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// stringsOf returns all strings that an event hands out.
func stringsOf(ev mmapjfr.Event) (list []string) {
	for _, v := range ev.Fields() {
		list = append(list, v.Str())
		for _, in := range v.Fields() {
			list = append(list, in.Str(), in.Class().Name(), engine.ClassInternalName(in.Class()))
		}
		th := v.Thread()
		list = append(list, th.Name(), th.JavaName(), th.OSName(), th.Group().Name())
		list = append(list, v.Class().Name(), v.Class().Package(), v.Class().Loader().Name())
	}
	for f := range ev.StackTrace().Frames() {
		m := f.Method()
		list = append(list, m.Name(), engine.MethodDescriptor(m), m.Signature(), m.Class().Name(), f.Kind(), f.Text())
	}
	return list
}

// TestStringsOutliveTheirChunk keeps all strings that a stream hands out, through chunks
// that go, and reads them when the stream has ended. Keys of maps are among them: assigning
// to one that is there puts the new string in its place.
func TestStringsOutliveTheirChunk(t *testing.T) {
	s, err := stream.OpenRepository(jvmtest.Rotated(t, "../../testdata/jdk25-profile.jfr", 2))
	require.NoError(t, err)
	require.NoError(t, s.SetStartTime(time.Unix(0, 0)))
	require.NoError(t, s.SetFollow(false))
	s.OnError(func(err error) { assert.NoError(t, err) })
	var kept, want []string
	keys := map[string]int{}
	events := 0
	s.OnEvent(func(ev mmapjfr.Event) error {
		events++
		for _, str := range stringsOf(ev) {
			kept, want = append(kept, str), append(want, strings.Clone(str))
			keys[str] = events
		}
		return nil
	})
	require.NoError(t, s.Start(t.Context()))
	require.NoError(t, s.Close())
	require.Equal(t, 2*4459, events)
	require.True(t, slices.Equal(want, kept))
	for _, str := range want {
		if keys[str] == 0 {
			require.Fail(t, "a key of the map has changed", str)
		}
	}
}
