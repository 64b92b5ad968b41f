//go:build unix

package mmapjfr_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// TestWhatLivesOnDoesNotTouchTheRecording takes away the recording's memory and
// uses all that is said to be valid after Close. A string that is an alias would
// end the process.
func TestWhatLivesOnDoesNotTouchTheRecording(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			data, err := unix.Mmap(-1, 0, len(file), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			require.NoError(t, err)
			defer func() { assert.NoError(t, unix.Munmap(data)) }()
			copy(data, file)

			rec, err := mmapjfr.OpenBytes(data)
			require.NoError(t, err)
			heir := inherit(t, rec)
			require.NoError(t, rec.Close())
			require.NoError(t, unix.Mprotect(data, unix.PROT_NONE))
			same := openBytes(t, file)
			assert.Equal(t, inherit(t, same).tell(), heir.tell())
			if wire.Debug {
				return // views panic
			}
			// Views answer as if nothing were there, without looking.
			for _, ev := range heir.events {
				_ = ev.Type().Label()
				require.Empty(t, engine.EventBytes(ev))
				for f, v := range ev.Fields() {
					require.Zero(t, v.Int(), f.Name())
					require.Empty(t, v.Str(), f.Name())
				}
				require.True(t, ev.StackTrace().IsZero())
			}
		})
	}
}

// TestWhatLivesOnDoesNotTouchTheMap is the same for a recording and its saved index that
// are mapped.
func TestWhatLivesOnDoesNotTouchTheMap(t *testing.T) {
	mmapjfr.SetSmallIndex(t, 0)
	file := placed(t, sizable(t))
	var want string
	for i, used := range []bool{false, true} {
		rec, err := mmapjfr.Open(file, indexes(t, file))
		require.NoError(t, err)
		require.Equal(t, used, engine.RecordingIndex(rec).Loaded())
		heir := inherit(t, rec)
		require.NoError(t, rec.Close())
		got := heir.tell()
		if i == 0 {
			want = got
		}
		assert.Equal(t, want, got)
	}
}

// heirs are what lives on when a recording is closed.
type heirs struct {
	rec    *mmapjfr.Recording
	events []mmapjfr.Event
	errs   []error
	texts  []string
	times  []time.Time
	zones  []*time.Location
	types  []mmapjfr.Type
}

func inherit(t *testing.T, rec *mmapjfr.Recording) *heirs {
	t.Helper()
	h := &heirs{rec: rec}
	h.events, h.errs = walk(t, rec.Select())
	h.texts = stringsOf(h.events)
	for _, ev := range h.events {
		h.times = append(h.times, ev.Start(), ev.End())
	}
	for _, c := range rec.Chunks() {
		locale, zone, err := engine.ChunkRegion(c)
		require.NoError(t, err)
		h.texts, h.zones = append(h.texts, locale), append(h.zones, zone)
		types, err := c.Types()
		require.NoError(t, err)
		h.types = append(h.types, types...)
	}
	h.zones = append(h.zones, engine.RecordingLocation(rec))
	_, err := rec.EventAtOffset(3)
	h.errs = append(h.errs, err)
	_, _, err = h.types[len(h.types)-1].Resolve(mmapjfr.Path("no.such.field"))
	h.errs = append(h.errs, err)
	return h
}

// tell tells all there is to tell of what lives on.
func (h *heirs) tell() string {
	var b []byte
	add := func(list ...string) {
		for _, s := range list {
			b = append(append(b, s...), '\n')
		}
	}
	add(h.texts...)
	for _, at := range h.times {
		add(at.String())
	}
	for _, zone := range h.zones {
		add(zone.String())
	}
	add(errors.Join(h.errs...).Error())
	for _, typ := range h.types {
		b = appendType(b, typ)
		add(typ.Category()...)
		for _, s := range typ.Settings() {
			add(s.Name(), s.Default(), s.Type().Name())
		}
		for _, f := range typ.Fields() {
			add(f.Label(), f.Description())
		}
	}
	for _, ev := range h.events {
		add(fmt.Sprint(ev.Type(), ev.Offset()), ev.Type().Label())
	}
	for _, c := range h.rec.Chunks() {
		add(c.Start().String(), c.Duration().String(), c.End().String(), engine.ChunkTicksToTime(c, 1).String(), engine.ChunkTicksToDuration(c, 12345).String())
		if trail := engine.ChunkIndex(c).TrailingErr(); trail != nil {
			add(trail.Error())
		}
	}
	add(h.rec.Start().String(), h.rec.End().String(), h.rec.Duration().String())
	return string(b)
}

// stringsOf returns texts of many kinds, none of which needs the recording any more.
func stringsOf(events []mmapjfr.Event) (list []string) {
	for _, ev := range events {
		for _, v := range ev.Fields() {
			list = append(list, v.Str(), v.Text(), string(v.AppendStr(nil)))
		}
		for f := range ev.StackTrace().Frames() {
			list = append(list, f.Method().Class().Name(), f.Method().Name(), engine.MethodDescriptor(f.Method()), f.Kind(), engine.FrameValue(f).Text(), f.Text(), f.Method().Signature())
			list = append(list, engine.ClassInternalName(f.Method().Class()), f.Method().Class().Package(), f.Method().Class().Loader().Name())
		}
		if len(list) > 20_000 {
			break
		}
	}
	return slices.Clip(list)
}
