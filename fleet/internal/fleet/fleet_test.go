package fleet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/answers"
	"github.com/mmapjfr/jfr/fleet/internal/fleet"
	"github.com/mmapjfr/jfr/internal/s3test"
	"github.com/mmapjfr/jfr/mmapjfr/batch"
)

// mjfr is the command that the files of jobs are compared with.
var mjfr string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fleet")
	if err == nil {
		mjfr = filepath.Join(dir, "mjfr")
		cmd := exec.Command("go", "build", "-o", mjfr, "./cmd/mjfr")
		cmd.Dir, cmd.Stderr = "../../..", os.Stderr
		err = errors.Join(cmd.Run(), os.Setenv("TMPDIR", dir)) // Beam lets files stay there
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := ptest.MainRetWithDefault(m, "prism")
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// command runs mjfr, and returns what it writes.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(mjfr, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1 is damage
		require.NoError(t, err, stderr.String())
	}
	return stdout.String()
}

// job returns the job of a command line of a verb.
func job(t *testing.T, args ...string) fleet.Job {
	t.Helper()
	cmd, ask := answers.Command(args[0], pflag.NewFlagSet("", pflag.ContinueOnError))
	require.NoError(t, cmd.ParseFlags(args[1:]))
	asked, err := ask(cmd.Flags().Args())
	require.NoError(t, err)
	return fleet.Job{Note: asked.Note, Inputs: asked.Inputs, Out: t.TempDir(), Names: []string{"out.txt"}}
}

// run runs a job, and returns the files by their names.
func run(t *testing.T, j fleet.Job) map[string]string {
	t.Helper()
	require.NoError(t, start(j))
	return files(t, j.Out)
}

func start(j fleet.Job) error {
	p, s := beam.NewPipelineWithRoot()
	if err := fleet.Build(s, j); err != nil {
		return err
	}
	return ptest.Run(p)
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))] = string(data)
		return err
	}))
	return all
}

func recording(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/" + name)
	require.NoError(t, err)
	return data
}

// corpus writes recordings of two JDKs, damaged ones among them, and returns the names of whole and damaged ones.
func corpus(t *testing.T) (dir string, names []string) {
	dir = t.TempDir()
	chunks := recording(t, "jdk17-chunks.jfr")
	changed := slices.Clone(chunks)
	for i := 40_000; i < len(changed); i += 997 {
		changed[i]++
	}
	for name, data := range map[string][]byte{
		"chunks.jfr": chunks, "new.jfr": recording(t, "jdk25-chunks.jfr"), "profile.jfr": recording(t, "jdk25-profile.jfr"),
		"cut.jfr": chunks[:len(chunks)/2], "changed.jfr": changed, "none.jfr": []byte("no recording"),
		"large.jfr": slices.Concat(chunks, recording(t, "jdk17-kinds.jfr"), chunks),
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		names = append(names, path)
	}
	slices.Sort(names)
	return dir, names
}

