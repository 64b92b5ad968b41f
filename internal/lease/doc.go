//go:build !jfrdebug

// Package lease lets packages that hand out events of mmapjfr for a while end that time,
// in builds with the tag jfrdebug. There is nothing in it without.
package lease
