package repository_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// jvm is a name of a virtual machine's directory.
const jvm = "2026_11_21_12_00_00_4242"

func TestDirectoryThatIsToCome(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "base", jvm)
	r := repository.Open(dir)
	nothing := func() {
		t.Helper()
		scan(t, r)
		assert.Empty(t, r.Files())
		_, ok := r.Newest()
		assert.False(t, ok)
		_, ok = r.After(repository.File{})
		assert.False(t, ok)
		_, ok = r.At(time.Now())
		assert.False(t, ok)
		assert.False(t, r.Gone())
	}
	nothing()
	assert.Empty(t, r.Dir())
	assert.Nil(t, r.Liveness())
	_, ok := r.PID()
	assert.False(t, ok)

	require.NoError(t, os.MkdirAll(dir, 0o777))
	nothing()
	assert.Equal(t, dir, r.Dir())
	assert.NotNil(t, r.Liveness())
	pid, ok := r.PID()
	assert.True(t, ok)
	assert.Equal(t, 4242, pid)

	path := filepath.Join(dir, "2026_11_21_12_00_00.jfr")
	put(t, path, chunk{start: 7})
	scan(t, r)
	files := r.Files()
	require.Len(t, files, 1)
	assert.Equal(t, path, files[0].Path)
	assert.Equal(t, "2026_11_21_12_00_00.jfr", files[0].Name)
	assert.EqualValues(t, 7e9, files[0].Start)
}

func TestPID(t *testing.T) {
	for name, want := range map[string]int{
		jvm:                               4242,
		"2026_11_21_12_00_00_4242_3":      4242,
		"2026_11_21_12_00_00_1":           1,
		"2026_11_21_12_00_00_0":           0,
		"2026_11_21_12_00_00":             0,
		"2026_11_21_12_00_00_":            0,
		"2026_11_21_12_00_00_4242_":       0,
		"2026_11_21_12_00_00_x":           0,
		"2026_11_21_12_00_00_99999999999": 0,
		"chunks":                          0,
	} {
		dir := filepath.Join(t.TempDir(), name)
		put(t, filepath.Join(dir, "a.jfr"), chunk{start: 1})
		r := repository.Open(dir)
		scan(t, r)
		pid, ok := r.PID()
		assert.Equal(t, want, pid, name)
		assert.Equal(t, want != 0, ok, name)
	}
}

func TestCurrentDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), jvm)
	put(t, filepath.Join(dir, "a.jfr"), chunk{start: 1})
	t.Chdir(dir)
	r := repository.Open(".")
	scan(t, r)
	pid, _ := r.PID()
	assert.Equal(t, 4242, pid)
	require.Len(t, r.Files(), 1)
	assert.Equal(t, "a.jfr", r.Files()[0].Path)
}

func TestWhatIsNoChunk(t *testing.T) {
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.jfr")
	put(t, elsewhere, chunk{start: 1})
	put(t, filepath.Join(dir, "a.jfr"), chunk{start: 5})
	put(t, filepath.Join(dir, "b.jfr.tmp"), chunk{start: 5})
	put(t, filepath.Join(dir, "c"), chunk{start: 5})
	put(t, filepath.Join(dir, "D.JFR"), chunk{start: 5})
	put(t, filepath.Join(dir, "nothing.jfr"), chunk{start: 0})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "e.jfr"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.jfr"), make([]byte, 1000), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "g.jfr"), nil, 0o666))
	if err := os.Symlink(elsewhere, filepath.Join(dir, "h.jfr")); err != nil {
		t.Log("without links:", err)
	}
	r := repository.Open(dir)
	for range 3 {
		scan(t, r)
		assert.Equal(t, []string{"a.jfr"}, names(r))
	}
}

// TestHeaderIsToCome makes a chunk as it may be seen when it begins.
func TestHeaderIsToCome(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jfr")
	data := chunk{start: 5}.bytes()
	r := repository.Open(dir)
	for _, n := range []int{0, 1, 67} {
		require.NoError(t, os.WriteFile(path, data[:n], 0o666))
		scan(t, r)
		assert.Empty(t, r.Files(), n)
	}
	require.NoError(t, os.WriteFile(path, data[:68], 0o666))
	scan(t, r)
	assert.Equal(t, []string{"a.jfr"}, names(r))
}

// TestNoChunkBecomesOne lets a file alone that is no chunk, until it changes.
func TestNoChunkBecomesOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.jfr")
		good := chunk{start: 5}.bytes()
		bad := make([]byte, len(good))
		long := time.Unix(1e9, 0)
		write := func(data []byte) {
			require.NoError(t, os.WriteFile(path, data, 0o666))
			require.NoError(t, os.Chtimes(path, long, long))
		}
		write(bad)
		r := repository.Open(dir)
		scan(t, r)
		write(good)
		scan(t, r)
		assert.Equal(t, []string{"a.jfr"}, names(r), "it was new, so it was looked into again")

		require.NoError(t, os.Remove(path))
		scan(t, r)
		write(bad)
		scan(t, r)
		time.Sleep(3 * time.Second)
		write(good)
		scan(t, r)
		assert.Empty(t, r.Files(), "nothing shows that it has changed")
		require.NoError(t, os.Chtimes(path, long, long.Add(time.Second)))
		scan(t, r)
		assert.Equal(t, []string{"a.jfr"}, names(r))
	})
}

