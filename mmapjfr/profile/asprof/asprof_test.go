package asprof_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/asprof"
	"github.com/mmapjfr/jfr/mmapjfr/profile/collapsed"
)

// sums returns what the collapsed stacks of a profile add up to, by stack.
func sums(t *testing.T, p *profile.Profile) string {
	t.Helper()
	kind, threads := profile.Untyped(), false
	for s := range p.Samples() {
		threads = threads || p.Labels(s.Labels).Thread != ""
	}
	var out bytes.Buffer
	require.NoError(t, collapsed.Write(&out, p, collapsed.Options{
		TreeOptions: profile.TreeOptions{Names: profile.Names{Lines: true}, Threads: threads}, Column: profile.Column{Kind: &kind},
	}))
	return out.String()
}

// TestLikeJfrconv compares with the collapsed stacks that jfrconv makes of the same pages: of its own, with classes,
// of the converter of version 3, with threads, with a difference, and without narrow frames.
func TestLikeJfrconv(t *testing.T) {
	pages, err := filepath.Glob("testdata/*.html")
	require.NoError(t, err)
	require.Len(t, pages, 6)
	for _, path := range pages {
		page, err := os.Open(path)
		require.NoError(t, err)
		got, err := asprof.Read(page, asprof.ReadOptions{})
		require.NoError(t, err, path)
		require.NoError(t, page.Close())
		answer, err := os.Open(strings.TrimSuffix(path, ".html") + ".collapsed")
		require.NoError(t, err)
		want, err := collapsed.Read(answer, collapsed.ReadOptions{})
		require.NoError(t, err)
		require.NoError(t, answer.Close())
		assert.Equal(t, sums(t, want), sums(t, got), path)
	}
}

// old is a page of version 2 of async-profiler, without what does not matter.
const old = `<!DOCTYPE html>
	const palette = [
		[0xb2e1b2, 20, 20, 20],
		[0x50e150, 30, 30, 30],
		[0x50cccc, 30, 30, 30],
		[0xe15a5a, 30, 40, 40],
		[0xc8c83c, 30, 30, 10],
		[0xe17d00, 30, 30,  0],
		[0xcce880, 20, 20, 20],
	];
f(0,0,10,3,'all')
f(1,0,7,1,'java/lang/Thread.run')
f(2,0,3,3,'it\'s \\ a;b')
f(1,7,2,4,'std::sort')
`

// TestOld reads a page of version 2, which has names in the calls.
func TestOld(t *testing.T) {
	p, err := asprof.Read(strings.NewReader(old), asprof.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "java/lang/Thread.run_[j] 4\njava/lang/Thread.run_[j];it's \\ a:b 3\nstd::sort 2\n", sums(t, p))
	p, err = asprof.Read(strings.NewReader(strings.Replace(old, "		[0xe17d00, 30, 30,  0],\n		[0xcce880, 20, 20, 20],\n", "", 1)), asprof.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "java/lang/Thread.run_[i] 4\njava/lang/Thread.run_[i];it's \\ a:b 3\nstd::sort 2\n", sums(t, p), "before version 2.9")
}

// TestReadRejects says what is wrong, and where.
func TestReadRejects(t *testing.T) {
	const pool = "const cpool = [\n'all',\n' b',\n'!c'\n];\nunpack(cpool);\n"
	for text, want := range map[string]string{
		"<!DOCTYPE html>\n<html></html>\n":                 "line 2: the page has no flame graph of async-profiler or jfrconv",
		pool + "n(3,5)\nu(800)\n":                          "line 8: its name is number 100, and there are 3",
		pool + "n(3,5)\nf(8,2,0)\n":                        "line 8: its level is 2, right after 0",
		pool + "n(3,5)\nu(8,6)\n":                          "line 8: it is not as wide as its caller, or less",
		pool + "n(3,5)\nu(8,3)\nn(16,3)\n":                 "line 9: it is not as wide as its caller, or less",
		pool + "n(3,x)\n":                                  "line 7: it is not a frame of a flame graph",
		pool + "n(3,1,2,3,4,5,6,7)\n":                      "line 7: it is not a frame of a flame graph",
		pool + "n(3,99999999999999999999)\n":               "line 7: it is not a frame of a flame graph",
		"const cpool = [\n'all',\n'~x'\n];\nunpack(cpool)": "line 5: a name in the list before it has more in common with the one before than there is",
		"const cpool = [\n'all',\n''\n];\nunpack(cpool)":   "line 5: a name in the list before it is damaged",
		"const cpool = [\n'all,\n":                         "line 2: it is not one quoted name",
	} {
		_, err := asprof.Read(strings.NewReader(text), asprof.ReadOptions{})
		require.ErrorIs(t, err, profile.ErrFormat, text)
		assert.EqualError(t, err, want, text)
	}
}

// FuzzRead reads anything. What can be read can be written and read as collapsed stacks.
func FuzzRead(f *testing.F) {
	f.Add([]byte(old))
	f.Add([]byte("const cpool = [\n'all',\n' é',\n'!c'\n];\nunpack(cpool);\nn(3,5)\nu(8,3)\nd=U\nn(16,1)\nf(8,2,0,1,0,1,0)\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := asprof.Read(bytes.NewReader(data), asprof.ReadOptions{}); err == nil {
			_, err := collapsed.Read(strings.NewReader(sums(t, p)), collapsed.ReadOptions{})
			require.NoError(t, err)
		}
	})
}

// TestReadLimits reads no more than a number of bytes, and no more names than profiles have.
func TestReadLimits(t *testing.T) {
	page := "<html>\n" + strings.Repeat("\n", 2<<20)
	_, err := asprof.Read(strings.NewReader(page), asprof.ReadOptions{MaxBytes: 1 << 20})
	assert.EqualError(t, err, "line 1048571: it is larger than 1 MiB when unpacked, which is the limit")
	pool := "const cpool = [\n'all',\n' " + strings.Repeat("x", 94) + "',\n" + strings.Repeat("'~',\n", 1_500_000) + "];\nunpack(cpool);\n"
	_, err = asprof.Read(strings.NewReader(pool), asprof.ReadOptions{})
	assert.EqualError(t, err, "line 1500005: "+profile.TooMuchText)
}
