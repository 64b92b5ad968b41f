package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/table"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/query"
)

const (
	// usualEvents and mostEvents are how many rows of events an answer has.
	usualEvents = 200
	mostEvents  = 500
	// mostSorted is how many rows of a sorted list can be read.
	mostSorted = 40_960
	// mostFrames is how many frames of a stack a row shows.
	mostFrames = 5
)

// eventsDocument is some rows of a list of events.
type eventsDocument struct {
	Total  int `json:"total"`
	Offset int `json:"offset"`
	Row    int `json:"row"` // of the event that the request names, or -1
	*table.Arrays
	At []eventPlace `json:"at"`
}

// eventPlace is where an event lies: what /api/event takes. The offset is a text, for numbers of
// scripts are not exact.
type eventPlace struct {
	File   int    `json:"file"`
	Offset string `json:"offset"`
}

// events answers with rows of the events of a type.
func (x *explorer) events(r *http.Request) (any, error) {
	q := r.URL.Query()
	typ, err := x.typeNamed(q.Get("type"))
	if err != nil {
		return nil, err
	}
	what, err := choose(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "offset", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	most, err := number(r, "limit", usualEvents, mostEvents)
	if err != nil {
		return nil, err
	}
	l, err := x.list(r.Context(), typ, q.Get("where"), &what)
	if err != nil {
		return nil, err
	}
	d := &eventsDocument{Offset: from, Row: -1, At: []eventPlace{}}
	if at := q.Get("at"); at != "" {
		if d.Row, err = x.rowOf(r.Context(), l, at); err != nil {
			return nil, err
		}
	}
	if sort := q.Get("sort"); sort != "" {
		if _, d.Total, err = l.read(r.Context(), 0, 0); err == nil {
			err = x.sortedRows(r.Context(), d, typ, sort, q.Get("where"), &what, most, &l.lost)
		}
	} else {
		err = x.rows(r.Context(), d, typ, l, most)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range d.Columns {
		for j, v := range c.Values {
			if frames, is := v.([]any); is && len(frames) > mostFrames {
				c.Values[j] = frames[:mostFrames]
			}
		}
	}
	x.lost(r.Context()).note(l.lost.list()...)
	return d, nil
}

// rowOf returns the row of an event that is named by its file and offset, such as 0:143992; -1 if
// the list does not have it.
func (x *explorer) rowOf(ctx context.Context, l *eventList, at string) (int, error) {
	number, place, _ := strings.Cut(at, ":")
	file, err := strconv.Atoi(number)
	offset, e := strconv.ParseUint(place, 10, 64)
	if err != nil || e != nil {
		return 0, wrong("at=%s: give the number of a file and the offset of an event, as in 0:143992", at)
	}
	if file -= x.first; file < 0 || file >= len(x.set.Recordings) {
		return -1, nil
	}
	return l.find(ctx, x.set.Recordings[file], offset)
}

// typeNamed returns an event type that the recordings have.
func (x *explorer) typeNamed(name string) (mmapjfr.Type, error) {
	for _, t := range x.types {
		if t.Name() == name {
			return t, nil
		}
	}
	return mmapjfr.Type{}, wrong("type=%s: the recordings have no event type of this name; /api/recording lists them", name)
}

// rows fills in rows in the order of the list.
func (x *explorer) rows(ctx context.Context, d *eventsDocument, typ mmapjfr.Type, l *eventList, most int) error {
	found, total, err := l.read(ctx, d.Offset, most)
	if err != nil {
		return err
	}
	d.Total = total
	return x.fill(ctx, d, typ, found)
}

// fill fills in events, which can be in any order.
func (x *explorer) fill(ctx context.Context, d *eventsDocument, typ mmapjfr.Type, events []mmapjfr.Event) error {
	files := map[int][]int{} // the numbers of the events of each file
	for i, ev := range events {
		at := x.place(ev)
		d.At = append(d.At, at)
		files[at.File] = append(files[at.File], i)
	}
	defer func() { nameThreads(d, events) }()
	if len(events) == 0 {
		files[0] = nil // for the columns
	}
	for _, numbers := range files {
		slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(events[a].Offset(), events[b].Offset()) })
		var some []mmapjfr.Event
		for _, n := range numbers {
			some = append(some, events[n])
		}
		a, err := x.table(ctx, typ, some)
		if err != nil {
			return err
		}
		if d.Arrays == nil {
			d.Arrays = &table.Arrays{Columns: slices.Clone(a.Columns)}
			for i := range a.Columns {
				d.Columns[i].Values = make([]any, len(events))
			}
		}
		for i := range a.Columns {
			for row, n := range numbers {
				d.Columns[i].Values[n] = a.Columns[i].Values[row]
			}
		}
		d.Arrays.Rows += a.Rows
	}
	return nil
}

