package schema

import (
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Unit is the unit of a field's numbers, by its annotations.
type Unit uint8

// The units. Those of time say in what the file counts; the clock of the chunk converts ticks.
const (
	NoUnit Unit = iota
	// TimestampTicks is a point in time, in ticks of the chunk's clock.
	TimestampTicks
	// TimestampMillis is a point in time, in milliseconds since 1970, UTC.
	TimestampMillis
	// The timespans.
	TimespanTicks
	TimespanSeconds
	TimespanMillis
	TimespanMicros
	TimespanNanos
	// Bytes and Bits are amounts of data.
	Bytes
	Bits
	// Percentage is a share: 1 is all of it.
	Percentage
	// Hertz is a frequency.
	Hertz
	// Address is a place in memory.
	Address
)

// IsTimestamp reports whether the unit is a point in time.
func (u Unit) IsTimestamp() bool { return u == TimestampTicks || u == TimestampMillis }

// IsTimespan reports whether the unit is a length of time.
func (u Unit) IsTimespan() bool { return u >= TimespanTicks && u <= TimespanNanos }

var timestampUnits = map[string]Unit{
	"TICKS":                    TimestampTicks,
	"MILLISECONDS_SINCE_EPOCH": TimestampMillis,
}

var timespanUnits = map[string]Unit{
	"TICKS":        TimespanTicks,
	"SECONDS":      TimespanSeconds,
	"MILLISECONDS": TimespanMillis,
	"MICROSECONDS": TimespanMicros,
	"NANOSECONDS":  TimespanNanos,
}

var dataUnits = map[string]Unit{
	"BYTES": Bytes,
	"BITS":  Bits,
}

// applyAnnotations sets the unit of a field from its annotations. The first unit counts; a
// frequency of an amount of data makes it a rate.
func (f *Field) applyAnnotations() {
	f.Unit, f.Rate, f.Unsigned = NoUnit, false, false
	frequency := false
	unit := func(u Unit) {
		if f.Unit == NoUnit {
			f.Unit = u
		}
	}
	for i := range f.Annotations {
		wire.Step()
		a := &f.Annotations[i]
		switch a.Name() {
		case jdktypes.Timestamp:
			unit(timestampUnits[a.Text("value")])
		case jdktypes.Timespan:
			unit(timespanUnits[a.Text("value")])
		case jdktypes.DataAmount:
			unit(dataUnits[a.Text("value")])
		case jdktypes.Percentage:
			unit(Percentage)
		case jdktypes.MemoryAddress:
			unit(Address)
		case jdktypes.Frequency:
			frequency = true
		case jdktypes.Unsigned:
			f.Unsigned = true
		}
	}
	if frequency {
		f.Rate = f.Unit == Bytes || f.Unit == Bits
		unit(Hertz)
	}
}
