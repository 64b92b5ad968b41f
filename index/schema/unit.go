package schema

import (
	"github.com/mmapjfr/jfr/internal/jdktypes"
	"github.com/mmapjfr/jfr/internal/wire"
)

// Unit is what the numbers of a field count, as its annotations say.
type Unit uint8

// The units. Those of time say in what the file counts; they are converted with
// the clock of the chunk.
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

// IsTimestamp tells whether the unit is a point in time.
func (u Unit) IsTimestamp() bool { return u == TimestampTicks || u == TimestampMillis }

// IsTimespan tells whether the unit is a length of time.
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

// applyAnnotations reads from the annotations of a field what its numbers
// count. The first unit stands; a frequency behind an amount makes it a rate.
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
