package writer

import (
	"errors"
	"math"
	"time"
)

// Option changes how a recording is written.
type Option func(*options) error

type options struct {
	chunkSize int
	chunkAge  time.Duration
	clock     func() time.Time
	region    region
}

// region is where the program runs, for readers that print times.
type region struct {
	locale string
	offset time.Duration
}

// defaultChunkSize is the size at which the JVM ends a chunk.
const defaultChunkSize = 12 << 20

func defaultOptions() options {
	_, offset := time.Now().Zone()
	return options{
		chunkSize: defaultChunkSize, chunkAge: math.MaxInt64, clock: time.Now,
		region: region{"en_US", time.Duration(offset) * time.Second},
	}
}

// ChunkSize ends a chunk when it has that many bytes; 12 MiB by default, at least 4 KiB. A chunk gets larger by one
// event at most, besides metadata.
func ChunkSize(bytes int) Option {
	return func(o *options) error {
		if bytes < 4096 || bytes > 1<<30 {
			return errors.New("the size of a chunk must be between 4 KiB and 1 GB")
		}
		o.chunkSize = bytes
		return nil
	}
}

// ChunkAge ends a chunk when its events are of a longer time, at the next event or flush. By default
// a chunk ends when it is full.
func ChunkAge(d time.Duration) Option {
	return func(o *options) error {
		if d <= 0 {
			return errors.New("the age of a chunk must be above 0")
		}
		o.chunkAge = d
		return nil
	}
}

// Clock sets the clock by which chunks begin and end, and recorders time events; time.Now by
// default. A program that converts older data returns the time of the data it is at: events may begin
// up to an hour before the time at which the writer was made.
func Clock(now func() time.Time) Option {
	return func(o *options) error {
		if now == nil {
			return errors.New("the clock must not be nil")
		}
		o.clock = now
		return nil
	}
}
