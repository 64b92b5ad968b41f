package firefox_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// file is a file of the format, as far as something is written in it.
type file struct {
	Meta struct {
		Version, PreprocessedProfileVersion   int
		Interval, StartTime, ProfilingEndTime float64
		Product                               string
		InitialVisibleThreads                 []int
		InitialSelectedThreads                []int
		Categories                            []struct {
			Name, Color   string
			Subcategories []string
		}
		MarkerSchema []schema
	}
	Libs     []any
	Threads  []thread
	Counters []counter
	Shared   struct {
		StringArray []string
		StackTable  struct {
			Frame, PrefixOffset []int
			Length              int
		}
		FrameTable struct {
			Address, Lib, InlineDepth, Category, Subcategory, Func []int
			NativeSymbol, InnerWindowID, Line, Column              []*int
			OriginalLocation                                       []*int
			Length                                                 int
		}
		FuncTable struct {
			Name, Resource      []int
			IsJS, RelevantForJS []bool
			Source, LineNumber  []*int
			ColumnNumber        []*int
			OriginalLocation    []*int
			Length              int
		}
		ResourceTable struct {
			Name, Host, Type []int
			Length           int
		}
		NativeSymbols struct {
			LibIndex, Address, Name, FunctionSize []int
			Length                                int
		}
		Sources struct {
			ID, Filename           []*int
			StartLine, StartColumn []int
			SourceMapURL, Content  []*int
			Length                 int
		}
		SourceLocationTable struct {
			Source, Line, Column []int
			Length               int
		}
	}
}

type schema struct {
	Name, TooltipLabel, TableLabel, ChartLabel, Description string
	Display                                                 []string
	Fields                                                  []struct{ Key, Label, Format string }
	Graphs                                                  []struct{ Key, Type, Color string }
}

type table struct {
	Time           []float64
	Stack          []*int
	Weight         []float64
	WeightType     string
	ThreadCPUDelta []float64
	Length         int
}

type thread struct {
	Name, ProcessName, ProcessType, PID, TID string
	IsMainThread, ShowMarkersInTimeline      bool
	PausedRanges                             []any
	ProcessStartupTime, RegisterTime         *float64
	Samples                                  *table
	NativeAllocations                        *table
	Markers                                  struct {
		Data               []map[string]any
		Name, Phase        []int
		StartTime, EndTime []*float64
		Category           []int
		Length             int
	}
}

type counter struct {
	Name, Category, Description, PID string
	MainThreadIndex                  int
	Samples                          struct {
		Time, Count []float64
		Length      int
	}
	Display struct {
		GraphType, Unit, Color, Label string
		TooltipRows                   []struct {
			Type, Source, Label string
			Format              struct{ Unit string }
		}
	}
}

var (
	categoryColors = []string{"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red", "lightred", "darkgrey", "grey"}
	graphColors    = []string{"blue", "green", "grey", "ink", "magenta", "orange", "purple", "red", "teal", "yellow"}
	displays       = []string{"marker-chart", "marker-table", "timeline-overview", "timeline-memory", "timeline-ipc", "timeline-fileio", "timeline-network"}
	texts          = []string{"string", "file-path", "sanitized-string"}
	numbers        = []string{"duration", "time", "bytes", "percentage", "integer", "decimal"}
)

// readFile decodes a file, and checks what the page takes for granted: columns are of one length, numbers
// of rows lead to rows, samples come in the order of their times, and markers have what their schema
// says.
func readFile(t *testing.T, data []byte) *file {
	t.Helper()
	f := &file{}
	require.NoError(t, json.Unmarshal(data, f))
	require.Equal(t, 36, f.Meta.Version)
	require.Equal(t, 70, f.Meta.PreprocessedProfileVersion)
	require.Positive(t, f.Meta.Interval)
	checkColumns(t, reflect.ValueOf(f.Shared))
	f.checkMeta(t)
	f.checkShared(t)
	tids := make(map[string]bool)
	for i := range f.Threads {
		k := &f.Threads[i]
		require.Equal(t, i == 0, k.IsMainThread)
		require.False(t, tids[k.TID], k.TID)
		tids[k.TID] = true
		require.NotNil(t, k.PausedRanges)
		require.NotNil(t, k.ProcessStartupTime)
		require.NotNil(t, k.RegisterTime)
		f.checkSamples(t, k.Samples)
		if k.NativeAllocations != nil {
			require.Contains(t, []string{"bytes", "samples"}, k.NativeAllocations.WeightType) // damaged recordings have no sizes
			f.checkSamples(t, k.NativeAllocations)
		}
		f.checkMarkers(t, k)
	}
	f.checkCounters(t)
	return f
}

// checkColumns checks that the columns of tables are of the length that the table says.
func checkColumns(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		name, inner := v.Type().Field(i).Name, v.Field(i)
		switch inner.Kind() {
		case reflect.Struct:
			checkColumns(t, inner)
		case reflect.Slice:
			length := v.FieldByName("Length")
			if length.IsValid() {
				require.Equal(t, int(length.Int()), inner.Len(), "%s.%s", v.Type(), name)
				require.False(t, inner.IsNil(), name)
			}
		}
	}
}

