package profile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
	"github.com/mmapjfr/jfr/internal/saturate"
	"github.com/mmapjfr/jfr/mmapjfr/profile"
)

// change is a row of a table of --diff: what samples weigh themselves.
type change struct {
	name      string
	base, now int64
}

func (c change) by() int64 { return saturate.Add(c.now, -c.base) }

// changes returns what has changed from one table to another, the most first.
func changes(base, now []profile.TopRow) (list []change) {
	before := make(map[string]int64)
	for _, r := range base {
		before[r.Name] = r.Self
	}
	for _, r := range now {
		list = append(list, change{r.Name, before[r.Name], r.Self})
		delete(before, r.Name)
	}
	for name, n := range before {
		list = append(list, change{name, n, 0})
	}
	list = slices.DeleteFunc(list, func(c change) bool { return c.base == 0 && c.now == 0 })
	slices.SortFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(max(b.by(), -b.by()), max(a.by(), -a.by())), strings.Compare(a.name, b.name))
	})
	return list
}

// signed returns a number of a column with its sign.
func signed(c profile.Column, n int64) terminal.Cell {
	text := cell(c, max(n, -n))
	switch {
	case n < 0:
		text.Text, text.Raw = "-"+text.Text, "-"+text.Raw
	case n > 0:
		text.Text = "+" + text.Text
	}
	return text
}

// writeChanges writes the table of --diff.
func (v *verb) writeChanges(w io.Writer, p *profile.Profile) error {
	c := v.column(p)
	top := func(p *profile.Profile) []profile.TopRow { return p.Top(c, profile.By(v.by), v.dotted()) }
	rows := changes(top(v.base), top(p))
	var base, now int64
	for _, r := range rows {
		base, now = saturate.Add(base, r.base), saturate.Add(now, r.now)
	}
	if v.Style.Aligned {
		if _, err := fmt.Fprintf(w, "%s: %s before, %s now\n\n", c.Kind.Title, cell(c, base).Text, cell(c, now).Text); err != nil {
			return err
		}
	}
	left := 0
	if v.rows > 0 && len(rows) > v.rows {
		left = len(rows) - v.rows
		rows = rows[:v.rows]
	}
	weight := func(title string) terminal.Column {
		return terminal.Column{Title: title, Right: true, Unit: c.Kind.Name + " " + unitText(c)}
	}
	columns := []terminal.Column{weight("Base"), weight("Now"), weight("Change"), v.nameColumn(c)}
	var cells [][]terminal.Cell
	for _, r := range rows {
		cells = append(cells, []terminal.Cell{cell(c, r.base), cell(c, r.now), signed(c, r.by()), terminal.Plain(r.name)})
	}
	if err := v.writeTable(w, columns, cells); err != nil || left == 0 || !v.Style.Aligned {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s more; --rows 0 shows all\n", terminal.CountOf(uint64(left), "row"))
	return err
}
