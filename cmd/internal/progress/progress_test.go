package progress_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/internal/progress"
)

// on gives do a bar on a terminal of that width, with a fake clock, after
// Patience.
func on(t *testing.T, width int, do func(out *bytes.Buffer, b *progress.Bar)) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := progress.New(&out)
		b.On(width)
		time.Sleep(2 * progress.Patience)
		do(&out, b)
	})
}

func TestShortWorkShowsNothing(t *testing.T) {
	var out bytes.Buffer
	b := progress.New(&out) // no second passes
	for _, name := range []string{"open", "read"} {
		b.Stage(name, 100)
		b.Set(50)
		b.Clear()
		b.Add(50)
	}
	b.Done()
	assert.Empty(t, out.String())
}

func TestLongWork(t *testing.T) {
	on(t, 80, func(out *bytes.Buffer, b *progress.Bar) {
		b.Stage("5/6 layout", 4_000_000_000)
		b.Set(1_000_000_000)
		time.Sleep(time.Second)
		b.Add(1_000_000_000)
		shown := out.String()
		assert.Contains(t, shown, "5/6 layout")
		assert.Contains(t, shown, " 50% ")
		assert.Contains(t, shown, " [1s:1s]", "time, and time left")
		for part := range strings.SplitSeq(shown, "\r") {
			assert.Less(t, runewidth.StringWidth(part), 80, "fits a terminal")
		}
		b.Set(5_000_000_000) // the file grew
		b.Done()
		b.Done()
		assertCleared(t, out.String())
		shown = out.String()
		b.Clear()
		b.Add(1)
		assert.Equal(t, shown, out.String(), "nothing is shown any more")
		assert.True(t, strings.HasSuffix(out.String(), "\r"+strings.Repeat(" ", 79)+"\r"), "all of the line")
	})
}

// assertCleared looks whether the last thing that was written covers the line.
func assertCleared(t *testing.T, shown string) {
	t.Helper()
	require.True(t, strings.HasSuffix(shown, "\r"))
	parts := strings.Split(strings.TrimSuffix(shown, "\r"), "\r")
	assert.NotEmpty(t, parts[len(parts)-1])
	assert.Empty(t, strings.TrimSpace(parts[len(parts)-1]))
}

func TestClearBringsNothingToAnEnd(t *testing.T) {
	on(t, 80, func(out *bytes.Buffer, b *progress.Bar) {
		b.Stage("walk", 1000)
		b.Add(100)
		b.Clear()
		assertCleared(t, out.String())
		out.Reset()
		time.Sleep(time.Second)
		b.Add(100)
		assert.Contains(t, out.String(), " 20% ")
	})
}

func TestShortBarOfANarrowTerminal(t *testing.T) {
	on(t, 45, func(out *bytes.Buffer, b *progress.Bar) {
		b.Stage("verifying", 4_000_000_000)
		b.Set(1_000_000_000)
		time.Sleep(time.Second)
		b.Set(2_000_000_000)
		assert.Contains(t, out.String(), " [1s:1s]")
	})
}

func TestNarrowTerminal(t *testing.T) {
	for _, width := range []int{2, 20, 40} {
		on(t, width, func(out *bytes.Buffer, b *progress.Bar) {
			b.Stage("日本語 reading", 4_000_000_000)
			b.Set(1_000_000_000)
			time.Sleep(time.Second)
			b.Set(2_000_000_000)
			b.Done()
			for part := range strings.SplitSeq(out.String(), "\r") {
				assert.Less(t, runewidth.StringWidth(part), width)
			}
			assertCleared(t, out.String())
		})
	}
}

// TestManyGoroutines is for the race detector, too.
func TestManyGoroutines(t *testing.T) {
	on(t, 80, func(out *bytes.Buffer, b *progress.Bar) {
		b.Stage("walk", 1_000_000)
		b.Add(1)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 1000 {
					b.Add(100)
					b.Clear()
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Second)
		b.Add(100_000)
		assert.Contains(t, out.String(), " 50% ")
		b.Done()
		b.Add(1)
		assertCleared(t, out.String())
	})
}

func TestNilShowsNothing(t *testing.T) {
	var b *progress.Bar
	assert.NotPanics(t, func() {
		b.Stage("walk", 1)
		b.Set(1)
		b.Add(1)
		b.Clear()
		b.Done()
	})
}

func TestPipesAndFilesAreNoTerminals(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	assert.False(t, progress.IsTerminal(f))
	assert.False(t, progress.IsTerminal(w))
	assert.False(t, progress.IsTerminal(new(bytes.Buffer)))
	assert.False(t, progress.IsTerminal(nil))
}

// TestNoBytesASecond passes over most of the bytes at once, as work does that an index
// tells where to look.
func TestNoBytesASecond(t *testing.T) {
	on(t, 80, func(out *bytes.Buffer, b *progress.Bar) {
		b.Stage("printing", 8_000_000_000_000)
		for range 4 {
			b.Add(1_000_000_000_000)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		b.Add(1_000_000)
		b.Add(1_000_000_000_000)
		assert.Contains(t, out.String(), " 62% ")
		assert.NotContains(t, out.String(), "/s")
	})
}
