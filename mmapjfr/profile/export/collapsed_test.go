package export_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/profiles"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// read returns the profile of kinds of a recording. With several event types each is read by
// itself, so that none is left out for a better one.
func read(t *testing.T, path string, kinds []string, events ...string) *profile.Profile {
	t.Helper()
	return readWith(t, path, profile.Options{Kinds: kinds}, events...)
}

func readWith(t *testing.T, path string, o profile.Options, events ...string) *profile.Profile {
	t.Helper()
	set, err := input.Open(t.Context(), []string{path}, input.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, set.Close()) }()
	p := profile.New()
	for _, e := range append(events, "") {
		if e != "" {
			o.Filters = []mmapjfr.Filter{mmapjfr.Types(strings.Split(e, ",")...)}
		} else if len(events) > 0 {
			break
		}
		part, err := profile.Read(context.Background(), set.Recordings, o)
		require.NoError(t, err)
		p.Merge(part)
	}
	return p
}

// lines returns what is written of all kinds of a profile, by stack.
func lines(t *testing.T, p *profile.Profile, value int, plain bool, names profile.Names) map[string]int64 {
	t.Helper()
	sum := make(map[string]int64)
	for _, k := range p.Kinds() {
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, export.Options{
			Names: names, Column: profile.Column{Kind: &k, Value: value},
		}))
		parse(t, sum, out.String(), plain)
	}
	return sum
}

// parse adds lines to a sum. Without suffixes if plain is true: one name may be of several kinds of
// frames, of which more weigh more.
func parse(t *testing.T, sum map[string]int64, text string, plain bool) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseInt(line[at+1:], 10, 64)
		require.NoError(t, err, line)
		stack := line[:at]
		if plain {
			stack = suffix.Replace(stack)
		}
		sum[stack] += n
	}
}

var suffix = strings.NewReplacer("_[0]", "", "_[j]", "", "_[i]", "", "_[1]", "", "_[k]", "")

// peers are what jfrconv of async-profiler 4.5 writes of recordings of testdata, and how the
// same is asked of a profile. Its --lock has parked threads, too, its --alloc adds up events that
// measure the same, all ObjectAllocationSample as outside of the thread's buffer, and without an option it adds up samples of Java and of native code.
var peers = map[string]struct {
	kinds, events []string
	value         int
}{
	"default":    {kinds: []string{"cpu", "running", "native"}, events: []string{"jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.CPUTimeSample"}},
	"cpu":        {kinds: []string{"cpu", "running"}},
	"wall":       {kinds: []string{"wall"}},
	"malloc":     {kinds: []string{"malloc"}},
	"leak":       {kinds: []string{"leak"}},
	"lock":       {kinds: []string{"lock", "park"}},
	"lock-total": {kinds: []string{"lock", "park"}, value: 1},
	"alloc":      {kinds: []string{"alloc"}, events: []string{"jdk.ObjectAllocationInNewTLAB,jdk.ObjectAllocationOutsideTLAB", "jdk.ObjectAllocationSample"}},
}

// namings are the options of jfrconv for names, and what is the same of ours.
var namings = map[string]profile.Names{
	"norm": {Normalize: true}, "lines": {Lines: true}, "simple": {Simple: true}, "dot": {Dots: true}, "norm+simple": {Normalize: true, Simple: true},
}

var (
	// unknownLine is the line, or the index, that jfrconv adds if it is not known.
	unknownLine = regexp.MustCompile(`[:@]65535`)
	// lambdaNumber is left by the --norm of jfrconv, although it differs between runs.
	lambdaNumber = regexp.MustCompile(`(\$\$Lambda)\$\d+\.`)
	// hiddenDot is in the place of a slash that is no end of a package.
	hiddenDot = regexp.MustCompile(`(\+0x[0-9a-f]+)\.(\d)`)
	// threadNumber of jfrconv is that of a constant.
	threadNumber = regexp.MustCompile(` tid=\d+\]`)
)

// TestLikeJfrconv compares with kept answers of jfrconv. It leaves out events without a stack.
func TestLikeJfrconv(t *testing.T) {
	likeJfrconv(t, "testdata/collapsed", "../../../testdata", ".jfr")
}

