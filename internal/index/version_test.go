package index_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/wire"
)

// TestVersions says which versions are read, and what is said of those of which they are not.
func TestVersions(t *testing.T) {
	check := func(major, minor uint16) error { return index.CheckVersion(wire.Header{Major: major, Minor: minor}) }
	for _, v := range [][2]uint16{{1, 0}, {1, 7}, {2, 0}, {2, 1}, {2, 2}} {
		assert.NoError(t, check(v[0], v[1]))
	}
	for v, want := range map[[2]uint16]string{
		{0, 9}: "unsupported: format version 0.9 of Oracle JDK 7 or 8, only 1.x and 2.x can be read; " +
			"open it with JDK Mission Control, or record with OpenJDK 8u262, JDK 9 or later",
		{3, 0}:          "unsupported: format version 3.0, only 1.x and 2.x can be read; it is damaged, or newer than this reader",
		{0x2020, 65535}: "unsupported: format version 8224.65535, only 1.x and 2.x can be read; it is damaged, or newer than this reader",
	} {
		err := check(v[0], v[1])
		assert.ErrorIs(t, err, index.ErrUnsupported)
		assert.EqualError(t, err, want)
	}
}

// TestCurrentNames has every class of a recording called by the name that it has now.
func TestCurrentNames(t *testing.T) {
	for _, name := range []string{"jdk17-profile", "jdk25-kinds"} {
		data := testdata(t, name)
		want, err := newIndex(t, data).Chunks()[0].Types()
		require.NoError(t, err)
		got, err := newIndex(t, jfrtest.Version1(data)).Chunks()[0].Types()
		require.NoError(t, err)
		require.Len(t, got.Types, len(want.Types))
		renamed := 0
		for i, class := range got.Types {
			assert.Equal(t, want.Types[i].Name, want.Types[i].CurrentName())
			assert.Equal(t, want.Types[i].Name, class.CurrentName(), class.Name)
			if class.Name != class.CurrentName() {
				renamed++
			}
		}
		assert.Greater(t, renamed, 150)
	}
	assert.Equal(t, "a", (&schema.Type{Name: "a"}).CurrentName())
}
