package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/live"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/overview"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
var mjfrCommand = clitest.Mjfr(New)

// summaryCounts returns how many events of each type the JDK counts in a recording.
func summaryCounts(t *testing.T, file string) map[string]uint64 {
	t.Helper()
	counts := map[string]uint64{}
	_, out, _ := clitest.Mjfr(overview.NewTypes)(t, "types", "--json", file)
	var d struct {
		Types []struct {
			Name  string
			Count uint64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	for _, typ := range d.Types {
		counts[typ.Name] += typ.Count // several types can have one name
	}
	require.NotEmpty(t, counts)
	return counts
}

func watchedCounts(s jvmstats.Snapshot) map[string]uint64 {
	counts := map[string]uint64{}
	for _, typ := range s.Types {
		counts[typ.Name] = typ.Count
	}
	return counts
}

func TestWatchOnceAsJSON(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	code, out, told := mjfrCommand(t, "watch", "--once", "--json", file)
	require.Equal(t, cli.ExitOK, code, told)
	assert.Empty(t, told)
	var s jvmstats.Snapshot
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	assert.Equal(t, jvmstats.Ended, s.State)
	assert.Equal(t, summaryCounts(t, file), watchedCounts(s))
}

func TestWatchOnce(t *testing.T) {
	code, out, told := mjfrCommand(t, "watch", "--once", clitest.File("jdk25-profile.jfr"))
	require.Equal(t, cli.ExitOK, code, told)
	assert.Contains(t, out, "jdk25-profile.jfr")
	assert.Regexp(t, `(?m)^ +jdk\.ClassLoad .* 539$`, out)
}

func TestWatchLines(t *testing.T) {
	code, out, told := mjfrCommand(t, "watch", "--every", "10ms", clitest.File("jdk17-profile.jfr"))
	require.Equal(t, cli.ExitOK, code, told)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	assert.Contains(t, lines[0], "GC pauses")
	assert.True(t, strings.HasSuffix(lines[len(lines)-1], "\tended"), out)
}

func TestWatchOfWhatWasKilled(t *testing.T) {
	code, out, told := mjfrCommand(t, "watch", "--once", clitest.File("jdk25-killed.jfr"))
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "the JVM has ended without finishing its recording")
	assert.Contains(t, out, "LOST")
}

func TestWatchOfDamage(t *testing.T) {
	data, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	file := t.TempDir() + "/cut.jfr"
	require.NoError(t, os.WriteFile(file, data[:len(data)-1000], 0o600))
	code, _, told := mjfrCommand(t, "watch", "--once", file)
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "truncated")
}

func TestWatchMisused(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"name a process", nil},
		{"takes one source, not 2", []string{"a", "b"}},
		{"--every must not be negative", []string{"--every", "-1s", "x"}},
		{"--set ", []string{"--set", "#", "1"}},
		{"only a running JVM can record on request, and x.jfr is not one", []string{"--set", "jdk.CPULoad#period=1s", "x.jfr"}},
		{"only a running JVM can record on request, and x.jfr is not one", []string{"--settings", "profile", "x.jfr"}},
	} {
		code, _, told := mjfrCommand(t, append([]string{"watch"}, c.args...)...)
		assert.Equal(t, cli.ExitUsage, code, told)
		assert.Contains(t, told, c.want)
	}
	empty := filepath.Join(t.TempDir(), "empty.jfr")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for file, want := range map[string]string{
		"nosuch.jfr": "nosuch.jfr: no such file", empty: "empty.jfr: nothing has been written to this file yet",
		t.TempDir(): "nothing has been recorded into this directory",
	} {
		code, out, told := mjfrCommand(t, "watch", "--once", file)
		assert.Equal(t, cli.ExitData, code)
		assert.Contains(t, told, want)
		assert.Equal(t, 1, strings.Count(told, "\n"), told)
		assert.Empty(t, out)
	}
}

// TestWatchServesMetrics scrapes while the stream goes on.
func TestWatchServesMetrics(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	in, feed := io.Pipe()
	go func() { _, _ = feed.Write(data) }() // and no end
	var out, errs clitest.LockedText
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		a := &cli.App{Root: clitest.Verbs(New), Stdin: in, Stdout: &out, Stderr: &errs}
		done <- a.Run(ctx, []string{"watch", "--prometheus", "localhost:0", "-"})
	}()
	address := regexp.MustCompile(`metrics at (http://\S+/metrics)`)
	require.Eventually(t, func() bool { return address.MatchString(errs.String()) }, time.Minute, time.Millisecond, errs.String())

	want := summaryCounts(t, file)
	line := regexp.MustCompile(`(?m)^mjfr_events_total\{type="([^"]+)"\} (\S+)$`)
	got := map[string]uint64{}
	assert.Eventually(t, func() bool {
		resp, err := http.Get(address.FindStringSubmatch(errs.String())[1])
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return false
		}
		clear(got)
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.ParseFloat(m[2], 64)
			got[m[1]] = uint64(n)
		}
		return maps.Equal(want, got)
	}, time.Minute, 20*time.Millisecond)
	assert.Equal(t, want, got)
	cancel()
	assert.Equal(t, cli.ExitInterrupted, <-done, "as Ctrl-C does")
	require.NoError(t, feed.Close())
	assert.Empty(t, out.String(), "nobody has asked for lines")
}

