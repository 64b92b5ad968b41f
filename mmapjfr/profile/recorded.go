package profile

import (
	"context"
	"slices"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// Recorded returns the kinds that recordings have samples of, if they have events of the types that has names. It reads settings
// alone, which say whether events of a type are samples of a time; what of them cannot be read is left out.
func Recorded(ctx context.Context, recs []*mmapjfr.Recording, has func(event string) bool) (list []Kind) {
	var bySettings []knownKind
	for _, k := range kinds {
		if slices.ContainsFunc(k.sources, func(s source) bool { return s.mode.needsSettings() && has(s.event) }) {
			bySettings = append(bySettings, k)
		}
	}
	counted := make(map[string]bool) // kinds of whose settings say that there are samples
	for _, rec := range recs {
		if len(bySettings) == 0 {
			break
		}
		known := readFacts(ctx, rec, rec.Chunks(), bySettings).settings
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, t := range types {
				on := known[c.Number()].samplers(t.ID())
				for _, k := range bySettings {
					n := k.position(t.Name())
					counted[k.Name] = counted[k.Name] || n >= 0 && has(t.Name()) && slices.ContainsFunc(stateClasses[:], func(state string) bool {
						return on.counts(k.sources[n].mode, state)
					})
				}
			}
		}
	}
	for _, k := range kinds {
		if counted[k.Name] || slices.ContainsFunc(k.sources, func(s source) bool { return !s.mode.needsSettings() && s.mode != lost && has(s.event) }) {
			list = append(list, k.Kind)
		}
	}
	return list
}
