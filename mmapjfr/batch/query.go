package batch

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// Query is the question of a statement. Use [NewQuery].
type Query struct {
	Statement *query.Statement
	// Options say how the statement is understood. Zone should be set: it cuts days.
	Options   query.Options
	Selection Selection
	// OnMisfit, if it is not nil, is called once, by any goroutine, with the first recording found whose events lack a field that
	// the statement asks for, and the error that the statement would be for it alone. Other recordings may have the field.
	OnMisfit func(object string, err error)

	mu       sync.Mutex
	compared map[schemaHash]*query.Error // event types that the statement has been compared with: whether it reads none of them
	plans    map[schemaHash]*query.Plan  // by event types
	seen     [][]byte                    // these event types
	known    schemas
}

type schemaHash [sha256.Size]byte

// NewQuery returns the question of a statement. It fails with [query.ErrRows] if the rows are events: those are not
// summed up; and if the statement is wrong whatever recordings there are.
func NewQuery(st *query.Statement, o query.Options, s Selection) (*Query, error) {
	if !st.IsGrouped() {
		return nil, query.ErrRows
	}
	if err := st.Check(o); err != nil {
		return nil, err
	}
	return &Query{Statement: st, Options: o, Selection: s, plans: make(map[schemaHash]*query.Plan)}, nil
}

// queryAnswer is the answer to [Query]: partial results by the event types that the statement can read.
type queryAnswer struct {
	question *Query
	found    map[schemaHash]*found
}

// found is what there is in recordings that describe the same event types.
type found struct {
	schema []byte // a recording with these types and no events
	first  int64  // when the first of the recordings began, in nanoseconds since 1970
	*query.Partial
}

// Text returns the question as text.
func (q *Query) Text() string {
	zone := time.Unix(0, 0).In(cmp.Or(q.Options.Zone, time.UTC)).Format("-07:00")
	return fmt.Sprintf("query %s jdk %t exact %t zone %s of %s", q.Statement, q.Options.JDK, q.Options.Exact, zone, q.Selection.Text)
}

func (q *Query) isDivisible() bool { return q.Statement.IsDivisible() }

func (q *Query) newAnswer() answer { return &queryAnswer{q, make(map[schemaHash]*found)} }

// plan returns the plan for event types that are described by a recording without events.
func (q *Query) plan(schema []byte) (*query.Plan, error) {
	hash := sha256.Sum256(schema)
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.plans[hash]; p != nil {
		return p, nil
	}
	types, err := q.types(schema)
	if err != nil {
		return nil, err
	}
	o := q.Options
	o.Incomplete = true
	p, err := q.Statement.Plan(types, o)
	if err == nil {
		q.plans[hash] = p
		if len(schema) > 0 {
			q.seen = append(q.seen, schema)
		}
	}
	return p, err
}

// types returns event types that the selection leaves of those that recordings without events describe.
func (q *Query) types(schemas ...[]byte) ([]mmapjfr.Type, error) {
	var recs []*mmapjfr.Recording
	for _, data := range schemas {
		if len(data) == 0 {
			continue // a recording whose types cannot be read
		}
		rec, err := mmapjfr.OpenBytes(data) // without Close: its types are used as long as plans are
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		recs = append(recs, rec)
	}
	types, err := mmapjfr.EventTypes(recs)
	if err != nil || q.Selection.Choose == nil {
		return types, err
	}
	filters, _ := q.Selection.Choose(types)
	return slices.DeleteFunc(types, func(t mmapjfr.Type) bool {
		return slices.ContainsFunc(filters, func(f mmapjfr.Filter) bool { return !engine.MatchesType(f, t) })
	}), nil
}

// planned is the plan of a statement for a recording.
type planned struct {
	schema []byte
	plan   *query.Plan
	err    error        // of the plan
	wrong  *query.Error // see compare
}

// compare returns a [query.Error] if a statement reads none of these event types, or if it is wrong whatever other recordings
// have. It calls OnMisfit if they lack a field that the statement asks for.
func (q *Query) compare(object string, schema []byte) *query.Error {
	hash := schemaHash(sha256.Sum256(schema))
	q.mu.Lock()
	defer q.mu.Unlock()
	if wrong, known := q.compared[hash]; known {
		return wrong
	}
	types, err := q.types(schema)
	if err != nil {
		return nil
	}
	_, err = q.Statement.Plan(types, q.Options)
	wrong, is := errors.AsType[*query.Error](err)
	if q.compared == nil {
		q.compared = make(map[schemaHash]*query.Error)
	}
	if is && !wrong.NoType && !wrong.Ambiguous {
		if wrong = nil; q.OnMisfit != nil {
			q.OnMisfit(object, err)
			q.OnMisfit = nil
		}
	}
	q.compared[hash] = wrong
	return wrong
}

// planFor returns the plan for a recording, which its ranges share.
func (q *Query) planFor(in *section) *planned {
	p, _ := in.once(func() any {
		p := &planned{schema: q.known.of(in.recording, q.Statement)}
		if p.plan, p.err = q.plan(p.schema); p.err == nil {
			p.wrong = q.compare(in.object, p.schema)
		}
		return p
	}).(*planned)
	return p
}

// left is why nothing of an object counts that could be read.
type left struct{ error }

func (l *left) Error() string {
	return "it is left out, since the statement does not fit its event types: " + l.error.Error()
}
func (l *left) Unwrap() error { return l.error }

