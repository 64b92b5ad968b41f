package redact

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"strconv"
	"sync"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// numbers gives numbers other ones. The blocks of a cipher mix bits, so that no two numbers of a type become the same.
type numbers struct {
	once sync.Once
	mix  cipher.Block
}

// number returns what takes the place of a number of a field.
func (r *Redactor) number(act action, of rewrite.Place, n int64) int64 {
	switch act.verb {
	case hash, pseudonym:
		return r.otherNumber(of, n)
	case generalise:
		return generalNumber(of, n)
	case constant:
		return constantNumber(of, act.text)
	}
	return 0
}

// constantNumber returns the number that a text says, or 0 if it is none that fits any type.
func constantNumber(of rewrite.Place, text string) int64 {
	switch c, err := strconv.ParseInt(text, 10, 8); {
	case of.Number == rewrite.Real:
		x, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return 0
		}
		return realBits(x, of.Bits)
	case of.Number == rewrite.Boolean && (text == "true" || c != 0):
		return 1
	case err == nil && of.Number != rewrite.Boolean && (c >= 0 || of.Number != rewrite.Unsigned):
		return c
	}
	return 0
}

// generalNumber returns a number with its first digit alone, as in 8000 for 8443. Of a boolean nothing is left.
func generalNumber(of rewrite.Place, n int64) int64 {
	switch of.Number {
	case rewrite.Boolean:
		return 0
	case rewrite.Real:
		x := realOf(n, of.Bits)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return n
		}
		short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 0, of.Bits), of.Bits)
		if err != nil {
			return n // the greatest ones
		}
		return realBits(short, of.Bits)
	}
	unit := int64(1)
	for n/unit >= 10 || n/unit <= -10 {
		unit *= 10
	}
	return n / unit * unit
}

// otherNumber returns the number that stands for another one, of the same sign. A boolean becomes false: whichever took
// its place would say as much as it does.
func (r *Redactor) otherNumber(of rewrite.Place, n int64) int64 {
	class := classOfNumber(of, n)
	switch {
	case of.Number == rewrite.Boolean:
		return 0
	case class == special:
		return n
	}
	mask := ^uint64(0) >> (64 - of.Bits)
	for v := uint64(n) & mask; ; {
		v = r.permuted(v, of.Bits)
		is := int64(v)
		if of.Number == rewrite.Integer {
			is = int64(v<<(64-of.Bits)) >> (64 - of.Bits)
		}
		// The numbers of a class are mixed among themselves: the next one of the cycle in which n lies takes its place.
		if classOfNumber(of, is) == class {
			return is
		}
	}
}

// numberClass is what a number shares with the one that takes its place.
type numberClass uint8

const (
	ordinary numberClass = iota
	negative
	special // no number, or half of a character
)

func classOfNumber(of rewrite.Place, n int64) numberClass {
	switch of.Number {
	case rewrite.Real:
		x := realOf(n, of.Bits)
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return special
		case math.Signbit(x):
			return negative
		}
	case rewrite.Unsigned:
		if utf16.IsSurrogate(rune(n)) {
			return special
		}
	case rewrite.Integer:
		if n < 0 {
			return negative
		}
	}
	return ordinary
}

// permuted returns the number that stands for another one of as many bits: a Feistel network, whose halves the cipher
// mixes.
func (r *Redactor) permuted(v uint64, bits int) uint64 {
	r.numbers.once.Do(func() {
		r.numbers.mix, _ = aes.NewCipher(r.key.sum("number", "")[:16]) // a key of that length is never wrong
	})
	const rounds = 10
	half := bits / 2
	mask := uint64(1)<<half - 1
	left, right := v>>half, v&mask
	var block [aes.BlockSize]byte
	for round := range rounds {
		clear(block[:])
		block[0], block[1] = byte(round), byte(bits)
		binary.BigEndian.PutUint64(block[8:], right)
		r.numbers.mix.Encrypt(block[:], block[:])
		left, right = right, left^binary.BigEndian.Uint64(block[:])&mask
	}
	return left<<half | right
}

// realOf returns the number of the bits of a float or a double.
func realOf(n int64, bits int) float64 {
	if bits == 32 {
		return float64(math.Float32frombits(uint32(n)))
	}
	return math.Float64frombits(uint64(n))
}

func realBits(x float64, bits int) int64 {
	if bits == 32 {
		return int64(math.Float32bits(float32(x)))
	}
	return int64(math.Float64bits(x))
}
