package verify

import (
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// document is what mjfr verify --json prints of a recording.
type document struct {
	File    string `json:"file"`
	Verdict string `json:"verdict"`
	// Reason is why the recording could not be read.
	Reason      string         `json:"reason,omitempty"`
	SizeBytes   int64          `json:"sizeBytes"`
	Chunks      int            `json:"chunks"`
	Events      uint64         `json:"events"`
	Checkpoints uint64         `json:"checkpoints"`
	Constants   uint64         `json:"constants"`
	References  uint64         `json:"references"`
	Errors      uint64         `json:"errors"`
	Warnings    uint64         `json:"warnings"`
	Notes       uint64         `json:"notes"`
	Kinds       []kindJSON     `json:"kinds"`
	Groups      []verify.Group `json:"groups"`
	Findings    []findingJSON  `json:"findings"`
}

// kindJSON is a kind of finding and its number in a recording.
type kindJSON struct {
	Kind     verify.Kind     `json:"kind"`
	Severity verify.Severity `json:"severity"`
	Count    uint64          `json:"count"`
	Meaning  string          `json:"meaning"`
}

// findingJSON is a finding with its severity.
type findingJSON struct {
	Severity verify.Severity `json:"severity"`
	verify.Finding
}

// document returns the result for programs.
func (o *options) document(v *verified) document {
	r := v.report
	d := document{
		File: v.file, Verdict: o.verdict(v), Reason: v.reason(), SizeBytes: v.size,
		Chunks: r.Chunks, Events: r.Events, Checkpoints: r.Checkpoints, Constants: r.Constants, References: r.References,
		Errors: r.Count(verify.Error), Warnings: r.Count(verify.Warning), Notes: r.Count(verify.Note),
		Kinds: []kindJSON{}, Groups: append([]verify.Group{}, r.Groups...), Findings: []findingJSON{},
	}
	for _, c := range r.Counts {
		d.Kinds = append(d.Kinds, kindJSON{c.Kind, c.Kind.Severity(), c.Count, c.Kind.Meaning()})
	}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, findingJSON{f.Kind.Severity(), f})
	}
	return d
}
