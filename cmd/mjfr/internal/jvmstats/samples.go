package jvmstats

import "github.com/mmapjfr/jfr/mmapjfr"

// samples are the methods that threads were found in.
type samples struct{ java, native, cpuTime ranking }

func (v *Vitals) executionSample(ev mmapjfr.Event, second int64) {
	v.samples.java.add(second, v.topMethod(ev), 1)
}

func (v *Vitals) nativeSample(ev mmapjfr.Event, second int64) {
	v.samples.native.add(second, v.topMethod(ev), 1)
}

func (v *Vitals) cpuTimeSample(ev mmapjfr.Event, second int64) {
	v.samples.cpuTime.add(second, v.topMethod(ev), 1)
}

func (v *Vitals) methods(k *ranking) Methods {
	now := v.clock.second()
	m := Methods{Samples: k.all.count.sum(now, minute)}
	for _, p := range k.top(now) {
		m.Top = append(m.Top, Method{p.name, p.count, share(p.count, m.Samples)})
	}
	return m
}
