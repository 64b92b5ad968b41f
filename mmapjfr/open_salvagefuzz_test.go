package mmapjfr_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// driveSalvaged asks everything of what can be salvaged of a recording, and returns how
// many events that are.
func driveSalvaged(t *testing.T, data []byte) int {
	t.Helper()
	rec, err := mmapjfr.OpenBytes(data, mmapjfr.Salvage())
	if err != nil {
		require.Empty(t, contents(t, data))
		return 0
	}
	defer func() { require.NoError(t, rec.Close()) }()
	end := uint64(0)
	for _, s := range rec.Salvaged() {
		for _, lost := range s.Lost {
			require.Less(t, lost.From, lost.To)
			require.LessOrEqual(t, end, lost.From)
			end = lost.To
		}
	}
	require.LessOrEqual(t, end, uint64(len(data)))
	d := &driver{t: t, rec: rec, left: 20_000}
	d.recording(len(data))
	return len(contents(t, data, mmapjfr.Salvage()))
}

// TestSalvageOfKnownDamage: what a strict open reads is there, and more.
func TestSalvageOfKnownDamage(t *testing.T) {
	for name, build := range damage {
		if name == "event of 4 GiB" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := build().data
			require.GreaterOrEqual(t, driveSalvaged(t, data), len(build().want))
		})
	}
}

func TestSalvageOfEveryPrefix(t *testing.T) {
	data, _ := jfrtest.Concat(tiny(), tiny().Uncompressed())
	for n := 0; n < len(data); n += longtest.Cases(11, 1) {
		require.GreaterOrEqual(t, driveSalvaged(t, data[:n:n]), len(contents(t, data[:n:n])))
	}
}

func TestSalvageOfEveryByteReplaced(t *testing.T) {
	for _, b := range []*jfrtest.Builder{tiny(), tiny().Uncompressed()} {
		data := b.Bytes()
		for i := 0; i < len(data); i += longtest.Cases(17, 1) {
			for _, with := range []byte{0, 0xff} {
				bad := bytes.Clone(data)
				bad[i] = with
				driveSalvaged(t, bad)
			}
		}
	}
}

// TestSalvageOfWhatLooksRight: at every byte of this begins what could be an event that
// ends with the chunk, each of which would be looked through in vain.
func TestSalvageOfWhatLooksRight(t *testing.T) {
	b := jfrtest.NewChunk()
	b.MetadataFirst = true
	ty := b.Event("test.List", jfrtest.Of("list", "byte").Array())
	b.Emit(ty, start, []byte{1})
	b.EmitRaw(jfrtest.EventOptions{}, ty.ID, nil)
	var bad []byte
	for range 20_000 {
		// Size 1 MiB, the type, the time, and as many bytes as there could not be.
		bad = append(bad, 0x80, 0x80, 0x40, byte(ty.ID)|0x80, byte(ty.ID>>7), 0xc0, 0x84, 0x3d, 0xff, 0xff, 0x3f)
	}
	b.Insert(bad)
	for range 6 {
		b.Emit(ty, start, []byte{2})
	}
	b.Insert(make([]byte, 2<<20))
	require.GreaterOrEqual(t, len(contents(t, b.Bytes(), mmapjfr.Salvage())), len(contents(t, b.Bytes())))
}

// FuzzSalvage asks everything of what can be salvaged of arbitrary bytes.
func FuzzSalvage(f *testing.F) {
	for _, build := range []func() *jfrtest.Builder{small, tiny, ringChunk, forgetful, newSample} {
		f.Add(build().Bytes())
	}
	two, _ := jfrtest.Concat(tiny(), tiny())
	f.Add(two)
	f.Add(two[100:])
	for name, make := range damage {
		if name != "event of 4 GiB" {
			f.Add(make().data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { driveSalvaged(t, data) })
}
