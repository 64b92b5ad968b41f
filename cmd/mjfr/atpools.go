package main

import "errors"

// atPool is a pool of a checkpoint.
type atPool struct {
	Class string `json:"class"`
	// Offset is where the first key lies.
	Offset    uint64 `json:"offset"`
	Constants uint64 `json:"constants"`
	Size      uint64 `json:"size"`
}

// atPools returns the pools of a checkpoint.
func atPools(p *atPlace) ([]atPool, error) {
	k, err := p.Chunk.Index().Constants()
	if err != nil {
		return nil, err
	}
	for _, c := range k.Checkpoints() {
		if c.Offset != p.Offset-p.Chunk.Offset() {
			continue
		}
		list := make([]atPool, 0, c.Pools)
		for _, pool := range k.Pools()[c.FirstPool:][:c.Pools] {
			name := "a class that is not described"
			if class := k.Type(pool.Type); class != nil {
				name = class.Name
			}
			list = append(list, atPool{name, p.Chunk.Offset() + pool.Offset, pool.Count, pool.Size})
		}
		return list, nil
	}
	return nil, errors.New("the chunk's chain of checkpoints does not lead here, so that nobody reads its pools; --hex shows its bytes")
}

// atTypes returns how many types a metadata event describes.
func atTypes(p *atPlace) (n int) {
	for l := range p.Lines() {
		if l.Path == "element" && l.Meaning == `"class"` {
			n++
		}
	}
	return n
}
