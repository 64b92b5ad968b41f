package constants_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/opentest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// each calls do with every recording of testdata, and what the reference decoder says of
// it, if that can read it.
func each(t *testing.T, do func(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording)) {
	n := 0
	for _, path := range longtest.Recordings(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		want, err := jfrtest.Decode(data)
		if err != nil {
			continue
		}
		n++
		t.Run(filepath.Base(path), func(t *testing.T) { do(t, openBytes(t, data), want) })
	}
	assert.Greater(t, n, longtest.Cases(4, 7))
}

var openBytes = opentest.Bytes

var open = opentest.File

// id is what a constant is known by: chunk, type and key.
type id struct {
	chunk      int
	class, key int64
}

func idOf(c constants.Constant) id { return id{c.Chunk.Number(), c.Type.ID(), c.Key} }

// all returns the constants that are iterated over, without errors.
func all[T any](t testing.TB, seq func(func(T, error) bool)) (list []T) {
	t.Helper()
	for c, err := range seq {
		require.NoError(t, err)
		list = append(list, c)
	}
	return list
}

func TestAllIsWhatTheReferenceReads(t *testing.T) {
	each(t, func(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording) {
		type place struct {
			id
			offset uint64
		}
		var wants []place
		copies := 0
		for i, c := range want.Chunks {
			seen := map[id]bool{}
			for _, cp := range slices.Backward(c.Checkpoints) { // the oldest first
				for _, pool := range cp.Pools {
					for j, key := range pool.Keys {
						k := id{i, pool.Class, key}
						wants = append(wants, place{k, uint64(pool.Offsets[j])})
						if seen[k] {
							copies++
						}
						seen[k] = true
					}
				}
			}
		}
		var got []place
		bytes := map[string]uint64{}
		for _, c := range all(t, constants.All(rec, nil)) {
			got = append(got, place{idOf(c), c.Offset})
			if c.Shadowed {
				copies--
			}
			bytes[c.Type.Name()] += c.Bytes
			assert.False(t, c.Value().IsMissing())
			assert.False(t, c.Value().IsAbsent())
		}
		assert.ElementsMatch(t, wants, got)
		assert.True(t, slices.IsSortedFunc(got, func(a, b place) int { return int(int64(a.offset) - int64(b.offset)) }))
		assert.Zero(t, copies)

		var table constants.Table
		require.NoError(t, table.Add(rec, nil))
		n := uint64(0)
		for _, p := range table.Pools() {
			assert.Equal(t, bytes[p.Type], p.Bytes, p.Type)
			n += p.Constants + p.Copies
		}
		assert.EqualValues(t, len(wants), n)
	})
}

// naivelyUsed follows everything from the events of a chunk on.
func naivelyUsed(c *jfrtest.Chunk) map[jfrtest.Constant]bool {
	used := map[jfrtest.Constant]bool{}
	var follow func(v any)
	follow = func(v any) {
		switch v := v.(type) {
		case jfrtest.Constant:
			if entry, ok := c.Pools[v.Class][v.Key]; ok && !used[v] {
				used[v] = true
				follow(entry)
			}
		case *jfrtest.Struct:
			for _, f := range v.Fields {
				follow(f.Value)
			}
		case []any:
			for _, e := range v {
				follow(e)
			}
		}
	}
	for _, ev := range c.Events {
		for _, f := range ev.Fields {
			follow(f.Value)
		}
	}
	return used
}

