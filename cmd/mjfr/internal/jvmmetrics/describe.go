package jvmmetrics

import "strings"

// Row describes a metric.
type Row struct {
	// Name is the full name, with its unit and, of counters, _total.
	Name string
	// Type is "gauge", "counter" or "histogram".
	Type string
	// Unit is what the value counts: "bytes", "seconds", "ratio" (from 0 to 1) or
	// "hertz"; empty for things.
	Unit string
	// Labels are the names of the labels.
	Labels []string
	// Events are the event types that it is made of; none for what is about this
	// process or about all types.
	Events []string
	// Help says in a sentence what it is, without a full stop.
	Help string
}

// Describe returns all metrics, those of one area together.
func Describe() []Row { return newCatalog().rows }

// unitOf returns the unit that a name ends in.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"bytes", "seconds", "ratio", "hertz"} {
		if strings.HasSuffix(name, "_"+unit) {
			return unit
		}
	}
	return ""
}
