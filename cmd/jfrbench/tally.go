package main

import (
	"context"
	"errors"
	"strings"

	"github.com/mmapjfr/jfr/index"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// The names of the two structures that are framed like events.
const (
	metadataName   = summary.MetadataName
	checkpointName = summary.CheckpointName
)

// isStructure reports whether that is the name of one of them, in any format.
func isStructure(name string) bool {
	name = strings.TrimPrefix(name, summary.OldPrefix)
	return name == metadataName || name == checkpointName
}

// count counts the events of a recording by the name of their type: ids mean nothing
// across chunks. What is wrong inside it is part of the result.
func count(rec *mmapjfr.Recording, progress func(bytes uint64)) (byName map[string]index.EventCount, s *summary.Summary) {
	s, _ = summary.Count(context.Background(), []*mmapjfr.Recording{rec}, progress) // nobody cancels it
	byName = make(map[string]index.EventCount, len(s.Types))
	for _, t := range s.Types {
		sum := byName[t.Name]
		sum.Add(t.EventCount)
		byName[t.Name] = sum
	}
	return byName, s
}

// lost returns that the file was cut while it was read, if it was. Other faults have a
// place in the file, and other stages tell of them, too.
func lost(faults []summary.Fault) error {
	for _, f := range faults {
		if !errors.As(f.Err, new(*mmapjfr.FormatError)) {
			return f.Err
		}
	}
	return nil
}
