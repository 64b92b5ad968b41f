package jvmstats

import (
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

var (
	pathBytesRead    = mmapjfr.Path("bytesRead")
	pathBytesWritten = mmapjfr.Path("bytesWritten")
)

// traffic is what was read and written.
type traffic struct {
	at                                           time.Time
	fileRead, fileWrite, socketRead, socketWrite tally
}

func (v *Vitals) fileRead(ev mmapjfr.Event, second int64) {
	v.io.add(&v.io.fileRead, ev, second, pathBytesRead)
}

func (v *Vitals) fileWrite(ev mmapjfr.Event, second int64) {
	v.io.add(&v.io.fileWrite, ev, second, pathBytesWritten)
}

func (v *Vitals) socketRead(ev mmapjfr.Event, second int64) {
	v.io.add(&v.io.socketRead, ev, second, pathBytesRead)
}

func (v *Vitals) socketWrite(ev mmapjfr.Event, second int64) {
	v.io.add(&v.io.socketWrite, ev, second, pathBytesWritten)
}

func (o *traffic) add(t *tally, ev mmapjfr.Event, second int64, bytes *mmapjfr.FieldPath) {
	o.at = ev.End()
	t.add(second, size(ev, bytes))
}

func (v *Vitals) bytes() IO {
	o, now := &v.io, v.clock.second()
	s := IO{
		Time:        o.at,
		FileRead:    v.rate(&o.fileRead.weight, soon),
		FileWrite:   v.rate(&o.fileWrite.weight, soon),
		SocketRead:  v.rate(&o.socketRead.weight, soon),
		SocketWrite: v.rate(&o.socketWrite.weight, soon),
	}
	for _, t := range []*tally{&o.fileRead, &o.fileWrite, &o.socketRead, &o.socketWrite} {
		s.RecentEvents += t.count.sum(now, minute)
	}
	return s
}