// TestLikeJfrconvOfOthers is the same for recordings of other producers.
func TestLikeJfrconvOfOthers(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the recordings of other producers are not here")
	}
	likeJfrconv(t, "testdata/collapsed/shared", shared, ".jfr.gz")
}

func likeJfrconv(t *testing.T, answers, recordings, ending string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(answers, "*.txt"))
	require.NoError(t, err)
	require.Greater(t, len(files), 9)
	for _, file := range files {
		name, option, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), ".")
		option, naming, _ := strings.Cut(option, "+")
		names, ok := namings[naming]
		require.True(t, ok || slices.Contains([]string{"", "threads", "bci", "classify", "classify+threads"}, naming), file)
		peer, ok := peers[option]
		require.True(t, ok, file)
		p := readWith(t, filepath.Join(recordings, name+ending), profile.Options{Kinds: peer.kinds, BytecodeIndex: naming == "bci"}, peer.events...)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		plain := len(peer.kinds) > 1 && option != "cpu" || len(peer.events) > 1
		if cpu := p.Choose(profile.Choice{Kinds: []string{"cpu"}}); option == "cpu" && slices.Collect(cpu.Samples()) != nil {
			p = cpu
		}
		want := make(map[string]int64)
		if names.Normalize {
			text = lambdaNumber.ReplaceAll(text, []byte("$1."))
		}
		text = hiddenDot.ReplaceAll(text, []byte("$1/$2"))
		// jfrconv does not protect the semicolon in the name of a library.
		parse(t, want, threadNumber.ReplaceAllString(unknownLine.ReplaceAllString(strings.ReplaceAll(string(text), "libpthread-2.17.so;", "libpthread-2.17.so:"), ""), "]"), plain)
		p = p.Choose(profile.Choice{Threads: strings.HasSuffix(naming, "threads"), Classify: strings.HasPrefix(naming, "classify")})
		got := make(map[string]int64)
		for stack, n := range lines(t, p, peer.value, plain, names) {
			got[threadNumber.ReplaceAllString(stack, "]")] += n
		}
		for stack, n := range got {
			if rest := strings.Replace(stack, "[truncated];", "", 1); rest != stack { // jfrconv does not show it
				delete(got, stack)
				got[rest] += n
			} else if !strings.Contains(stack, ";") && want[stack] == 0 && strings.ContainsAny(stack, ".[") {
				delete(got, stack) // a class alone: the event has no stack
			}
		}
		assert.Equal(t, want, got, "%s --%s", name, option)
	}
}

// shared has recordings of other producers, beside the project.
const shared = "../../../../shared/recordings/"

// TestCollapsedNastyNames writes names that hold what separates frames and lines.
func TestCollapsedNastyNames(t *testing.T) {
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	s := p.Push(0, p.AddText("a;b\nc 7"))
	p.Add(k.Name, s, p.AddLabels(profile.Labels{}), 1, 2)
	p.Add(k.Name, 0, p.AddLabels(profile.Labels{}), 1, 2)
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, export.Options{Column: profile.Column{Kind: &k, Value: 1}}))
	assert.Equal(t, "a:b c 7 2\n", out.String())
}

// TestDiffLikeJfrconv compares two recordings. Of stacks that are gone jfrconv writes nothing.
func TestDiffLikeJfrconv(t *testing.T) {
	all := func(path string) *profile.Profile { // lock and park as one kind
		p := profile.New()
		profiles.MergeAs(p, read(t, path, []string{"lock", "park"}), func(string) string { return "lock" })
		return p
	}
	base, p := all("../../../testdata/jdk17-profile.jfr"), all("../../../testdata/jdk25-profile.jfr")
	k := p.Kinds()[0]
	o := export.Options{Column: profile.Column{Kind: &k}, Base: base, Plain: true}
	o.Names.Normalize = true // as its --diff does
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, o))
	want, err := os.ReadFile("testdata/collapsed/diff.lock")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for line := range strings.Lines(string(want)) {
		assert.Contains(t, lines, suffix.Replace(strings.TrimSuffix(line, "\n")))
	}
	gone := 0
	for _, line := range lines {
		if strings.HasSuffix(line, " 0") {
			gone++
		}
	}
	assert.Equal(t, len(lines)-strings.Count(string(want), "\n"), gone)
}
