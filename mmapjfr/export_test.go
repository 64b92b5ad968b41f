package mmapjfr

// Mapped tells whether the recording's bytes are a memory map.
func (r *Recording) Mapped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mapping.unmap != nil
}

// Data returns the bytes of the recording; none after Close.
func (r *Recording) Data() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mapping.data
}

// Kept returns how many bytes are kept of the chunk for what is to come.
func (r *LiveReader) Kept() int { return len(r.pieces.kept) }

// Layouts returns how many sets of types there are layouts of.
func (l *Live) Layouts() int { return len(l.rec.layouts) }

// Held returns how many bytes the chunk and what is kept of it may take.
func (r *LiveReader) Held() int { return cap(r.pieces.kept) + cap(r.pieces.flush) + cap(r.in.buf) }
