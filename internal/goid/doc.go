// Package goid tells goroutines apart, in builds with the tag jfrdebug that look for
// goroutines which use what belongs to another.
package goid