func TestUnusedIsWhatNobodyRefersTo(t *testing.T) {
	sum := 0
	each(t, func(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording) {
		var wants []id
		for i, c := range want.Chunks {
			used := naivelyUsed(c)
			for class, pool := range c.Pools {
				for key := range pool {
					if !used[jfrtest.Constant{Class: class, Key: key}] {
						wants = append(wants, id{i, class, key})
					}
				}
			}
		}
		var got []id
		read := uint64(0)
		last := uint64(0)
		for c, err := range constants.Unused(t.Context(), rec, func(n uint64) { read += n }) {
			if err != nil {
				require.ErrorIs(t, err, mmapjfr.ErrUnfinished)
				continue
			}
			assert.False(t, c.Shadowed)
			assert.Greater(t, c.Offset, last)
			last = c.Offset
			got = append(got, idOf(c))
		}
		assert.ElementsMatch(t, wants, got)
		size := uint64(0)
		for _, c := range rec.Chunks() {
			size += c.Size()
		}
		assert.Equal(t, size, read)
		sum += len(got)
	})
	assert.Greater(t, sum, 1000)
}

// naiveGroups puts constants together that say the same: those whose values look the
// same when each key is replaced by the group it is in, again and again.
func naiveGroups(c *jfrtest.Chunk) map[jfrtest.Constant]int {
	group := map[jfrtest.Constant]int{}
	for class, pool := range c.Pools {
		for key := range pool {
			group[jfrtest.Constant{Class: class, Key: key}] = len(group)
		}
	}
	unknown := 0
	var look func(b *strings.Builder, v any)
	look = func(b *strings.Builder, v any) {
		switch v := v.(type) {
		case string:
			fmt.Fprintf(b, "%q", v)
			if strings.ContainsRune(v, '\uFFFD') {
				fmt.Fprint(b, unknown) // one of several characters that it cannot tell
				unknown++
			}
		case jfrtest.Constant:
			if g, ok := group[v]; ok {
				fmt.Fprintf(b, "<%d>", g)
			} else {
				fmt.Fprintf(b, "<no %d>", v.Key)
			}
		case *jfrtest.Struct:
			for _, f := range v.Fields {
				look(b, f.Value)
				b.WriteByte(';')
			}
		case []any:
			for _, e := range v {
				look(b, e)
				b.WriteByte(',')
			}
		default:
			fmt.Fprintf(b, "%T:%q", v, fmt.Sprint(v))
		}
	}
	for n := -1; ; {
		unknown = 0
		looks := map[string]int{}
		next := map[jfrtest.Constant]int{}
		for class, pool := range c.Pools {
			for key, v := range pool {
				var b strings.Builder
				fmt.Fprintf(&b, "%d ", class)
				look(&b, v)
				if _, ok := looks[b.String()]; !ok {
					looks[b.String()] = len(looks)
				}
				next[jfrtest.Constant{Class: class, Key: key}] = looks[b.String()]
			}
		}
		group = next
		if len(looks) == n {
			return group
		}
		n = len(looks)
	}
}

func TestDuplicatesSayTheSame(t *testing.T) {
	sum := 0
	each(t, func(t *testing.T, rec *mmapjfr.Recording, want *jfrtest.Recording) {
		wants := map[string]bool{}
		for i, c := range want.Chunks {
			members := map[int][]string{}
			for constant, g := range naiveGroups(c) {
				members[g] = append(members[g], fmt.Sprint(id{i, constant.Class, constant.Key}))
			}
			for _, m := range members {
				if len(m) > 1 {
					slices.Sort(m)
					wants[strings.Join(m, " ")] = true
				}
			}
		}
		got := map[string]bool{}
		read := uint64(0)
		for _, g := range all(t, constants.Duplicates(t.Context(), rec, func(n uint64) { read += n })) {
			var m []string
			last, spare := uint64(0), uint64(0)
			for _, c := range g.Constants {
				m = append(m, fmt.Sprint(idOf(c)))
				assert.Greater(t, c.Offset, last)
				last = c.Offset
				spare += c.Bytes
				assert.Equal(t, constants.Text(g.Constants[0].Value()), constants.Text(c.Value()))
			}
			assert.Equal(t, spare-g.Constants[0].Bytes, g.WastedBytes())
			slices.Sort(m)
			got[strings.Join(m, " ")] = true
		}
		assert.Equal(t, wants, got)
		assert.Positive(t, read)
		sum += len(got)
	})
	assert.Greater(t, sum, 10)
}
