package flamegraph

import (
	"math"
	"math/bits"
)

// packed returns a script as web/expand.js expands it.
func packed(script []byte) []byte {
	p := newPredictor()
	var out []byte
	low, high := uint32(0), uint32(math.MaxUint32)
	for _, b := range append(script[:len(script):len(script)], 0) {
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
			p.learn(node, bit, chance)
			node = node*2 + bit
		}
		p.end(b)
	}
	return append(out, byte(high>>24), byte(high>>16), byte(high>>8), byte(high))
}

// contexts are those of web/expand.js.
var contexts = []int{0, 1, 3, 7, 15, 61, 5}

// predictor predicts bits. Products are converted: processors that add to them at once would round
// otherwise.
type predictor struct {
	chances, weights []float64
	counts           []uint8
	chance, evidence []float64
	out              []byte
	hashes, slots    []uint32
	word             uint32
}

func newPredictor() *predictor {
	n := len(contexts) + 1
	p := &predictor{
		chances: make([]float64, n<<18), weights: make([]float64, n<<8), counts: make([]uint8, n<<18),
		hashes: make([]uint32, n), slots: make([]uint32, n),
	}
	for i := range p.chances {
		p.chances[i] = 0.5
	}
	for i := range p.weights {
		p.weights[i] = 0.15
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
	sum := 2048.0
	for i, hash := range p.hashes {
		p.slots[i] = (hash+uint32(node))*0x9e3779b1>>14 + uint32(i)<<18
		sum += float64(p.weights[node*len(p.hashes)+i] * p.evidence[int(p.chances[p.slots[i]]*4095)])
	}
	return p.chance[int(min(max(sum, 0), 4095))]
}

func (p *predictor) learn(node, bit int, chance float64) {
	for i, slot := range p.slots {
		step := float64((float64(bit) - chance) * 1e-5)
		p.weights[node*len(p.slots)+i] += float64(step * p.evidence[int(p.chances[slot]*4095)])
		p.chances[slot] += (float64(bit) - p.chances[slot]) / (float64(p.counts[slot]) + 1.1)
		if p.counts[slot] < 4 {
			p.counts[slot]++
		}
	}
}

func (p *predictor) end(b byte) {
	p.out = append(p.out, b)
	if b == '$' || b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' {
		p.word = mix(p.word, b)
	} else {
		p.word = 0
	}
}
