package tui_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/jvmstats"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/tui"
	"github.com/mmapjfr/jfr/internal/jsonout"
)

// TestScreens compares what is seen, after some keys, with what a person has looked at.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
		keys          []string
	}{
		{"events", 80, 24, nil},
		{"methods", 80, 24, []string{"tab"}},
		{"native", 80, 24, []string{"tab", "tab"}},
		{"allocation", 80, 24, []string{"tab", "tab", "tab"}},
		{"locks", 80, 24, []string{"shift+tab", "shift+tab", "shift+tab"}},
		{"exceptions", 80, 24, []string{"shift+tab", "shift+tab"}},
		{"gc", 80, 24, []string{"shift+tab"}},
		{"help", 80, 24, []string{"?"}},
		{"recent", 80, 24, []string{"/", "g", "c", "p", "enter", "enter"}},
		{"none recent", 80, 24, []string{"enter"}},
		{"filter", 80, 24, []string{"/", "j", "a", "v"}},
		{"filtered", 80, 24, []string{"/", "j", "a", "v", "enter"}},
		{"filtered away", 80, 24, []string{"/", "z", "z", "z"}},
		{"paused", 80, 24, []string{"p"}},
		{"small", 40, 10, nil},
		{"wide", 160, 45, nil},
		{"wide turned", 130, 30, []string{"tab", "tab", "down", "down"}},
		{"wide low", 140, 20, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tui.NewModel(shop(), c.width, c.height)
			require.False(t, m.Press(c.keys...))
			golden(t, strings.ReplaceAll(c.name, " ", "-"), m.Render())
		})
	}
}

func TestScreensOfStates(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *jvmstats.Snapshot)
	}{
		{"waiting", func(s *jvmstats.Snapshot) { *s = jvmstats.Snapshot{State: jvmstats.Waiting} }},
		{"lost", func(s *jvmstats.Snapshot) {
			s.State, s.Why = jvmstats.Lost, "the repository /tmp/2026_11_21 has gone"
		}},
		{"ended", func(s *jvmstats.Snapshot) { s.State = jvmstats.Ended }},
		{"silent", func(s *jvmstats.Snapshot) { s.Quiet = 12 * time.Second }},
		{"profiler", func(s *jvmstats.Snapshot) { // no JDK: samples only
			*s = jvmstats.Snapshot{Time: jsonout.At(now), State: jvmstats.Live, Events: s.Events, Methods: s.Methods, Types: s.Types[2:3]}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := shop()
			s.title = "/srv/shop/recordings/2026-11-21/shop.jfr"
			s.change(c.change)
			golden(t, "state-"+c.name, tui.NewModel(s, 80, 24).Render())
		})
	}
}

// lines returns the lines of a screen without styles.
func lines(m *tui.Model) []string { return strings.Split(ansi.Strip(m.Render()), "\n") }

// TestSizes has screens of all sizes, in all that can be seen.
func TestSizes(t *testing.T) {
	for _, keys := range [][]string{nil, {"tab"}, {"?"}, {"end", "enter"}, {"/", "x"}} {
		for width := 1; width < 200; width += 1 + width/8 {
			for height := 1; height < 60; height += 1 + height/5 {
				m := tui.NewModel(shop(), width, height)
				m.Press(keys...)
				got := lines(m)
				require.Len(t, got, height, "%dx%d", width, height)
				for _, line := range got {
					require.LessOrEqual(t, ansi.StringWidth(line), width, "%dx%d: %q", width, height, line)
				}
			}
		}
	}
	assert.Empty(t, tui.NewModel(shop(), 0, 0).Render())
}

// marked returns the type that the mark is at.
func marked(t *testing.T, m *tui.Model) string {
	t.Helper()
	for _, line := range lines(m) {
		if rest, ok := strings.CutPrefix(line, "> "); ok {
			return strings.Fields(rest)[0]
		}
	}
	t.Fatal("nothing is marked")
	return ""
}

func TestMark(t *testing.T) {
	s := shop()
	m := tui.NewModel(s, 80, 14) // six rows
	assert.Equal(t, "jdk.ObjectAllocationSample", marked(t, m))
	for _, step := range []struct {
		key, want string
	}{
		{"down", "com.example.shop.Order"}, {"j", "jdk.JavaMonitorEnter"}, {"up", "com.example.shop.Order"},
		{"k", "jdk.ObjectAllocationSample"}, {"up", "jdk.ObjectAllocationSample"}, {"end", "jdk.ObjectAllocationInNewTLAB"},
		{"down", "jdk.ObjectAllocationInNewTLAB"}, {"g", "jdk.ObjectAllocationSample"}, {"G", "jdk.ObjectAllocationInNewTLAB"},
		{"home", "jdk.ObjectAllocationSample"}, {"pgdown", "jdk.NativeMethodSample"}, {"ctrl+f", "jdk.ThreadPark"},
		{"pgup", "jdk.NativeMethodSample"}, {"ctrl+b", "jdk.ObjectAllocationSample"}, {"down", "com.example.shop.Order"},
	} {
		m.Press(step.key)
		assert.Equal(t, step.want, marked(t, m), step.key)
	}
	s.change(func(s *jvmstats.Snapshot) {
		s.Types = append([]jvmstats.TypeRate{}, s.Types...)
		s.Types[5].PerSecond = 1e6
	})
	m.Refresh()
	assert.Equal(t, "com.example.shop.Order", marked(t, m), "it stays at the type")
	s.change(func(s *jvmstats.Snapshot) { s.Types = s.Types[1:] })
	m.Refresh()
	assert.Equal(t, "jdk.JVMInformation", marked(t, m), "the first, if there is no such type any more")
}

