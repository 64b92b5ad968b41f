package jvmstats

import (
	"maps"
	"slices"
	"time"
)

// Minute is how many seconds recent things are of.
const Minute = minute

// Rankings are for tests that look at one alone.
type Ranking = ranking

// Top returns the names, counts and weights of the places.
func (k *ranking) Top(now int64) (names []string, counts, weights []int64) {
	for _, p := range k.top(now) {
		names, counts, weights = append(names, p.name), append(counts, p.count), append(weights, p.weight)
	}
	return
}

// Add is add.
func (k *ranking) Add(second int64, name string, weight int64) { k.add(second, []byte(name), weight) }

// Len returns how many names are kept.
func (k *ranking) Len() int { return len(k.rows) }

// All returns the weight of all.
func (k *ranking) All(now int64) int64 { return k.all.weight.sum(now, minute) }

// Ring is for tests that look at one alone.
type Ring struct{ ring }

// Add is add.
func (r *Ring) Add(second, n int64) { r.add(second, n) }

// Raise is raise.
func (r *Ring) Raise(second, n int64) { r.raise(second, n) }

// Sum is sum.
func (r *Ring) Sum(now, seconds int64) int64 { return r.sum(now, seconds) }

// Peak is peak.
func (r *Ring) Peak(now, seconds int64) int64 { return r.peak(now, seconds) }

// Clock is for tests that look at one alone.
type Clock struct{ clock }

// See is see.
func (c *Clock) See(nanos int64) int64 { return c.see(nanos) }

// Flush is flush.
func (c *Clock) Flush(at time.Time) { c.flush(at) }

// Now returns the time as the events have it, in nanoseconds.
func (c *Clock) Now() int64 { return c.time(c.now).UnixNano() }

// SetWall makes v ask for the time of the process there.
func (v *Vitals) SetWall(wall func() time.Time) { v.wall = wall }

// EventTypes returns the types whose values are known.
func (v *Vitals) EventTypes() []string { return slices.Sorted(maps.Keys(v.handlers)) }
