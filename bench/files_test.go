package bench_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// files are what the benchmarks read.
func files() []string {
	list := []string{"../testdata/jdk17-profile.jfr", "../testdata/jdk25-profile.jfr", "../testdata/jdk25-cputime.jfr"}
	if file := os.Getenv("JFR_BENCH_FILE"); file != "" {
		list = append(list, file)
	}
	return list
}

// variant is a way to do an operation.
type variant struct {
	name string
	// prepare gets ready for a file and returns the operation. That handles all of
	// the file each time it is called, and returns how many events it has handled.
	prepare func(b *testing.B, file string) (operation func() int)
}

// measure runs the variants of an operation on every file.
func measure(b *testing.B, variants ...variant) {
	for _, file := range files() {
		for _, v := range variants {
			b.Run(filepath.Base(file)+"/"+v.name, func(b *testing.B) {
				info, err := os.Stat(file)
				require.NoError(b, err)
				operation := v.prepare(b, file)
				b.SetBytes(info.Size())
				b.ReportAllocs()
				events := 0
				for b.Loop() {
					events += operation()
				}
				if events > 0 {
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
				}
			})
		}
	}
}

// byWorkers returns a variant for each number of workers: one, two, and as many
// as there are processors.
func byWorkers(prepare func(b *testing.B, file string, workers int) func() int) (list []variant) {
	numbers := []int{1, 2, runtime.GOMAXPROCS(0)}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		list = append(list, variant{"workers=" + strconv.Itoa(n), func(b *testing.B, file string) func() int {
			return prepare(b, file, n)
		}})
	}
	return list
}

// open opens a file for the length of a benchmark.
func open(b *testing.B, file string, opts ...mmapjfr.Option) *mmapjfr.Recording {
	rec, err := mmapjfr.Open(file, opts...)
	require.NoError(b, err)
	b.Cleanup(func() { rec.Close() })
	return rec
}

// sink keeps what was read from being left out.
var sink int64