// TestTheSameBytesAsMjfr divides work in several ways: by one item, and by splits within files; in another order,
// with each file given twice; with merging in steps. All files are those of mjfr batch merge and, but for titles, of the
// plain verb.
func TestTheSameBytesAsMjfr(t *testing.T) {
	dir, names := corpus(t)
	readable := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasSuffix(name, "none.jfr") })
	for _, ask := range []struct {
		line  []string
		plain []string // the flag of the plain verb
		names []string // the first is compared with the plain verb
	}{
		{[]string{"profile", "-t", "cpu"}, []string{"--format", "collapsed"}, []string{"out.collapsed", "out.pb.gz", "out.html"}},
		{[]string{"profile"}, nil, []string{"out.txt", "out.pb.gz"}},
		{[]string{"query", "--csv", "select eventType.name, count(*), p99(duration), max(startTime) from jdk.* group by 1"}, nil, []string{"out.csv"}},
		{[]string{"view", "--json", "gc-pauses"}, nil, []string{"out.json"}},
		{[]string{"view", "--csv", "gc"}, nil, []string{"out.csv"}},
		{[]string{"query", "--csv", "select @class, count(*), sum(@weight.cpu), sum(@weight.alloc) from jdk.*Sample group by 1"}, nil, []string{"out.csv"}},
		{[]string{"query", "--csv", "from jdk.* asof ThreadPark as p select @type, count(*), max(p.duration), last(p.@start) group by 1"}, nil, []string{"out.csv"}},
	} {
		t.Run(strings.Join(ask.line, " "), func(t *testing.T) {
			work := t.TempDir()
			command(t, slices.Concat([]string{"batch", ask.line[0], "--out", work}, ask.line[1:], []string{dir})...)
			want := make(map[string]string)
			for _, name := range ask.names {
				out := filepath.Join(t.TempDir(), name)
				command(t, "batch", "merge", "-o", out, work)
				data, err := os.ReadFile(out)
				require.NoError(t, err)
				want[name] = string(data)
			}
			plain := command(t, slices.Concat(ask.line[:1], ask.plain, ask.line[1:], readable)...)
			require.Equal(t, plain, want[ask.names[0]], "the plain verb")
			var damage string
			for i, o := range []fleet.Job{
				{ItemSize: 1 << 30},
				{ItemSize: 50_000, Split: 1},
				{ItemSize: 80_000, Split: 2, Fanout: 3},
			} {
				j := job(t, append(ask.line, names...)...)
				j.ItemSize, j.Split, j.Fanout, j.Names = o.ItemSize, o.Split, o.Fanout, ask.names
				if i > 0 {
					slices.Reverse(j.Inputs)
					j.Inputs = append(j.Inputs, dir)
				}
				got := run(t, j)
				require.Len(t, got, len(ask.names)+2)
				for _, name := range ask.names {
					assert.Equal(t, want[name], got[name], "%s by %d bytes", name, o.ItemSize)
				}
				for _, file := range []string{"none.jfr", "cut.jfr", "changed.jfr"} {
					assert.Contains(t, got[fleet.DamageFile], filepath.Join(dir, file))
				}
				if i > 0 {
					assert.Equal(t, damage, got[fleet.DamageFile])
				}
				damage = got[fleet.DamageFile]
				results, list, err := fleet.Report(t.Context(), j.Out)
				require.NoError(t, err)
				require.Len(t, results, 1)
				assert.Equal(t, len(names), results[0].Objects)
				assert.NotEmpty(t, list)
			}
		})
	}
}