func TestSort(t *testing.T) {
	m := tui.NewModel(shop(), 80, 24)
	for _, want := range []struct{ column, first string }{
		{"/s 10s▼", "jdk.ObjectAllocationSample"},
		{"/s 60s▼", "jdk.ObjectAllocationSample"},
		{"total▼", "jdk.ObjectAllocationSample"},
		{"event type ▲", "com.example.shop.Order"},
		{"/s 10s▼", "jdk.ObjectAllocationSample"},
	} {
		got := strings.Join(lines(m), "\n")
		assert.Contains(t, got, want.column)
		assert.Equal(t, want.first, marked(t, m))
		m.Press("s")
	}
	m = tui.NewModel(shop(), 80, 24)
	m.Press("s", "s", "down")
	assert.Equal(t, "com.example.shop.Order", marked(t, m), "by total")
	m.Press("down")
	assert.Equal(t, "jdk.JavaExceptionThrow", marked(t, m), "by total")
}

func TestFilter(t *testing.T) {
	m := tui.NewModel(shop(), 80, 24)
	m.Press("/", "G", "c", "x", "backspace", "p")
	assert.Equal(t, "jdk.GCPhasePause", marked(t, m), "the case does not matter; p is a letter now")
	m.Press("q", "ctrl+u")
	m.Paste(" SocketRead ")
	assert.Equal(t, "jdk.SocketRead", marked(t, m))
	m.Press("enter")
	m.Paste("nothing")
	assert.Equal(t, "jdk.SocketRead", marked(t, m))
	m.Press("esc")
	assert.Equal(t, "jdk.ObjectAllocationSample", marked(t, m))
	m.Press("/")
	assert.True(t, m.Press("ctrl+c"), "also while a filter is typed")
	m.Paste(strings.Repeat("x\x1b", 1000))
	for _, line := range lines(m) {
		assert.LessOrEqual(t, ansi.StringWidth(line), 80)
	}
}

func TestPause(t *testing.T) {
	s := shop()
	m := tui.NewModel(s, 80, 24)
	before := m.Render()
	for _, key := range []string{"p", "space"} {
		m.Press(key)
		s.change(func(s *jvmstats.Snapshot) { s.Heap.Used++; s.Events.Count = 99; s.State = jvmstats.Ended })
		m.Refresh()
		paused := ansi.Strip(m.Render())
		assert.Contains(t, paused, "PAUSED")
		assert.Equal(t, strings.Replace(ansi.Strip(before), "  live", "PAUSED", 1), paused)
		m.Resize(100, 24)
		m.Resize(80, 24)
		assert.Equal(t, paused, ansi.Strip(m.Render()))
		m.Press("end", "home", "tab", "shift+tab")
		assert.Equal(t, paused, ansi.Strip(m.Render()), "keys work")
		m.Press(key)
		assert.Contains(t, m.Render(), "99 in all")
		s.change(func(s *jvmstats.Snapshot) { *s = shopSnapshot() })
		m.Refresh()
	}
}

func TestRecent(t *testing.T) {
	s := shop()
	m := tui.NewModel(s, 80, 14) // seven lines
	m.Press("/", "p", "h", "a", "s", "e", "enter", "enter")
	assert.Equal(t, "jdk.GCPhasePause", s.snap.Picked)
	seen := func() string { return strings.Join(lines(m)[5:13], "\n") }
	assert.Contains(t, seen(), "gcId = 18")
	assert.NotContains(t, seen(), "gcId = 17")
	add := func(id int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.texts["jdk.GCPhasePause"] = append(s.texts["jdk.GCPhasePause"], fmt.Sprintf("jdk.GCPhasePause {\n  gcId = %d\n}\n\n", id))
	}
	add(19)
	m.Refresh()
	assert.Contains(t, seen(), "gcId = 19", "it follows")
	m.Press("up")
	held := seen()
	assert.Contains(t, held, "held")
	add(20)
	m.Refresh()
	assert.Equal(t, held, seen(), "it stands still while an older one is looked at")
	m.Press("end")
	m.Refresh()
	assert.Contains(t, seen(), "gcId = 20")
	m.Press("home")
	assert.Contains(t, seen(), "gcId = 17")
	m.Press("right")
	assert.Contains(t, seen(), "\nasePause {\n")
	m.Press("left", "left")
	assert.Contains(t, seen(), "\njdk.GCPhasePause {\n")
	m.Press("esc")
	assert.Empty(t, s.snap.Picked)
	assert.Equal(t, "jdk.GCPhasePause", marked(t, m))
	m.Press("p", "enter")
	assert.Contains(t, seen(), "gcId = 20", "also on a screen that stands still")
	assert.True(t, m.Press("q"))
}

