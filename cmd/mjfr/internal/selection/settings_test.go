package selection

import (
	"testing"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhySettingsLeaveNothing(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		had      bool
		want     string
	}{
		{map[string]string{"enabled": "false", "threshold": "20 ms"}, false, "no a.B events: the recording has it disabled; record with a.B#enabled=true"},
		{map[string]string{"enabled": "true", "threshold": "20 ms"}, false, "no a.B events: the recording has those of 20 ms and more; record with a.B#threshold=0ms for all"},
		{map[string]string{"enabled": "true", "threshold": "20 ms"}, true, "not all a.B events: the recording has those of 20 ms and more; record with a.B#threshold=0ms for all"},
		{map[string]string{"enabled": "true", "threshold": "0 ns"}, false, "no a.B events: the recording has it enabled, and none happened"},
		{map[string]string{"enabled": "true", "period": "endChunk"}, false, "no a.B events: the recording has it enabled, and none happened"},
		{map[string]string{"enabled": "true", "filter": ""}, false, "no a.B events: the recording has it enabled, and its filter is empty; record with a.B#filter=CLASS::METHOD"},
		{map[string]string{"enabled": "true"}, true, ""},
		{map[string]string{"enabled": differing, "threshold": "20 ms"}, false, ""},
		{map[string]string{"enabled": "true", "threshold": differing}, true, ""},
		{nil, false, ""},
	} {
		text := ""
		if why := whyNone(c.settings, c.had); why != (reason{}) {
			text = why.text([]string{"a.B"})
		}
		assert.Equal(t, c.want, text)
	}
	names := []string{"a.B", "c.D", "e.F", "g.H"}
	for n, want := range map[int]string{
		2: "no a.B or c.D events: the recording has them disabled; record with a.B#enabled=true, and likewise the others",
		4: "no a.B, c.D or 2 more events: the recording has them disabled; record with a.B#enabled=true, and likewise the others",
	} {
		assert.Equal(t, want, whyNone(map[string]string{"enabled": "false"}, false).text(names[:n]))
	}
	assert.Equal(t, "no a.B or c.D events: the recording has them enabled, and their filters are empty; record with a.B#filter=CLASS::METHOD, and likewise the others",
		whyNone(map[string]string{"enabled": "true", "filter": ""}, false).text(names[:2]))
}

// TestThreadsWithoutAName fit *, and no thread at all fits nothing.
func TestThreadsWithoutAName(t *testing.T) {
	threads, err := ParseThreads([]string{"*"})
	require.NoError(t, err)
	assert.False(t, threads.Wants(mmapjfr.Thread{}))
}
