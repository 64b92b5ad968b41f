package main

import "github.com/spf13/cobra"

// verbs make what mjfr can do. In which order help lists it is told by groups.
var verbs = []func(*app) *cobra.Command{
	newPrint,
	newTail,
	newMetadata,
	newConstants,
	newSummary,
	newTypes,
	newChunks,
	newVersion,
	newEvents,
	newAt,
	newIndex,
	newVerify,
	newRepair,
	newWatch,
	newMan,
	newJVMs,
	newCompletion,
}

func init() {
	for _, v := range laterVerbs {
		verbs = append(verbs, newLater(v))
	}
}
