package collapsed_test

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
	"github.com/mmapjfr/jfr/mmapjfr/profile/collapsed"
)

// again returns what Write makes of lines that Read has read.
func again(t *testing.T, text string, o collapsed.Options) string {
	t.Helper()
	kind := profile.Untyped()
	o.Column = profile.Column{Kind: &kind}
	p, err := collapsed.Read(strings.NewReader(text), collapsed.ReadOptions{})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, collapsed.Write(&out, p, o))
	return out.String()
}

// TestReadBack reads what Write and jfrconv write, with suffixes and without, with lines, classes and
// threads, and writes the same.
func TestReadBack(t *testing.T) {
	p := read(t, "../../../testdata/jdk25-profile.jfr", nil)
	for _, o := range []collapsed.Options{
		{},
		{Plain: true},
		{TreeOptions: profile.TreeOptions{Classes: true, Names: profile.Names{Lines: true, Parameters: true}}},
		{TreeOptions: profile.TreeOptions{Threads: true, Names: profile.Names{Dots: true}}},
		{TreeOptions: profile.TreeOptions{Names: profile.Names{Simple: true}}},
	} {
		for _, k := range p.Kinds() {
			if k.Name == "gc" {
				continue // has texts, which look like native code
			}
			o.Column = profile.Column{Kind: &k, Value: k.Main()}
			var out bytes.Buffer
			require.NoError(t, collapsed.Write(&out, p, o))
			back := o
			back.Names = profile.Names{Lines: o.Names.Lines}
			assert.Equal(t, lineSums(t, out.String()), lineSums(t, again(t, out.String(), back)), k.Name)
		}
	}
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		o := profile.TreeOptions{Names: profile.Names{Lines: true}, Threads: strings.Contains(file, "+threads")}
		assert.Equal(t, lineSums(t, string(text)), lineSums(t, again(t, string(text), collapsed.Options{TreeOptions: o})), file)
	}
}

// lineSums returns what lines add up to, in any order.
func lineSums(t *testing.T, text string) map[string]int64 {
	t.Helper()
	sum := make(map[string]int64)
	parse(t, sum, text, false)
	return sum
}

// TestRead reads names that are of Java and others, comments and blanks.
func TestRead(t *testing.T) {
	p, err := collapsed.Read(strings.NewReader("# of a test\r\n\n[main tid=7];java/lang/Thread.run_[j];std::sort;read;vmlinux_[k];a b 5\r\n#x 1\n"), collapsed.ReadOptions{})
	require.NoError(t, err)
	var frames []string
	for s := range p.Samples() {
		for f := range p.Stack(s.Stack) {
			frame := p.Frame(f)
			m := p.Method(frame.Method)
			frames = append(frames, strings.Join([]string{m.Class, m.Name, frame.Kind.String()}, "|"))
		}
		frames = append(frames, p.Labels(s.Labels).ThreadName())
	}
	assert.Equal(t, []string{
		"|a b|Native", "|vmlinux|Kernel", "|read|Native", "|std::sort|C++", "java/lang/Thread|run|JIT compiled", "[main tid=7]",
		"|#x|Native", "[no thread]",
	}, frames)
	lock := profile.Kinds()[slices.IndexFunc(profile.Kinds(), func(k profile.Kind) bool { return k.Name == "lock" })]
	p, err = collapsed.Read(strings.NewReader("a;b 7\n"), collapsed.ReadOptions{Column: profile.Column{Kind: &lock, Value: lock.Main()}})
	require.NoError(t, err)
	for s := range p.Samples() {
		assert.Equal(t, []int64{0, 7}, s.Values)
		assert.Equal(t, "lock", s.Kind.Name)
	}
}

// TestReadNoStack counts lines without frames.
func TestReadNoStack(t *testing.T) {
	const want = "(no stack) 6\na;b 5\n"
	assert.Equal(t, want, again(t, "; 1\n;; 2\n 3\na;;b 5\n", collapsed.Options{}))
	assert.Equal(t, want, again(t, want, collapsed.Options{}))
}

// TestReadRejects says what is wrong, and where.
func TestReadRejects(t *testing.T) {
	const noCount = "it does not end with a blank and a count, as collapsed stacks do"
	for text, reason := range map[string]string{
		"a;b": noCount, "a;b x": noCount, "12": noCount, "\x00": noCount, "a;b ": noCount,
		"a;b -1": "its count is negative", "a;b -99999999999999999999": "its count is negative", "a;b -1.5": "its count is negative",
		"a;b 1.5": "its count is a fraction", "a;b 99999999999999999999": "its count is greater than 9,223,372,036,854,775,807",
	} {
		_, err := collapsed.Read(strings.NewReader("a;b 1\n"+text+"\n"), collapsed.ReadOptions{})
		require.ErrorIs(t, err, profile.ErrFormat, text)
		assert.EqualError(t, err, "line 2: "+reason)
	}
}

// TestReadLimits reads no more than a number of bytes, and no more names than profiles have: neither
// takes all memory or time, however well the file was packed.
func TestReadLimits(t *testing.T) {
	_, err := collapsed.Read(strings.NewReader(strings.Repeat("a;b 1\n", 200_000)), collapsed.ReadOptions{MaxBytes: 1 << 20})
	assert.EqualError(t, err, "line 174763: it is larger than 1 MiB when unpacked, which is the limit")
	long := strings.Repeat("x", 15<<20)
	var lines []io.Reader
	for i := range 10 { // the first name is that of a thread
		lines = append(lines, strings.NewReader("["), strings.NewReader(long), strings.NewReader(strconv.Itoa(i)), strings.NewReader(" tid=1];a 1\n"))
	}
	_, err = collapsed.Read(io.MultiReader(lines...), collapsed.ReadOptions{})
	assert.EqualError(t, err, "line 9: "+profile.TooMuchText)
}

// TestReadDiff reads lines with two numbers: the second one, if all lines have two.
func TestReadDiff(t *testing.T) {
	kind := profile.Untyped()
	o := collapsed.Options{Column: profile.Column{Kind: &kind}}
	p, err := collapsed.Read(strings.NewReader("# diff\na;b 1 2\na;c 3 0\n"), collapsed.ReadOptions{})
	require.NoError(t, err)
	o.Base = p
	var out bytes.Buffer
	require.NoError(t, collapsed.Write(&out, p, o))
	assert.Equal(t, "a;b 2 2\n", out.String())
	assert.Equal(t, []string{"samples: the lines have two numbers, as those that compare two profiles do; the second one counts"}, p.Notes())
	assert.Equal(t, "a;b 1 2\na;c 3\n", again(t, "a;b 1 2\na;c 3\n", collapsed.Options{}))
}

// FuzzRead reads anything. What can be read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte("java/lang/Thread.run_[j];a.B.c:7_[0];[x];x::y 12\n"))
	f.Add([]byte("[main tid=7];Foo$$Lambda/0x12.run(int) 1\n#\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := collapsed.Read(bytes.NewReader(data), collapsed.ReadOptions{})
		if err != nil {
			return
		}
		kind := profile.Untyped()
		var out bytes.Buffer
		require.NoError(t, collapsed.Write(&out, p, collapsed.Options{Column: profile.Column{Kind: &kind}, TreeOptions: profile.TreeOptions{Threads: true}}))
		_, err = collapsed.Read(&out, collapsed.ReadOptions{})
		require.NoError(t, err)
	})
}