// TestABucketByKey reads a bucket by service and version, with differences, from a server that fails at times.
func TestABucketByKey(t *testing.T) {
	objects := make(map[string][]byte)
	dir := t.TempDir()
	for key, name := range map[string]string{
		"shop/v=1.9/a.jfr": "jdk17-profile.jfr", "shop/v=1.9/b.jfr": "jdk17-chunks.jfr", "shop/v=1.10/a.jfr": "jdk25-profile.jfr",
		"shop/v=1.10.2/a.jfr": "jdk25-chunks.jfr", "a b/v=1.9/a.jfr": "jdk25-kinds.jfr", "a b/v=1.10/a.jfr": "jdk17-kinds.jfr",
	} {
		objects[key] = recording(t, name)
		path := filepath.Join(dir, filepath.FromSlash(key))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, objects[key], 0o600))
	}
	s := s3test.Start(t, objects)
	s.Fail(1, 10)
	j := job(t, "profile", "-t", "cpu", s3test.URL)
	j.Key, j.Labels, j.Diff, j.ItemSize, j.Split = []string{"service", "v"}, "{service}/v={v}/{name}.jfr", "v", 60_000, 1
	j.Names = []string{"profile.collapsed", "flamegraph.html"}
	got := run(t, j)
	requests, sent := s.Seen()
	t.Logf("%d requests, %d bytes", requests, sent)
	want := make(map[string]string)
	for _, key := range []string{"shop/v=1.9", "shop/v=1.10", "shop/v=1.10.2", "a b/v=1.9", "a b/v=1.10"} {
		folder := "service=" + key
		want[folder] = command(t, "profile", "-t", "cpu", "--format", "collapsed", filepath.Join(dir, key))
		assert.Equal(t, want[folder], got[folder+"/profile.collapsed"], key)
		assert.Contains(t, got[folder+"/flamegraph.html"], "<title>")
	}
	assert.Empty(t, got[fleet.DamageFile])
	for _, pair := range []string{"service=shop/v=1.9..1.10", "service=shop/v=1.10..1.10.2", "service=a b/v=1.9..1.10"} {
		assert.Contains(t, got["diff/"+pair+"/table.txt"], "Change", pair)
		assert.Contains(t, got["diff/"+pair+"/flamegraph.html"], "<title>", pair)
	}
	assert.Len(t, got, 5*2+3*2+2)

	j.Out, j.Diff = t.TempDir(), "v=1.9,1.10.2"
	got = run(t, j)
	assert.Contains(t, got["diff/service=shop/v=1.9..1.10.2/table.txt"], "Change")
	results, _, err := fleet.Report(t.Context(), j.Out)
	require.NoError(t, err)
	missing := slices.IndexFunc(results, func(r fleet.Result) bool { return r.Missing != nil })
	require.GreaterOrEqual(t, missing, 0)
	assert.Equal(t, fleet.Result{Key: []batch.Label{{Name: "service", Value: "a b"}}, Files: []string{}, Missing: &batch.Label{Name: "v", Value: "1.10.2"}}, results[missing])
}

// TestTables compares a data set with that of mjfr batch export, and writes it once more into the same folder.
func TestTables(t *testing.T) {
	dir, names := corpus(t)
	contents := func(tables string) (list []string) {
		for path, data := range files(t, tables) {
			if strings.HasSuffix(path, ".csv") {
				list = append(list, filepath.ToSlash(filepath.Dir(path))+"\n"+data)
			}
		}
		slices.Sort(list)
		return list
	}
	other := filepath.Join(t.TempDir(), "tables")
	command(t, "batch", "export", "--csv", other, "--key", "service", "--labels", "{name}.jfr", "--item-size", "1", dir)
	want := contents(other)
	require.Greater(t, len(want), 20)
	own := filepath.Join(t.TempDir(), "tables")
	j := job(t, append([]string{"export", "--csv", own}, names...)...)
	j.Key, j.Labels, j.ItemSize = []string{"service"}, "{name}.jfr", 1<<20
	got := run(t, j)
	assert.Equal(t, want, contents(own))
	assert.Contains(t, strings.Join(want, ""), ",label_name,label_service\n")
	first := files(t, own)
	assert.Contains(t, first, "_manifest.json")
	assert.Contains(t, got[fleet.DamageFile], "none.jfr")
	j.Split = 1
	require.NoError(t, start(j))
	assert.Equal(t, first, files(t, own))
}

// TestAJobThatFailsIsRunAgain lets a job fail in its last step, and runs it again into the same folder.
func TestAJobThatFailsIsRunAgain(t *testing.T) {
	j := job(t, "profile", "-t", "cpu", "../../../testdata/jdk25-profile.jfr", "../../../testdata/jdk17-chunks.jfr")
	j.Names = []string{"one.collapsed", "two.pb.gz"}
	want := run(t, j)
	j.Out = t.TempDir()
	blocked := filepath.Join(j.Out, "two.pb.gz")
	require.NoError(t, os.MkdirAll(filepath.Join(blocked, "full"), 0o700))
	require.Error(t, start(j))
	require.NoError(t, os.RemoveAll(blocked))
	assert.Equal(t, want, run(t, j))
}

