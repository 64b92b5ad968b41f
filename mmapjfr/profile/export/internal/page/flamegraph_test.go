package page

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
	"github.com/mmapjfr/jfr/mmapjfr/profile/internal/nodetree"
)

// read returns the profile of a recording of testdata.
func read(t *testing.T, name string) *profile.Profile {
	t.Helper()
	rec, err := mmapjfr.Open("../../../../../testdata/" + name)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	p, err := profile.Read(t.Context(), []*mmapjfr.Recording{rec}, profile.Options{})
	require.NoError(t, err)
	return p
}

// written returns the page of a profile.
func written(t *testing.T, p *profile.Profile, o Options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, p, o))
	return out.String()
}

// path returns the names and kinds of a node and its callers. Ways to execute a method of Java are
// one.
func path(names []string, name string, kind profile.FrameKind, parent int) string {
	text := name + "_" + strconv.Itoa(int(nodetree.Code(uint8(kind))))
	if parent > 0 {
		text = names[parent] + "\n" + text
	}
	return text
}

// treePaths returns the values of a tree with threads, by path.
func treePaths(tree *profile.Tree) map[string][]int64 {
	names := make([]string, len(tree.Nodes))
	sums := make(map[string][]int64)
	for i, n := range tree.Nodes {
		names[i] = path(names, n.Name, n.Kind, int(n.Parent))
		for _, v := range n.Self {
			if v != 0 {
				sums[names[i]] = n.Self
			}
		}
	}
	return sums
}

// pagePaths returns the same of the rows of a page. Kinds of classes are those of async-profiler.
func pagePaths(f *decoded, set int, threads bool) map[string][]int64 {
	names := make([]string, len(f.nodes))
	for i, n := range f.nodes {
		kind := n.kind
		switch kind {
		case classFrame:
			kind = profile.Inlined
		case outsideFrame:
			kind = profile.Kernel
		}
		names[i] = path(names, n.name, kind, n.parent)
	}
	columns := 0
	for _, k := range f.Kinds {
		columns += len(k.Values)
	}
	sums := make(map[string][]int64)
	first := 0
	for k, kind := range f.Kinds {
		for _, r := range f.rows[set][k] {
			name := names[r.node]
			if threads {
				thread := profile.Labels{Thread: f.threads[r.thread].name, ThreadID: f.threads[r.thread].id}
				name = thread.ThreadName() + "_8" // a text
				if r.node > 0 {
					name += "\n" + names[r.node]
				}
			}
			if sums[name] == nil {
				sums[name] = make([]int64, columns)
			}
			for v, n := range r.values {
				sums[name][first+v] += n
			}
		}
		first += len(kind.Values)
	}
	return sums
}

var recordings = []string{"jdk25-profile.jfr", "jdk17-profile.jfr", "jdk25-cputime.jfr", "jdk25-virtual.jfr", "jdk17-oldobjects.jfr"}

// TestLikeTree compares the data of the page with the tree of the profile: of all threads, and of
// each.
func TestLikeTree(t *testing.T) {
	for _, name := range recordings {
		p := read(t, name)
		for _, names := range []profile.Names{{}, {Dots: true, Lines: true, Normalize: true}} {
			f := decode(t, written(t, p, Options{Names: names, Title: name}))
			assert.Equal(t, name, f.Title)
			assert.Equal(t, p.Notes(), append([]string(nil), f.Notes...))
			for _, threads := range []bool{false, true} {
				want := treePaths(p.Choose(profile.Choice{Threads: threads}).Tree(profile.TreeOptions{Names: names, Classes: true}))
				assert.Equal(t, want, pagePaths(&f, 0, threads), name)
			}
		}
	}
}

// TestKindsOfFrames compares how frames were executed, for a profile of one kind.
func TestKindsOfFrames(t *testing.T) {
	all := read(t, "jdk25-profile.jfr")
	p := profile.New()
	k := all.Kinds()[0]
	p.AddKind(k)
	for s := range all.Samples() {
		if s.Kind.Name == k.Name {
			var frames []profile.Frame
			for _, f := range all.Stack(s.Stack) {
				frames = append(frames, f)
			}
			stack := profile.StackID(0)
			for _, f := range slices.Backward(frames) {
				stack = p.Push(stack, p.AddFrame(f))
			}
			p.Add(k.Name, stack, p.AddLabels(profile.Labels{}), s.Values...)
		}
	}
	f := decode(t, written(t, p, Options{}))
	tree := p.Tree(profile.TreeOptions{})
	require.Len(t, f.nodes, len(tree.Nodes))
	for i, n := range tree.Nodes[1:] {
		assert.Equal(t, decodedNode{n.Name, n.Kind, int(n.Parent)}, f.nodes[i+1])
	}
}

