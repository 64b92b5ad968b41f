package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// severalJVMs is the machine of a partial result of several. No single one is called so.
const severalJVMs = "*"

// jvmKey is the text of the input that keeps groups of several virtual machines apart: the last key of plans
// that group by a number which means something in one machine only. It is null as long as there is but one.
const jvmKey = "@jvm"

// perJVM are the fields whose numbers each virtual machine counts for itself.
var perJVM = map[string]bool{"gcId": true, "safepointId": true, "redefinitionId": true, "compileId": true}

// withAddresses are event types, in lower case, whose field address is one of the memory of their process.
var withAddresses = map[string]bool{
	"javamonitorenter": true, "javamonitorwait": true, "javamonitorinflate": true, "javamonitordeflate": true, "javamonitornotify": true,
	"threadpark": true, "nativelock": true, "malloc": true, "free": true,
}

// groupPerJVM adds the machine to what groups are made by, if one of that means something in one machine only. It
// decides by the statement alone: recordings of other event types have the same keys.
func (c *compiler) groupPerJVM(by []expr) {
	if !slices.ContainsFunc(by, c.isPerJVM) {
		return
	}
	c.perJVM = true
	c.keys = append(c.keys, len(c.inputs))
	c.inputs = append(c.inputs, input{text: jvmKey, node: &node{op: opValue}, shape: shape{kind: Text}})
}

func (c *compiler) isPerJVM(e expr) bool {
	p, ok := e.(*path)
	return ok && c.st.isPerJVM(p.field)
}

func (s *Statement) isPerJVM(field string) bool {
	return perJVM[shortened(field[strings.LastIndexByte(field, '.')+1:])] || field == "address" && !slices.ContainsFunc(s.from, func(of source) bool {
		return !withAddresses[strings.ToLower(of.pattern[strings.LastIndexByte(of.pattern, '.')+1:])]
	})
}

// knowsJVMs reports whether it matters of which virtual machines events are.
func (p *Plan) knowsJVMs() bool { return p.grouped && (p.perJVM || p.o.JDK) }

// jvmOf returns a text that stands for the virtual machine of a recording: its process and when that started, as far as the first
// chunk says, if groups depend on it; or else when the recording began, which needs no events.
func (p *Plan) jvmOf(rec *mmapjfr.Recording) string {
	if !p.knowsJVMs() || len(rec.Chunks()) == 0 {
		return ""
	}
	first := rec.Chunks()[0]
	if p.perJVM {
		if jvm, ok := first.JVM(); ok {
			return fmt.Sprintf("process %d of %d", jvm.PID, jvm.Started.UnixNano())
		}
	}
	return fmt.Sprintf("recording of %d %d", first.Start().UnixNano(), engine.ChunkIndex(first).Header().StartTicks)
}

// like returns an empty partial result of the same plan and machines.
func (p *partial) like() *partial {
	r := newPartial(p.plan)
	r.setJVM(p.jvm)
	return r
}

// setJVM sets of which machine groups are. Those of several have no identities of classes.
func (p *partial) setJVM(jvm string) {
	if p.jvm = jvm; jvm == severalJVMs {
		p.values.byID = false
	}
}

// meet makes the partial result one of several machines if another one that is merged with it is not of the same: then
// classes are the same that have one name, and groups by numbers of a machine get that as a key.
func (p *partial) meet(from *partial) {
	switch {
	case !p.plan.knowsJVMs() || from.len() == 0 || from.jvm == p.jvm || p.jvm == severalJVMs:
		return
	case p.len() == 0:
		p.setJVM(from.jvm)
		return
	}
	several := newPartial(p.plan)
	several.setJVM(severalJVMs)
	several.mergeAll(p)
	*p = *several
}
