package schema_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// What is after the bytes that may be looked at is not there: wherever in a value they end.
func TestLayoutAtTheEndOfAPage(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	eachForm(t, func(t *testing.T, b *jfrtest.Builder) {
		rng := rand.New(rand.NewPCG(9, 10))
		raw := b.Header.Flags&jfrtest.FlagCompressed == 0
		var longs, texts, both []jfrtest.Field
		for i := range 12 {
			longs = append(longs, jfrtest.Of(fmt.Sprint("n", i), "long"))
			texts = append(texts, jfrtest.Of(fmt.Sprint("s", i), jfrtest.StringClass))
			both = append(both, longs[i], texts[i])
		}
		classes := []*jfrtest.Class{
			b.Class("test.Longs", longs...), b.Class("test.Texts", texts...), b.Class("test.Both", both...),
			b.Class("test.List", jfrtest.Of("list", "long").Array()),
		}
		types := typesOf(t, onlyChunk(t, b.Bytes()))
		page := atPageEnd(t, make([]byte, 400))
		for i := range 40_000 {
			data := page[len(page)-1-i%60:]
			copy(data, randomBytes(rng, len(data)))
			if i%2 == 0 {
				for j := range data { // short integers, texts of short characters
					data[j] = data[j]&0x87 | byte(rng.IntN(2))<<2
				}
			}
			class := types.ByID(schema.TypeID(classes[i%4].ID))
			checkLayout(t, class, data, 0, len(data)-rng.IntN(min(len(data), 3)), raw)
		}
	})
}

// atPageEnd returns a copy of the bytes after which nothing may be read.
func atPageEnd(t testing.TB, data []byte) []byte {
	t.Helper()
	page := os.Getpagesize()
	room := (len(data) + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[room:], syscall.PROT_NONE))
	b := memory[room-len(data) : room : room]
	copy(b, data)
	return b
}
