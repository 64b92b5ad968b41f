package profile

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export"
)

// TestInputs makes profiles of files that hold one: with any name, packed, and from standard input.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := noted
	write(t, "-o", file("all.pb.gz"), clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, table(t, "-t", "alloc", clitest.File("jdk25-profile.jfr")), table(t, "-t", "alloc", file("all.pb.gz")))
	write(t, "-t", "lock", "-o", file("lock.collapsed"), file("all.pb.gz"))
	stacks, err := os.ReadFile(file("lock.collapsed"))
	require.NoError(t, err)
	assert.Equal(t, string(stacks), write(t, "--format", "collapsed", file("lock.collapsed")))
	assert.Equal(t, string(stacks), write(t, "-t", "lock", "--format", "collapsed", file("lock.collapsed")))

	require.NoError(t, os.Rename(file("all.pb.gz"), file("some.bin")))
	require.NoError(t, os.Rename(file("lock.collapsed"), file("some.txt")))
	assert.NotEmpty(t, table(t, file("some.bin")))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(stacks)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	var out bytes.Buffer
	a := &cli.App{Stdin: &packed, Stdout: &out, Stderr: &out, Root: clitest.Verbs(New)}
	require.Zero(t, a.Run(t.Context(), []string{"profile", "--format", "collapsed", "-"}), out.String())
	assert.Equal(t, string(stacks), out.String())

	rows := table(t, "-t", "running", file("some.bin"), clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, "22", rows[0][0], "both add up")
}

// TestOtherTypes names the types that -t takes, of those that a file has.
func TestOtherTypes(t *testing.T) {
	p := profile.New()
	for _, k := range []profile.Kind{profile.Kinds()[0], profile.Kinds()[4], {Name: "goroutine", Title: "goroutine", Values: []profile.ValueType{{Name: "goroutine", Unit: profile.Count}}}} {
		p.AddKind(k)
		p.Add(k.Name, p.Push(0, p.AddText("a")), p.AddLabels(profile.Labels{}), []int64{1, 2}[:len(k.Values)]...)
	}
	var packed bytes.Buffer
	require.NoError(t, export.Write(t.Context(), &packed, "pprof", p, export.Options{}))
	file := filepath.Join(t.TempDir(), "a.pb.gz")
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	_, out, _ := mjfr(t, "profile", "--color", "always", file)
	assert.Contains(t, out, "; -t also has alloc\n")
}

// TestAnnotations writes how methods were executed, or not.
func TestAnnotations(t *testing.T) {
	with := mjfr.Output("profile")(t, "--format", "collapsed", clitest.File("jdk25-profile.jfr"))
	without := mjfr.Output("profile")(t, "--format", "collapsed", "--ann=false", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, with, "gen/Stacks.hash_[0] ")
	assert.Contains(t, without, "gen/Stacks.hash ")
	assert.NotContains(t, without, "_[")
}

// TestLikeConverter has options of jfrconv. Package collapsed compares what they do.
func TestLikeConverter(t *testing.T) {
	file := clitest.File("jdk25-profile.jfr")
	assert.Contains(t, mjfr.Output("profile")(t, "--format", "collapsed", "--bci", file), "gen/Stacks.run@125_[0];")
	assert.Contains(t, mjfr.Output("profile")(t, "--format", "collapsed", "--classify", file), "\n[lambda_init];")
	assert.Contains(t, mjfr.Output("profile")(t, "--format", "collapsed", "--classify", "--threads", file), "];[lambda_init];")
}

// TestPools makes one thread of those of a pool, in any format.
func TestPools(t *testing.T) {
	threads := mjfr.Output("profile")(t, "--format", "collapsed", "--threads", "-t", "lock", clitest.File("jdk25-profile.jfr"))
	pools := mjfr.Output("profile")(t, "--format", "collapsed", "--threads", "--norm", "-t", "lock", clitest.File("jdk25-profile.jfr"))
	assert.Contains(t, threads, "[contender 1 tid=")
	assert.Contains(t, pools, "[contender *];java/lang/Thread.run")
	assert.NotContains(t, pools, "tid=")
	assert.Equal(t, "contender *", table(t, "--norm", "-t", "lock", "--by", "thread", clitest.File("jdk25-profile.jfr"))[0][4])
}

// TestDiffOfInputs compares files that hold a profile.
func TestDiffOfInputs(t *testing.T) {
	dir := t.TempDir()
	stacks := filepath.Join(dir, "base.txt")
	require.NoError(t, os.WriteFile(stacks, []byte("main;run 5\n"), 0o600))
	out := filepath.Join(dir, "out.html")
	mjfr.Output("profile")(t, "-o", out, "--diff", stacks, stacks)
	mjfr.Output("profile")(t, "--force", "-o", out, "-t", "running", "--diff", stacks, clitest.File("jdk25-profile.jfr"))
	code, _, errs := mjfr(t, "profile", "-o", out, "--diff", stacks, clitest.File("jdk25-profile.jfr"))
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "say it with -t, such as -t cpu")
}

