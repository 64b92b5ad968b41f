package summary_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/oracle/said"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// TestVersion1IsSummedUpAsTheJDKDoes is about format 1.0, and about files that begin with
// it and go on with 2.1: the first chunk names metadata and checkpoints.
func TestVersion1IsSummedUpAsTheJDKDoes(t *testing.T) {
	for name, data := range map[string][]byte{
		"jdk17-profile-v1.jfr":    jfrtest.Version1(read(t, "jdk17-profile.jfr")),
		"jdk17-oldobjects-v1.jfr": jfrtest.Version1(read(t, "jdk17-oldobjects.jfr")),
		"jdk17-chunks-v1.jfr":     jfrtest.Version1(read(t, "jdk17-chunks.jfr")),
	} {
		s := collect(t, data)
		said.Same(t, said.OfBytes(t, name, data, "summary").Out, text(t, s))
	}
}

func TestMixedVersions(t *testing.T) {
	of2 := read(t, "jdk25-empty.jfr")
	of1 := jfrtest.Version1(read(t, "jdk17-oldobjects.jfr"))
	for _, c := range []struct {
		files       [][]byte
		version     string
		metadata    string
		notMetadata string
	}{
		{[][]byte{append(append([]byte{}, of1...), of2...)}, "1.0, 2.1", "com.oracle.jdk.Metadata", "jdk.Metadata"},
		{[][]byte{of1, of2}, "1.0, 2.1", "com.oracle.jdk.Metadata", "jdk.Metadata"},
		{[][]byte{of2, of1}, "2.1, 1.0", "jdk.Metadata", "com.oracle.jdk.Metadata"},
	} {
		s := collect(t, c.files...)
		assert.Equal(t, c.version, s.Version())
		all := counts(s)
		assert.Equal(t, uint64(2), all[c.metadata].Events)
		assert.NotContains(t, all, c.notMetadata)
		assert.Equal(t, uint64(58), all["com.oracle.jdk.OldObjectSample"].Events)
		assert.Contains(t, all, "jdk.OldObjectSample")
		assert.Equal(t, uint64(58), s.Events)
		var space uint64
		for _, p := range s.Space() {
			space += p.Bytes
			if p.Kind == summary.MetadataSpace {
				assert.Equal(t, all[c.metadata].Bytes, p.Bytes)
			}
		}
		assert.Equal(t, uint64(len(of1)+len(of2)), space)
		for _, typ := range s.Types {
			assert.Equal(t, typ.Name != c.metadata && typ.Name != "com.oracle.jdk.Checkpoint" && typ.Name != "jdk.Checkpoint", typ.IsEvent(), typ.Name)
		}
	}
}
