package tally

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Quantiles tells what part of some numbers is below what. The zero Quantiles has none.
//
// It counts them in buckets: numbers from -255 to 255 are exact; of others the answer differs
// from the number itself by no more than 1/256, 0.4 %. Count, sum, least and greatest are
// exact. It takes some 16 bytes for each bucket that is in use, of which there are 128 between
// a number and its double, however many numbers there are.
type Quantiles struct {
	count    uint64
	sum      int64
	min, max int64
	buckets  map[int16]uint64
}

// exact is up to where each number has a bucket; from there on each doubling has half as many.
const (
	exactBits = 8
	exact     = 1 << exactBits
	half      = exact / 2
)

// bucketOf returns the bucket of a number: those of negative ones are negative.
func bucketOf(n int64) int16 {
	if n < 0 {
		return -bucketOfSize(uint64(-n)) // the least int64 stays what it is, which is right
	}
	return bucketOfSize(uint64(n))
}

func bucketOfSize(n uint64) int16 {
	if n < exact {
		return int16(n)
	}
	shift := bits.Len64(n) - exactBits
	return int16(exact + (shift-1)*half + int(n>>shift) - half)
}

// middleOf returns the number in the middle of a bucket.
func middleOf(bucket int16) int64 {
	if bucket < 0 {
		return -middleOf(-bucket)
	}
	if bucket < exact {
		return int64(bucket)
	}
	shift := (int(bucket)-exact)/half + 1
	low := uint64((int(bucket)-exact)%half+half) << shift
	return int64(min(low+1<<(shift-1), math.MaxInt64))
}

// Add adds a number.
func (q *Quantiles) Add(n int64) {
	q.add(1, n, n, n)
	q.buckets[bucketOf(n)]++
}

// add adds what is known of some numbers, without their buckets.
func (q *Quantiles) add(count uint64, sum, least, greatest int64) {
	if q.count == 0 {
		q.min, q.max = least, greatest
		q.buckets = make(map[int16]uint64)
	}
	q.count += count
	q.sum += sum
	q.min, q.max = min(q.min, least), max(q.max, greatest)
}

// Merge adds the numbers of others.
func (q *Quantiles) Merge(o *Quantiles) {
	if o.count == 0 {
		return
	}
	q.add(o.count, o.sum, o.min, o.max)
	for bucket, n := range o.buckets {
		q.buckets[bucket] += n
	}
}

// Count returns how many numbers there are.
func (q *Quantiles) Count() uint64 { return q.count }

// Sum returns the sum of the numbers, see [Row].
func (q *Quantiles) Sum() int64 { return q.sum }

// Min returns the least number, and Max the greatest; 0 if there are none.
func (q *Quantiles) Min() int64 { return q.min }

// Max returns the greatest number; 0 if there are none.
func (q *Quantiles) Max() int64 { return q.max }

// Mean returns the mean of the numbers; 0 if there are none.
func (q *Quantiles) Mean() float64 {
	if q.count == 0 {
		return 0
	}
	return float64(q.sum) / float64(q.count)
}

// At returns a number which a part p of all numbers do not exceed: At(0.5) is the median,
// At(0.99) the 99th percentile, At(0) the least and At(1) the greatest. It is the number of
// that rank, or differs from it by up to 1/256; 0 if there are no numbers. Parts below 0 and
// above 1, and NaN, are taken for 0 and 1.
func (q *Quantiles) At(p float64) int64 {
	if q.count == 0 {
		return 0
	}
	switch {
	case p >= 1:
		return q.max
	case !(p > 0): // also for NaN
		return q.min
	}
	rank := max(1, uint64(math.Ceil(p*float64(q.count))))
	for _, bucket := range slices.Sorted(maps.Keys(q.buckets)) {
		if n := q.buckets[bucket]; n < rank {
			rank -= n
			continue
		}
		return min(max(middleOf(bucket), q.min), q.max)
	}
	return q.max
}

// quantilesJSON is how quantiles are written.
type quantilesJSON struct {
	Count   uint64           `json:"count"`
	Sum     int64            `json:"sum"`
	Min     int64            `json:"min"`
	Max     int64            `json:"max"`
	Buckets map[int16]uint64 `json:"buckets"`
}

// MarshalJSON writes the counts of all buckets.
func (q *Quantiles) MarshalJSON() ([]byte, error) {
	return json.Marshal(quantilesJSON{q.count, q.sum, q.min, q.max, q.buckets})
}

// UnmarshalJSON reads what [Quantiles.MarshalJSON] has written. What was there before is gone.
func (q *Quantiles) UnmarshalJSON(data []byte) error {
	var read quantilesJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("tally: quantiles: %w", err)
	}
	left, fit := read.Count, read.Min <= read.Max
	for bucket, n := range read.Buckets {
		fit = fit && n > 0 && n <= left && bucket >= bucketOf(read.Min) && bucket <= bucketOf(read.Max)
		left -= n
	}
	if left != 0 || !fit {
		return errors.New("tally: quantiles: the buckets do not fit the count, the minimum and the maximum")
	}
	*q = Quantiles{read.Count, read.Sum, read.Min, read.Max, read.Buckets}
	return nil
}
