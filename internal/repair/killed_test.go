package repair_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jvmtest"
)

var killed = flag.Int("killed", 0, "the number of JVMs of each version to kill, so as to repair what they leave")

// TestJDKReadsWhatKilledJVMsLeave kills JVMs at any moment, also before their first
// flush and while they begin a new chunk.
func TestJDKReadsWhatKilledJVMsLeave(t *testing.T) {
	if *killed == 0 {
		t.Skip("takes ten seconds for each JVM; name how many with -killed")
	}
	home := jdk25(t)
	for _, major := range []int{17, 25} {
		for i := range *killed {
			t.Run(fmt.Sprintf("JDK %d, number %d", major, i), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(major), uint64(i)))
				j := jvmtest.Start(t, jvmtest.Options{
					Major: jvmtest.Need(t, major).Major, Threads: 2, Rate: float64(10 + r.IntN(20_000)), Busy: r.IntN(2) == 0, MaxChunkSize: 1 << 20,
				})
				for range r.IntN(4) {
					time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
					j.Send([]string{"rotate", "flush", "gc", "burst 1000"}[r.IntN(4)])
				}
				time.Sleep(time.Duration(r.IntN(2500)) * time.Millisecond)
				j.Kill()
				files, err := filepath.Glob(filepath.Join(j.Repository, "*.jfr"))
				require.NoError(t, err)
				slices.Sort(files)
				l := leftover{name: t.Name()}
				for _, path := range files {
					data, err := os.ReadFile(path)
					require.NoError(t, err)
					l.files = append(l.files, data)
				}
				requireReads(t, home, l)
			})
		}
	}
}
