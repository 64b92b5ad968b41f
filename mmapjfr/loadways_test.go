package mmapjfr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// sum is a checksum of what was read, in its order.
type sum struct{ maphash.Hash }

var sumSeed = maphash.MakeSeed()

func newSum() *sum {
	s := &sum{}
	s.SetSeed(sumSeed)
	return s
}

func (s *sum) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	_, _ = s.Write(b[:])
}

func (s *sum) text(text string) {
	s.number(uint64(len(text)))
	_, _ = s.WriteString(text)
}

// error adds the text of an error, without the name of the file, which bytes have not.
func (s *sum) error(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	var at *mmapjfr.FormatError
	if errors.As(err, &at) && at.File != "" {
		text = strings.ReplaceAll(text, at.File+": ", "")
	}
	s.text(text)
}

// event adds an event: all fields, its stack, and of some events the text of all values.
func (s *sum) event(ev mmapjfr.Event) {
	loadCount.events.Add(1)
	s.number(ev.Offset())
	s.number(uint64(ev.Size()))
	s.number(uint64(ev.StartNanos()))
	s.text(ev.Type().Name())
	for f, v := range ev.Fields() {
		s.number(uint64(v.Kind()))
		switch v.Kind() {
		case mmapjfr.KindString:
			s.text(v.Str())
		case mmapjfr.KindFloat, mmapjfr.KindDouble:
			s.number(math.Float64bits(v.Float()))
		case mmapjfr.KindStruct, mmapjfr.KindArray:
			s.number(uint64(v.Key()))
			s.number(uint64(v.Len()))
			if v.Type().Name() == "java.lang.Class" {
				s.text(v.Class().Name())
			}
		default:
			s.text(f.Name())
			s.number(v.Uint())
		}
	}
	if ev.Offset()%16 == 0 {
		s.text(ev.Value().Text())
	}
}

// eventSum is the checksum of one event.
func eventSum(ev mmapjfr.Event) uint64 {
	s := newSum()
	s.event(ev)
	return s.Sum64()
}

// stack adds the frames of the event.
func (s *sum) stack(ev mmapjfr.Event) {
	for f := range ev.StackTrace().Frames() {
		s.text(f.Method().Class().Name())
		s.text(f.Method().Name())
		s.number(uint64(f.Line()))
	}
}

// selection adds events and errors of a walk, and how many come before each.
func (s *sum) selection(sel *mmapjfr.Selection) *sum {
	for ev, err := range sel.Events() {
		s.error(err)
		if err == nil {
			s.event(ev)
		}
	}
	return s
}

// asked asks for the constants of all chunks: the iteration reports what is wrong with
// them only if somebody has.
func asked(rec *mmapjfr.Recording) {
	for _, c := range rec.Chunks() {
		_ = c.ConstantsErr()
	}
}

