package firefox

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/profile/export/internal/timeline"
)

// display says how a counter is drawn.
type display struct {
	GraphType   string       `json:"graphType"`
	Unit        string       `json:"unit"`
	Color       string       `json:"color"`
	Label       string       `json:"label"`
	SortWeight  int          `json:"sortWeight"`
	SchemaPlace *string      `json:"markerSchemaLocation"`
	TooltipRows []tooltipRow `json:"tooltipRows"`
}

type tooltipRow struct {
	Type   string            `json:"type"`
	Source string            `json:"source"`
	Format map[string]string `json:"format"`
	Label  string            `json:"label"`
}

// graphColors are for counters.
var graphColors = []string{"blue", "green", "orange", "purple", "red", "teal", "magenta", "yellow"}

// counters writes the counters of the process. Those of threads are graphs of their markers.
func (e *encoder) counters() {
	written := 0
	for i := range e.t.Series {
		s := &e.t.Series[i]
		if s.Thread != 0 {
			continue
		}
		if written > 0 {
			e.raw(",\n")
		}
		e.counter(s, e.points[i], written)
		written++
	}
}

// counter writes a counter. Its numbers are differences.
func (e *encoder) counter(s *timeline.Series, points []point, n int) {
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	unit, format := "", "number"
	switch s.Field.Unit {
	case mmapjfr.Bytes:
		unit, format = "bytes", "bytes"
	case mmapjfr.Percentage:
		unit, format = "percent", "percent"
	}
	e.raw(`{"name":`)
	e.string(s.Name)
	e.raw(`,"category":`)
	e.string(s.Type)
	e.raw(`,"description":`)
	e.string(s.Type + "." + s.Field.Name)
	e.raw(`,"pid":`)
	e.string(e.pid())
	e.raw(`,"mainThreadIndex":0,"samples":{`)
	e.column("time", len(points), func(dst []byte, i int) []byte { return appendMillis(dst, e.relative(points[i].at)) })
	e.column("count", len(points), func(dst []byte, i int) []byte {
		delta := points[i].n
		if i > 0 {
			delta -= points[i-1].n
		}
		return strconv.AppendFloat(dst, min(max(delta, -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)
	})
	e.length(len(points))
	e.raw(`,"display":`)
	e.value(display{"line-accumulated", unit, graphColors[n%len(graphColors)], s.Name, 20 + n, nil,
		[]tooltipRow{{"value", "accumulated", map[string]string{"unit": format}, s.Name}}})
	e.raw("}")
}
