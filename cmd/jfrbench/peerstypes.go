package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/internal/oracle"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// settingName is the type of the recorder's own settings.
const settingName = "jdk.ActiveSetting"

// onePercent returns the type whose events are nearest to 1 % of all, "" if there
// are no events. Settings are not chosen: there are as many as the JDK has types,
// whatever the program did.
func onePercent(types map[string]index.EventCount, events uint64) string {
	distance := func(name string) uint64 {
		hundredfold := 100 * types[name].Events
		return max(hundredfold, events) - min(hundredfold, events)
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(types)) {
		switch {
		case types[name].Events == 0, strings.TrimPrefix(name, summary.OldPrefix) == settingName, isStructure(name),
			strings.Contains(name, "(missing event metadata)"):
		case best == "" || distance(name) < distance(best):
			best = name
		}
	}
	return best
}

// differentTypes returns an error for the first type, by name, of which the JDK has other
// numbers than jfrbench. Types without events do not matter.
func differentTypes(theirs map[string]oracle.Count, ours map[string]typeJSON) error {
	names := map[string]bool{}
	for name, n := range theirs {
		if ours[name] != (typeJSON{n.Events, n.Bytes}) {
			names[name] = true
		}
	}
	for name, n := range ours {
		if _, ok := theirs[name]; !ok && n.Count > 0 {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(names)), cmp.Compare[string])
	t, o := theirs[first], ours[first]
	err := fmt.Errorf("of %s the JDK has %s in %s, jfrbench %s in %s", printable(first),
		plural(t.Events, "event"), plural(t.Bytes, "byte"), plural(o.Count, "event"), plural(o.Bytes, "byte"))
	if more := len(names) - 1; more > 0 {
		err = fmt.Errorf("%w; %s differ, too", err, plural(uint64(more), "more type"))
	}
	return err
}
