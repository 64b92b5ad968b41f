// Package fleet runs the work of mjfr batch on Apache Beam: many recordings become one answer for each key, on one
// machine or on many.
//
//	p, s := beam.NewPipelineWithRoot()
//	err := fleet.Build(s, fleet.Job{Note: asked.Note, Inputs: []string{"s3://bucket/day/"}, Out: "out"})
//	_, err = beamx.RunWithMetrics(ctx, p)
//
// It is a module of its own, so that Beam's modules reach nobody who reads a recording.
//
// # Steps
//
// One worker lists the objects and plans items, as [batch.Plan] does: small objects together, and large ones by
// themselves, in ranges if their answers add up. Workers read some items each. What an item holds of a key is a
// [batch.Partial]. A combiner merges these in any order. A last step writes the files of each key, by the code of mjfr batch
// merge.
//
// # Failures
//
// What cannot be read of an object is damage, which is listed in damage.ndjson and stops nothing. A bundle that fails is
// done again by the engine, and gives the same. Files are written under another name and renamed, and hold the same
// bytes each time.
package fleet
