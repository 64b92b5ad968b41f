package mapfile

import "time"

// Choose returns the pass for what touching and reading take.
func (p *Pieces) Choose(touch, read time.Duration) *Pass { return p.choose(touch, read) }

// IsCold reports whether the system is asked to read bytes before they are needed.
func (p *Pass) IsCold() bool { return p.ahead != nil }