// TestWatchWithMetricsPrintsNoLines unless they are asked for.
func TestWatchWithMetricsPrintsNoLines(t *testing.T) {
	file := clitest.File("jdk25-kinds.jfr")
	code, out, told := mjfrCommand(t, "watch", "--prometheus", ":0", file)
	require.Equal(t, cli.ExitOK, code, told)
	assert.Empty(t, out)
	assert.Regexp(t, `^mjfr watch: metrics at http://(127\.0\.0\.1|\[::1\]):\d+/metrics\n$`, told)
	code, out, told = mjfrCommand(t, "watch", "--prometheus", ":0", "--every", "10ms", file)
	require.Equal(t, cli.ExitOK, code, told)
	assert.Contains(t, out, "ended")
}

// TestWatchTellsOfOpenPorts, and takes a token from a file or from the environment.
func TestWatchTellsOfOpenPorts(t *testing.T) {
	file := clitest.File("jdk25-kinds.jfr")
	code, _, told := mjfrCommand(t, "watch", "--prometheus", "0.0.0.0:0", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "other machines can read them, without a token")
	t.Setenv("MJFR_PROMETHEUS_TOKEN", "s3cret")
	code, _, told = mjfrCommand(t, "watch", "--prometheus", "0.0.0.0:0", file)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, told, "other machines can read them, with the token")
	assert.NotContains(t, told, "s3cret")

	tokens := filepath.Join(t.TempDir(), "token")
	_, _, told = mjfrCommand(t, "watch", "--prometheus", ":0", "--prometheus-token-file", tokens, file)
	assert.Contains(t, told, "cannot read the token")
	require.NoError(t, os.WriteFile(tokens, []byte(" \n"), 0o600))
	_, _, told = mjfrCommand(t, "watch", "--prometheus", ":0", "--prometheus-token-file", tokens, file)
	assert.Contains(t, told, "there is no token in "+tokens)
	require.NoError(t, os.WriteFile(tokens, []byte("other\n"), 0o600))
	access, err := (&metricsOptions{tokenFile: tokens}).access()
	require.NoError(t, err)
	assert.Equal(t, "other", access.Token, "the file comes first")
	code, _, told = mjfrCommand(t, "watch", "--prometheus-token-file", tokens, file)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, "go with --prometheus")
}

// TestWatchTellsOfTypingErrorsInSettings that the user gave, and not of what it asks for itself.
func TestWatchTellsOfTypingErrorsInSettings(t *testing.T) {
	warnings := []error{
		&stream.SettingError{Event: "jdk.CPULoad", Setting: "perod", Err: errors.New("wrong setting")},
		&stream.SettingError{Event: "jdk.CPULod", Setting: "enabled", Err: fmt.Errorf("wrong type: %w", mmapjfr.ErrNoType)},
		&stream.SettingError{Event: "jdk.CPUTimeSample", Setting: "enabled", Err: fmt.Errorf("later type: %w", mmapjfr.ErrNoType)},
		&stream.SettingError{Event: "jdk.CPULoad", Setting: "throttle", Err: errors.New("later setting")},
		errors.New("a handler waits for events that may never come"),
	}
	settings := &live.Options{Set: []string{"jdk.CPULoad#perod=1s", "jdk.CPULod#period=1s", "jdk.CPULoad#period=1s"}}
	var told []error
	var shown []string
	tell := func(warning error) { told = append(told, warning) }
	r := remarks{settings: settings, report: tell}
	for _, warning := range warnings {
		r.add(warning)
	}
	r.end()
	assert.Equal(t, warnings[:2], told)

	told = nil
	r = remarks{settings: settings, report: tell, show: func(text string) { shown = append(shown, text) }}
	for _, warning := range warnings {
		r.add(warning)
	}
	assert.Empty(t, told, "while the screen is there")
	assert.Len(t, shown, 2)
	r.end()
	assert.Equal(t, warnings[:2], told)
}

func TestWatchTellsOfATakenPort(t *testing.T) {
	code, _, told := mjfrCommand(t, "watch", "--prometheus", "localhost:-1", clitest.File("jdk25-kinds.jfr"))
	assert.Equal(t, cli.ExitData, code)
	assert.Contains(t, told, "localhost:-1")
}

// TestWatchOfAJVM lets JVMs record what is shown, and finds nothing of that in them afterwards.
func TestWatchOfAJVM(t *testing.T) {
	for _, major := range []int{17, 25} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, Threads: 1, Rate: 100, Busy: true})
			code, out, told := mjfrCommand(t, "watch", "--once", "--json", "--every", "3s", "--set", "jdk.SystemProcess#period=1s", "--set", "jdk.CPULoad#perod=1s", strconv.Itoa(j.PID))
			require.Equal(t, cli.ExitOK, code, told)
			assert.Regexp(t, `^mjfr watch: process \d+: stream: jdk.CPULoad has no setting "perod"; the JVM ignores it; did you mean period\?\n$`, told)
			var s jvmstats.Snapshot
			require.NoError(t, json.Unmarshal([]byte(out), &s))
			assert.Equal(t, jvmstats.Live, s.State)
			assert.EqualValues(t, j.PID, s.JVM.PID)
			assert.Positive(t, s.Heap.Used)
			assert.NotEmpty(t, s.CPU.History)
			names := slices.Collect(maps.Keys(watchedCounts(s)))
			for _, name := range []string{"jdk.CPULoad", "jdk.GarbageCollection", "jdk.SystemProcess"} {
				assert.Contains(t, names, name)
			}
			vm, err := attach.Open(t.Context(), j.PID)
			require.NoError(t, err)
			left, err := vm.Recordings(t.Context())
			require.NoError(t, err)
			assert.Empty(t, left)

			code, _, told = mjfrCommand(t, "watch", "--existing", "--once", strconv.Itoa(j.PID))
			assert.Equal(t, cli.ExitData, code)
			assert.Contains(t, told, "records nothing")
		})
	}
}
