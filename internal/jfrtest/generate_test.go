package jfrtest_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// programs calls f with random bytes.
func programs(n int, f func(program []byte)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		program := make([]byte, rng.IntN(600))
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		f(program)
	}
}

func TestGeneratedRecordingsAreRight(t *testing.T) {
	events, constants, arrays, missing, pooled, raw, chunks := 0, 0, 0, 0, 0, 0, 0
	programs(500, func(program []byte) {
		data := jfrtest.Generate(program)
		rec, err := jfrtest.Decode(data)
		require.NoError(t, err, "%x", program)
		require.Equal(t, data, jfrtest.Generate(program))
		chunks += len(rec.Chunks)
		for _, c := range rec.Chunks {
			if c.Header.Flags&jfrtest.FlagCompressed == 0 {
				raw++
			}
			for _, pool := range c.Pools {
				constants += len(pool)
			}
			for _, e := range c.Events {
				events++
				for _, f := range e.Fields {
					switch v := f.Value.(type) {
					case []any:
						arrays += len(v)
					case jfrtest.Constant:
						switch c.Resolve(v).(type) {
						case jfrtest.Missing:
							missing++
						case *jfrtest.Struct:
							pooled++
						}
					}
				}
			}
		}
	})
	for what, n := range map[string]int{
		"events": events, "constants": constants, "elements": arrays, "missing constants": missing,
		"constants referred to": pooled, "big-endian chunks": raw, "second chunks": chunks - 500,
	} {
		assert.Greater(t, n, 50, what)
	}
}

func TestFaultyRecordingsAreNearlyRight(t *testing.T) {
	right, wrong := 0, 0
	programs(500, func(program []byte) {
		data := jfrtest.GenerateFaulty(program)
		require.True(t, bytes.HasPrefix(data, []byte("FLR\x00")) || len(data) < 4)
		if _, err := jfrtest.Decode(data); err != nil {
			wrong++
		} else {
			right++
		}
	})
	assert.Greater(t, right, 10)
	assert.Greater(t, wrong, 100)
}

func TestNoProgramIsALittleRecording(t *testing.T) {
	data := jfrtest.Generate(nil)
	assert.Less(t, len(data), 700)
	assert.Len(t, decode(t, data).Chunks, 1)
}

func BenchmarkGenerate(b *testing.B) {
	var list [][]byte
	programs(100, func(program []byte) { list = append(list, program) })
	size := 0
	for i := 0; b.Loop(); i++ {
		size += len(jfrtest.Generate(list[i%100]))
	}
	b.ReportMetric(float64(size)/float64(b.N), "size")
}
