package jvmstats

import "github.com/mmapjfr/jfr/mmapjfr"

var (
	pathJVMUser   = mmapjfr.Path("jvmUser")
	pathJVMSystem = mmapjfr.Path("jvmSystem")
	pathMachine   = mmapjfr.Path("machineTotal")
)

// processors is how busy the processors are and were.
type processors struct {
	now     CPU
	history history[CPUPoint]
}

func (v *Vitals) cpuLoad(ev mmapjfr.Event, second int64) {
	c := CPU{
		Time:      ev.End(),
		JVMUser:   ratio(ev, pathJVMUser),
		JVMSystem: ratio(ev, pathJVMSystem),
		Machine:   ratio(ev, pathMachine),
	}
	v.cpu.now = c
	v.cpu.history.add(second, CPUPoint{c.Time, min(1, c.JVMUser+c.JVMSystem), c.Machine}, newest)
}

func (p *processors) snapshot() CPU {
	c := p.now
	c.History = p.history.list()
	return c
}
