package jvmtest

import "github.com/mmapjfr/jfr/mmapjfr"

// Sampled reports whether an event is in the sample of one event in every that
// a [Consumer] writes, by its type and start, so that two readers take the same sample.
// It takes none if every is 0.
func Sampled(ev mmapjfr.Event, every uint64) bool {
	return every > 0 && sampleHash(ev.Type().Name(), ev.Start().UnixNano())%every == 0
}

// sampleHash is FNV-1a, folded so that its low bits are as good as the others.
func sampleHash(name string, nanos int64) uint64 {
	const prime = 0x100000001b3
	hash := uint64(0xcbf29ce484222325)
	for _, c := range []byte(name) {
		hash = (hash ^ uint64(c)) * prime
	}
	for n := range 8 {
		hash = (hash ^ uint64(byte(nanos>>(8*n)))) * prime
	}
	return hash ^ hash>>32
}
