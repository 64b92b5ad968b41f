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
