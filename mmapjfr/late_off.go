//go:build !jfrdebug

package mmapjfr

// late is called where a view finds that its bytes have gone. Only builds with the tag
// jfrdebug do something about it.
func (c *chunk) checkLateUse() {}
