package mmapjfr_test

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/mmapjfr/jfr/internal/jfrtest"
)

// fuzzed returns the recording that the input of a fuzzer stands for: one that program
// makes, one of the seeds, or program as it is, with edits.
func fuzzed(which uint8, program, edits []byte) []byte {
	program, edits = program[:min(len(program), 2048)], edits[:min(len(edits), 256)]
	data := program
	switch seeds := fuzzSeeds(); which % 4 {
	case 0:
		data = jfrtest.Generate(program)
	case 1:
		data = jfrtest.GenerateFaulty(program)
	case 2:
		data = seeds[int(which/4)%len(seeds)]
	}
	return jfrtest.Edit(data, edits)
}

// fuzzInput is an input that fuzzing begins with.
type fuzzInput struct {
	which          uint8
	program, edits []byte
}

// With more programs the fuzz targets, run as tests, are a search of their own: what is not
// instrumented is several times as fast.
var (
	programs    = flag.Int("programs", 24, "how many made recordings fuzz targets begin with")
	programSeed = flag.Uint64("programseed", 2, "which ones")
)

// fuzzInputs are all kinds of recordings, and some with edits.
func fuzzInputs() (list []fuzzInput) {
	programs := jfrtest.Programs(max(*programs, 24), *programSeed)
	for i, program := range programs {
		edits := programs[(i+11)%len(programs)]
		list = append(list, fuzzInput{uint8(i % 2), program, edits[:min(len(edits), i%4*8)]})
	}
	for i := range fuzzSeeds() {
		list = append(list, fuzzInput{uint8(4*i + 2), nil, nil}, fuzzInput{uint8(4*i + 2), nil, programs[i%20+2][:24]})
	}
	return append(list, fuzzInput{3, nil, nil}, fuzzInput{3, tiny().Bytes(), nil}, fuzzInput{3, littleFlushes().Bytes(), nil})
}

// fuzzSeeds are recordings of a few KB: built, assembled, and what is left of real ones
// when all but some events has been taken out.
var fuzzSeeds = sync.OnceValue(func() (list [][]byte) {
	for _, build := range []func() *jfrtest.Builder{small, tiny, ringChunk, forgetful, littleFlushes} {
		list = append(list, build().Bytes(), build().Uncompressed().Bytes())
	}
	two, _ := jfrtest.Concat(tiny(), tiny().Uncompressed())
	list = append(list, two, open(littleFlushes().Bytes()), leastRecording)
	for _, file := range []string{
		"../testdata/jdk17-profile.jfr", "../testdata/jdk25-profile.jfr",
		"../../shared/recordings/async-profiler.jfr.gz", "../../shared/recordings/dd-trace-java.jfr.gz", "../../shared/recordings/jdk15.jfr.gz",
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // of another producer, and not at hand
		}
		b, err := jfrtest.Reduce(unzipped(data), 0, 2, "jdk.ExecutionSample", "datadog.ExecutionSample", "jdk.ThreadStart", "jdk.GCHeapSummary", "profiler.Malloc")
		if err != nil {
			panic(err)
		}
		if reduced := b.Bytes(); len(reduced) < 17<<10 {
			list = append(list, reduced)
		}
	}
	return list
})

// leastRecording is a recording of which nothing can be taken away: an event of a type with a
// start time and a constant string, a checkpoint with that string, and the metadata.
//
//go:embed testdata/least.jfr
var leastRecording []byte

// unzipped unpacks as often as it takes; what cannot be unpacked is no recording.
func unzipped(data []byte) []byte {
	for bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil
		}
		if data, err = io.ReadAll(r); err != nil {
			return nil
		}
	}
	return data
}

func TestFuzzSeeds(t *testing.T) {
	for i, data := range fuzzSeeds() {
		rec := openBytes(t, data)
		if n := len(rec.Chunks()); n == 0 {
			t.Errorf("seed %d has no chunks", i)
		}
		if len(data) > 17<<10 {
			t.Errorf("seed %d has %d bytes", i, len(data))
		}
		t.Logf("seed %d: %d bytes", i, len(data))
	}
}
