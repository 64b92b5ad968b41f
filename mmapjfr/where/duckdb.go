package where

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/sqltext"
)

// DuckDB returns the condition in DuckDB's dialect, for tables as docs/COLUMNS.md has them. Column returns what a
// field is there, as an expression; its error ends DuckDB. As in [Condition.Matches], what is null is equal to nothing,
// and a negated comparison holds for it.
func (c *Condition) DuckDB(column func(field string) (string, error)) (string, error) {
	return c.root.duckDB(column)
}

func (j *junction) duckDB(column func(field string) (string, error)) (string, error) {
	var parts []string
	for _, n := range j.parts {
		part, err := n.duckDB(column)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	between := " AND "
	if j.or {
		between = " OR "
	}
	return "(" + strings.Join(parts, between) + ")", nil
}

func (c *comparison) duckDB(column func(field string) (string, error)) (string, error) {
	of, err := column(c.field)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, t := range c.terms {
		part, err := t.duckDB(of)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	between := " OR "
	if c.all {
		between = " AND "
	}
	text := "coalesce(" + strings.Join(parts, between) + ", false)"
	if c.not {
		text = "NOT " + text
	}
	return text, nil
}

// duckDB returns the comparison of an expression with the value.
func (c *term) duckDB(of string) (string, error) {
	value := sqltext.Text(c.value.text)
	switch {
	case c.value.null:
		return of + " IS NULL", nil
	case len(c.frames) > 1:
		return "", fmt.Errorf("a stack trace cannot be compared with %s in SQL", c.value.text)
	case c.op == match:
		return "regexp_matches(CAST(" + of + " AS VARCHAR), " + value + ")", nil
	case c.value.isTimespan && !c.value.isDecimal:
		value = strconv.FormatInt(int64(c.value.timespan), 10)
	case c.value.isNumber && !c.value.isDecimal:
		value = strconv.FormatFloat(c.value.number, 'g', -1, 64)
	case c.value.isPercent:
		value = strconv.FormatFloat(c.value.percent, 'g', -1, 64)
	}
	return of + " " + [...]string{"=", "<", "<=", ">", ">="}[c.op] + " " + value, nil
}
