//go:build unix

package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jfrtest"
)

var sizesOnly = flag.String("sizes", "", "a regular expression: the sizes that all verbs are tried with, . for all")

// sizedVerbs are command lines: IN is the recording, OTHER another one, and OUT what is written.
var sizedVerbs = []string{
	"print IN", "print --json IN", "print --ndjson IN", "print --csv IN", "print --xml IN",
	"print --exact --stack-depth 1000000 IN", "print --where stackTrace~Foo IN",
	"summary --extended IN", "metadata IN", "metadata --json IN", "types --json IN", "chunks --json IN", "settings IN",
	"view all-events IN", "view all-views IN", "view --json types IN",
	"query --json select_*_from_* IN", "query select_*_from_*_limit_100000 IN", "query --csv select_*_from_*_limit_100000 IN",
	"query --html select_*_from_*_limit_100000 IN", "query select_@type,count(*)_from_*_group_by_@type IN",
	"query select_path,sum(bytesRead)_from_FileRead_group_by_path_order_by_path IN",
	"constants IN", "constants --json IN", "constants --duplicates IN", "constants --unused IN",
	"events --offsets IN", "at IN #0", "at --json IN #0", "at --hex IN #0",
	"profile IN", "profile --json IN", "profile --latency 1us IN", "profile -o OUT.html IN", "profile -o OUT/heatmap.html IN",
	"profile -o OUT.pb.gz IN", "profile -o OUT.pftrace IN", "profile -o OUT.collapsed IN", "profile -o OUT.cpuprofile IN",
	"profile -o OUT --format firefox IN", "profile -o OUT --format speedscope IN", "profile -o OUT --format otlp IN",
	"report -o OUT IN", "report --markdown IN", "batch query --out OUT select_@type,count(*)_from_*_group_by_@type IN",
	"slice --from 50% IN OUT", "merge IN OTHER OUT", "compact IN OUT", "convert IN OUT", "scrub --exclude-events *Sample IN OUT",
	"redact IN OUT", "redact --check IN", "verify IN", "verify --json IN", "repair IN OUT", "tail IN",
	"export --inline-stacks --parquet OUT IN", "export --csv OUT IN", "export --ndjson OUT IN",
}

const (
	// sizedMoment is work that is not worth comparing: most of it may be that of starting.
	sizedMoment = 400 * time.Millisecond
	// sizedGrowth is by how much work may grow with four times the size: less than a square does.
	sizedGrowth = 8
	// sizedRoom is memory for every verb, since systems count that of this process, too, and sizedShare how much more for
	// each byte of the recording.
	sizedRoom, sizedShare = 512 << 20, 64
)

// TestWorkGoesWithTheSize makes everything that a recording may have many of four times as many: what a verb computes must
// not grow like the square, and what it keeps in memory goes with the bytes.
func TestWorkGoesWithTheSize(t *testing.T) {
	if *sizesOnly == "" {
		t.Skip("-sizes . runs it: it compares times, those of processors")
	}
	mjfr, only := buildMjfr(t), regexp.MustCompile(*sizesOnly)
	fits := make(map[string]bool)
	for _, size := range jfrtest.Sizes {
		if !only.MatchString(size.Name) {
			continue
		}
		t.Run(size.Name, func(t *testing.T) {
			few, many := sizedFile(t, size, 1), sizedFile(t, size, 4)
			for _, verb := range sizedVerbs {
				least, _ := sizedWork(t, mjfr, verb, few, fits)
				most, memory := sizedWork(t, mjfr, verb, many, fits)
				for range 2 { // others use the machine, too
					if most < sizedMoment || most < sizedGrowth*least {
						break
					}
					again, _ := sizedWork(t, mjfr, verb, few, fits)
					more, _ := sizedWork(t, mjfr, verb, many, fits)
					least, most = max(least, again), min(most, more)
				}
				info, err := os.Stat(many)
				require.NoError(t, err)
				assert.Less(t, memory, sizedRoom+sizedShare*info.Size(), verb)
				if most > sizedMoment {
					t.Logf("%s: %v, then %v", verb, least, most)
					assert.Less(t, most, sizedGrowth*least, verb)
				}
			}
		})
	}
	for _, verb := range sizedVerbs {
		assert.True(t, fits[verb] || *sizesOnly != ".", "%s fits no recording", verb)
	}
}

func sizedFile(t *testing.T, size jfrtest.Size, times int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.jfr")
	require.NoError(t, os.WriteFile(path, size.Build(times*size.N), 0o600))
	return path
}

// sizedWork returns the time that processors spend on a verb, and how much memory it takes. It notes the verb if it fits the
// recording.
func sizedWork(t *testing.T, mjfr, verb, in string, fits map[string]bool) (work time.Duration, memory int64) {
	t.Helper()
	args := strings.Fields(verb)
	out := filepath.Join(t.TempDir(), "out")
	for i, a := range args {
		switch {
		case a == "IN":
			args[i] = in
		case a == "OTHER":
			args[i] = clitest.File("jdk17-kinds.jfr")
		case strings.HasPrefix(a, "OUT/"):
			require.NoError(t, os.MkdirAll(out, 0o700))
			args[i] = out + a[len("OUT"):]
		case strings.HasPrefix(a, "OUT"):
			args[i] = out + a[len("OUT"):]
		case strings.HasPrefix(a, "select_"):
			args[i] = strings.ReplaceAll(a, "_", " ")
		}
	}
	cmd := exec.CommandContext(t.Context(), mjfr, args...)
	cmd.Env = append(os.Environ(), "GOGC=100") // else package longtest lets garbage accumulate
	var told bytes.Buffer
	cmd.Stderr = &told
	_ = cmd.Run() // it may complain of damage, or that there is no such field
	require.Contains(t, []int{cli.ExitOK, cli.ExitData, cli.ExitUsage}, cmd.ProcessState.ExitCode(), args)
	require.NotContains(t, told.String(), "goroutine ", args)
	fits[verb] = fits[verb] || cmd.ProcessState.ExitCode() != cli.ExitUsage
	memory = int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) //nolint:unconvert // elsewhere it is an int32
	if runtime.GOOS != "darwin" {
		memory <<= 10
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), memory
}