// TestDifference has the values of both profiles on one tree.
func TestDifference(t *testing.T) {
	p, base := read(t, "jdk25-profile.jfr"), read(t, "jdk17-profile.jfr")
	f := decode(t, written(t, p, Options{Base: base, BaseTitle: "old", About: "at noon"}))
	assert.Equal(t, "old", f.Base)
	assert.Equal(t, "at noon", f.About)
	all := profile.New()
	all.Merge(p)
	all.Merge(base)
	columns := all.Columns()
	for set, p := range []*profile.Profile{p, base} {
		assert.Equal(t, treePaths(p.Tree(profile.TreeOptions{Classes: true, Columns: columns})), pagePaths(&f, set, false))
	}
	seen, names := make(map[string]bool), make([]string, len(f.nodes))
	for i, n := range f.nodes {
		names[i] = path(names, n.name, n.kind, n.parent)
		assert.False(t, seen[names[i]], "a node stands twice: %v", names[i])
		seen[names[i]] = true
	}
}

var nasty = []string{"</script><script>alert(1)</script>", "a\"'`&<b>", "line\nbreak\r\u2028", "semi;colon", "𝒜𝒷", "𝒜𝒸", "é", "ê", "\xff\xfe", strings.Repeat("long", 5000), " ", "{{data}}", "-->", "constructor", "__proto__"}

// TestDirectionsOfText writes names that would turn the text after them around as what they are.
func TestDirectionsOfText(t *testing.T) {
	const name, want = "a\u202eb\u200d\n", `a\u202eb` + "\u200d\n"
	p := profile.New()
	p.AddKind(profile.Kind{Name: "cpu", Values: []profile.ValueType{{Name: "samples", Unit: profile.Count}}})
	p.Add("cpu", p.Push(0, p.AddText(name)), p.AddLabels(profile.Labels{Thread: name}), 1)
	page := written(t, p, Options{Title: name, BaseTitle: name, About: name})
	assert.NotContains(t, page, "\u202e")
	f := decode(t, page)
	assert.Equal(t, []string{want}, f.names)
	assert.Equal(t, []string{want, want, want}, []string{f.Title, f.Base, f.About})
	assert.Equal(t, want, f.threads[len(f.threads)-1].name)
}

// TestNastyNames writes names that pages must escape, as names of everything.
func TestNastyNames(t *testing.T) {
	p := profile.New()
	var want []string
	for _, name := range nasty {
		k := profile.Kind{Name: name, Title: name, Values: []profile.ValueType{{Name: name, Unit: profile.Unit(name)}}}
		p.AddKind(k)
		p.AddNote(name)
		p.Add(name, p.Push(0, p.AddText(name)), p.AddLabels(profile.Labels{Thread: name, Class: name}), -1<<62+3)
		want = append(want, strings.ToValidUTF8(name, "\uFFFD"))
	}
	for _, title := range nasty {
		page := written(t, p, Options{Title: title, BaseTitle: title})
		assert.Equal(t, 3, strings.Count(page, "<script"), "those of the page")
		if utf8.ValidString(title) {
			assert.Equal(t, title, decode(t, page).Title)
		}
	}
	page := written(t, p, Options{Title: nasty[0]})
	assert.False(t, strings.Contains(page, "<script>alert"))
	f := decode(t, page)
	assert.ElementsMatch(t, want, f.names)
	assert.Len(t, f.nodes, 1+2*len(nasty))
	for _, k := range f.rows[0] {
		require.Len(t, k, 1)
		assert.Equal(t, []int64{-1<<62 + 3}, k[0].values)
	}
}

