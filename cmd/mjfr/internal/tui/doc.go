// Package tui shows the state of a running JVM: on a terminal as a screen that is updated, and
// elsewhere as lines or JSON.
//
// [Run] shows the screen, and [Plain] writes lines and JSON. The state comes from a [Source],
// usually a [jvmstats.Vitals] with a title.
//
// Texts of recordings can contain control characters, which must not reach the terminal. They are
// written as Go does, and long texts are shortened.
package tui
