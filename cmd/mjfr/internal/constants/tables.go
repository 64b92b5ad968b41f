package constants

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// table shows the number of constants of each type.
func (v *verb) table(set *input.Set) error {
	return writePools(v, v.pools(set), []string{"Constants", "Copies", "Bytes", "Checkpoints"}, func(p constants.Pool) (string, []uint64) {
		return p.Type, []uint64{p.Constants, p.Copies, p.Bytes, p.Checkpoints}
	})
}

// pools returns the number of constants of each type.
func (v *verb) pools(set *input.Set) []constants.Pool {
	var t constants.Table
	for _, rec := range set.Recordings {
		err := t.Add(rec, nil)
		if !v.unused && v.used == nil {
			v.Damage(set.Name(rec), err) // otherwise constantsOf reports it
		}
	}
	return t.Pools()
}

// somePool is the number of constants of a type that nothing refers to, or that selected events
// refer to.
type somePool struct {
	Type      string `json:"type"`
	Unused    uint64 `json:"unused,omitzero"`
	Used      uint64 `json:"used,omitzero"`
	Constants uint64 `json:"constants"`
	Bytes     uint64 `json:"bytes"`
}

// tableOfSome shows the number of constants of each type that nothing refers to, or that selected
// events refer to.
func (v *verb) tableOfSome(ctx context.Context, set *input.Set) error {
	title := "Used"
	if v.unused {
		title = "Unused"
	}
	bar := v.Progress("looking for constants", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	of := make(map[string]*somePool)
	for _, rec := range set.Recordings {
		for c := range v.constantsOf(ctx, set, rec, bar.Add) {
			p := of[engine.TypeRecordedName(c.Type)]
			if p == nil {
				p = &somePool{Type: engine.TypeRecordedName(c.Type)}
				of[p.Type] = p
			}
			if v.unused {
				p.Unused++
			} else {
				p.Used++
			}
			p.Bytes += c.Bytes
		}
	}
	bar.Done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	list := []somePool{}
	for _, all := range v.pools(set) {
		if p := of[all.Type]; p != nil {
			p.Constants = all.Constants
			list = append(list, *p)
		}
	}
	slices.SortStableFunc(list, func(a, b somePool) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return writePools(v, list, []string{title, "Constants", "Bytes"}, func(p somePool) (string, []uint64) {
		return p.Type, []uint64{p.Unused + p.Used, p.Constants, p.Bytes}
	})
}

// duplicatePool is the number of constants of a type that are equal to another one.
type duplicatePool struct {
	Type string `json:"type"`
	// Groups is the number of different values, and Duplicates the number of constants that repeat
	// one.
	Groups     uint64 `json:"groups"`
	Duplicates uint64 `json:"duplicates"`
	SpareBytes uint64 `json:"spareBytes"`
}

// tableOfDuplicates shows the number of equal constants of each type.
func (v *verb) tableOfDuplicates(ctx context.Context, set *input.Set) error {
	bar := v.Progress("comparing constants", cli.BytesOf(set), cli.AtEnd)
	defer bar.Done()
	of := make(map[string]*duplicatePool)
	list := []*duplicatePool{}
	for _, rec := range set.Recordings {
		for g := range v.groupsOf(ctx, set, rec, bar.Add) {
			name := engine.TypeRecordedName(g.Constants[0].Type)
			p := of[name]
			if p == nil {
				p = &duplicatePool{Type: name}
				of[name] = p
				list = append(list, p)
			}
			p.Groups++
			p.Duplicates += uint64(len(g.Constants) - 1)
			p.SpareBytes += g.WastedBytes()
		}
	}
	bar.Done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	slices.SortStableFunc(list, func(a, b *duplicatePool) int { return cmp.Compare(b.SpareBytes, a.SpareBytes) })
	return writePools(v, list, []string{"Groups", "Duplicates", "Bytes"}, func(p *duplicatePool) (string, []uint64) {
		return p.Type, []uint64{p.Groups, p.Duplicates, p.SpareBytes}
	})
}

// writePools writes the first pools of a list, as a JSON document or as a table with a row of
// counts for each type.
func writePools[P any](v *verb, list []P, titles []string, row func(P) (typeName string, counts []uint64)) error {
	if v.max > 0 {
		list = list[:min(v.max, len(list))]
	}
	if v.json {
		return v.WriteJSON(struct {
			Pools []P `json:"pools"`
		}{list})
	}
	columns := []terminal.Column{{Title: "Type"}}
	for _, title := range titles {
		columns = append(columns, terminal.Number(title))
	}
	t := terminal.NewTable(columns...)
	for _, p := range list {
		name, counts := row(p)
		cells := []terminal.Cell{terminal.Plain(name)}
		for _, n := range counts {
			cells = append(cells, terminal.Count(n))
		}
		t.Row(cells...)
	}
	return t.Write(v.Stdout, v.Style)
}