func (a *queryAnswer) add(in *section) error {
	q := a.question
	of := q.planFor(in)
	if of.err != nil {
		in.onError(&left{of.err})
		return nil
	}
	if of.wrong != nil && of.wrong.Ambiguous {
		return of.wrong
	}
	filters, where := q.Selection.of(in.recording)
	list, err := query.Read(in.ctx, []*mmapjfr.Recording{in.recording}, []*query.Plan{of.plan}, query.ReadOptions{
		Filters: filters, Where: where, Range: in.chunks,
		OnError: func(_ *mmapjfr.Recording, err error) { in.onError(err) },
	})
	if err != nil {
		return err
	}
	return a.join(&found{of.schema, in.recording.Start().UnixNano(), list[0]})
}

// join adds what there is in other recordings.
func (a *queryAnswer) join(f *found) error {
	hash := schemaHash(sha256.Sum256(f.schema))
	own := a.found[hash]
	if own == nil {
		a.found[hash] = f
		return nil
	}
	own.first = min(own.first, f.first)
	own.Merge(f.Partial)
	return own.Err()
}

func (a *queryAnswer) merge(o answer) error {
	for _, f := range o.(*queryAnswer).found {
		if err := a.join(f); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns what has been found, in the order in which the recordings began.
func (a *queryAnswer) inOrder() []*found {
	return slices.SortedFunc(maps.Values(a.found), func(x, y *found) int {
		return cmp.Or(cmp.Compare(x.first, y.first), bytes.Compare(x.schema, y.schema))
	})
}

// schemas returns the descriptions of event types, in the same order.
func (a *queryAnswer) schemas() (list [][]byte) {
	for _, f := range a.inOrder() {
		list = append(list, f.schema)
	}
	return list
}

// ErrNoTypes is the error of [Partial.Result] if there is no recording of which event types can be read: then nothing is known,
// not even that there are no events.
var ErrNoTypes = errors.New("there is no recording of which event types can be read")

// Result returns the answer to a [Query]. What the recordings lack is null; [Misfit] says whether
// others have it. It is [ErrMixed] for other questions.
func (p *Partial) Result() (*query.Partial, error) {
	a, ok := p.answer.(*queryAnswer)
	if !ok {
		return nil, ErrMixed
	}
	schemas := a.schemas()
	if len(slices.Concat(schemas...)) == 0 {
		return nil, ErrNoTypes
	}
	types, err := a.question.types(schemas...)
	if err != nil {
		return nil, err
	}
	o := a.question.Options
	plan, err := a.question.Statement.Plan(types, o)
	if errors.As(err, new(*query.Error)) {
		o.Incomplete = true
		plan, err = a.question.Statement.Plan(types, o)
	}
	if err != nil {
		return nil, err
	}
	total := plan.NewPartial()
	for _, f := range a.inOrder() {
		if total.Merge(f.Partial); total.Err() != nil {
			return nil, total.Err()
		}
	}
	total.SetSpan(a.question.Selection.From, a.question.Selection.To)
	return total, nil
}

func (a *queryAnswer) MarshalBinary() ([]byte, error) {
	list := a.inOrder()
	b := binary.AppendUvarint(nil, uint64(len(list)))
	for _, f := range list {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.DefaultCompression)
		if err != nil {
			return nil, err
		}
		w.Write(f.schema) //nolint:errcheck // a buffer takes all
		w.Close()         //nolint:errcheck // nor can this fail
		data, err := f.Partial.MarshalBinary()
		if err != nil {
			return nil, err
		}
		b = binary.AppendVarint(b, f.first)
		for _, part := range [][]byte{packed.Bytes(), data} {
			b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
		}
	}
	return b, nil
}

// maxSchema is how many bytes the descriptions of event types of an answer have at most, unpacked: metadata is some 100 kB, and
// most recordings of a release have the same.
const maxSchema = 64 << 20

// unpack unpacks a description of event types, and takes its size from the room that is left.
func unpack(packed []byte, room *int64) ([]byte, error) {
	schema, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), *room+1))
	if *room -= int64(len(schema)); err == nil && *room < 0 {
		err = fmt.Errorf("its descriptions of event types have more than %d MB", maxSchema>>20)
	}
	return schema, err
}

func (q *Query) unmarshal(data []byte) (answer, error) {
	a := &queryAnswer{q, make(map[schemaHash]*found)}
	r := bytes.NewReader(data)
	n, err := binary.ReadUvarint(r)
	room := int64(maxSchema)
	for ; err == nil && n > 0; n-- {
		f := &found{}
		var packed, partial []byte
		if f.first, err = binary.ReadVarint(r); err == nil {
			packed, err = readBytes(r)
		}
		if err == nil {
			partial, err = readBytes(r)
		}
		if err == nil {
			f.schema, err = unpack(packed, &room)
		}
		if err != nil {
			break
		}
		plan, err := q.plan(f.schema)
		if err != nil {
			return nil, err
		}
		if f.Partial, err = plan.Unmarshal(partial); err != nil {
			return nil, err
		}
		if err := a.join(f); err != nil {
			return nil, err
		}
	}
	if err == nil && r.Len() > 0 {
		err = errors.New("bytes follow its end")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return a, nil
}

// readBytes reads a number of bytes, and these.
func readBytes(r *bytes.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len()) {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}
