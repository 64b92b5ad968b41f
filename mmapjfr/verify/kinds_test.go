package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// damaged is a recording with something wrong in it.
type damaged struct {
	name string
	kind verify.Kind
	data []byte
	// chunk and offset are where the first finding of that kind must be.
	chunk  int
	offset int64
	// typ and text are what it must say, text only a part of it.
	typ, text string
	// count is how many findings of the kind there must be, if not one.
	count uint64
	// also are other kinds that must be found, as a consequence. There must be no more.
	also []verify.Kind
	// more tells that there may be others, as there are where bytes are read that are
	// something else.
	more bool
}

// cases returns recordings for all that can be wrong.
func cases(t testing.TB) (all []damaged) {
	for _, group := range []func(testing.TB) []damaged{fileCases, headerCases, metadataCases, typeCases, checkpointCases, eventCases, valueCases} {
		all = append(all, group(t)...)
	}
	return all
}

func TestKinds(t *testing.T) {
	for _, d := range cases(t) {
		t.Run(d.kind.String()+"/"+d.name, func(t *testing.T) {
			r := check(t, d.data, 2, verify.MaxFindings(3))
			found := kindsOf(r)
			want := map[verify.Kind]uint64{d.kind: max(d.count, 1)}
			assert.Equal(t, want[d.kind], found[d.kind])
			for _, k := range d.also {
				want[k] = found[k]
				assert.NotZero(t, found[k], "%s", k)
			}
			if !d.more {
				assert.Equal(t, want, found, "%+v", r.Findings)
			}
			var first *verify.Finding
			for i := range r.Findings {
				if r.Findings[i].Kind == d.kind {
					first = &r.Findings[i]
					break
				}
			}
			require.NotNil(t, first)
			assert.Equal(t, d.chunk, first.Chunk, "chunk")
			assert.Equal(t, d.offset, int64(first.Offset), "offset, of %+v", first)
			assert.Equal(t, d.typ, first.Type, "type")
			assert.Contains(t, first.Text, d.text)
		})
	}
}

// TestSeverities pins down how bad each kind is: exit codes depend on it.
func TestSeverities(t *testing.T) {
	want := map[verify.Severity][]verify.Kind{
		verify.Note: {
			verify.UnfinishedChunk, verify.HeaderFlags, verify.MinorVersion, verify.RawIntegers, verify.ChunkOrder, verify.ChunkGap,
			verify.FinalChunk, verify.CheckpointMask, verify.DuplicateKey, verify.EventTime, verify.LoneSurrogate,
		},
		verify.Warning: {
			verify.ChunkStart, verify.ChunkDuration, verify.NewerMetadata, verify.MetadataTrailingBytes, verify.BadName,
			verify.DuplicateField, verify.Dimension, verify.ForwardChain,
			verify.EventTrailingBytes, verify.NegativeDuration, verify.DanglingConstant, verify.MalformedString,
		},
	}
	severity := map[verify.Kind]verify.Severity{}
	for s, kinds := range want {
		for _, k := range kinds {
			severity[k] = s
		}
	}
	codes := map[string]bool{}
	for _, k := range verify.Kinds() {
		s, listed := severity[k]
		if !listed {
			s = verify.Error
		}
		assert.Equal(t, s, k.Severity(), "%s", k)
		assert.NotEmpty(t, k.Meaning(), "%s", k)
		assert.Regexp(t, "^[a-z]+(-[a-z]+)*$", k.String())
		assert.False(t, codes[k.String()], "%s twice", k)
		codes[k.String()] = true
	}
	assert.Equal(t, "kind-200", verify.Kind(200).String())
}

// TestEveryKindHasACase makes sure that there is a recording for each kind.
func TestEveryKindHasACase(t *testing.T) {
	has := map[verify.Kind]bool{}
	for _, d := range cases(t) {
		has[d.kind] = true
	}
	for _, r := range refusals {
		has[r.kind] = true
	}
	for _, k := range verify.Kinds() {
		assert.True(t, has[k], "%s", k)
	}
}

// refusals are files that cannot be opened.
var refusals = []struct {
	kind verify.Kind
	data []byte
	text string
}{
	{verify.EmptyFile, nil, "file is empty"},
	{verify.NotARecording, []byte("no recording, but as long as the header of a chunk is, which has 68 bytes"), "does not begin with"},
	{verify.TruncatedHeader, []byte("FLR\x00\x00\x02\x00\x01"), "8 bytes"},
	{verify.UnsupportedVersion, oldVersion(), "version 0.9"},
}

func oldVersion() []byte {
	b := jfrtest.NewChunk()
	b.Header.Major, b.Header.Minor = 0, 9
	return b.Bytes()
}

func TestRefusals(t *testing.T) {
	for _, want := range refusals {
		_, err := mmapjfr.OpenBytes(want.data)
		require.Error(t, err)
		f, ok := verify.FromOpenError(err)
		require.True(t, ok)
		assert.Equal(t, want.kind, f.Kind)
		assert.Equal(t, uint64(0), f.Offset)
		assert.Contains(t, f.Text, want.text)
	}
	_, ok := verify.FromOpenError(mmapjfr.ErrClosed)
	assert.False(t, ok)
}

func fileCases(testing.TB) []damaged {
	b, _ := plain()
	one := b.Bytes()
	size := int64(len(one))
	old := oldVersion()
	cat := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	again := []verify.Kind{verify.ChunkOrder} // the same chunk twice
	return []damaged{
		{name: "before a chunk", kind: verify.BytesBetweenChunks, data: cat(one, []byte("junk"), one), chunk: 1, offset: size, text: "no chunk begins here", also: again},
		{name: "at the end", kind: verify.TrailingBytes, data: cat(one, []byte("junk")), chunk: 1, offset: size, text: "4 bytes"},
		{name: "between others", kind: verify.UnsupportedVersion, data: cat(one, old, one), chunk: 1, offset: size, text: "version 0.9", also: again},
		{name: "after others", kind: verify.UnsupportedVersion, data: cat(one, old), chunk: 1, offset: size, text: "version 0.9"},
	}
}
