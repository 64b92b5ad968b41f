package timeline

// SetPart sets how many bytes of a chunk are a part.
func (t *Timeline) SetPart(bytes uint64) { t.part = bytes }
