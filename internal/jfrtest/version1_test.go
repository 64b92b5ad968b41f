package jfrtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// TestVersion1 has the events and constants of a recording stay what they are.
func TestVersion1(t *testing.T) {
	for _, name := range []string{"jdk17-chunks", "jdk25-virtual", "jdk17-flushed"} {
		data := testdata(t, name)
		old := jfrtest.Version1(data)
		assert.Equal(t, old, jfrtest.Version1(old), "nothing is left to do")
		want, got := decode(t, data), decode(t, old)
		require.Len(t, got.Chunks, len(want.Chunks))
		for i, c := range got.Chunks {
			was := want.Chunks[i]
			assert.Equal(t, []uint16{1, 0}, []uint16{c.Header.Major, c.Header.Minor})
			assert.Equal(t, byte(jfrtest.FlagCompressed), c.Header.Flags)
			assert.Less(t, len(c.Checkpoints), len(was.Checkpoints), "those with a copy of the header are gone")
			for _, cp := range c.Checkpoints {
				assert.LessOrEqual(t, cp.Mask, byte(1))
			}
			require.Len(t, c.Classes, len(was.Classes))
			for id, class := range c.Classes {
				assert.Equal(t, jfrtest.OldName(was.Classes[id].Name), class.Name)
				assert.NotContains(t, class.Name, "jdk.types.")
				assert.Len(t, class.Fields, len(was.Classes[id].Fields))
			}
			require.Len(t, c.Events, len(was.Events))
			for j, e := range c.Events {
				assert.Equal(t, jfrtest.OldName(was.Events[j].TypeName), e.TypeName)
				for k, f := range e.Fields {
					if _, inline := f.Value.(*jfrtest.Struct); !inline { // these know their class
						require.Equal(t, was.Events[j].Fields[k], f)
					}
				}
			}
		}
	}
	assert.Equal(t, []string{"com.oracle.jdk.CPULoad", "com.oracle.jfr.types.Method", "jdk.jfr.Label", "com.oracle.jdk.GCG1MMU", "jdk", "jdkx.A", "a.jdk.B"},
		[]string{jfrtest.OldName("jdk.CPULoad"), jfrtest.OldName("jdk.types.Method"), jfrtest.OldName("jdk.jfr.Label"), jfrtest.OldName("jdk.G1MMU"), jfrtest.OldName("jdk"), jfrtest.OldName("jdkx.A"), jfrtest.OldName("a.jdk.B")})
}
