package mmapjfr_test

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// asker calls all exported methods of views, and of what they lead to. New ones are
// called without being named here; those whose arguments it does not know are failures.
type asker struct {
	t     *testing.T
	left  int // how many calls there may be
	calls map[string]int
	// given are what methods may be called with, by type.
	given map[reflect.Type][]reflect.Value
}

func newAsker(t *testing.T) *asker {
	t.Helper()
	a := &asker{t: t, left: 20_000, calls: make(map[string]int), given: make(map[reflect.Type][]reflect.Value)}
	for _, x := range []any{
		mmapjfr.Path("stackTrace.frames[1].method.type.name"), mmapjfr.Path("eventThread.javaName"), mmapjfr.Path("startTime"),
		0, 1, int64(1), []byte("before"), []uint16{1}, []int64{1}, []mmapjfr.Frame(nil), mmapjfr.Type{},
		mmapjfr.Value{}, mmapjfr.Chunk{}, uint64(1), "name", func() error { return nil },
	} {
		v := reflect.ValueOf(x)
		a.given[v.Type()] = append(a.given[v.Type()], v)
	}
	a.given[reflect.TypeFor[any]()] = []reflect.Value{reflect.ValueOf(&struct{ Name string }{})}
	a.given[reflect.TypeFor[error]()] = []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
	a.given[reflect.TypeFor[io.Writer]()] = []reflect.Value{reflect.ValueOf(io.Discard)}
	return a
}

// views are what leads to bytes of a recording.
var views = []reflect.Type{
	reflect.TypeFor[mmapjfr.Event](), reflect.TypeFor[mmapjfr.Value](), reflect.TypeFor[mmapjfr.Chunk](),
	reflect.TypeFor[mmapjfr.Thread](), reflect.TypeFor[mmapjfr.ThreadGroup](), reflect.TypeFor[mmapjfr.Class](),
	reflect.TypeFor[mmapjfr.ClassLoader](), reflect.TypeFor[mmapjfr.Method](), reflect.TypeFor[mmapjfr.Frame](),
	reflect.TypeFor[mmapjfr.StackTrace](), reflect.TypeFor[*mmapjfr.Batch](),
}

// notAsked are methods that are asked elsewhere: they hand out what is not a view.
var notAsked = []string{"Chunk.Index", "Chunk.Live", "Chunk.Select"}

func (a *asker) ask(view reflect.Value, depth int) {
	typ := view.Type()
	if !slices.Contains(views, typ) || depth > 3 || typ != reflect.TypeFor[*mmapjfr.Batch]() && view.IsZero() {
		return
	}
	for i := range typ.NumMethod() {
		name := reflect.Indirect(view).Type().Name() + "." + typ.Method(i).Name
		switch {
		case slices.Contains(notAsked, name):
		case typ.Method(i).Name == "Format":
			a.calls[name]++
			_ = fmt.Sprintf("%v %+v %s", view, view, view) // which means what it holds
		default:
			a.call(name, view.Method(i), depth)
		}
	}
}

// calledAll checks that no method was forgotten.
func (a *asker) calledAll() {
	for _, typ := range views {
		if typ.Kind() == reflect.Pointer {
			continue // a batch is only to be had in a scan
		}
		for i := range typ.NumMethod() {
			name := typ.Name() + "." + typ.Method(i).Name
			if !slices.Contains(notAsked, name) {
				require.NotZero(a.t, a.calls[name], name)
			}
		}
	}
}

func (a *asker) call(name string, method reflect.Value, depth int) {
	if depth > 0 {
		if a.left--; a.left < 0 {
			return
		}
	}
	a.calls[name]++
	lists := [][]reflect.Value{nil}
	for i := range method.Type().NumIn() {
		in := method.Type().In(i)
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			in = in.Elem() // one of them
		}
		given := a.given[in]
		require.NotEmpty(a.t, given, "%s takes %s: say what", name, in)
		var longer [][]reflect.Value
		for _, list := range lists {
			for _, v := range given {
				longer = append(longer, append(slices.Clip(list), v))
			}
		}
		lists = longer
	}
	for _, args := range lists {
		for _, out := range method.Call(args) {
			a.answer(out, depth)
		}
	}
}

// answer goes on with what a method has returned.
func (a *asker) answer(out reflect.Value, depth int) {
	switch typ := out.Type(); {
	case typ.CanSeq2() && out.Kind() == reflect.Func:
		n := 0
		for k, v := range out.Seq2() {
			a.ask(k, depth+1)
			a.ask(v, depth+1)
			if n++; n > 20 {
				break
			}
		}
	case typ.CanSeq() && out.Kind() == reflect.Func:
		n := 0
		for v := range out.Seq() {
			a.ask(v, depth+1)
			if n++; n > 20 {
				break
			}
		}
	case out.Kind() == reflect.Slice && slices.Contains(views, typ.Elem()):
		for i := range min(out.Len(), 5) {
			a.ask(out.Index(i), depth+1)
		}
	default:
		a.ask(out, depth+1)
	}
}