// TestDiffTable shows what has changed most first, with what is new and what is gone.
func TestDiffTable(t *testing.T) {
	dir := t.TempDir()
	base, now := filepath.Join(dir, "base.collapsed"), filepath.Join(dir, "now.collapsed")
	require.NoError(t, os.WriteFile(base, []byte("main;run 5\nmain;gone 7\nmain;same 9\n"), 0o600))
	require.NoError(t, os.WriteFile(now, []byte("main;run 9\nmain;new 1\nmain;same 9\n"), 0o600))
	out := noted(t, "-t", "lock", "--count", "--diff", base, now)
	assert.Equal(t, []string{"7\t0\t-7\tgone", "5\t9\t4\trun", "0\t1\t1\tnew", "9\t9\t0\tsame"}, strings.Split(strings.TrimSpace(out), "\n")[1:])
	assert.Equal(t, 3, strings.Count(mjfr.Output("profile")(t, "-t", "cpu", "--rows", "2", "--diff", base, now), "\n"))
}

// TestInputsHaveNoEvents names flags that need events.
func TestInputsHaveNoEvents(t *testing.T) {
	stacks := filepath.Join(t.TempDir(), "a.collapsed")
	require.NoError(t, os.WriteFile(stacks, []byte("main;run 5\n"), 0o600))
	for flag, value := range map[string]string{
		"--from": "1s", "--to": "1s", "--where": "a > 1", "--events": "x", "--categories": "x", "--event": "x", "--latency": "1ms", "--gc-pauses": "in", "--thread": "x", "--format": "perfetto",
	} {
		code, _, errs := mjfr(t, "profile", flag, value, stacks)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, errs, "it is a profile and has no events")
		assert.Contains(t, errs, strings.TrimPrefix(flag, "--"))
	}
	code, _, errs := mjfr(t, "profile", "--state", "runnable", stacks)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "it has no thread states for --state")
	code, _, errs = mjfr(t, "profile", "-t", "cpu,lock", "--format", "pprof", stacks)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "it does not say what it counts; give one type with -t")
}

// TestStrangeInputs says what is wrong with files that hold no profile, or a damaged one.
func TestStrangeInputs(t *testing.T) {
	dir := t.TempDir()
	for want, f := range map[string]struct{ name, text string }{
		"line 2: it does not end with a blank and a count":          {"a.collapsed", "a;b 1\na;b\n"},
		"line 1: it does not end with a blank and a count":          {"b.folded", "a;b"},
		"it is a web page; name the recording":                      {"c.html", "<html></html>"},
		"offset 0x0: the file ends in the middle":                   {"d.pb.gz", "\x0a\x7f"},
		"it is not a Flight Recorder file, but text":                {"e", "it took a second\nand 5"},
		"it is not a Flight Recorder file, but JSON":                {"f", "{\"a\": 5}"},
		"it is not a Flight Recorder file, but something else":      {"g", "\x01\x02\x00\xff\xfe"},
		"it is not a Flight Recorder file, but XML, such as a .jfc": {"h", "<x> 5\n"},
	} {
		path := filepath.Join(dir, f.name)
		require.NoError(t, os.WriteFile(path, []byte(f.text), 0o600))
		code, _, errs := mjfr(t, "profile", path)
		assert.Equal(t, cli.ExitData, code, want)
		assert.Contains(t, errs, want)
	}
	long := filepath.Join(dir, "long")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("java/lang/Thread.run;", 10_000)+"end 7\n"), 0o600))
	assert.Equal(t, "7", table(t, long)[0][0])
}

// TestNotOverInputs keeps files that are read from being written.
func TestNotOverInputs(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	recording, err := os.ReadFile(clitest.File("jdk25-profile.jfr"))
	require.NoError(t, err)
	jfr, one, other := file("a.jfr", string(recording)), file("a.collapsed", "a;b 1\n"), file("b.collapsed", "a;b 2\n")
	alloc := filepath.Join(dir, "p.alloc.pb.gz")
	mjfr.Output("profile")(t, "-t", "alloc", "-o", alloc, jfr)
	link := filepath.Join(dir, "link.collapsed")
	require.NoError(t, os.Link(jfr, link))
	for _, args := range [][]string{
		{"--format", "collapsed", "-o", jfr, jfr},
		{"--format", "collapsed", "-o", jfr, dir + "/*.jfr"},
		{"-o", link, jfr},
		{"-o", one, "--diff", other, one},
		{"-o", other, "--diff", other, one},
		{"--split", "-o", filepath.Join(dir, "p.pb.gz"), alloc},
	} {
		code, _, errs := mjfr(t, append([]string{"profile"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Contains(t, errs, "it is one of the files that are read", args)
	}
	after, err := os.ReadFile(jfr)
	require.NoError(t, err)
	assert.Equal(t, recording, after)
}

// TestUntypedIsLeftOut mentions files that a table or stacks of one type are not of.
func TestUntypedIsLeftOut(t *testing.T) {
	stacks := filepath.Join(t.TempDir(), "a.collapsed")
	require.NoError(t, os.WriteFile(stacks, []byte("main;run 5\n"), 0o600))
	for format, says := range map[string]bool{"top": true, "collapsed": true, "tree": true, "speedscope": false} {
		_, out, errs := mjfr(t, "profile", "--color", "always", "--format", format, clitest.File("jdk25-profile.jfr"), stacks)
		assert.Equal(t, says, strings.Contains(errs, "left out files that do not say"), format)
		assert.NotContains(t, out, "gc, samples")
	}
	_, _, errs := mjfr(t, "profile", "-t", "running", clitest.File("jdk25-profile.jfr"), stacks)
	assert.Empty(t, errs)
	_, _, errs = mjfr(t, "profile", stacks)
	assert.Empty(t, errs)
}
