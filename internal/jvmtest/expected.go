package jvmtest

// Expected is the truth about the files of a scenario: what they hold at its end, and
// of files that were removed, what they held before.
type Expected struct {
	// JDK is the version of the JVMs that wrote, Said that of the jfr that counted.
	JDK  string `json:"jdk"`
	Said string `json:"said"`
	// Note tells what there is to know of the scenario.
	Note  string         `json:"note"`
	Files []ExpectedFile `json:"files"`
}

// ExpectedFile is the truth about one chunk file.
type ExpectedFile struct {
	Name    string `json:"name"` // path in the base folder, with slashes
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Removed bool   `json:"removed"` // there no more at the end
	// Finished reports whether the JVM finished the chunk; if not, Flushed is less than
	// Size.
	Finished bool `json:"finished"`
	// Flushed is the size that its last header tells: all that may be read.
	Flushed int64 `json:"flushed"`
	// Events are those in what was flushed, by type, as jfr summary counts them in the
	// chunk on its own, an unfinished one cut to Flushed and marked as finished.
	Events map[string]uint64 `json:"events"`
	// Refused is what jfr says of a chunk it does not read.
	Refused string `json:"refused,omitempty"`
}

// Events returns how many events of each type all files together have.
func (e *Expected) Events() map[string]uint64 {
	sum := map[string]uint64{}
	for _, f := range e.Files {
		for name, n := range f.Events {
			sum[name] += n
		}
	}
	return sum
}
