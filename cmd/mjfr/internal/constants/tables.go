package constants

import (
	"cmp"
	"context"
	"slices"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/mmapjfr/constants"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// table shows the number of constants of each type.
func (v *verb) table(set *input.Set) error {
	pools := firstOf(v.pools(set), v.max)
	if v.json {
		return v.writePools(pools)
	}
	t := terminal.NewTable(terminal.Column{Title: "Type"}, terminal.Number("Constants"),
		terminal.Number("Copies"), terminal.Number("Bytes"),
		terminal.Number("Checkpoints"))
	for _, p := range pools {
		t.Row(terminal.Plain(p.Type), terminal.Count(p.Constants), terminal.Count(p.Copies), terminal.Count(p.Bytes), terminal.Count(p.Checkpoints))
	}
	return t.Write(v.Stdout, v.Style)
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
			p := of[c.Type.Name()]
			if p == nil {
				p = &somePool{Type: c.Type.Name()}
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
	list = firstOf(list, v.max)
	if v.json {
		return v.writePools(list)
	}
	t := terminal.NewTable(terminal.Column{Title: "Type"}, terminal.Column{Title: title, Right: true},
		terminal.Number("Constants"), terminal.Number("Bytes"))
	for _, p := range list {
		t.Row(terminal.Plain(p.Type), terminal.Count(p.Unused+p.Used), terminal.Count(p.Constants), terminal.Count(p.Bytes))
	}
	return t.Write(v.Stdout, v.Style)
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
			name := g.Constants[0].Type.Name()
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
	list = firstOf(list, v.max)
	if v.json {
		return v.writePools(list)
	}
	t := terminal.NewTable(terminal.Column{Title: "Type"}, terminal.Number("Groups"),
		terminal.Number("Duplicates"), terminal.Number("Bytes"))
	for _, p := range list {
		t.Row(terminal.Plain(p.Type), terminal.Count(p.Groups), terminal.Count(p.Duplicates), terminal.Count(p.SpareBytes))
	}
	return t.Write(v.Stdout, v.Style)
}

// firstOf returns the first n elements of a list, or all if n is 0.
func firstOf[T any](list []T, n int) []T {
	if n > 0 {
		return list[:min(n, len(list))]
	}
	return list
}

// writePools writes a JSON document with a list of pools.
func (v *verb) writePools(list any) error {
	return v.WriteJSON(struct {
		Pools any `json:"pools"`
	}{list})
}
