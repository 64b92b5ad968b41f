package firefox_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// answerFile is what the viewer's own code, version 0.10.0 of @firefox-devtools/profiler-cli, says about
// the file of jdk25-profile.jfr.
const answerFile = "testdata/jdk25-profile.json"

var update = flag.Bool("update", false, "keep what the viewer says now")

// answer is what a viewer shows.
type answer struct {
	Threads  []shownThread  `json:"threads"`
	Counters []shownCounter `json:"counters"`
	// Markers are those of the thread main by name, and Samples its stacks with how many samples they
	// have, the outermost frame first.
	Markers map[string]int `json:"markers"`
	Samples map[string]int `json:"samples"`
}

type shownThread struct {
	Name        string `json:"name"`
	MarkerCount int    `json:"markerCount"`
}

type shownCounter struct {
	Name             string `json:"name"`
	Unit             string `json:"unit"`
	RangeSampleCount int    `json:"rangeSampleCount"`
}

var viewerKinds = []string{"cpu", "running", "wall", "native", "alloc"}

var viewerOptions = timeline.Options{Names: profile.Names{Dots: true}, Title: "test"}

// TestAnswers compares a file with what a viewer has said about it.
func TestAnswers(t *testing.T) {
	kept, err := os.ReadFile(answerFile)
	require.NoError(t, err)
	var want answer
	require.NoError(t, json.Unmarshal(kept, &want))
	f, _ := write(t, viewerKinds, viewerOptions, open(t, "jdk25-profile.jfr"))
	got := answer{Markers: make(map[string]int), Samples: make(map[string]int)}
	for _, k := range f.Threads {
		got.Threads = append(got.Threads, shownThread{k.Name, k.Markers.Length})
		if k.Name != "main" {
			continue
		}
		for _, name := range k.Markers.Name {
			got.Markers[f.Shared.StringArray[name]]++
		}
		for i, stack := range k.Samples.Stack {
			var path []string
			for s := *stack; ; s -= f.Shared.StackTable.PrefixOffset[s] {
				path = append(path, f.Shared.StringArray[f.Shared.FuncTable.Name[f.Shared.FrameTable.Func[f.Shared.StackTable.Frame[s]]]])
				if f.Shared.StackTable.PrefixOffset[s] == 0 {
					break
				}
			}
			slices.Reverse(path)
			got.Samples[strings.Join(path, ";")] += int(k.Samples.Weight[i])
		}
	}
	for _, c := range f.Counters {
		got.Counters = append(got.Counters, shownCounter{c.Name, c.Display.Unit, c.Samples.Length})
	}
	assert.ElementsMatch(t, want.Threads, got.Threads)
	assert.Equal(t, want.Counters, got.Counters)
	assert.Equal(t, want.Markers, got.Markers)
	assert.Equal(t, want.Samples, got.Samples)
}

// TestViewer asks the viewer.
func TestViewer(t *testing.T) {
	longtest.Long(t, "it starts a viewer")
	path, err := exec.LookPath("profiler-cli")
	if err != nil {
		t.Skip("it needs profiler-cli: npm install -g @firefox-devtools/profiler-cli, and Node.js 24")
	}
	dir := t.TempDir()
	run := func(args ...string) []byte {
		cmd := exec.Command(path, args...)
		cmd.Env = append(os.Environ(), "PROFILER_CLI_SESSION_DIR="+dir)
		out, err := cmd.Output()
		if err != nil && args[0] != "load" {
			t.Logf("%v: %v: %s", args, err, out)
		}
		return out
	}
	data, _ := written(t, viewerKinds, viewerOptions, open(t, "jdk25-profile.jfr"))
	file := filepath.Join(dir, "jdk25-profile.firefox.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	t.Cleanup(func() { run("stop", "--all") })
	run("load", file) // it may say that it takes long
	var got answer
	for deadline := time.Now().Add(time.Minute); len(got.Threads) == 0 && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		_ = json.Unmarshal(run("thread", "list", "--json"), &got)
	}
	main := ""
	var threads struct {
		Threads []struct{ ThreadHandle, Name string }
	}
	require.NoError(t, json.Unmarshal(run("thread", "list", "--json"), &threads))
	for _, k := range threads.Threads {
		if k.Name == "main" {
			main = k.ThreadHandle
		}
	}
	require.NoError(t, json.Unmarshal(run("counter", "list", "--json"), &got))
	var markers struct {
		ByType []struct {
			MarkerName string
			Count      int
		}
	}
	require.NoError(t, json.Unmarshal(run("thread", "markers", "--thread", main, "--json"), &markers))
	got.Markers = make(map[string]int)
	for _, m := range markers.ByType {
		got.Markers[m.MarkerName] = m.Count
	}
	var tree struct{ RegularCallTree callNode }
	require.NoError(t, json.Unmarshal(run("thread", "samples-top-down", "--thread", main, "--include-idle", "--max-lines", "10000", "--json"), &tree))
	got.Samples = make(map[string]int)
	for _, c := range tree.RegularCallTree.Children {
		c.add(got.Samples, "")
	}
	if *update {
		kept, err := json.MarshalIndent(got, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(answerFile, append(kept, '\n'), 0o600))
	}
	kept, err := os.ReadFile(answerFile)
	require.NoError(t, err)
	var want answer
	require.NoError(t, json.Unmarshal(kept, &want))
	assert.Equal(t, want, got)
}

// callNode is a node of the viewer's call tree.
type callNode struct {
	Name        string
	SelfSamples float64
	Children    []callNode
}

// add adds the stacks of a node to those of a map.
func (n *callNode) add(to map[string]int, path string) {
	path += n.Name
	if n.SelfSamples > 0 {
		to[path] += int(n.SelfSamples)
	}
	for i := range n.Children {
		n.Children[i].add(to, path+";")
	}
}
