package batch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Fit says whether some recordings have what a question names, such as an event type or a field. That one of many lacks it is
// normal; that all do is mostly an error in writing.
type Fit struct {
	// Of is what is asked for, such as "--events FileRead".
	Of string `json:"of"`
	// Wrong says what the recordings lack; it is empty if some have it. Near are names that they have and
	// that are similar to Word.
	Wrong string   `json:"wrong,omitempty"`
	Word  string   `json:"word,omitempty"`
	Near  []string `json:"near,omitempty"`
}

// NewFit returns the fit of one recording, of which an error says what it lacks.
func NewFit(of string, err error) Fit {
	if err == nil {
		return Fit{Of: of}
	}
	return newFit(of, err.Error(), err)
}

// newFit is [NewFit] with the message of the error.
func newFit(of, message string, err error) Fit {
	hint, _ := errors.AsType[suggest.Hint](err)
	return Fit{Of: of, Wrong: strings.TrimSuffix(message, hint.String()), Word: hint.Word, Near: hint.Near}
}

// Err returns what all recordings lack, or nil.
func (f Fit) Err() error {
	if f.Wrong == "" {
		return nil
	}
	return fmt.Errorf("%s%w", f.Wrong, suggest.Hint{Word: f.Word, Near: f.Near})
}

// merge returns the fit of the recordings of both. If these lack different things, each has what the other lacks.
func (f Fit) merge(o Fit) Fit {
	if f.Wrong != o.Wrong || f.Wrong == "" {
		return Fit{Of: f.Of}
	}
	f.Near = suggest.To(f.Word, slices.Concat(f.Near, o.Near))
	return f
}

// MergeFits returns the fits of the recordings of two lists, in the order of what they are of. Merging is associative and
// commutative.
func MergeFits(a, b []Fit) (list []Fit) {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Fit) int { return cmp.Compare(x.Of, y.Of) })
	for _, f := range all {
		if n := len(list); n > 0 && list[n-1].Of == f.Of {
			list[n-1] = list[n-1].merge(f)
		} else {
			list = append(list, f)
		}
	}
	return list
}

// fits returns the fits of the options that select events.
func (s *Selection) fits(in *section) []Fit {
	if s.Fits == nil {
		return nil
	}
	return fitsOf(in, s.Fits)
}

// fitsOf returns what there is to say of the event types of a recording. What may be in a chunk whose types cannot be read is not lacking.
func fitsOf(in *section, fits func(types []mmapjfr.Type) []Fit) []Fit {
	types, err := mmapjfr.EventTypes([]*mmapjfr.Recording{in.recording})
	list := fits(types)
	for i := range list {
		if err != nil || len(types) == 0 {
			list[i] = Fit{Of: list[i].Of}
		}
	}
	return list
}

func (q *Export) fits(in *section) []Fit { return q.Selection.fits(in) }

func (q *Profile) fits(in *section) []Fit {
	list := q.Selection.fits(in)
	if len(q.Options.Events) == 0 {
		return list
	}
	return MergeFits(list, fitsOf(in, func(types []mmapjfr.Type) (own []Fit) {
		for _, e := range q.Options.Events {
			_, err := engine.EventTypeNamed(types, e.Type)
			own = append(own, NewFit("event "+e.Type, err))
		}
		return own
	}))
}

// OfTypes is what the fit of the event types of a statement is of. That of the kinds of their values is of ofValues.
const (
	OfTypes  = "FROM"
	ofValues = "SELECT"
)

func (q *Query) fits(in *section) []Fit {
	of := q.planFor(in)
	list := q.Selection.fits(in)
	if of.wrong == nil || !of.wrong.NoType {
		values := Fit{Of: ofValues}
		if wrong, is := errors.AsType[*query.Error](of.err); is {
			values.Wrong = wrong.Message
		}
		return MergeFits(list, []Fit{{Of: OfTypes}, values})
	}
	return MergeFits(list, fitsOf(in, func(types []mmapjfr.Type) []Fit {
		_, err := q.Statement.Plan(types, q.Options)
		if wrong, is := errors.AsType[*query.Error](err); is && wrong.NoType {
			return []Fit{newFit(OfTypes, wrong.Message, err)}
		}
		return []Fit{{Of: OfTypes}} // options leave no type
	}))
}

// Misfit returns an error if no recording has what a question names: the fits are those of all recordings, and the question has made or
// read all of their answers. It is a [query.Error] if a statement is wrong. What some recordings lack is no error.
func Misfit(q Question, fits []Fit) error {
	var errs []error
	var types Fit
	for _, f := range fits {
		if f.Of == OfTypes {
			types = f
			continue
		}
		errs = append(errs, f.Err())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	of, ok := q.(*Query)
	if !ok {
		return nil
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	return of.misfits(types.Near, of.seen...)
}

// FitsOf returns the fits of a partial result by itself, for programs that do not have those of all recordings at once for
// [Misfit]: with one of the fields of a statement.
func FitsOf(p *Partial) []Fit {
	err := p.Misfit()
	if wrong, is := errors.AsType[*query.Error](err); is && wrong.NoType {
		return p.Fits
	}
	return MergeFits(p.Fits, []Fit{NewFit("statement", err)})
}

// Misfit returns an error that is a [query.Error] if the recordings of a result lack what the
// statement of a [Query] asks for.
func (p *Partial) Misfit() error {
	a, ok := p.answer.(*queryAnswer)
	if !ok {
		return nil
	}
	return a.question.misfits(nil, a.schemas()...)
}

func (q *Query) misfits(near []string, schemas ...[]byte) error {
	types, err := q.types(schemas...)
	if err != nil || len(schemas) == 0 {
		return err
	}
	plan, err := q.Statement.Plan(types, q.Options)
	if err == nil {
		return q.meansOneType(plan, schemas)
	}
	if wrong, is := errors.AsType[*query.Error](err); is && wrong.NoType {
		f := newFit(OfTypes, wrong.Message, err)
		f.Near = near
		wrong.Message = f.Err().Error()
	}
	return err
}

// meansOneType returns an error if a name of the statement means another type in some recordings than in all: that of a type
// without a package is that of all types with packages where it is missing.
func (q *Query) meansOneType(all *query.Plan, schemas [][]byte) error {
	o := q.Options
	o.Incomplete = true
	for _, schema := range schemas {
		types, err := q.types(schema)
		if err != nil {
			return err
		}
		own, err := q.Statement.Plan(types, o)
		if err != nil {
			return err
		}
		for _, t := range types {
			if own.Reads(t) && !all.Reads(t) {
				return fmt.Errorf("%s and a type named %s are in different recordings; write %[1]s in the statement, or leave "+
					"one kind of recording out", t.Name(), t.SimpleName())
			}
		}
	}
	return nil
}