func TestFilesVanish(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, map[string]int64{"a.jfr": 1, "b.jfr": 2, "c.jfr": 3})
	r := repository.Open(dir)
	scan(t, r)
	before := r.Files()
	require.NoError(t, os.Remove(filepath.Join(dir, "a.jfr")))
	require.NoError(t, os.Remove(filepath.Join(dir, "b.jfr")))
	scan(t, r)
	assert.Equal(t, []string{"c.jfr"}, names(r))
	assert.Equal(t, "a.jfr", before[0].Name, "what was returned before does not change")
	after, ok := r.After(before[0])
	assert.True(t, ok)
	assert.Equal(t, "c.jfr", after.Name)
	assert.Equal(t, before[2], after)
}

func TestGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), jvm)
	path := filepath.Join(dir, "a.jfr")
	put(t, path, chunk{start: 1})
	r := repository.Open(dir)
	scan(t, r)
	assert.False(t, r.Gone())
	f := follower{r: r}
	assert.Equal(t, []string{"a.jfr"}, f.next())

	require.NoError(t, os.RemoveAll(dir))
	scan(t, r)
	assert.True(t, r.Gone())
	assert.Empty(t, r.Files())
	assert.Equal(t, dir, r.Dir())

	put(t, path, chunk{start: 2})
	scan(t, r)
	assert.False(t, r.Gone())
	assert.Equal(t, []string{"a.jfr"}, f.next(), "it is another one")
}

func TestNotADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jfr")
	put(t, path, chunk{start: 1})
	var pathErr *fs.PathError
	require.ErrorAs(t, repository.Open(path).Scan(), &pathErr)
	assert.Equal(t, path, pathErr.Path)
}

func TestDirectoryThatCanNotBeRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), jvm)
	require.NoError(t, os.Mkdir(dir, 0))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // so that it can be removed
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("this user may read everything")
	}
	r := repository.Open(dir)
	var pathErr *fs.PathError
	require.ErrorAs(t, r.Scan(), &pathErr)
	assert.Equal(t, dir, pathErr.Path)
	assert.ErrorIs(t, pathErr, fs.ErrPermission)
	assert.False(t, r.Gone())
}

// TestHeaderIsReadOnce changes what is in a chunk that is listed.
func TestHeaderIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jfr")
	put(t, path, chunk{start: 1})
	r := repository.Open(dir)
	scan(t, r)
	put(t, path, chunk{start: 9})
	put(t, filepath.Join(dir, "b.jfr"), chunk{start: 5})
	scan(t, r)
	require.Equal(t, []string{"a.jfr", "b.jfr"}, names(r))
	assert.EqualValues(t, 1e9, r.Files()[0].Start)
}

// TestAnotherFileOfThatName replaces a chunk.
func TestAnotherFileOfThatName(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jfr")
	for name, replace := range map[string]func(){
		"another file": func() {
			other := filepath.Join(dir, "other")
			put(t, other, chunk{start: 9})
			require.NoError(t, os.Rename(other, path))
		},
		"a shorter one": func() {
			require.NoError(t, os.WriteFile(path, chunk{start: 9}.bytes()[:68], 0o666))
			put(t, filepath.Join(dir, "unrelated"), chunk{}) // so that the directory changes
		},
	} {
		require.NoError(t, os.WriteFile(path, append(chunk{start: 1}.bytes(), "..."...), 0o666))
		r := repository.Open(dir)
		scan(t, r)
		f := follower{r: r}
		f.next()
		replace()
		scan(t, r)
		require.Equal(t, []string{"a.jfr"}, f.next(), name)
		require.Equal(t, []string{"a.jfr"}, names(r), name)
		assert.EqualValues(t, 9e9, f.last.Start, name)
		require.NoError(t, os.Remove(path))
	}
}

// TestNothingNew scans again and again.
func TestNothingNew(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.jfr"), chunk{start: 1})
	r := repository.Open(dir)
	scan(t, r)
	few := testing.AllocsPerRun(100, func() { scan(t, r) })
	for i := range 100 {
		put(t, filepath.Join(dir, string(rune('a'+i%26))+string(rune('a'+i/26))+".jfr"), chunk{start: int64(i + 1)})
	}
	scan(t, r)
	many := testing.AllocsPerRun(100, func() { scan(t, r) })
	assert.LessOrEqual(t, many-few, 100.*2, "little more than the names")
}
