package batch

import (
	"fmt"

	"github.com/mmapjfr/jfr/internal/profiles"
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

// profileAnswer is the answer to [Profile].
type profileAnswer struct {
	*profile.Profile
	question *Profile
}

// Profile returns the answer to a [Profile], sorted; nil for other questions.
func (p *Partial) Profile() *profile.Profile {
	a, ok := p.answer.(*profileAnswer)
	if !ok {
		return nil
	}
	profiles.Sort(a.Profile)
	return a.Profile
}

// Text returns the question as text.
func (q *Profile) Text() string {
	o := q.Options
	return fmt.Sprintf("profile kinds %q events %q grafana %t indexes %t times %d paths %t of %s",
		o.Kinds, o.Events, o.Grafana, o.BytecodeIndex, o.Times, o.Paths, q.Selection.Text)
}

func (q *Profile) isDivisible() bool { return q.Options.Divisible() }

func (q *Profile) newAnswer() answer { return &profileAnswer{profile.New(), q} }

func (q *Profile) unmarshal(data []byte) (answer, error) {
	a := &profileAnswer{profile.New(), q}
	return a, a.UnmarshalBinary(data)
}

func (a *profileAnswer) add(in *section) error {
	o := a.question.Options
	o.Filters, o.Where = a.question.Selection.of(in.recording)
	o.Range = in.chunks
	o.OnError = func(_ *mmapjfr.Recording, err error) { in.onError(err) }
	p, err := profile.Read(in.ctx, []*mmapjfr.Recording{in.recording}, o)
	if p != nil {
		a.Merge(p)
	}
	if err != nil && in.ctx.Err() == nil {
		in.onError(err) // the recording has a type of this name with other fields
		err = nil
	}
	return err
}

func (a *profileAnswer) merge(o answer) error {
	a.Merge(o.(*profileAnswer).Profile)
	return nil
}
