//go:build jfrdebug

package mmapjfr_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// needNoBytes are the methods of views that answer after Close, besides Format: they look
// at nothing that is in the recording.
var needNoBytes = map[string][]string{
	"Event": {"Detached", "IsZero", "Type", "Chunk", "Offset", "String", "Has"},
	"Value": {
		"Kind", "IsNull", "IsMissing", "IsAbsent", "Type", "Field", "Key", "Unit",
		"Thread", "Class", "ClassLoader", "Method", "StackTrace", "Frame", "Decode", // which says so with an error
	},
	"Thread":      {"IsZero", "Key", "Value"},
	"ThreadGroup": {"IsZero"},
	"Class":       {"IsZero", "Key", "Value"},
	"ClassLoader": {"IsZero", "Key", "Value"},
	"Method":      {"IsZero", "Key", "Value"},
	"StackTrace":  {"IsZero", "Key", "Value"},
	"Frame":       {"Value"},
	"Chunk": {
		"Number", "Index", "Offset", "Size", "Version", "Start", "Duration", "End", "TicksPerSecond",
		"TicksToTime", "TicksToNanos", "TicksToDuration", "Finished", "Final", "Select", "Growing", "String",
		"CachedConstantsErr", "EventsOffset", "HasVarints", "IsUnflushed", "Recording", "Repeats", "SameJVM",
		"Region", "Types", "ConstantsErr", "Protect", "WriteRange", "EventsOf", "JVM", "DropPages", // they say so with an error, or do nothing
		"AllTypes", "ConstantReader", "Errors", "EventHeaderAt", "EventType",
	},
}

// TestEveryAccessorPanicsAfterClose calls all methods of all views.
func TestEveryAccessorPanicsAfterClose(t *testing.T) {
	rec := openFile(t, "jdk25-profile.jfr")
	var views []any
	for ev, err := range rec.Select(mmapjfr.Types("jdk.ExecutionSample")).Events() {
		require.NoError(t, err)
		stack := ev.StackTrace()
		frame := stack.Frame(0)
		method := frame.Method()
		thread := ev.Get(mmapjfr.Path("sampledThread")).Thread()
		loader := method.Class().Loader()
		if loader.IsZero() || thread.Group().IsZero() {
			continue
		}
		views = append(views, ev, stack, frame, method, method.Class(), loader, thread, thread.Group(), ev.Chunk())
		views = append(views, ev.Value(), ev.Get(mmapjfr.Path("startTime")))
		views = append(views, engine.ThreadValue(thread).Get(mmapjfr.Path("javaName")), engine.StackTraceValue(stack).Get(mmapjfr.Path("frames")))
		break
	}
	require.NotEmpty(t, views)
	thread, ok := rec.Type("java.lang.Thread")
	require.True(t, ok)
	at, err := rec.EventByOrdinal(7)
	require.NoError(t, err)
	views = append(views, at)
	require.NoError(t, rec.Close())
	for _, view := range views {
		v := reflect.ValueOf(view)
		name := v.Type().Name()
		for i := range v.NumMethod() {
			method := name + "." + v.Type().Method(i).Name
			if !slices.Contains(printed, v.Type().Method(i).Name) && slices.Contains(needNoBytes[name], v.Type().Method(i).Name) || answers(view, v.Type().Method(i).Name) {
				assert.NotPanics(t, func() { callAll(thread, v.Method(i)) }, method)
				continue
			}
			func() {
				defer func() {
					said := recover()
					if said == nil && slices.Contains(printed, v.Type().Method(i).Name) {
						return // what is printed of some views needs no bytes
					}
					assert.Regexp(t, "^mmapjfr: [A-Z][A-Za-z]+(\\.[A-Z][A-Za-z0-9]+)? is called after .*jdk25-profile.jfr was closed$", said, method)
				}()
				callAll(thread, v.Method(i))
				if !slices.Contains(printed, v.Type().Method(i).Name) {
					assert.Fail(t, "it answers", method)
				}
			}()
		}
	}
}

// printed are the methods by which views are printed.
var printed = []string{"String"}

// answers reports whether a method has no need of bytes because the value is of another
// kind.
func answers(view any, method string) bool {
	if ev, ok := view.(mmapjfr.Event); ok {
		return method == "Thread" && !ev.Has(mmapjfr.Path("@thread"))
	}
	v, ok := view.(mmapjfr.Value)
	if !ok {
		return false
	}
	switch method {
	case "Get", "Fields":
		return v.Kind() != mmapjfr.KindStruct
	case "Elements", "Index", "AppendElementInts", "VarintElements":
		return v.Kind() != mmapjfr.KindArray
	case "IsUnset":
		return v.Kind() != mmapjfr.KindLong
	}
	return false
}

// callAll calls a method, and ranges over what it returns if that is an iterator.
func callAll(typ mmapjfr.Type, method reflect.Value) {
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		switch in := method.Type().In(i); in {
		case reflect.TypeFor[*mmapjfr.FieldPath]():
			args = append(args, reflect.ValueOf(mmapjfr.Path("startTime")))
		case reflect.TypeFor[mmapjfr.Type]():
			args = append(args, reflect.ValueOf(typ))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	if method.Type().IsVariadic() {
		args = args[:len(args)-1]
	}
	for _, out := range method.Call(args) {
		if out.Kind() == reflect.Func {
			yield := reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true)}
			})
			out.Call([]reflect.Value{yield})
		}
	}
}
