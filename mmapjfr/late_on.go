//go:build jfrdebug

package mmapjfr

import "fmt"

// late is called where a view finds that its bytes have gone. It panics if that is
// because the recording was closed. While some iteration still goes on it does not:
// Close may be called inside a loop, and other loops come to know of it at their next
// event.
func (c *chunk) checkLateUse() {
	if c.rec.use() == nil {
		c.rec.done()
		return // they have gone for another reason
	}
	if c.rec.users.Load() > 0 {
		return
	}
	after := "the recording was closed, or the live chunk has grown"
	switch {
	case c == poisonedChunk:
		after = "the slice that it was in has been used again"
	case c.rec.path != "":
		after = c.rec.path + " was closed"
	}
	panic(fmt.Sprintf("mmapjfr: %s is called after %s", accessor(), after))
}
