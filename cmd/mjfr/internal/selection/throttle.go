package selection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// Throttled says of which event types that pass filters a JVM can have left out some: of those that
// it records only a number of in a time, and that came about as often. It says nothing about
// samples, which stand for others, nor about recordings that would have to be fetched.
func Throttled(ctx context.Context, set *input.Set, filters ...mmapjfr.Filter) (notes []string) {
	if slices.ContainsFunc(set.Recordings, engine.RecordingIsFetched) {
		return nil
	}
	names := make(map[string]bool)
	for _, t := range typesOf(set, filters) {
		w, isSample := weigh.WeightOf(t.Name(), "")
		isThrottled := slices.ContainsFunc(t.Settings(), func(s mmapjfr.Setting) bool { return s.Name() == throttle })
		if isThrottled && !(isSample && w.IsEstimate()) {
			names[t.Name()] = true
		}
	}
	alike := make(map[string][]string)
	for _, rec := range set.Recordings {
		for name, limit := range throttles(ctx, rec, names) {
			if !slices.Contains(alike[limit], name) && isNear(ctx, rec, name, limit) {
				alike[limit] = append(alike[limit], name)
			}
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(alike)) {
		list := slices.Sorted(slices.Values(alike[limit]))
		notes = append(notes, fmt.Sprintf("the recording has at most %s of %s: counts and sums can be too low; record with %s#throttle=off for all",
			limit, strings.Join(list, ", "), list[0]))
	}
	return notes
}

const throttle = "throttle"

// throttles returns the throttles that a recording says first of event types.
func throttles(ctx context.Context, rec *mmapjfr.Recording, names map[string]bool) map[string]string {
	found := make(map[string]string)
	if len(names) == 0 {
		return found
	}
	for name, ev := range settingsIn(ctx, rec) {
		if names[name] && found[name] == "" && ev.Str(settingName) == throttle {
			found[name] = ev.Str(settingValue)
		}
		if len(found) == len(names) {
			break
		}
	}
	return found
}

// isNear reports whether events of a type came about as often as a throttle allows, such as 100/s.
// The JVM counts a fifth of them in each fifth of the time, unless there are few; two of the fifths
// here have all of one of the JVM's.
func isNear(ctx context.Context, rec *mmapjfr.Recording, name, limit string) bool {
	number, unit, _ := strings.Cut(limit, "/")
	most, err := strconv.ParseInt(number, 10, 64)
	length, ok := parseunit.Duration("1" + unit)
	if err != nil || !ok || most <= 0 {
		return false // it is off
	}
	if most > 9 && length <= time.Minute {
		most, length = most/5, length/5
	}
	counts := make(map[int64]int64)
	for ev, err := range rec.Select(mmapjfr.Types(name)).Events() {
		if err != nil || ctx.Err() != nil {
			break
		}
		at := engine.EventEndNanos(ev) / int64(length)
		counts[at]++
		if counts[at]+max(counts[at-1], counts[at+1]) >= most {
			return true
		}
	}
	return false
}
