package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// bounds are the times between which all events begin that a statement needs, the second one excluded.
type bounds struct{ from, to time.Time }

// DuckDB tells functions of a program which columns it needs, and not which rows. Its plan says that: where a filter stands
// right above the only scan of a statement, events that it leaves out need not be read. DuckDB filters again, so that
// bounds may be too wide.

// boundsOf returns the bounds of the scan of a statement, nil if they are not known.
func (e *engine) boundsOf(ctx context.Context, statement string) *bounds {
	if !strings.Contains(strings.ToLower(statement), "start_") {
		return nil
	}
	var key, plan string
	if err := e.conn.QueryRowContext(ctx, "EXPLAIN (FORMAT JSON)\n"+statement).Scan(&key, &plan); err != nil {
		return nil // to execute it says why
	}
	var list []planNode
	if json.Unmarshal([]byte(plan), &list) != nil {
		return nil
	}
	scans, filter := 0, ""
	for i := range list {
		list[i].visit(nil, func(n, parent *planNode) {
			if !n.isScan() {
				return
			}
			if scans++; parent != nil && strings.TrimSpace(parent.Name) == "FILTER" {
				filter, _ = parent.Info["Expression"].(string)
			}
		})
	}
	if scans != 1 {
		return nil
	}
	return boundsIn(filter)
}

// planNode is a part of a plan.
type planNode struct {
	Name     string         `json:"name"`
	Children []planNode     `json:"children"`
	Info     map[string]any `json:"extra_info"`
}

// isScan reports whether the node reads events.
func (n *planNode) isScan() bool {
	f, _ := n.Info["Function"].(string)
	return strings.EqualFold(f, "events") || strings.EqualFold(f, "jfr_events")
}

func (n *planNode) visit(parent *planNode, do func(n, parent *planNode)) {
	do(n, parent)
	for i := range n.Children {
		n.Children[i].visit(n, do)
	}
}

const (
	planTime  = `'([^']*)'::TIMESTAMP WITH TIME ZONE`
	timeOfSQL = "2006-01-02 15:04:05.999999999-07"
)

// timeBound, timeBetween and nanosBound are parts of filters that bound the start of events.
var (
	timeBound   = lazy.Regexp(`^start_time (>=|>|=|<|<=) ` + planTime + `$`)
	timeBetween = lazy.Regexp(`^start_time BETWEEN ` + planTime + ` AND ` + planTime + `$`)
	nanosBound  = lazy.Regexp(`^start_ns (>=|>|=|<|<=) (-?[0-9]+)$`)
)

// boundsIn returns the bounds that a filter has, nil if there is no lower one: events whose start is not known begin
// before all others, and are left out by a lower bound only.
func boundsIn(filter string) *bounds {
	b := &bounds{}
	for _, part := range conjuncts(filter) {
		if m := timeBetween().FindStringSubmatch(part); m != nil {
			b.addTime(">=", m[1])
			b.addTime("<=", m[2])
		} else if m := timeBound().FindStringSubmatch(part); m != nil {
			b.addTime(m[1], m[2])
		} else if m := nanosBound().FindStringSubmatch(part); m != nil {
			if ns, err := strconv.ParseInt(m[2], 10, 64); err == nil {
				b.add(m[1], time.Unix(0, ns).UTC(), 1)
			}
		}
	}
	if b.from.IsZero() {
		return nil
	}
	if !b.to.IsZero() && b.to.Before(b.from) {
		b.to = b.from
	}
	return b
}

// conjuncts returns the parts of an expression of which all must hold, without the parentheses around them.
func conjuncts(text string) (list []string) {
	text = strings.TrimSpace(text)
	if timeBetween().MatchString(text) {
		return []string{text}
	}
	depth, begin, quoted, whole := 0, 0, false, strings.HasPrefix(text, "(")
	var parts []string
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted // two of them are one in a text
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 && i < len(text)-1 {
				whole = false
			}
		case depth == 0 && strings.HasPrefix(text[i:], " AND "):
			parts, begin = append(parts, text[begin:i]), i+len(" AND ")
		}
	}
	switch {
	case whole && depth == 0 && strings.HasSuffix(text, ")"):
		return conjuncts(text[1 : len(text)-1])
	case len(parts) == 0:
		return []string{text}
	}
	for _, part := range append(parts, text[begin:]) {
		list = append(list, conjuncts(part)...)
	}
	return list
}

// addTime adds a bound of start_time, which is cut to microseconds.
func (b *bounds) addTime(op, text string) {
	if at, err := time.Parse(timeOfSQL, text); err == nil {
		b.add(op, at.UTC(), time.Microsecond)
	}
}

// add adds a bound of times that are cut to a unit.
func (b *bounds) add(op string, at time.Time, unit time.Duration) {
	if strings.HasPrefix(op, ">") || op == "=" {
		if b.from.IsZero() || at.After(b.from) {
			b.from = at
		}
	}
	if strings.HasPrefix(op, "<") || op == "=" {
		if op != "<" {
			at = at.Add(unit)
		}
		if b.to.IsZero() || at.Before(b.to) {
			b.to = at
		}
	}
}

// narrowed returns filters that leave out what the statement does not need.
func (e *engine) narrowed(filters []mmapjfr.Filter) []mmapjfr.Filter {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.bounds; b != nil {
		return append(filters[:len(filters):len(filters)], mmapjfr.Between(b.from, b.to))
	}
	return filters
}

// narrow sets the bounds of scans that are bound from now on.
func (e *engine) narrow(b *bounds) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bounds = b
}