// nameThreads gives threads without a name what they are called elsewhere.
func nameThreads(d *eventsDocument, events []mmapjfr.Event) {
	if d.Arrays == nil {
		return
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != query.Thread.String() {
			continue
		}
		path, err := mmapjfr.ParsePath(c.Name)
		for row, v := range c.Values {
			text, _ := v.(string)
			if strings.TrimSpace(text) == "" && err == nil {
				if title := keyOf(events[row].Get(path).Thread()).title(); title != "" {
					c.Values[row] = title
				}
			}
		}
	}
}

// table returns events of a type and a file, in the order of the file, with all their fields.
func (x *explorer) table(ctx context.Context, typ mmapjfr.Type, events []mmapjfr.Event) (*table.Arrays, error) {
	r, err := x.result(typ, events)
	if err != nil {
		return nil, err
	}
	a, err := table.ArraysOf(ctx, r, len(events), math.MaxInt)
	if err == nil && a.Rows != len(events) {
		err = fmt.Errorf("%d of %d events cannot be read any more", len(events)-a.Rows, len(events))
	}
	return a, err
}

// place returns where an event lies.
func (x *explorer) place(ev mmapjfr.Event) eventPlace {
	chunk := ev.Chunk()
	file := slices.IndexFunc(x.set.Recordings, func(r *mmapjfr.Recording) bool {
		chunks := r.Chunks()
		return chunk.Number() < len(chunks) && chunks[chunk.Number()] == chunk
	})
	return eventPlace{x.first + file, strconv.FormatUint(ev.Offset(), 10)}
}

// result is what a statement finds in events that are at hand, in the order of their file.
func (x *explorer) result(typ mmapjfr.Type, events []mmapjfr.Event) (*query.Result, error) {
	plan, err := x.plan("select * from " + typ.Name() + " order by @offset")
	if err != nil {
		return nil, err
	}
	found := plan.NewPartial()
	for _, ev := range events {
		found.Add(ev)
	}
	return found.Result(), found.Err()
}

// keyed is an event of a sorted list.
type keyed struct {
	key    query.Value
	rec    *mmapjfr.Recording
	offset uint64
}

// sortedRows fills in rows in the order of a field. Events without a value are last.
func (x *explorer) sortedRows(ctx context.Context, d *eventsDocument, typ mmapjfr.Type, sort, condition string, what *chosen, most int, lost *damage) error {
	if d.Offset+most > mostSorted {
		return wrong("rows in the order of a field can be shown up to row %d; choose fewer by a condition or a time, or the order of time", mostSorted)
	}
	field, down := strings.CutPrefix(sort, "-")
	if _, err := mmapjfr.ParsePath(field); err != nil {
		return wrong("sort=%s: %v", sort, err)
	}
	text := "select @offset as `@at`, " + field + " as `@key` from " + typ.Name()
	if condition != "" {
		text += " where " + condition
	}
	text += " order by `@key`"
	if down {
		text += " desc"
	}
	var all []keyed
	for _, rec := range x.set.Recordings {
		list, err := x.keys(ctx, rec, fmt.Sprintf("%s limit %d", text, d.Offset+most), what, lost)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	if len(x.set.Recordings) > 1 {
		slices.SortStableFunc(all, func(a, b keyed) int { return order(a.key, b.key, down) })
	}
	var found []mmapjfr.Event
	for _, k := range all[min(d.Offset, len(all)):min(d.Offset+most, len(all))] {
		ev, err := k.rec.EventAtOffset(k.offset)
		if err != nil {
			return err
		}
		found = append(found, ev)
	}
	return x.fill(ctx, d, typ, found)
}

// keys returns where the rows of a statement lie in a recording.
func (x *explorer) keys(ctx context.Context, rec *mmapjfr.Recording, text string, what *chosen, lost *damage) (list []keyed, err error) {
	plan, err := x.plan(text)
	if err != nil {
		return nil, err
	}
	result, err := x.read(ctx, []*mmapjfr.Recording{rec}, plan, what, lost)
	if err != nil {
		return nil, err
	}
	for row, err := range result.Rows {
		if err != nil {
			return nil, err
		}
		list = append(list, keyed{row[1], rec, uint64(row[0].Int())})
	}
	return list, nil
}

// order compares the keys of two events.
func order(a, b query.Value, down bool) int {
	if a.IsNull() || b.IsNull() {
		return cmp.Compare(flag(a.IsNull()), flag(b.IsNull()))
	}
	n := cmp.Or(cmp.Compare(a.Float(), b.Float()), cmp.Compare(a.Text(), b.Text()))
	if down {
		return -n
	}
	return n
}

func flag(is bool) int {
	if is {
		return 1
	}
	return 0
}

// eventDocument is one event.
type eventDocument struct {
	Type     string     `json:"type"`
	Label    string     `json:"label"`
	Start    float64    `json:"start"`
	Duration any        `json:"duration"`   // in nanoseconds, or nil
	Thread   string     `json:"thread"`     // what to call it
	Name     string     `json:"threadName"` // to choose it by
	File     string     `json:"file"`
	Offset   uint64     `json:"offset"`
	Size     int        `json:"size"`
	Fields   []fieldDoc `json:"fields"`
	Stack    []string   `json:"stack"`
	Hex      []hexDoc   `json:"hex"`
}

// fieldDoc is a field of an event as text.
type fieldDoc struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Type  string `json:"type"`
	Value string `json:"value"`
	// Column is the field as the list of events has it, with one value.
	Column table.Array `json:"column"`
}

