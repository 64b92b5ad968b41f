// Package jfrdebug helps packages to check, in builds with the tag jfrdebug, that memory is
// used by the goroutine and in the time that it belongs to. It does nothing in other builds.
package jfrdebug
