package open

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// chosen is the time and the threads that a request is about.
type chosen struct {
	from, to time.Time // zero for no bound
	threads  []string  // nil for all
}

// chosenBy returns what a request chooses by the parameters with these names.
func chosenBy(r *http.Request, from, to string) (c chosen, err error) {
	q := r.URL.Query()
	if c.from, err = timeOf(q.Get(from), from); err != nil {
		return c, err
	}
	if c.to, err = timeOf(q.Get(to), to); err != nil {
		return c, err
	}
	if !c.to.IsZero() && c.to.Before(c.from) {
		return c, wrong("%s is after %s", from, to)
	}
	c.threads = slices.Sorted(slices.Values(q["thread"]))
	return c, nil
}

// choose returns what a request chooses.
func choose(r *http.Request) (chosen, error) { return chosenBy(r, "from", "to") }

// timeOf returns a point in time that is given in milliseconds since 1970.
func timeOf(text, name string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(ms) > math.MaxInt64/1e6 || ms != ms {
		return t, wrong("%s=%s: give milliseconds since 1970, as in %[1]s=1764000000000.5", name, text)
	}
	whole, part := math.Modf(ms)
	return time.UnixMilli(int64(whole)).Add(time.Duration(math.Round(part * 1e6))).UTC(), nil
}

// millis returns a point in time in milliseconds since 1970.
func millis(t time.Time) float64 { return float64(t.UnixNano()) / 1e6 }

// filters returns the filters of what is chosen.
func (c *chosen) filters() (list []mmapjfr.Filter) {
	if !c.from.IsZero() || !c.to.IsZero() {
		list = append(list, mmapjfr.Between(c.from, c.to))
	}
	if c.threads != nil {
		list = append(list, mmapjfr.ThreadsFunc(func(t mmapjfr.Thread) bool { return slices.Contains(c.threads, t.Name()) }))
	}
	return list
}

// number returns a whole number of a request, between 0 and most.
func number(r *http.Request, name string, usual, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, wrong("%s=%s: give a whole number", name, text)
	}
	return min(n, most), nil
}
