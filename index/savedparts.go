package index

// SavedChunkInfo is what a saved index has of one chunk.
type SavedChunkInfo struct {
	// Offset is where the chunk begins, from the start of the recording.
	Offset uint64
	// Size is the number of bytes of the chunk.
	Size uint64
	// Blocks and Constants are how many bytes of the saved index the two take; both
	// are 0 if nothing is saved of the chunk.
	Blocks, Constants uint64
}

// ReadSavedChunks tells what a saved index has of each chunk, in their order. It fails
// as [ReadSavedInfo] does, and looks at no more.
func ReadSavedChunks(saved []byte) ([]SavedChunkInfo, error) {
	f, err := readSaved(saved)
	if err != nil {
		return nil, err
	}
	parts := make([]SavedChunkInfo, f.chunks)
	for i := range parts {
		e := f.entry(i)
		parts[i] = SavedChunkInfo{le.Uint64(e), le.Uint64(e[8:]), le.Uint64(e[96:]), le.Uint64(e[112:])}
	}
	return parts, nil
}
