package jvmstats

import (
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jsonout"
	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathJVMName       = mmapjfr.Path("jvmName")
	pathJVMVersion    = mmapjfr.Path("jvmVersion")
	pathJVMArguments  = mmapjfr.Path("jvmArguments")
	pathJavaArguments = mmapjfr.Path("javaArguments")
	pathJVMStart      = mmapjfr.Path("jvmStartTime")
	pathPID           = mmapjfr.Path("pid")
	pathProcessor     = mmapjfr.Path("cpu")
	pathHWThreads     = mmapjfr.Path("hwThreads")
	pathActive        = mmapjfr.Path("activeCount")
	pathDaemon        = mmapjfr.Path("daemonCount")
	pathPeak          = mmapjfr.Path("peakCount")
	pathAccumulated   = mmapjfr.Path("accumulatedCount")
)

// textLen is the greatest length of a text in bytes.
const textLen = 4096

// text returns a copy of the string at a path, or old if that is the same.
func text(ev mmapjfr.Event, p *mmapjfr.FieldPath, old string) string {
	s := ev.Str(p)
	s = s[:min(len(s), textLen)]
	if s == old {
		return old
	}
	return strings.Clone(strings.ToValidUTF8(s, "\uFFFD"))
}

func (v *Vitals) jvmInformation(ev mmapjfr.Event, _ int64) {
	j := &v.jvm
	j.Name = text(ev, pathJVMName, j.Name)
	j.Version = text(ev, pathJVMVersion, j.Version)
	j.Arguments = text(ev, pathJVMArguments, j.Arguments)
	j.JavaArguments = text(ev, pathJavaArguments, j.JavaArguments)
	j.PID = ev.Int(pathPID)
	j.Start = jsonout.At(time.Time{})
	// JSON has no years with more than four digits.
	if start := ev.Time(pathJVMStart); start.Year() > 1 && start.Year() < 10000 {
		j.Start = jsonout.At(start)
	}
}

func (v *Vitals) cpuInformation(ev mmapjfr.Event, _ int64) {
	v.jvm.Processor = text(ev, pathProcessor, v.jvm.Processor)
	v.jvm.HardwareThreads = size(ev, pathHWThreads)
}

func (v *Vitals) threadStatistics(ev mmapjfr.Event, _ int64) {
	v.threads = Threads{
		Time:    jsonout.At(ev.End()),
		Active:  size(ev, pathActive),
		Daemon:  size(ev, pathDaemon),
		Peak:    size(ev, pathPeak),
		Started: size(ev, pathAccumulated),
	}
}
