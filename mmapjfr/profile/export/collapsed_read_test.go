package export_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// again returns what Write makes of lines that Read has read.
func again(t *testing.T, text string, threads bool, o export.Options) string {
	t.Helper()
	kind := export.Untyped()
	o.Column = profile.Column{Kind: &kind}
	p, err := export.Read(strings.NewReader(text), "collapsed", export.ReadOptions{})
	require.NoError(t, err)
	p = p.Choose(profile.Choice{Threads: threads})
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, o))
	return out.String()
}

// TestReadCollapsedBack reads what Write and jfrconv write, with suffixes and without, with lines and
// threads, and writes the same.
func TestReadCollapsedBack(t *testing.T) {
	p := read(t, "../../../testdata/jdk25-profile.jfr", nil)
	for _, o := range []export.Options{
		{}, {Plain: true}, {Names: profile.Names{Lines: true, Parameters: true}}, {Names: profile.Names{Dots: true}}, {Names: profile.Names{Simple: true}},
	} {
		for _, threads := range []bool{false, true} {
			p := p.Choose(profile.Choice{Threads: threads})
			for _, k := range p.Kinds() {
				if k.Name == "gc" {
					continue // has texts, which look like native code
				}
				o.Column = profile.Column{Kind: &k, Value: k.Main()}
				var out bytes.Buffer
				require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, o))
				back := o
				back.Names = profile.Names{Lines: o.Names.Lines}
				assert.Equal(t, lineSums(t, out.String()), lineSums(t, again(t, out.String(), threads, back)), k.Name)
			}
		}
	}
	files, err := filepath.Glob("testdata/collapsed/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		o := export.Options{Names: profile.Names{Lines: true}}
		back := again(t, string(text), strings.Contains(file, "+threads"), o)
		assert.Equal(t, lineSums(t, string(text)), lineSums(t, back), file)
	}
}

// lineSums returns what lines add up to, in any order.
func lineSums(t *testing.T, text string) map[string]int64 {
	t.Helper()
	sum := make(map[string]int64)
	parse(t, sum, text, false)
	return sum
}

// TestReadCollapsed reads names that are of Java and others, comments and blanks.
func TestReadCollapsed(t *testing.T) {
	p, err := export.Read(strings.NewReader("# of a test\r\n\n[main tid=7];java/lang/Thread.run_[j];std::sort;read;vmlinux_[k];a b 5\r\n#x 1\n"), "collapsed", export.ReadOptions{})
	require.NoError(t, err)
	var frames []string
	for s := range p.Samples() {
		for _, f := range p.Stack(s.Stack) {
			frames = append(frames, strings.Join([]string{f.Method.Class, f.Method.Name, f.Kind.String()}, "|"))
		}
		frames = append(frames, p.Labels(s.Labels).ThreadName())
	}
	assert.Equal(t, []string{
		"|a b|Native", "|vmlinux|Kernel", "|read|Native", "|std::sort|C++", "java/lang/Thread|run|JIT compiled", "[main tid=7]",
		"|#x|Native", "[no thread]",
	}, frames)
	lock := profile.Kinds()[slices.IndexFunc(profile.Kinds(), func(k profile.Kind) bool { return k.Name == "lock" })]
	p, err = export.Read(strings.NewReader("a;b 7\n"), "collapsed", export.ReadOptions{Column: profile.Column{Kind: &lock, Value: lock.Main()}})
	require.NoError(t, err)
	for s := range p.Samples() {
		assert.Equal(t, []int64{0, 7}, s.Values)
		assert.Equal(t, "lock", s.Kind.Name)
	}
}

// TestReadNoStack counts lines without frames.
func TestReadNoStack(t *testing.T) {
	const want = "(no stack) 6\na;b 5\n"
	assert.Equal(t, want, again(t, "; 1\n;; 2\n 3\na;;b 5\n", false, export.Options{}))
	assert.Equal(t, want, again(t, want, false, export.Options{}))
}

// TestReadCollapsedRejects says what is wrong, and where.
func TestReadCollapsedRejects(t *testing.T) {
	const noCount = "it does not end with a blank and a count, as collapsed stacks do"
	for text, reason := range map[string]string{
		"a;b": noCount, "a;b x": noCount, "12": noCount, "\x00": noCount, "a;b ": noCount,
		"a;b -1": "its count is negative", "a;b -99999999999999999999": "its count is negative", "a;b -1.5": "its count is negative",
		"a;b 1.5": "its count is a fraction", "a;b 99999999999999999999": "its count is greater than 9,223,372,036,854,775,807",
	} {
		_, err := export.Read(strings.NewReader("a;b 1\n"+text+"\n"), "collapsed", export.ReadOptions{})
		require.ErrorIs(t, err, profile.ErrFormat, text)
		assert.EqualError(t, err, "line 2: "+reason)
	}
}

// TestReadCollapsedLimits reads no more than a number of bytes, and no more names than profiles have: neither
// takes all memory or time, however well the file was packed.
func TestReadCollapsedLimits(t *testing.T) {
	_, err := export.Read(strings.NewReader(strings.Repeat("a;b 1\n", 200_000)), "collapsed", export.ReadOptions{MaxBytes: 1 << 20})
	assert.EqualError(t, err, "line 174763: it is larger than 1 MB when unpacked, which is the limit")
	long := strings.Repeat("x", 15<<20)
	var lines []io.Reader
	for i := range 10 { // the first name is that of a thread
		lines = append(lines, strings.NewReader("["), strings.NewReader(long), strings.NewReader(strconv.Itoa(i)), strings.NewReader(" tid=1];a 1\n"))
	}
	_, err = export.Read(io.MultiReader(lines...), "collapsed", export.ReadOptions{})
	assert.EqualError(t, err, "line 9: the names before it have more than 128 MB, which those of no profile have")
}

// TestReadDiff reads lines with two numbers: the second one, if all lines have two.
func TestReadDiff(t *testing.T) {
	kind := export.Untyped()
	o := export.Options{Column: profile.Column{Kind: &kind}}
	p, err := export.Read(strings.NewReader("# diff\na;b 1 2\na;c 3 0\n"), "collapsed", export.ReadOptions{})
	require.NoError(t, err)
	o.Base = p
	var out bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &out, "collapsed", p, o))
	assert.Equal(t, "a;b 2 2\n", out.String())
	assert.Equal(t, []string{"samples: the lines have two numbers, as those that compare two profiles do; the second one counts"}, p.Notes())
	assert.Equal(t, "a;b 1 2\na;c 3\n", again(t, "a;b 1 2\na;c 3\n", false, export.Options{}))
}

// FuzzReadCollapsed reads anything. What can be read can be written and read again.
func FuzzReadCollapsed(f *testing.F) {
	f.Add([]byte("java/lang/Thread.run_[j];a.B.c:7_[0];[x];x::y 12\n"))
	f.Add([]byte("[main tid=7];Foo$$Lambda/0x12.run(int) 1\n#\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := export.Read(bytes.NewReader(data), "collapsed", export.ReadOptions{})
		if err != nil {
			return
		}
		kind := export.Untyped()
		var out bytes.Buffer
		require.NoError(t, export.Write(t.Context(), &out, "collapsed", p.Choose(profile.Choice{Threads: true}), export.Options{Column: profile.Column{Kind: &kind}}))
		_, err = export.Read(&out, "collapsed", export.ReadOptions{})
		require.NoError(t, err)
	})
}
