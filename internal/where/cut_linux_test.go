package where_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestTextIsCutWhileItIsCompared: what is compared aliases the file.
func TestTextIsCutWhileItIsCompared(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	long := strings.Repeat("long", 10_000)
	b.Emit(b.Event("E", jfrtest.Of("text", "java.lang.String")), 1, long)
	data, layout := b.Build()
	file := filepath.Join(t.TempDir(), "cut.jfr")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	rec := opentest.File(t, file)
	ev, err := rec.EventAtOffset(uint64(layout.Events[0].Offset))
	require.NoError(t, err)
	compare := func(v mmapjfr.Value) bool { return strings.Compare(v.StrView(), long) == 0 }
	value := ev.Get(mmapjfr.Path("text"))
	assert.True(t, where.Protected(ev, value, compare))
	assert.False(t, where.Protected(ev, value, func(v mmapjfr.Value) bool {
		s := v.StrView()
		require.NoError(t, os.Truncate(file, layout.Events[0].Offset&^4095+4096))
		return strings.Compare(s, long) == 0
	}))
	assert.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
}
