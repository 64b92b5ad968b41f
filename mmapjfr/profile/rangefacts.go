package profile

import (
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// rangeFacts are what a range of a recording, or several that follow each other, have of facts: other ranges need them.
type rangeFacts struct {
	last    settings // that the range leaves to the next one
	firsts  firstSamples
	natives natives
}

func newRangeFacts() rangeFacts {
	return rangeFacts{last: settings{}, firsts: newFirstSamples(), natives: newNatives()}
}

// join adds those of the next range.
func (f *rangeFacts) join(next *rangeFacts) {
	f.last = f.last.then(next.last)
	f.firsts.merge(next.firsts)
	f.natives.merge(next.natives)
}

// RangeFacts are what must be known of a range of a recording, or of several that follow each other, to weigh events in other
// ranges. See [Weights.Range].
type RangeFacts struct{ rangeFacts }

// Join adds the facts of the next range, which must not be used afterwards.
func (f *RangeFacts) Join(next *RangeFacts) { f.join(&next.rangeFacts) }

// Settings returns the settings of a chunk after the range, see [Weights.Settings], with those that the range leaves.
func (f *RangeFacts) Settings(later string) string {
	return settingsText(f.last.then(settingsOf(later)))
}

// MarshalBinary returns the facts as bytes. Equal ones have equal bytes. It never fails.
func (f *RangeFacts) MarshalBinary() ([]byte, error) {
	w := profileWriter{}
	w.facts(&f.rangeFacts)
	return w.b, nil
}

// UnmarshalBinary makes the facts those that MarshalBinary wrote. The error matches [ErrFormat] for other bytes.
func (f *RangeFacts) UnmarshalBinary(data []byte) error {
	r := profileReader{b: data}
	f.rangeFacts = newRangeFacts()
	r.facts(&f.rangeFacts)
	if r.failed || len(r.b) > 0 {
		return fmt.Errorf("%w: damaged facts of a range", ErrFormat)
	}
	return nil
}

// settingsText returns settings as text. Equal ones have equal texts, and none has "".
func settingsText(s settings) string {
	if len(s) == 0 {
		return ""
	}
	w := profileWriter{}
	w.settings(s)
	return string(w.b)
}

// settingsOf returns the settings of a text; none for another text.
func settingsOf(text string) settings {
	r := profileReader{b: []byte(text)}
	if s := r.settings(); text != "" && !r.failed {
		return s
	}
	return settings{}
}

// openWeight is the weight of an event that other ranges decide.
type openWeight struct {
	weight Weight
	typ    int64  // the number of the event type
	class  int    // of the state of the thread
	factor int64  // the weight, if nothing that other ranges have changes it
	offset uint64 // of the event, if that decides
}

func (o openWeight) text() string {
	w := profileWriter{}
	w.string(o.weight.kind.Name)
	w.string(o.weight.source.event)
	w.int(o.typ)
	w.uint(o.class)
	w.int(o.factor)
	w.number(o.offset)
	return string(w.b)
}

// openWeightOf returns the weight of a text; false for another text.
func openWeightOf(text string) (o openWeight, ok bool) {
	r := profileReader{b: []byte(text)}
	kind, event := r.string(), r.string()
	o.typ, o.class, o.factor, o.offset = r.int(), r.below(len(stateClasses)), r.int(), r.uint()
	if kind == "" || r.failed || len(r.b) > 0 {
		return o, false
	}
	o.weight, ok = WeightOf(event, kind)
	return o, ok
}

// bySettings reports whether settings decide about a weight.
func (w Weight) bySettings() bool { return w.factor().period || w.source.mode.needsSettings() }

// Judge decides about weights that were open when ranges were read.
type Judge struct {
	facts    rangeFacts
	begins   bool // settings are known
	complete bool // all is known
	leaks    map[uint64]bool
	firsts   offsetSet
	settings map[string]settings
}

// Judge returns what decides about weights in the range that the facts are of: one that begins with its recording, or is
// complete. The facts must not be changed before it has decided.
func (f *RangeFacts) Judge(begins, complete bool) *Judge {
	j := &Judge{facts: f.rangeFacts, begins: begins || complete, complete: complete, settings: make(map[string]settings)}
	if complete {
		j.facts.firsts.end()
		j.leaks, j.firsts = f.natives.leaks(), j.facts.firsts.offsets
	} else {
		j.leaks, j.firsts = f.natives.live(), f.firsts.starts()
	}
	return j
}

// Weight returns the weight that [Weigher.Open] has found open, in a chunk with settings; [NoWeight] if the event has no weight. It is
// false if the weight depends on ranges that are still missing.
func (j *Judge) Weight(open, settings string) (n int64, ok bool) {
	o, ok := openWeightOf(open)
	switch s := o.weight.source; {
	case !ok: // not in bytes that this program has written
		return NoWeight, true
	case s.mode == leaked:
		if !j.leaks[o.offset] {
			return NoWeight, true
		}
		return o.factor, j.complete
	case s.event == sampleEvent:
		if !j.firsts.has(o.offset) {
			return o.factor, true
		}
		return min(o.factor, j.facts.firsts.usual), j.complete
	}
	if !j.begins {
		return 0, false
	}
	set, known := j.settings[settings]
	if !known {
		set = settingsOf(settings)
		j.settings[settings] = set
	}
	if !set.samplers(o.typ).counts(o.weight.source.mode, stateClasses[o.class]) {
		return NoWeight, true
	}
	if !o.weight.factor().period {
		return o.factor, true
	}
	period, _ := set.period(o.typ, o.weight.source.event, o.weight.kind.Name)
	return saturate.Mul(o.factor, period), true
}

// HasOpen reports whether other ranges may decide about weights of the events.
func (w *Weigher) HasOpen() bool {
	switch {
	case w.of == (mmapjfr.ChunkRange{}):
		return false
	case w.weight.source.mode == leaked, w.weight.source.event == sampleEvent:
		return true
	}
	return w.of.From > 0 && w.weight.bySettings()
}

// IsOpen reports whether other ranges decide about the weight of an event.
func (w *Weigher) IsOpen(ev mmapjfr.Event) bool {
	s := w.weight.source
	switch {
	case w.of == (mmapjfr.ChunkRange{}):
		return false
	case s.mode == leaked:
		return w.facts.leaks[ev.Offset()]
	case s.event == sampleEvent:
		return w.facts.firsts.offsets.has(ev.Offset())
	}
	return w.of.From > 0 && w.weight.bySettings()
}

// Open sets dst to the weights of the events of a batch, as texts for [Judge.Weight], as far as other ranges decide about them; to ""
// for others.
func (w *Weigher) Open(b *mmapjfr.Batch, dst []string) {
	clear(dst)
	if w.of == (mmapjfr.ChunkRange{}) {
		return
	}
	w.column = slices.Grow(w.column[:0], b.Len())[:b.Len()]
	filled := false
	for i := range b.Len() {
		ev := b.Event(i)
		if !w.IsOpen(ev) {
			continue
		}
		if !filled {
			w.weight.factor().fill(b, w.column)
			filled = true
		}
		dst[i] = w.openText(ev, w.column[i])
	}
}

// openKey is what weights have in common that do not go by offsets.
type openKey struct {
	class  int
	factor int64
}

func (w *Weigher) openText(ev mmapjfr.Event, factor int64) string {
	s, o := w.weight.source, openWeight{weight: w.weight, typ: ev.Type().ID(), factor: factor}
	if s.mode == leaked || s.event == sampleEvent {
		o.offset = ev.Offset()
		return o.text()
	}
	if s.mode != all && s.state != nil {
		o.class = w.class(ev.Get(s.state))
	}
	key := openKey{o.class, factor}
	text, ok := w.texts[key]
	if !ok {
		text = o.text()
		w.texts[key] = text
	}
	return text
}

// class returns the class of a thread state.
func (w *Weigher) class(state mmapjfr.Value) int {
	key := state.Key()
	class, ok := w.classes[key]
	if !ok || key == 0 { // a state in the event itself has no key
		class = stateClass(state.Str())
		w.classes[key] = class
	}
	return class
}