// loadWays are ways to read a recording. What each returns is the same whatever else is done
// with the recording, before and meanwhile.
var loadWays = []struct {
	name string
	read func(f *loadFile, rec *mmapjfr.Recording) uint64
}{
	{"Events", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		return newSum().selection(rec.Select()).Sum64()
	}},
	{"Events with ordinals and stacks", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		s := newSum()
		n := uint64(0)
		for ev, err := range rec.Events() {
			if err != nil {
				continue
			}
			if n++; n%16 == 0 {
				s.number(ev.Ordinal())
				s.number(ev.Detached().Ordinal())
			}
			s.stack(ev)
		}
		return s.Sum64()
	}},
	{"Cursor and paths", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		s := newSum()
		for cur := rec.Cursor(); cur.Next() || cur.Err() != nil; {
			if cur.Err() != nil {
				s.error(cur.Err())
				continue
			}
			for _, p := range drivePaths {
				v := cur.Event().Get(p)
				s.number(uint64(v.Kind()))
				s.number(v.Uint())
				s.text(v.Str())
			}
		}
		return s.Sum64()
	}},
	{"Select", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		s := newSum()
		for _, sel := range f.selections(rec) {
			s.selection(sel)
		}
		return s.Sum64()
	}},
	{"Parallel", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		s := newSum()
		for _, sel := range append(f.selections(rec), rec.Select()) {
			sums := make([]uint64, rec.Workers())
			s.error(sel.Parallel(context.Background(), func(worker int, ev mmapjfr.Event) error {
				sums[worker] += eventSum(ev)
				return nil
			}))
			total := uint64(0)
			for _, n := range sums {
				total += n
			}
			s.number(total)
		}
		return s.Sum64()
	}},
	{"Fold", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		list, err := mmapjfr.Fold(context.Background(), rec.Select(), func(list *[]uint64, ev mmapjfr.Event) error {
			*list = append(*list, eventSum(ev))
			return nil
		}, func(list, next *[]uint64) { *list = append(*list, *next...) })
		s := newSum()
		for _, n := range list {
			s.number(n)
		}
		s.error(err)
		return s.Sum64()
	}},
	{"Batches", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		s := newSum()
		var mu sync.Mutex
		var list []uint64
		s.error(rec.Select().Batches(context.Background(), func(_ int, b *mmapjfr.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, batchSums(b)...)
			return nil
		}))
		slices.Sort(list)
		for _, n := range list {
			s.number(n)
		}
		return s.Sum64()
	}},
	{"EventAtOffset", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		s := newSum()
		for _, offset := range f.offsets {
			ev, err := rec.EventAtOffset(offset)
			s.error(err)
			if err == nil {
				s.event(ev)
				s.number(ev.Ordinal())
			}
		}
		return s.Sum64()
	}},
	{"EventByOrdinal", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		s := newSum()
		for n := uint64(0); n <= f.events; n += 1 + f.events/50 {
			ev, err := rec.EventByOrdinal(n)
			s.error(err)
			if err == nil {
				s.event(ev)
			}
		}
		return s.Sum64()
	}},
	{"FirstEventSince", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		s := newSum()
		for i := 0; i < len(f.times); i += 1 + len(f.times)/10 {
			ev, err := rec.FirstEventSince(f.times[i])
			s.error(err)
			if err == nil {
				s.event(ev)
			}
		}
		return s.Sum64()
	}},
	{"Constants", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		total := uint64(0)
		for _, c := range rec.Chunks() {
			types, err := c.Types()
			if err != nil {
				continue
			}
			for _, typ := range types {
				for key, v := range c.Constants(typ) {
					s := newSum()
					s.text(typ.Name())
					s.number(uint64(key))
					s.text(v.Text())
					total += s.Sum64()
				}
			}
		}
		return total
	}},
	{"Types", func(_ *loadFile, rec *mmapjfr.Recording) uint64 {
		s := newSum()
		_ = rec.Protect(func() error {
			for _, c := range rec.Chunks() {
				_, _ = c.Index().AllTypes() // others may have asked for them
			}
			return nil
		})
		types, err := rec.Types()
		s.error(err)
		for _, typ := range types {
			s.text(typ.Name())
			s.number(uint64(typ.ID()))
			for _, f := range typ.Fields() {
				s.text(f.Name())
				s.text(f.Type().Name())
			}
		}
		s.text(rec.Location().String())
		return s.Sum64()
	}},
	{"Bind", func(f *loadFile, rec *mmapjfr.Recording) uint64 {
		asked(rec)
		s := newSum()
		for _, name := range f.types {
			b, err := mmapjfr.Bind[struct {
				Start  int64              `jfr:"startTime,optional,ticks"`
				Thread mmapjfr.Thread     `jfr:"eventThread,optional"`
				Stack  mmapjfr.StackTrace `jfr:"stackTrace,optional"`
			}](rec, name)
			s.error(err)
			if err != nil {
				continue
			}
			for row, err := range b.Events() {
				s.error(err)
				s.number(uint64(row.Start))
				s.text(row.Thread.Name())
				s.number(uint64(row.Stack.Len()))
			}
		}
		return s.Sum64()
	}},
}

// selections are some that pass over much of the recording.
func (f *loadFile) selections(rec *mmapjfr.Recording) (list []*mmapjfr.Selection) {
	if len(f.types) > 0 {
		list = append(list, rec.Select(mmapjfr.Types(f.types[0])))
	}
	if n := len(f.times); n > 2 {
		list = append(list, rec.Select(mmapjfr.Between(f.times[n/3], f.times[n/3].Add(5_000_000))))
	}
	if len(f.threads) > 0 {
		list = append(list, rec.Select(mmapjfr.Threads(f.threads[len(f.threads)/2])))
	}
	return list
}

var batchPaths = []*mmapjfr.FieldPath{
	mmapjfr.Path("startTime"), mmapjfr.Path("n"), mmapjfr.Path("text"), mmapjfr.Path("name"), mmapjfr.Path("value"), mmapjfr.Path("eventThread"),
}

// batchSums returns a checksum for each event of a batch.
func batchSums(b *mmapjfr.Batch) []uint64 {
	list := make([]*sum, b.Len())
	for i := range list {
		list[i] = newSum()
		list[i].event(b.Event(i))
	}
	for _, p := range batchPaths {
		for i, n := range b.Ints(p) {
			list[i].number(uint64(n))
		}
		for i, n := range b.Constants(p) {
			list[i].number(uint64(n))
		}
		for i, text := range b.Strings(p) {
			list[i].text(text)
		}
	}
	sums := make([]uint64, len(list))
	for i, s := range list {
		sums[i] = s.Sum64()
	}
	return sums
}
