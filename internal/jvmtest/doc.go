// Package jvmtest has what tests of following a live recording need: real JVMs that
// write one, the JDK's own stream to compare with, and states of live repositories
// that were seen once and are played again on machines without a JVM.
//
// # Real JVMs
//
// [Start] runs a program that commits events at a given rate and obeys commands: begins a new
// chunk, flushes, registers event types. [StartConsumer] runs the JDK's EventStream on a repository
// and returns what it delivered. Both skip the test where the JDK they need is not installed, and
// with -short. All processes end with the test.
//
// # Replay
//
// [Replay] makes the states of testdata/live again in a temporary folder, step by step or in time.
// How they were recorded and stored stands in testdata/live/README.md; they are recorded again with
//
//	go test ./internal/jvmtest -run Record -record
//
// # Concurrency
//
// What takes a testing.TB belongs to the goroutine of the test. A replay may go on in
// one goroutine while others read its files.
package jvmtest
