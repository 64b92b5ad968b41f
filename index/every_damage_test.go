package index_test

import (
	"errors"
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/corrupt"
	"github.com/mmapjfr/jfr/internal/longtest"
)

// damageRun says how much damage is done:
//
//	go test ./index -run Damage -damage all -timeout 0
var damageRun = flag.String("damage", "", "all: all cases of systematic damage, instead of some hundred of each kind")

func damageAll() bool { return *damageRun == "all" }

// some returns how many cases are checked, all being 0.
func some(n int) int {
	switch {
	case damageAll():
		return 0
	case raceEnabled || !longtest.Enabled():
		return n/25 + 1
	}
	return n
}

// TestDamageToSmallRecordings asks everything of each case.
func TestDamageToSmallRecordings(t *testing.T) {
	var sets []corrupt.Set
	for _, a := range corrupt.Small(t) {
		sets = append(sets, a.Prefixes(), a.Bits(), a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers())
	}
	corrupt.Run(t, some(150), sets, func(t testing.TB, c corrupt.Case) {
		drive(t, c.Data)
		blame(t, c)
	})
}

// TestDamageToRecordings does the same to real ones, of all producers that are at hand.
func TestDamageToRecordings(t *testing.T) {
	var bits, others []corrupt.Set
	for _, a := range corrupt.Files(t, append(longtest.Recordings(t), longtest.Others(t)...)...) {
		others = append(others, a.Random(), a.Zeroes(), a.Ones(), a.Doubled(), a.Removed(), a.Swapped(), a.Numbers())
		bits = append(bits, a.Bits())
	}
	n := longtest.Cases(1, 3)
	if damageAll() {
		n = 500
	}
	corrupt.Run(t, n, slices.Concat(bits, others), func(t testing.TB, c corrupt.Case) { blame(t, c) })
}

// TestDamagePrefixes reads every beginning of the recordings.
func TestDamagePrefixes(t *testing.T) {
	var sets []corrupt.Set
	for _, a := range corrupt.Files(t, append(longtest.Recordings(t), longtest.Others(t)...)...) {
		sets = append(sets, a.Prefixes())
	}
	corrupt.Run(t, some(100), sets, func(t testing.TB, c corrupt.Case) {
		x, err := index.New(c.Data)
		wantPlace(t, c, err)
		if err != nil {
			return
		}
		// All chunks but the last one are as they were.
		last := x.Chunks()[len(x.Chunks())-1]
		_, next, err := walk(last)
		wantPlace(t, c, err)
		require.LessOrEqual(t, next, uint64(len(last.Data())))
		wantPlace(t, c, last.TrailingErr())
		if len(c.Data)%997 == 0 {
			blame(t, c)
		}
	})
}

// TestDamageBits turns every bit of one small recording of each producer: of the two
// virtual machines and their older kin, of async-profiler, and of a fork of that.
func TestDamageBits(t *testing.T) {
	names := []string{"jdk17-empty", "jdk25-empty", "openjdk8u292", "nativemem", "new_spancontext"}
	var sets []corrupt.Set
	for _, a := range corrupt.Files(t, append(longtest.Others(t), "../testdata/jdk17-empty.jfr", "../testdata/jdk25-empty.jfr")...) {
		if slices.Contains(names, a.Name) {
			sets = append(sets, a.Bits())
		}
	}
	require.GreaterOrEqual(t, len(sets), 2)
	corrupt.Run(t, some(60), sets, func(t testing.TB, c corrupt.Case) { blame(t, c) })
}

// wantPlace checks that an error says what is wrong, in a way that can be tested for,
// and where: in the damage or after it, as [damage.Case] says.
func wantPlace(t testing.TB, c corrupt.Case, err error) {
	if err == nil {
		return
	}
	var f *index.FormatError
	if !errors.As(err, &f) || !matches(err) || f.Offset < c.From {
		require.Fail(t, "an error without kind, or at another place than the damage", "%s: %v, not from %#x on", c.Name, err, c.From)
	}
}

// blame reads the recording of a case, and checks what it says is wrong.
func blame(t testing.TB, c corrupt.Case) {
	x, err := index.New(c.Data)
	wantPlace(t, c, err)
	if err != nil {
		return
	}
	wantPlace(t, c, x.TrailingErr())
	frames := 0
	buf := make([]index.EventHeader, 64)
	for _, chunk := range x.Chunks() {
		wantPlace(t, c, chunk.LeadingErr())
		wantPlace(t, c, chunk.TrailingErr())
		_, err := chunk.Types()
		wantPlace(t, c, err)
		if k, err := chunk.Constants(); err == nil {
			wantPlace(t, c, k.Err())
		} else {
			wantPlace(t, c, err)
		}
		for next := chunk.FirstEvent(); ; {
			n := 0
			n, next, err = chunk.ReadHeaders(next, math.MaxUint64, buf)
			frames += n
			wantPlace(t, c, err)
			if err != nil || n < len(buf) {
				break
			}
		}
		wantPlace(t, c, chunk.Blocks().Err())
	}
	require.LessOrEqual(t, frames, len(c.Data)/2, "frames have two bytes at least")
}