// TestObjectsThatCannotBeListed are damage: one that may not be read, alone and besides a good one, and one whose size is wrong.
func TestObjectsThatCannotBeListed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer s.Close()
	list := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(list, []byte(`{"uri":"../../../testdata/jdk25-kinds.jfr","size":4611686018427387904,"etag":"abc"}`), 0o600))
	query := []string{"query", "--csv", "select count(*) from ThreadStart"}
	for _, c := range []struct {
		inputs   []string
		manifest string
		wrong    string
		rows     int
	}{
		{[]string{s.URL + "/a.jfr?sig=hush"}, "", "the server answers 403 Forbidden", 0},
		{[]string{s.URL + "/a.jfr?sig=hush", "../../../testdata/jdk25-kinds.jfr"}, "", "the server answers 403 Forbidden", 1},
		{nil, list, "it has 4611686018427387904 bytes", 0},
	} {
		j := job(t, append(query, c.inputs...)...)
		j.Manifest, j.Names = c.manifest, []string{"out.csv"}
		got := run(t, j)
		assert.Equal(t, 1, strings.Count(got[fleet.DamageFile], "\n"), got[fleet.DamageFile])
		assert.Contains(t, got[fleet.DamageFile], c.wrong)
		assert.NotContains(t, got[fleet.DamageFile], "hush")
		results, _, err := fleet.Report(t.Context(), j.Out)
		require.NoError(t, err)
		require.Len(t, results, 1)
		assert.Equal(t, c.rows, results[0].Objects)
	}
}

// TestJobsThatCannotBeDone are refused before anything is read, or by the step that lists.
func TestJobsThatCannotBeDone(t *testing.T) {
	good := job(t, "profile", "../../../testdata/jdk25-profile.jfr")
	for text, change := range map[string]func(j *fleet.Job){
		"no question":        func(j *fleet.Job) { j.Note = nil },
		"no folder":          func(j *fleet.Job) { j.Out = "" },
		"names no files":     func(j *fleet.Job) { j.Names = nil },
		"has no label":       func(j *fleet.Job) { j.Labels = "x" },
		"has no v":           func(j *fleet.Job) { j.Diff = "v" },
		"between two values": func(j *fleet.Job) { j.Key, j.Diff = []string{"v"}, "v=1" },
		"of a query": func(j *fleet.Job) {
			j.Note, j.Key, j.Diff = []string{"query", "--", "select count(*) from jdk.*"}, []string{"v"}, "v"
		},
		"of the file system": func(j *fleet.Job) { j.Note = []string{"export", "--parquet=s3://bucket/tables", "--"} },
		"no such file":       func(j *fleet.Job) { j.Inputs = []string{"../../../testdata/none.jfr"} },
		"no recording":       func(j *fleet.Job) { j.Inputs = []string{t.TempDir()} },
	} {
		j := good
		change(&j)
		err := start(j)
		require.Error(t, err, text)
		if !strings.HasPrefix(text, "no such") && !strings.HasPrefix(text, "no recording") { // prism has no reasons
			assert.ErrorContains(t, err, text)
		}
	}
}

// TestManifests have labels of their own.
func TestManifests(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	var lines string
	for i, name := range []string{"jdk25-profile.jfr", "jdk17-chunks.jfr", "jdk25-profile.jfr"} {
		path, err := filepath.Abs("../../../testdata/" + name)
		require.NoError(t, err)
		lines += fmt.Sprintf(`{"uri":%q,"labels":{"service":"s%d"}}`+"\n", path, i%2)
	}
	require.NoError(t, os.WriteFile(list, []byte(lines), 0o600))
	j := job(t, "query", "select count(*) from jdk.*")
	j.Manifest, j.Key = list, []string{"service"}
	got := run(t, j)
	for key, name := range map[string]string{"s0": "jdk25-profile.jfr", "s1": "jdk17-chunks.jfr"} {
		assert.Equal(t, command(t, "query", "select count(*) from jdk.*", "../../../testdata/"+name), got["service="+key+"/out.txt"])
	}
}