func (f *file) checkMeta(t *testing.T) {
	grey := 0
	for _, c := range f.Meta.Categories {
		require.Contains(t, categoryColors, c.Color)
		require.Equal(t, "Other", c.Subcategories[0])
		if c.Color == "grey" {
			grey++
		}
	}
	require.Equal(t, 1, grey)
	for _, i := range append(f.Meta.InitialVisibleThreads, f.Meta.InitialSelectedThreads...) {
		require.Less(t, i, len(f.Threads))
	}
	names := make(map[string]bool)
	for _, s := range f.Meta.MarkerSchema {
		require.False(t, names[s.Name], s.Name)
		names[s.Name] = true
		keys := make(map[string]bool)
		for _, field := range s.Fields {
			require.False(t, keys[field.Key] || field.Key == "type" || field.Key == "cause", field.Key)
			keys[field.Key] = true
			require.Contains(t, slices.Concat(texts, numbers, []string{"list"}), field.Format)
		}
		for _, d := range s.Display {
			require.Contains(t, displays, d)
		}
		for _, g := range s.Graphs {
			require.True(t, keys[g.Key])
			require.Contains(t, graphColors, g.Color)
		}
		for _, m := range regexp.MustCompile(`\{marker\.([^}]*)\}`).FindAllStringSubmatch(s.TooltipLabel+s.TableLabel+s.ChartLabel, -1) {
			key, ok := strings.CutPrefix(m[1], "data.")
			require.True(t, ok && keys[key] || m[1] == "name", m[1])
		}
	}
}

func (f *file) checkShared(t *testing.T) {
	s := &f.Shared
	for i, frame := range s.StackTable.Frame {
		require.Less(t, frame, s.FrameTable.Length)
		require.True(t, 0 <= s.StackTable.PrefixOffset[i] && s.StackTable.PrefixOffset[i] <= i)
	}
	for i, fn := range s.FrameTable.Func {
		require.Less(t, fn, s.FuncTable.Length)
		require.Less(t, s.FrameTable.Category[i], len(f.Meta.Categories))
		require.Less(t, s.FrameTable.Subcategory[i], len(f.Meta.Categories[s.FrameTable.Category[i]].Subcategories))
	}
	for i, name := range s.FuncTable.Name {
		require.Less(t, name, len(s.StringArray))
		require.Equal(t, -1, s.FuncTable.Resource[i])
		if source := s.FuncTable.Source[i]; source != nil {
			require.Less(t, *source, s.Sources.Length)
		}
	}
	for _, name := range s.Sources.Filename {
		require.Less(t, *name, len(s.StringArray))
	}
	seen := make(map[string]bool)
	for _, text := range s.StringArray {
		require.False(t, seen[text])
		seen[text] = true
	}
}

func (f *file) checkSamples(t *testing.T, s *table) {
	require.NotNil(t, s)
	require.Len(t, s.Time, s.Length)
	require.Len(t, s.Stack, s.Length)
	require.Len(t, s.Weight, s.Length)
	require.Contains(t, []string{"samples", "tracing-ms", "bytes"}, s.WeightType)
	require.True(t, slices.IsSorted(s.Time))
	for _, stack := range s.Stack {
		f.checkStack(t, stack)
	}
	if s.ThreadCPUDelta != nil {
		require.Len(t, s.ThreadCPUDelta, s.Length)
	}
}

func (f *file) checkStack(t *testing.T, stack *int) {
	if stack != nil {
		require.True(t, 0 <= *stack && *stack < f.Shared.StackTable.Length)
	}
}

func (f *file) checkMarkers(t *testing.T, k *thread) {
	m := &k.Markers
	checkColumns(t, reflect.ValueOf(*m))
	schemas := make(map[string]map[string]string)
	for _, s := range f.Meta.MarkerSchema {
		schemas[s.Name] = make(map[string]string)
		for _, field := range s.Fields {
			schemas[s.Name][field.Key] = field.Format
		}
	}
	for i, d := range m.Data {
		require.Less(t, m.Name[i], len(f.Shared.StringArray))
		require.Less(t, m.Category[i], len(f.Meta.Categories))
		require.NotNil(t, m.StartTime[i])
		require.Contains(t, []int{0, 1}, m.Phase[i])
		require.Equal(t, m.Phase[i] == 1, m.EndTime[i] != nil)
		require.True(t, m.EndTime[i] == nil || *m.EndTime[i] >= *m.StartTime[i])
		require.True(t, i == 0 || *m.StartTime[i-1] <= *m.StartTime[i])
		keys, ok := schemas[d["type"].(string)]
		require.True(t, ok, d["type"])
		for key, value := range d {
			format := keys[key]
			switch value := value.(type) {
			case map[string]any:
				require.Equal(t, "cause", key)
				stack := int(value["stack"].(float64))
				f.checkStack(t, &stack)
			case string:
				require.True(t, key == "type" || slices.Contains(texts, format), "%s: %s", key, format)
			case float64:
				require.Contains(t, numbers, format, key)
			default:
				require.Equal(t, "list", format, "%s: %v", key, value)
			}
		}
	}
}

func (f *file) checkCounters(t *testing.T) {
	for _, c := range f.Counters {
		require.Less(t, c.MainThreadIndex, len(f.Threads))
		checkColumns(t, reflect.ValueOf(c.Samples))
		require.True(t, slices.IsSorted(c.Samples.Time))
		require.Contains(t, graphColors, c.Display.Color)
		require.Contains(t, []string{"line-accumulated", "line-rate"}, c.Display.GraphType)
		require.NotEmpty(t, c.Display.TooltipRows)
	}
}
