package flamegraph

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// packed returns bytes, fewer than 1<<24, as web/expand.js expands them. It takes two seconds for a
// megabyte, and 16 MB of memory.
func packed(data []byte) []byte {
	p := newPredictor(len(data))
	out := []byte{byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16)}
	low, high := uint32(0), uint32(math.MaxUint32)
	for _, b := range data {
		p.begin()
		for node := 1; node < 256; {
			chance := p.predict(node)
			middle := low + uint32(math.Floor(float64(high-low)*chance))
			bit := int(b) >> (8 - bits.Len(uint(node))) & 1
			if bit == 1 {
				high = middle
			} else {
				low = middle + 1
			}
			for ; (low^high)>>24 == 0; low, high = low<<8, high<<8|255 {
				out = append(out, byte(high>>24))
			}
			p.learn(node, bit)
			node = node*2 + bit
		}
		p.end(b)
	}
	return append(out, byte(high>>24), byte(high>>16), byte(high>>8), byte(high))
}

// expand returns what packed has packed, if that is no more than a number of bytes, and there are
// enough bytes.
func expand(data []byte, most int) (expanded []byte, ok bool) {
	const head = 7
	if len(data) < head {
		return nil, false
	}
	n := int(data[0]) | int(data[1])<<8 | int(data[2])<<16
	code, rest := binary.BigEndian.Uint32(data[3:]), data[head:]
	if n > most {
		return nil, false
	}
	p := newPredictor(n)
	low, high := uint32(0), uint32(math.MaxUint32)
	for range n {
		p.begin()
		node := 1
		for node < 256 {
			middle, bit := low+uint32(math.Floor(float64(high-low)*p.predict(node))), 0
			if code <= middle {
				high, bit = middle, 1
			} else {
				low = middle + 1
			}
			for ; (low^high)>>24 == 0; low, high = low<<8, high<<8|255 {
				if len(rest) == 0 {
					return nil, false
				}
				code = code<<8 | uint32(rest[0])
				rest = rest[1:]
			}
			p.learn(node, bit)
			node = node*2 + bit
		}
		p.end(byte(node))
	}
	return p.out, true
}

// contexts are those of web/expand.js.
var contexts = []int{0, 1, 3, 7, 14, 2, 27, 113}

const half = 1 << 31 // so that 0 in the table is a chance of a half

// predictor predicts bits. Products are converted: processors that add to them at once would round
// otherwise.
type predictor struct {
	slots            uint     // bits of the numbers of slots
	table            []uint32 // chances, and in the last three bits how often they were met
	weights          []float64
	chance, evidence []float64
	out              []byte
	hashes, bases    []uint32
	found            []float64 // evidence in each context
	word             uint32
	before           int     // the byte before
	sum, sum2        float64 // of the mixers
}

func newPredictor(size int) *predictor {
	slots := uint(14)
	if size > 512 {
		slots = 19
	}
	n := len(contexts) + 1
	p := &predictor{
		slots: slots,
		table: make([]uint32, n<<slots+16), weights: make([]float64, n<<9),
		hashes: make([]uint32, n), bases: make([]uint32, n), found: make([]float64, n),
	}
	for i := range p.weights {
		p.weights[i] = 0.1
	}
	v := 1e-4
	for k := range 4096 {
		p.chance = append(p.chance, v/(1+v))
		for float64(len(p.evidence)) < float64(p.chance[k]*4096)-0.5 {
			p.evidence = append(p.evidence, float64(k-2048))
		}
		v *= 1.0045
	}
	return p
}

// begin computes the contexts of a byte.
func (p *predictor) begin() {
	for i, mask := range contexts {
		p.hashes[i] = 0
		for d := 1; mask > 0; d, mask = d+1, mask>>1 {
			if mask&1 == 1 {
				before := byte(0)
				if d <= len(p.out) {
					before = p.out[len(p.out)-d]
				}
				p.hashes[i] = mix(p.hashes[i], before)
			}
		}
	}
	p.hashes[len(contexts)] = p.word
}

func mix(hash uint32, b byte) uint32 {
	hash = (hash + uint32(b) + 1) * 0x2f0b4c47
	return hash ^ hash>>15
}

// predict returns the chance that the next bit is 1; node is 1 and the bits before it.
func (p *predictor) predict(node int) float64 {
	p.sum, p.sum2 = 0, 0
	one, two := p.weightsOf(node)
	for i, hash := range p.hashes {
		if node == 1 || node>>4 == 1 { // the slots of half a byte lie side by side
			p.bases[i] = (hash+uint32(node))*0x9e3779b1>>(32-p.slots) + uint32(i)<<p.slots
		}
		p.found[i] = p.evidence[(p.table[p.bases[i]+leaf(node)]^half)>>20]
		p.sum += float64(one[i] * p.found[i])
		p.sum2 += float64(two[i] * p.found[i])
	}
	return p.mixed((p.sum + p.sum2) / 2)
}

// weightsOf returns the weights of both mixers.
func (p *predictor) weightsOf(node int) (one, two []float64) {
	n := len(p.hashes)
	return p.weights[node*n:][:n], p.weights[(256|p.before)*n:][:n]
}

func (p *predictor) mixed(sum float64) float64 { return p.chance[int(min(max(sum+2048, 0), 4095))] }

func (p *predictor) learn(node, bit int) {
	step, step2 := (float64(bit)-p.mixed(p.sum))*1.7e-5, (float64(bit)-p.mixed(p.sum2))*1.7e-5
	one, two := p.weightsOf(node)
	for i, base := range p.bases {
		one[i] += float64(step * p.found[i])
		two[i] += float64(step2 * p.found[i])
		slot := &p.table[base+leaf(node)]
		value := *slot ^ half
		count, old := value&7, int(value>>3)
		by := math.Trunc(float64(bit*0x1fffffff-old) / (float64(count) + 1.02))
		*slot = (uint32(old+int(by))<<3 | min(count+1, 3)) ^ half
	}
}

// leaf returns the part of a node that is of its half of the byte.
func leaf(node int) uint32 {
	if node < 16 {
		return uint32(node)
	}
	n := bits.Len(uint(node)) - 5 // bits of this half
	return uint32(1<<n | node&(1<<n-1))
}

func (p *predictor) end(b byte) {
	p.out, p.before = append(p.out, b), int(b)
	if b == '$' || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' {
		p.word = mix(p.word, b)
	} else {
		p.word = 0
	}
}