// hexDoc is some bytes of an event, and what they say.
type hexDoc struct {
	Offset  uint64 `json:"offset"`
	Bytes   string `json:"bytes"`
	Path    string `json:"path"`
	Type    string `json:"type"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
}

// mostHex is how many lines of bytes, and how many frames, an answer has.
const mostHex = 2000

// event answers with one event: its fields, its stack trace, and its bytes.
func (x *explorer) event(r *http.Request) (any, error) {
	file, err := number(r, "file", 0, 1<<30)
	if err != nil {
		return nil, err
	}
	if file < x.first {
		return nil, &problem{status: http.StatusNotFound, Text: "the file with this event is no longer kept: it is older than --max-age, or a gigabyte came after it"}
	}
	if file -= x.first; file >= len(x.set.Recordings) {
		return nil, wrong("file=%d: there are %d files, counted from 0", file, len(x.set.Recordings))
	}
	offset, err := strconv.ParseUint(r.URL.Query().Get("offset"), 10, 64)
	if err != nil {
		return nil, wrong("offset=%s: give the offset of an event in the file", r.URL.Query().Get("offset"))
	}
	rec := x.set.Recordings[file]
	var d *eventDocument
	err = rec.Protect(func() (err error) {
		d, err = x.eventAt(rec, offset)
		return err
	})
	return d, err
}

// eventAt returns the event at an offset of a recording.
func (x *explorer) eventAt(rec *mmapjfr.Recording, offset uint64) (*eventDocument, error) {
	ev, err := rec.EventAtOffset(offset)
	if err != nil {
		return nil, &problem{status: http.StatusNotFound, Text: err.Error()}
	}
	d := &eventDocument{
		Type: ev.Type().Name(), Label: labelOf(ev.Type()), Start: millis(ev.Start()), Thread: keyOf(ev.Thread()).title(), Name: ev.Thread().Name(),
		File: x.set.Name(rec), Offset: offset, Size: ev.Size(), Fields: []fieldDoc{}, Stack: []string{}, Hex: []hexDoc{},
	}
	if hasField(ev.Type(), "duration") {
		d.Duration = int64(ev.Duration())
	}
	if err := x.fields(d, ev); err != nil {
		return nil, err
	}
	for f := range ev.StackTrace().Frames() {
		if len(d.Stack) == mostHex {
			break
		}
		d.Stack = append(d.Stack, inspect.Frame(f))
	}
	for line := range inspect.Event(ev) {
		if len(d.Hex) == mostHex {
			break
		}
		d.Hex = append(d.Hex, hexDoc{line.Offset, fmt.Sprintf("% x", line.Bytes[:min(len(line.Bytes), 64)]), line.Path, line.Type, line.Value, line.Meaning})
	}
	return d, nil
}

// labelOf returns what to call a type: its name if it has no label.
func labelOf(t mmapjfr.Type) string { return cmp.Or(t.Label(), t.Name()) }

// fields fills in the fields of an event, as statements show them.
func (x *explorer) fields(d *eventDocument, ev mmapjfr.Event) error {
	a, err := x.result(ev.Type(), []mmapjfr.Event{ev})
	if err != nil {
		return err
	}
	columns, err := table.ArraysOf(context.Background(), a, 1, math.MaxInt)
	if err != nil || columns.Rows != 1 {
		return cmp.Or(err, errors.New("the event cannot be read any more"))
	}
	for row, err := range a.Rows {
		if err != nil {
			return err
		}
		for i, v := range row {
			c := &a.Columns[i]
			text := v.String()
			if f, ok := ev.Type().Field(c.Name); ok {
				d.Fields = append(d.Fields, fieldDoc{c.Name, c.Title, f.Type().Name(), text, columns.Columns[i]})
			} else {
				d.Fields = append(d.Fields, fieldDoc{c.Name, c.Title, c.Kind.String(), text, columns.Columns[i]})
			}
		}
	}
	return nil
}
