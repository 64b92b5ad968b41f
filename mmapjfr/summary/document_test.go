package summary_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

func named(name string) func(*mmapjfr.Recording) string {
	return func(*mmapjfr.Recording) string { return name }
}

func asJSON(t *testing.T, document any) string {
	var b bytes.Buffer
	require.NoError(t, jsonout.Write(&b, document))
	return b.String()
}

// small is a recording with all that a document tells.
func small() []byte {
	b := jfrtest.NewChunk()
	class := b.Event("test.A").Annotate(jfrtest.Note("jdk.jfr.Label", "An <A>"), jfrtest.Annotation{
		Class:  "jdk.jfr.Category",
		Values: []jfrtest.Attribute{{Name: "value-0", Value: "Outer"}, {Name: "value-1", Value: "Inner"}},
	})
	b.Emit(class, 1_000_000+500)
	b.Emit(class, 1_000_000+1500)
	b.Checkpoint(0).Add("jdk.types.Symbol", 1, "abc")
	return append(b.Bytes(), "more"...)
}

func TestDocument(t *testing.T) {
	d := summary.NewDocument(collect(t, small()), named("app.jfr"))
	assert.Equal(t, `{
  "version": "2.1",
  "chunks": 1,
  "start": "2023-11-14T22:13:20.000000000Z",
  "end": "2023-11-14T22:13:21.000000000Z",
  "durationNanos": 1000000000,
  "sizeBytes": 2950,
  "events": 2,
  "types": [
    {
      "name": "test.A",
      "id": 153,
      "label": "An <A>",
      "category": [
        "Outer",
        "Inner"
      ],
      "count": 2,
      "bytes": 12
    },
    {
      "name": "jdk.Checkpoint",
      "id": 1,
      "count": 1,
      "bytes": 18
    },
    {
      "name": "jdk.Metadata",
      "id": 0,
      "count": 1,
      "bytes": 2848
    }
  ],
  "errors": [
    {
      "file": "app.jfr",
      "message": "chunk 1, offset 0xb82: chunk header: trailing bytes: no chunk begins here, 4 bytes before the end",
      "chunk": 1,
      "offset": 2946
    }
  ]
}
`, asJSON(t, d))
}

func TestExtendedDocument(t *testing.T) {
	s := extend(t, small())
	d := summary.NewDocument(s, named("app.jfr"))
	d.AddExtended(s, named("app.jfr"))
	assert.Equal(t, `{
  "version": "2.1",
  "chunks": 1,
  "start": "2023-11-14T22:13:20.000000000Z",
  "end": "2023-11-14T22:13:21.000000000Z",
  "durationNanos": 1000000000,
  "sizeBytes": 2950,
  "events": 2,
  "types": [
    {
      "name": "test.A",
      "id": 153,
      "label": "An <A>",
      "category": [
        "Outer",
        "Inner"
      ],
      "count": 2,
      "bytes": 12,
      "share": 0.004067796610169492,
      "perSecond": 2,
      "first": "2023-11-14T22:13:20.000000500Z",
      "last": "2023-11-14T22:13:20.000001500Z"
    },
    {
      "name": "jdk.Checkpoint",
      "id": 1,
      "count": 1,
      "bytes": 18,
      "share": 0.006101694915254237,
      "perSecond": 1
    },
    {
      "name": "jdk.Metadata",
      "id": 0,
      "count": 1,
      "bytes": 2848,
      "share": 0.9654237288135593,
      "perSecond": 1
    }
  ],
  "chunkList": [
    {
      "number": 0,
      "file": "app.jfr",
      "offsetBytes": 0,
      "sizeBytes": 2946,
      "start": "2023-11-14T22:13:20.000000000Z",
      "durationNanos": 1000000000,
      "events": 2,
      "eventBytes": 12,
      "pools": 1,
      "constants": 1,
      "checkpoints": 1,
      "constantBytes": 18,
      "metadataEvents": 1,
      "metadataBytes": 2848,
      "finished": true,
      "final": false,
      "ticksPerSecond": 1000000000,
      "version": "2.1"
    }
  ],
  "pools": [
    {
      "type": "jdk.types.Symbol",
      "pools": 1,
      "constants": 1,
      "bytes": 6
    }
  ],
  "space": [
    {
      "kind": "events",
      "name": "Outer",
      "bytes": 12
    },
    {
      "kind": "constants",
      "bytes": 18
    },
    {
      "kind": "metadata",
      "bytes": 2848
    },
    {
      "kind": "headers",
      "bytes": 68
    },
    {
      "kind": "other",
      "bytes": 4
    }
  ],
  "errors": [
    {
      "file": "app.jfr",
      "message": "chunk 1, offset 0xb82: chunk header: trailing bytes: no chunk begins here, 4 bytes before the end",
      "chunk": 1,
      "offset": 2946
    }
  ]
}
`, asJSON(t, d))
}

// TestDocumentsOfRecordings can be read again, and say what the summary says.
func TestDocumentsOfRecordings(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		s := extend(t, data)
		d := summary.NewDocument(s, named(name))
		d.AddExtended(s, named(name))
		var back summary.Document
		dec := json.NewDecoder(bytes.NewReader([]byte(asJSON(t, d))))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&back))
		assert.Equal(t, *d, back)
		sum, share := uint64(0), 0.0
		for _, p := range back.Space {
			sum += p.Bytes
		}
		for i, typ := range back.Types {
			assert.Equal(t, s.Types[i].Name, typ.Name)
			share += typ.Share
		}
		assert.EqualValues(t, back.SizeBytes, sum)
		assert.LessOrEqual(t, share, 1.0)
		assert.Len(t, back.ChunkList, back.Chunks)
		for _, e := range back.Errors {
			assert.True(t, e.Unfinished, e.Message)
			assert.Equal(t, name, e.File)
		}
		assert.Equal(t, back.ChunkList[len(back.ChunkList)-1].Finished, len(back.Errors) == 0)
	})
}

// TestDocumentLeavesOut: where no time was recorded there are none, nor a type's number where
// machines have different ones.
func TestDocumentLeavesOut(t *testing.T) {
	a, b := built(kind{200, "test.A", 1}, kind{201, "test.B", 1}), built(kind{201, "test.A", 1}, kind{200, "test.B", 1})
	a.Header.DurationNanos, b.Header.DurationNanos = 0, 0
	s := extend(t, joined(a, b))
	d := summary.NewDocument(s, named(""))
	d.AddExtended(s, named(""))
	for _, typ := range d.Types {
		assert.Nil(t, typ.PerSecond, typ.Name)
		assert.Equal(t, typ.Name == "jdk.Metadata" || typ.Name == "jdk.Checkpoint", typ.ID != nil, typ.Name)
		assert.Equal(t, typ.ID == nil, typ.First != nil)
	}
}
