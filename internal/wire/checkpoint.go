package wire

// CheckpointHead is the beginning of a checkpoint, after its event header (FORMAT.md,
// section 6.1).
type CheckpointHead struct {
	// Start and Duration are in ticks.
	Start, Duration int64
	// Delta leads to the next older checkpoint, from the beginning of this one; 0 ends the
	// chain.
	Delta int64
	// Mask says what the checkpoint is for.
	Mask uint8
	// Pools is the number of pools that follow.
	Pools int
}

// ReadCheckpointHead decodes the head of the checkpoint that the cursor is in. The cursor is not
// OK afterwards if the checkpoint ends too early.
func ReadCheckpointHead(c *Cursor) CheckpointHead {
	return CheckpointHead{Start: c.Long(), Duration: c.Long(), Delta: c.Long(), Mask: c.Byte(), Pools: c.Count()}
}
