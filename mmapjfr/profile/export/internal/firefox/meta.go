package firefox

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// category is a color of frames and markers.
type category struct {
	Name          string   `json:"name"`
	Color         string   `json:"color"`
	Subcategories []string `json:"subcategories"`
}

// The categories of frames. The grey one is for all else.
var categories = []category{
	{"Other", "grey", []string{"Other"}},
	{"Java", "blue", []string{"Other", "Interpreted", "JIT compiled", "Inlined", "C1 compiled"}},
	{"Native", "orange", []string{"Other", "Native", "C++"}},
	{"Kernel", "red", []string{"Other"}},
}

// frameCategories are the categories of frames by how they were executed.
var frameCategories = map[profile.FrameKind]struct{ category, subcategory int }{
	profile.Interpreted: {1, 1}, profile.JITCompiled: {1, 2}, profile.Inlined: {1, 3}, profile.C1Compiled: {1, 4},
	profile.Native: {2, 1}, profile.Cpp: {2, 2}, profile.Kernel: {3, 0},
}

// colors are for the categories of events.
var colors = []string{"green", "purple", "yellow", "lightblue", "brown", "magenta", "lightred", "darkgrey"}

// meta is what a file says about itself.
type meta struct {
	Version       int               `json:"version"`
	Processed     int               `json:"preprocessedProfileVersion"`
	Interval      json.Number       `json:"interval"`
	StartTime     json.Number       `json:"startTime"`
	Start         json.Number       `json:"profilingStartTime"`
	End           json.Number       `json:"profilingEndTime"`
	ProcessType   int               `json:"processType"`
	Product       string            `json:"product"`
	ImportedFrom  string            `json:"importedFrom"`
	Arguments     string            `json:"arguments,omitempty"`
	StackWalk     int               `json:"stackwalk"`
	Symbolicated  bool              `json:"symbolicated"`
	Platform      string            `json:"platform"`
	OS            string            `json:"oscpu,omitempty"`
	CPU           string            `json:"CPUName,omitempty"`
	Cores         int64             `json:"physicalCPUs,omitempty"`
	Threads       int64             `json:"logicalCPUs,omitempty"`
	Units         map[string]string `json:"sampleUnits"`
	Visible       []int             `json:"initialVisibleThreads"`
	Selected      []int             `json:"initialSelectedThreads"`
	KeepOrder     bool              `json:"keepProfileThreadOrder"`
	OneStackType  bool              `json:"usesOnlyOneStackType"`
	NoSearchfox   bool              `json:"sourceCodeIsNotOnSearchfox"`
	Extra         []extra           `json:"extra,omitempty"`
	Categories    []category        `json:"categories"`
	MarkerSchemas []*schema         `json:"markerSchema"`
}

type extra struct {
	Label   string  `json:"label"`
	Entries []entry `json:"entries"`
}

type entry struct {
	Label  string `json:"label"`
	Format string `json:"format"`
	Value  string `json:"value"`
}

func (e *encoder) title() string { return cmp.Or(e.o.Title, e.t.Info.Command()) }

func (e *encoder) pid() string { return strconv.FormatInt(cmp.Or(e.t.Info.PID, 1), 10) }

// meta writes what the file says about itself.
func (e *encoder) meta() {
	info := &e.t.Info
	millis := func(nanos int64) json.Number { return json.Number(appendMillis(nil, nanos)) }
	m := meta{
		Version: geckoVersion, Processed: processedVersion, Interval: millis(e.interval()), StartTime: millis(e.start), Start: "0", End: millis(e.endTime - e.start),
		Product: e.title(), ImportedFrom: "Java Flight Recorder", Arguments: info.Arguments, StackWalk: 1, Symbolicated: true,
		OS: info.OS, CPU: info.CPU, Cores: max(info.Cores, 0), Threads: max(info.Threads, 0),
		Units:   map[string]string{"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
		Visible: []int{}, Selected: []int{0}, KeepOrder: true, OneStackType: true, NoSearchfox: true,
		Categories: categories[:len(categories):len(categories)], MarkerSchemas: e.schemas.list,
	}
	for i := range min(visible, len(e.tracks)) {
		m.Visible = append(m.Visible, i)
	}
	if len(e.tracks) > 1 {
		m.Selected[0] = 1
	}
	for i, name := range e.schemas.groups {
		m.Categories = append(m.Categories, category{name, colors[i%len(colors)], []string{"Other"}})
	}
	vm := extra{Label: "Java"}
	for _, v := range []entry{{"Virtual machine", "string", info.JVM}, {"Arguments", "string", info.Arguments}, {"Program", "string", info.Main}} {
		if v.Value != "" {
			vm.Entries = append(vm.Entries, v)
		}
	}
	if len(vm.Entries) > 0 {
		m.Extra = []extra{vm}
	}
	e.value(m)
}

// interval returns what time samples of the first kind stand for; what is usual if they stand for none.
func (e *encoder) interval() int64 {
	const usual = 20e6
	n, sum := int64(0), int64(0)
	for _, s := range e.samples {
		if s.Kind.Sampled && s.Kind.Name == e.samples[0].Kind.Name {
			n, sum = n+s.Values[0], sum+s.Values[s.Kind.Main()]
		}
	}
	if n <= 0 || sum <= n {
		return usual
	}
	return sum / n
}