// TestEmpty writes a profile of nothing, and samples without a stack.
func TestEmpty(t *testing.T) {
	f := decode(t, written(t, profile.New(), Options{}))
	assert.Empty(t, f.Kinds)
	p := profile.New()
	k := profile.Kinds()[0]
	p.AddKind(k)
	p.Add(k.Name, 0, p.AddLabels(profile.Labels{}), 1, 5)
	p.Add(k.Name, p.Push(0, p.AddText("nothing")), p.AddLabels(profile.Labels{}), 0, 0)
	f = decode(t, written(t, p, Options{}))
	assert.Len(t, f.nodes, 1)
	assert.Equal(t, []decodedRow{{values: []int64{1, 5}}}, f.rows[0][0])
}

// TestSameBytes writes equal profiles that were made in different orders.
func TestSameBytes(t *testing.T) {
	p, q := profile.New(), profile.New()
	a, b := read(t, "jdk25-profile.jfr"), read(t, "jdk25-cputime.jfr")
	p.Merge(a)
	p.Merge(b)
	q.Merge(b)
	q.Merge(a)
	o := Options{Title: "both", Base: a}
	page := written(t, p, o)
	for range longtest.Cases(2, 10) {
		assert.True(t, page == written(t, q, o))
	}
}

// TestComparedFirst begins with a kind that both profiles have.
func TestComparedFirst(t *testing.T) {
	one := func(kinds ...string) *profile.Profile {
		p := profile.New()
		for _, kind := range kinds {
			p.AddKind(profile.Kind{Name: kind, Title: kind, Values: []profile.ValueType{{Name: "n", Unit: profile.Count}}})
			p.Add(kind, p.Push(0, p.AddText("a")), p.AddLabels(profile.Labels{}), 1)
		}
		return p
	}
	var names []string
	for _, k := range decode(t, written(t, one("alloc", "lock"), Options{Base: one("cpu", "alloc", "lock")})).Kinds {
		names = append(names, k.Name)
	}
	assert.Equal(t, []string{"alloc", "lock", "cpu"}, names)
}

// TestPolicy makes sure that the page may load nothing, and that its own scripts may run.
func TestPolicy(t *testing.T) {
	page, app := written(t, profile.New(), Options{}), string(bundled("app.js"))
	assert.Contains(t, page, "default-src 'none'; script-src '"+hash(string(bundled("loader.js")))+"' '"+hash(app)+"';")
	assert.Contains(t, page, "; worker-src data:;", "search.js needs it")
	assert.Equal(t, app, string(unpacked(t, page, "app")))
	assert.NotContains(t, page, "http://")
	assert.NotContains(t, page, "https://")
	assert.NotContains(t, app, "innerHTML")
}

// TestSlowSearch looks at what search.js leaves to a worker: all expressions that have a choice, which
// may take years, but no names of methods.
func TestSlowSearch(t *testing.T) {
	script, err := os.ReadFile("web/search.js")
	require.NoError(t, err)
	parts := regexp.MustCompile(`if \(!/(.*)/\.test\(re\.source\.replace\(/(.*)/g, ''\)\)\) return done`).FindSubmatch(script)
	require.Len(t, parts, 3)
	choice, escaped := regexp.MustCompile(string(parts[1])), regexp.MustCompile(string(parts[2]))
	slow := func(search string) bool { return choice.MatchString(escaped.ReplaceAllString(search, "")) }
	for _, search := range []string{`(a+)+$|(.*)*x`, `.*.*x`, `(a|a)(a|a)b`, `a?a?a?`, `(a{1,9}){1,9}`, `\\*`, `\c*`, `(?=a)`, `[*]`} {
		assert.True(t, slow(search), search)
	}
	for _, search := range []string{`stacks`, `^gen\.Stacks\$1\.<init>\(\)$`, `^a\*b\|c\\$`, `(a)\1`, `^[^.]`} {
		assert.False(t, slow(search), search)
	}
}

// TestWarnings has on the page that samples were lost.
func TestWarnings(t *testing.T) {
	lost := profile.New()
	lost.AddNote("cpu: 841 samples are missing, as jdk.CPUTimeSamplesLost says")
	f := decode(t, written(t, lost, Options{}))
	assert.Equal(t, []string{"cpu: 841 samples are missing, as jdk.CPUTimeSamplesLost says"}, f.Warnings)
	f = decode(t, written(t, profile.New(), Options{Base: lost, BaseTitle: "old.jfr"}))
	assert.Equal(t, []string{"old.jfr: cpu: 841 samples are missing, as jdk.CPUTimeSamplesLost says"}, f.Warnings)
}
