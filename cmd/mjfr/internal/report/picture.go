package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// The size of a picture, and of what is around its lines.
const (
	width, height         = 600, 150
	left, top, under, gap = 8, 30, 18, 8
)

// colors are those of lines, readable on white and on black.
var colors = []string{"#3b7ddd", "#d97706", "#16a34a", "#9b59d0", "#dc2626", "#7c8798"}

// line is a column of a picture.
type line struct {
	title  string
	points []point
	most   query.Value
}

// point is a value at a time.
type point struct {
	at    time.Time
	value float64
}

// withZeros returns rows, whose first value is the time of a point, with rows of zeros where there
// are no events: lines of sums go down between them.
func withZeros(rows func(func([]query.Value, error) bool), step time.Duration) func(func([]query.Value, error) bool) {
	return func(yield func([]query.Value, error) bool) {
		var last time.Time
		columns := 0
		zero := func(at time.Time) bool {
			row := slices.Repeat([]query.Value{query.NewValue(int64(0))}, columns)
			row[0] = query.NewValue(at)
			return yield(row, nil)
		}
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			columns = len(row)
			at := row[0].Time()
			if gap := at.Sub(last); gap > step*3/2 {
				if !last.IsZero() && gap > step*5/2 && !zero(last.Add(step)) || !zero(at.Add(-step)) {
					return
				}
			}
			if last = at; !yield(row, nil) {
				return
			}
		}
		if !last.IsZero() {
			zero(last.Add(step))
		}
	}
}

// writePicture writes a result whose first column is time as an SVG picture. It is false if there
// are no values.
func writePicture(w io.Writer, r *query.Result, zone *time.Location) (drawn bool, err error) {
	lines := make([]line, len(r.Columns))
	var from, to time.Time
	most := 0.0
	for row, err := range r.Rows {
		if err != nil {
			return false, err
		}
		at := row[0].Time()
		if from.IsZero() || at.Before(from) {
			from = at
		}
		if at.After(to) {
			to = at
		}
		for i := range row[1:] {
			l, v := &lines[i+1], row[i+1]
			f := v.Float()
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			l.points = append(l.points, point{at, f})
			if l.most.IsNull() || f > l.most.Float() {
				l.most = v
			}
			most = max(most, f)
		}
	}
	if from.IsZero() {
		return false, nil
	}
	for i := range lines {
		lines[i].title = r.Columns[i].Title
		if !lines[i].most.IsNull() {
			c := &r.Columns[i]
			lines[i].title += fmt.Sprintf(", up to %s", query.AppendNumber(nil, lines[i].most, c.Unit, c.Rate, -1))
		}
	}
	lines = slices.DeleteFunc(lines[1:], func(l line) bool { return len(l.points) == 0 })
	_, err = io.WriteString(w, draw(r.Title, lines, from, to, max(most, math.SmallestNonzeroFloat64), zone))
	return true, err
}

// draw returns the picture.
func draw(title string, lines []line, from, to time.Time, most float64, zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="sans-serif" font-size="11" fill="#7c8798">`,
		width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>", escape(title))
	bottom := height - under
	fmt.Fprintf(&b, `<path d="M%d %dH%dM%d %dH%d" stroke="#7c8798" stroke-opacity=".35"/>`, left, top, width-left, left, bottom, width-left)
	x := float64(left)
	for i, l := range lines {
		text := escape(l.title)
		fmt.Fprintf(&b, `<rect x="%.0f" y="6" width="9" height="9" rx="2" fill="%s"/><text x="%.0f" y="14">%s</text>`, x, colors[i%len(colors)], x+13, text)
		x += 13 + 6.2*float64(len([]rune(l.title))) + gap
	}
	length := max(1, float64(to.Sub(from)))
	for i, l := range lines {
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round" points="`, colors[i%len(colors)])
		for _, p := range l.points {
			fmt.Fprintf(&b, "%.1f,%.1f ", left+float64(p.at.Sub(from))/length*(width-2*left), float64(bottom)-p.value/most*float64(bottom-top))
		}
		b.WriteString(`"/>`)
	}
	const clock = "15:04:05"
	fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text></svg>`+"\n",
		left, height-4, from.In(zone).Format(clock), width-left, height-4, to.In(zone).Format(clock))
	return b.String()
}
