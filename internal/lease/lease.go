//go:build jfrdebug

// Package lease lets packages that hand out events of mmapjfr for a while end that time,
// in builds with the tag jfrdebug. There is nothing in it without.
package lease

// Event returns the event, an mmapjfr.Event, as one that can only be read until end is
// called. The package mmapjfr sets it.
var Event func(ev any) (lent any, end func())
