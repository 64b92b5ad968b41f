package timeline

import (
	"strings"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Info is what a recording says about its virtual machine. What it does not say is "" or 0.
type Info struct {
	PID                  int64
	JVM, Arguments, Main string
	CPU, OS              string
	Cores, Threads       int64
}

// readInfo returns what the first recording says. Filters do not hold for it.
func readInfo(recs []*mmapjfr.Recording) (info Info) {
	if len(recs) == 0 {
		return info
	}
	left := map[string]func(get func(string) mmapjfr.Value){
		"jdk.JVMInformation": func(get func(string) mmapjfr.Value) {
			info.PID = min(max(get("pid").Int(), 0), 1<<30)
			if info.JVM = get("jvmVersion").Str(); !strings.Contains(info.JVM, get("jvmName").Str()) {
				info.JVM = get("jvmName").Str() + " " + info.JVM
			}
			info.Arguments, info.Main = get("jvmArguments").Str(), get("javaArguments").Str()
		},
		"jdk.CPUInformation": func(get func(string) mmapjfr.Value) {
			info.CPU, info.Cores, info.Threads = get("cpu").Str(), get("cores").Int(), get("hwThreads").Int()
		},
		"jdk.OSInformation": func(get func(string) mmapjfr.Value) {
			info.OS, _, _ = strings.Cut(get("osVersion").Str(), "\n")
		},
	}
	for ev, err := range recs[0].Select(mmapjfr.Types("jdk.JVMInformation", "jdk.CPUInformation", "jdk.OSInformation")).Events() {
		if err != nil {
			continue // Walk returns it
		}
		if read := left[ev.Type().Name()]; read != nil {
			read(func(field string) mmapjfr.Value { return ev.Get(mmapjfr.Path(field)) })
			delete(left, ev.Type().Name())
		}
		if len(left) == 0 {
			break
		}
	}
	return info
}

// Command returns the name of the program: its main class or archive, without arguments.
func (i *Info) Command() string {
	name, _, _ := strings.Cut(i.Main, " ")
	if name == "" {
		return "Java"
	}
	return name
}
