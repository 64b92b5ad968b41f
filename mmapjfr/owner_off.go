//go:build !jfrdebug

package mmapjfr

// owner is the goroutine that a scratch belongs to, in builds with the tag jfrdebug.
type owner struct{}

// setOwner makes the goroutine that calls the owner.
func (*owner) setOwner() {}

// checkOwner panics if an event is read that this goroutine must not read.
func (*scratch) checkOwner() {}

// retire ends the time in which the scratch tells about events: what was in it cannot
// be used any more.
func (*scratch) retire() {}
