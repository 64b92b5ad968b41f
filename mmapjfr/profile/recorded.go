package profile

import (
	"context"
	"slices"

	"github.com/mmapjfr/jfr/internal/weigh"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Recorded returns the kinds that recordings have samples of, if they have events of the types that has names. It reads settings
// alone, which say whether events of a type are samples of a time; what of them cannot be read is left out.
func Recorded(ctx context.Context, recs []*mmapjfr.Recording, has func(event string) bool) (list []Kind) {
	var bySettings []weigh.Kind
	for _, k := range weigh.Kinds {
		if slices.ContainsFunc(k.Sources, func(s weigh.Source) bool { return s.Mode.NeedsSettings() && has(s.Event) }) {
			bySettings = append(bySettings, k)
		}
	}
	counted := make(map[string]bool) // kinds of whose settings say that there are samples
	for _, rec := range recs {
		if len(bySettings) == 0 {
			break
		}
		known := weigh.ReadFacts(ctx, rec, rec.Chunks(), bySettings).Settings
		for _, c := range rec.Chunks() {
			types, _ := c.Types()
			for _, t := range types {
				on := known[c.Number()].Samplers(t.ID())
				for _, k := range bySettings {
					n := k.Position(t.Name())
					counted[k.Name] = counted[k.Name] || n >= 0 && has(t.Name()) && slices.ContainsFunc(stateClasses[:], func(state string) bool {
						return on.Counts(k.Sources[n].Mode, state)
					})
				}
			}
		}
	}
	for i, k := range weigh.Kinds {
		if counted[k.Name] || slices.ContainsFunc(k.Sources, func(s weigh.Source) bool { return !s.Mode.NeedsSettings() && s.Mode != weigh.Lost && has(s.Event) }) {
			list = append(list, kindOf(&weigh.Kinds[i]))
		}
	}
	return list
}
