// Package tui shows how a running JVM is: on a terminal as a screen that changes with
// it, and elsewhere as lines or JSON.
//
// [Run] is the screen, [Plain] all else. What is shown comes from a [Source], as a rule
// vitals.Vitals and what it is called.
//
// Text of recordings is not to be trusted: before it gets anywhere near the terminal
// what is not seen is written as Go does, and what is too long is cut.
package tui
