package timeline

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Role says what a timeline makes of the events of a type.
type Role uint8

// The roles.
const (
	// Mark is for events that lasted for some time, or happened at once.
	Mark Role = iota
	// Counter is for events whose numbers are measured again and again.
	Counter
	// Sample is for events that are samples of a profile.
	Sample
	// About is for events that say how a virtual machine and a recording were set up.
	About
)

// roles are those of types that are no marks.
var roles = func() map[string]Role {
	roles := make(map[string]Role)
	for role, names := range map[Role][]string{
		Counter: {
			"jdk.CPULoad", "jdk.ThreadCPULoad", "jdk.ThreadContextSwitchRate", "jdk.ThreadAllocationStatistics", "jdk.JavaThreadStatistics",
			"jdk.GCHeapSummary", "jdk.G1HeapSummary", "jdk.PSHeapSummary", "jdk.MetaspaceSummary", "jdk.GCHeapMemoryUsage", "jdk.GCHeapMemoryPoolUsage",
			"jdk.ResidentSetSize", "jdk.PhysicalMemory", "jdk.SwapSpace", "jdk.NativeMemoryUsage", "jdk.NativeMemoryUsageTotal", "jdk.DirectBufferStatistics",
			"jdk.ContainerCPUUsage", "jdk.ContainerCPUThrottling", "jdk.ContainerMemoryUsage", "jdk.ContainerIOUsage", "jdk.NetworkUtilization",
			"jdk.ClassLoadingStatistics", "jdk.ExceptionStatistics", "jdk.CompilerStatistics", "jdk.CodeCacheStatistics", "jdk.CompilerQueueUtilization",
			"jdk.StringTableStatistics", "jdk.SymbolTableStatistics", "jdk.PlaceholderTableStatistics", "jdk.LoaderConstraintsTableStatistics",
			"jdk.ProtectionDomainCacheTableStatistics", "jdk.GCReferenceStatistics",
		},
		About: {
			"jdk.ActiveSetting", "jdk.ActiveRecording", "jdk.InitialSystemProperty", "jdk.InitialSecurityProperty", "jdk.InitialEnvironmentVariable",
			"jdk.ModuleRequire", "jdk.ModuleExport", "jdk.NativeLibrary", "jdk.BooleanFlag", "jdk.IntFlag", "jdk.UnsignedIntFlag",
			"jdk.LongFlag", "jdk.UnsignedLongFlag", "jdk.DoubleFlag", "jdk.StringFlag",
		},
	} {
		for _, name := range names {
			roles[name] = role
		}
	}
	for _, k := range profile.Kinds() {
		for _, name := range profile.Events(k.Name) {
			if k.Sampled {
				roles[name] = Sample
			}
		}
	}
	return roles
}()

// peer is the other thread that has to do with an event of a type: the field that it is in, and what
// it did.
type peer struct {
	field *mmapjfr.FieldPath
	did   string
}

var peers = map[string]peer{
	"jdk.JavaMonitorEnter": {mmapjfr.Path("previousOwner"), "Owns Java Monitor"},
	"jdk.JavaMonitorWait":  {mmapjfr.Path("notifier"), "Notifies Java Monitor"},
	"jdk.ThreadStart":      {mmapjfr.Path("parentThread"), "Starts Java Thread"},
}

// Type is what a timeline knows about an event type.
type Type struct {
	mmapjfr.Type
	Role Role
	// Lasts is true if events have a duration, which may be 0.
	Lasts  bool
	Fields []Field

	peer peer
	tree []node
	left int // of nodes that the tree may have
}

// Type returns what is known about an event type.
func (t *Timeline) Type(typ mmapjfr.Type) *Type {
	known, ok := t.types[typ]
	if !ok {
		known = &Type{Type: typ, Role: roles[typ.Name()], peer: peers[typ.Name()], left: maxNodes}
		_, known.Lasts = typ.Field("duration")
		known.addFields()
		t.types[typ] = known
	}
	return known
}

// Title returns the name of the type for people.
func (t *Type) Title() string {
	if label := t.Label(); label != "" {
		return label
	}
	return t.SimpleName()
}

// Group returns the categories of the type as one text.
func (t *Type) Group() string {
	if list := t.Type.Category(); len(list) > 0 {
		return strings.Join(list, ", ")
	}
	return "Other"
}

// Peer returns the number of the thread that the thread of an event has waited for, or that has woken
// or started it, and what that one did; false if the recording does not say. Walk must be at the chunk
// of the event.
func (t *Timeline) Peer(e *Entry, ev mmapjfr.Event) (thread int32, did string, ok bool) {
	p := e.Type.peer
	if p.field == nil {
		return 0, "", false
	}
	thread = t.thread(ev.Get(p.field).Thread())
	return thread, p.did, thread != 0
}
