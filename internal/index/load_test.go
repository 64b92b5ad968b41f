package index_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index"
)

// TestLoadWhileTheIndexForgets lets many goroutines ask for constants and blocks of chunks of
// which next to nothing may be kept, so that what one of them looks at is dropped by another;
// some save the index meanwhile.
func TestLoadWhileTheIndexForgets(t *testing.T) {
	const chunks = 12
	data := manyChunks(chunks)
	stamp := index.FileStamp{Size: uint64(len(data)), ModTime: 1}
	var saved bytes.Buffer
	require.NoError(t, newIndex(t, data).Save(&saved, stamp))
	index.SetKept(t, 1, 3)
	loaded := newIndex(t, data)
	require.NoError(t, loaded.Load(saved.Bytes(), stamp))
	for name, x := range map[string]*index.Index{"by itself": newIndex(t, data), "saved": loaded} {
		t.Run(name, func(t *testing.T) {
			var wg sync.WaitGroup
			for i := range 32 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 6))
					for range 60 {
						n := r.IntN(chunks)
						c := x.Chunks()[n]
						switch r.IntN(40) {
						default:
							k, err := c.Constants()
							types, typesErr := c.Types()
							if !assert.NoError(t, err) || !assert.NoError(t, typesErr) {
								return
							}
							symbol := types.Named("jdk.types.Symbol")
							assert.Equal(t, 50, k.Len(symbol))
							_, ok := k.Lookup(symbol, 1+r.Int64N(50))
							assert.True(t, ok)
						case 1, 2, 3, 4, 5, 6, 7, 8:
							assert.Equal(t, uint64(10+n), c.BuildBlocks(r.IntN(3)).Events())
						case 9, 10, 11, 12, 13, 14, 15, 16:
							rec, ok := c.EventN(r.Uint64N(uint64(10 + n)))
							assert.True(t, ok)
							_, ordinal, err := c.EventAt(rec.Offset)
							assert.NoError(t, err)
							assert.Less(t, ordinal, uint64(10+n))
						case 17, 18:
							_, err := c.AllTypes()
							assert.NoError(t, err)
							_, err = c.NewestTypes()
							assert.NoError(t, err)
						case 19:
							var again bytes.Buffer
							assert.NoError(t, x.Save(&again, stamp))
							assert.True(t, bytes.Equal(saved.Bytes(), again.Bytes()), "the same bytes")
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
