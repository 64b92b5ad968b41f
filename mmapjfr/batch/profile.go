package batch

import (
	"fmt"
	"slices"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// Profile is the question where time and memory go.
type Profile struct {
	// Options say what is read. An event type of Events may be given by its simple name. Filters, Where, Range,
	// OnError and Progress are not used.
	Options   profile.Options
	Selection Selection
}

// ProfileAnswer is the answer to [Profile].
type ProfileAnswer struct {
	profile  *profile.Profile
	question *Profile
}

// Result returns the profile, sorted.
func (a *ProfileAnswer) Result() *profile.Profile {
	a.profile.Sort()
	return a.profile
}

// Text returns the question as text.
func (q *Profile) Text() string {
	o := q.Options
	return fmt.Sprintf("profile kinds %q events %q grafana %t indexes %t times %d paths %t of %s",
		o.Kinds, o.Events, o.Grafana, o.BytecodeIndex, o.Times, o.Paths, q.Selection.Text)
}

// isDivisible reports whether profiles of ranges of a recording add up.
func (q *Profile) isDivisible() bool { return q.Options.Divisible() }

// New returns an empty profile.
func (q *Profile) New() Answer { return &ProfileAnswer{profile.New(), q} }

// Unmarshal reads a profile.
func (q *Profile) Unmarshal(data []byte) (Answer, error) {
	a := &ProfileAnswer{profile.New(), q}
	return a, a.profile.UnmarshalBinary(data)
}

// Add adds the samples of a recording.
func (a *ProfileAnswer) Add(in *Input) error {
	o := a.question.Options
	o.Filters, o.Where = a.question.Selection.of(in.Recording)
	o.Range = in.Range
	o.OnError = func(_ *mmapjfr.Recording, err error) { in.OnError(err) }
	o.Events = slices.Clone(o.Events)
	for i := range o.Events {
		o.Events[i].Type = fullName(in.Recording, o.Events[i].Type)
	}
	p, err := profile.Read(in.Context, []*mmapjfr.Recording{in.Recording}, o)
	if p != nil {
		a.profile.Merge(p)
	}
	if err != nil && in.Context.Err() == nil {
		in.OnError(err) // the recording has a type of this name with other fields
		err = nil
	}
	return err
}

// fullName returns the full name of an event type; the name itself if the recording has none.
func fullName(rec *mmapjfr.Recording, name string) string {
	types, _ := mmapjfr.EventTypes([]*mmapjfr.Recording{rec}) // reading the events returns the errors
	if t, err := engine.EventTypeNamed(types, name); err == nil {
		return t.Name()
	}
	return name
}

// Merge adds another profile.
func (a *ProfileAnswer) Merge(o Answer) error {
	a.profile.Merge(o.(*ProfileAnswer).profile)
	return nil
}

// MarshalBinary returns the profile as bytes, see [profile.Profile.MarshalBinary].
func (a *ProfileAnswer) MarshalBinary() ([]byte, error) { return a.profile.MarshalBinary() }