// someViews returns events of many types with their values, taken while all is well.
func someViews(t *testing.T, rec *mmapjfr.Recording) (list []reflect.Value) {
	t.Helper()
	seen := make(map[int64]int)
	for ev, err := range rec.Events() {
		require.NoError(t, err)
		if seen[ev.Type().ID()]++; seen[ev.Type().ID()] > 2 {
			continue
		}
		frame := ev.StackTrace().Frame(0)
		for _, v := range []any{
			ev, ev.Detached(), ev.StackTrace(), frame, frame.Method(), frame.Method().Class(), frame.Method().Class().Loader(),
			ev.Thread(), ev.Thread().Group(),
		} {
			list = append(list, reflect.ValueOf(v))
		}
		for _, v := range ev.Fields() {
			list = append(list, reflect.ValueOf(v))
		}
	}
	for _, c := range rec.Chunks() {
		list = append(list, reflect.ValueOf(c))
	}
	return list
}

// TestEveryMethodOfAViewOfACutFile calls each of them when the bytes have gone, or some of
// them: whether constants had been read before or not.
func TestEveryMethodOfAViewOfACutFile(t *testing.T) {
	crash(t, func(t *testing.T) {
		data := profile(t)
		for _, size := range []int64{4096, 0, int64(len(data)) / 2}[:longtest.Cases(1, 3)] {
			for _, warm := range []bool{true, false}[:longtest.Cases(1, 2)] {
				rec, cut := cuttable(t, data)
				if warm {
					require.NoError(t, rec.Chunks()[0].ConstantsErr())
				}
				list := someViews(t, rec)
				require.NoError(t, rec.FileErr())
				cut(size)
				a := newAsker(t)
				typ, ok := rec.Type("java.lang.Thread")
				require.True(t, ok)
				a.given[reflect.TypeFor[mmapjfr.Type]()] = append(a.given[reflect.TypeFor[mmapjfr.Type]()], reflect.ValueOf(typ))
				for _, view := range list {
					a.left = longtest.Cases(12, 300)
					a.ask(view, 0)
				}
				a.calledAll()
				require.ErrorIs(t, rec.FileErr(), mmapjfr.ErrTruncated)
				require.NoError(t, rec.Close())
				require.ErrorIs(t, rec.FileErr(), mmapjfr.ErrClosed)
			}
		}
	})
}

// TestBatchesOfACutFile cuts it while batches are at hand.
func TestBatchesOfACutFile(t *testing.T) {
	crash(t, func(t *testing.T) {
		data := profile(t)
		for _, size := range []int64{0, 4096, int64(len(data)) / 2} {
			rec, cut := cuttable(t, data)
			var n atomic.Int32
			err := engine.SelectionBatches(rec.Select(), t.Context(), func(_ int, b *mmapjfr.Batch) error {
				if n.Add(1) == 3 {
					cut(size)
				}
				thread, stack := mmapjfr.Path("eventThread"), mmapjfr.Path("eventThread.javaName")
				texts := engine.BatchStrings(b, mmapjfr.Path("name"))
				assert.True(t, texts == nil || len(texts) == engine.BatchLen(b))
				places := engine.BatchConstants(b, thread)
				assert.True(t, places == nil || len(places) == engine.BatchLen(b))
				for i := range engine.BatchLen(b) {
					_ = engine.BatchValue(b, stack, i).Str()
					_ = engine.BatchEvent(b, i).StackTrace().Frame(1).Method().Class().Name()
				}
				return nil
			})
			require.ErrorIs(t, err, mmapjfr.ErrTruncated)
		}
	})
}

// TestAValueThatIsLostIsTold: the event can be read to its end, what it stands for cannot.
func TestAValueThatIsLostIsTold(t *testing.T) {
	crash(t, func(t *testing.T) {
		b := manyEvents(3000)
		b.MetadataFirst = true
		b.Constant("jdk.types.Symbol", 1, "symbol")
		ty := b.Event("test.Symbols", jfrtest.Const("symbol", "jdk.types.Symbol"))
		b.Emit(ty, start, 1)
		rec, cut := cuttable(t, b.Bytes())
		require.NoError(t, rec.Chunks()[0].ConstantsErr())
		symbol := mmapjfr.Path("symbol")
		last, err := rec.EventByOrdinal(3000)
		require.NoError(t, err)
		require.Equal(t, "symbol", last.Str(symbol))
		info := rec.Size()
		n := 0
		var errs []error
		for ev, err := range rec.Events() {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if n++; n == 1 {
				cut(info / 2 &^ 4095)
				assert.Empty(t, last.Str(symbol))
				assert.Zero(t, ev.Int(symbol))
			}
			if n == 2 {
				require.Len(t, errs, 1, "it comes at once")
				break
			}
		}
		require.ErrorIs(t, errs[0], mmapjfr.ErrTruncated)
	})
}
