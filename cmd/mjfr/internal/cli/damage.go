package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Damage reports a part of a recording that could not be read. The verb goes on, and the exit code
// will be ExitData. Of a recording of [App.Open] it reports the first damage alone, with what
// counts in spite of it: mjfr verify lists all. Of anything else, such as a JVM, it reports the
// same text only once. A chunk that is still being written and an [input.Remark] are reported, but
// are no damage.
func (a *App) Damage(name string, err error) {
	if a.reported == nil {
		a.reported, a.hurt, a.lost = make(map[string]bool), make(map[string]bool), make(map[string]bool)
	}
	for _, e := range errtree.Each(err) {
		isDamage := !errors.Is(e, mmapjfr.ErrUnfinished) && !errors.As(e, new(input.Remark))
		a.lost[name] = a.lost[name] || errors.Is(e, mmapjfr.ErrTruncated) || errors.Is(e, mmapjfr.ErrChanged)
		a.Damaged = a.Damaged || isDamage
		if isDamage && a.hurt[name] || a.wasReported(name+": "+e.Error()) {
			continue
		}
		counts := ""
		if isDamage && len(a.sets) > 0 {
			rec := a.opened(name)
			counts = "; " + whatCounts(rec, e)
			if rec != nil {
				e = engine.RecordingIndex(rec).Cause(e)
			}
			a.hurt[name] = true
		}
		a.Report(fmt.Errorf("%s: %w%s", name, Reason(e), counts))
	}
}

// Reason returns what is wrong with a file, without its name; if all of the file is lost, without a
// place, too.
func Reason(err error) error {
	if format, ok := errors.AsType[*mmapjfr.FormatError](err); ok && format.Offset == 0 && !errors.Is(err, mmapjfr.ErrUnfinished) {
		return input.OpenError(err)
	}
	return errtree.Unnamed(err)
}

// opened returns the recording of a name, or nil.
func (a *App) opened(name string) *mmapjfr.Recording {
	for _, set := range a.sets {
		for _, rec := range set.Recordings {
			if set.Name(rec) == name {
				return rec
			}
		}
	}
	return nil
}

// CutOff returns the error of the first chunk of a recording whose end is missing, or nil.
func CutOff(rec *mmapjfr.Recording) error {
	for _, c := range engine.RecordingIndex(rec).Chunks() {
		if err := c.TrailingErr(); errors.Is(err, mmapjfr.ErrTruncated) {
			return err
		}
	}
	return nil
}

// lostAll returns why no event of a recording can be read, if the metadata of all its chunks is
// lost, or nil.
func lostAll(rec *mmapjfr.Recording) error {
	if engine.RecordingIsFetched(rec) && CutOff(rec) == nil {
		return nil // to look would fetch what may not be needed
	}
	var first error
	for _, c := range rec.Chunks() {
		_, err := c.Types()
		if err == nil || errors.Is(err, mmapjfr.ErrUnfetched) || errors.Is(err, mmapjfr.ErrUnfinished) {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// whatCounts says what verbs read of a recording with damage.
func whatCounts(rec *mmapjfr.Recording, damage error) string {
	if rec == nil {
		return "it is left out"
	}
	if errors.Is(damage, mmapjfr.ErrUnfetched) {
		return "what was fetched of it counts" // to look for more would fetch it
	}
	chunks, read := rec.Chunks(), 0
	for _, c := range chunks {
		if _, err := c.Types(); err == nil {
			read++
		}
	}
	const repair = "the metadata of the others is lost, and mjfr repair FILE OUT.jfr may recover them"
	switch read {
	case len(chunks):
		return "the readable part is included"
	case 0:
		return "none of its events can be read, since its metadata is lost; mjfr repair FILE OUT.jfr may recover them"
	}
	return fmt.Sprintf("the events of %d of its %d chunks count; %s", read, len(chunks), repair)
}

// maxReported is the number of messages that are kept to find those that come again.
const maxReported = 1000

// wasReported reports whether a text has been reported, and remembers it.
func (a *App) wasReported(text string) bool {
	if a.reported[text] {
		return true
	}
	if len(a.reported) < maxReported {
		a.reported[text] = true
	}
	return false
}
