package mmapjfr_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

func TestWants(t *testing.T) {
	load, ok := openFile(t, "jdk25-empty.jfr").Type("jdk.CPULoad")
	require.True(t, ok)
	for _, c := range []struct {
		filter mmapjfr.Filter
		want   bool
	}{
		{mmapjfr.Types("CPULoad"), true},
		{mmapjfr.Types("jdk.CPU*"), true},
		{mmapjfr.Types("cpuload"), false},
		{mmapjfr.Types(), true},
		{mmapjfr.Categories("OS"), true},
		{mmapjfr.Categories("Java*"), false},
		{mmapjfr.Threads("main"), false}, // its events tell no thread
	} {
		assert.Equal(t, c.want, engine.MatchesType(c.filter, load), "%v", c.filter)
	}
	assert.True(t, engine.MatchesType(mmapjfr.Between(time.Now(), time.Time{}), load), "there can be such events")
	assert.False(t, engine.MatchesType(mmapjfr.Types("*Load"), mmapjfr.Type{}))
}