// TestPanelsScroll has more rows than are seen.
func TestPanelsScroll(t *testing.T) {
	s := shop()
	s.change(func(s *jvmstats.Snapshot) {
		s.Methods.Top = nil
		for i := range 50 {
			s.Methods.Top = append(s.Methods.Top, jvmstats.Method{Name: fmt.Sprintf("a.M%02d.m", i), Samples: 1})
		}
	})
	m := tui.NewModel(s, 80, 24)
	m.Press("tab", "end")
	assert.Contains(t, m.Render(), "a.M49.m")
	assert.NotContains(t, m.Render(), "a.M00.m")
	m.Press("home")
	assert.Contains(t, m.Render(), "a.M00.m")
	m.Press("down")
	assert.NotContains(t, m.Render(), "a.M00.m")
	m.Press("tab", "shift+tab")
	assert.Contains(t, m.Render(), "a.M00.m", "another panel begins at its first row")
	s.change(func(s *jvmstats.Snapshot) { s.Native, s.Methods = jvmstats.Methods{}, jvmstats.Methods{} })
	m.Press("end")
	m.Refresh()
	assert.Contains(t, m.Render(), "nothing yet")
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"enter", "q"}, {"?", "q"}, {"?", "x", "q"}} {
		assert.True(t, tui.NewModel(shop(), 80, 24).Press(keys...), "%v", keys)
	}
}

// poison is text that could steer a terminal, or hide what it is.
const poison = "\x1b[31m\x1b]0;title\a\x9b31m\u202e\r\n\t\u200d\x00日本\xff"

// style is the only kind of sequence that may be written.
var style = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// harmless fails the test if there is anything in a text but what can be seen, and
// styles.
func harmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range style.ReplaceAllString(text, "") {
		if r != '\n' && !unicode.IsGraphic(r) {
			t.Fatalf("%q in %q", r, text)
		}
	}
	// The colour of the poison must not be one of those styles.
	assert.NotContains(t, text, "\x1b[31m\x1b")
}

// poisoned returns a state all texts of which are poison.
func poisoned() *source {
	s := shop()
	s.title = poison
	poisonAll(reflect.ValueOf(&s.snap).Elem())
	s.snap.State = jvmstats.Lost
	s.snap.JVM.Version = "(" + poison + ")"
	s.texts = map[string][]string{s.snap.Types[0].Name: {"first " + poison, poison}}
	return s
}

func poisonAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(poison + v.String())
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				poisonAll(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			poisonAll(v.Index(i))
		}
	}
}

func TestScreenIsSafe(t *testing.T) {
	for _, width := range []int{40, 80, 160, 500} {
		m := tui.NewModel(poisoned(), width, 40)
		for range 8 {
			harmless(t, m.Render())
			m.Press("tab")
		}
		m = tui.NewModel(poisoned(), width, 40)
		for _, keys := range [][]string{{"s", "s", "s", "enter"}, {"right"}, {"home"}, {"esc", "?"}} {
			m.Press(keys...)
			harmless(t, m.Render())
		}
		m = tui.NewModel(poisoned(), width, 40)
		m.Press("/")
		m.Paste(poison)
		harmless(t, m.Render())
		var out strings.Builder
		require.NoError(t, tui.WriteText(&out, poison, poisoned().snap, width))
		harmless(t, out.String())
		assert.NotContains(t, out.String(), "\x1b")
	}
}

// TestRemarksAreShown in the last line, each until a key is pressed.
func TestRemarksAreShown(t *testing.T) {
	s := shop()
	s.change(func(s *jvmstats.Snapshot) { s.Remarks = []string{"no setting \"perod\"", "no type \"jdk.CPULod\""} })
	m := tui.NewModel(s, 80, 24)
	last := func() string {
		lines := strings.Split(ansi.Strip(m.Render()), "\n")
		return strings.TrimSpace(lines[len(lines)-1])
	}
	assert.Equal(t, `no setting "perod"`, last())
	m.Press("down")
	assert.Equal(t, `no type "jdk.CPULod"`, last())
	m.Press("down")
	assert.Contains(t, last(), "? help")
}
