package corrupt

import "iter"

// Case is a damaged recording.
type Case struct {
	// Name says what has been done to which recording, and where.
	Name string
	// Data is the recording. It is nobody else's, but may share memory with the good
	// recording: it must not be written to.
	Data []byte
	// From is the least offset that an error about the damage may name. That is where the event
	// begins in which the first changed byte lies. Of a chunk whose header, metadata or chain of
	// checkpoints has been changed, or whose end, all counts as damaged: these say what all other
	// bytes of the chunk mean. So does all of a chunk that was not finished before.
	From uint64
}

// Set is all cases of one kind of damage to one recording.
type Set struct {
	// Kind is the kind of damage, such as "prefix".
	Kind string
	// Of is the name of the recording.
	Of string
	// Len is how many cases there are.
	Len int

	make func(i int) Case
}

// At returns case i.
func (s Set) At(i int) Case {
	c := s.make(i)
	c.Name = s.Of + ": " + c.Name
	return c
}

// Spread returns the numbers of n cases that are spread evenly, or of all if there are no more, or
// if n is 0. The order is not that of the numbers: wherever one stops, what has come is spread.
func (s Set) Spread(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if n == 0 || n > s.Len {
			n = s.Len
		}
		for i := range n {
			if !yield(s.Nth(i)) {
				return
			}
		}
	}
}

// Nth returns number n in the order of [Set.Spread], from the beginning again after the last.
func (s Set) Nth(n int) int {
	return int(uint64(n) * uint64(coprime(s.Len)) % uint64(s.Len))
}

// coprime returns a stride by which one comes through n numbers, each once: about the
// golden section of n, by which what has been visited is always spread evenly.
func coprime(n int) int {
	for stride := max(int(0.6180339887*float64(n)), 1); ; stride++ {
		if gcd(stride, n) == 1 {
			return stride
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
