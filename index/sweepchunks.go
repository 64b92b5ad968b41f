package index

import "context"

// SweepChunks is [Index.SweepContext] for some chunks of a recording. It is for those
// who go through the chunks in turn, and are done with the constants of some before
// they come to the next: those of the last 32 at least are not forgotten.
func SweepChunks(ctx context.Context, chunks []*Chunk, workers int) error {
	sweepChunks(ctx, chunks, workers, func(uint64) {})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
