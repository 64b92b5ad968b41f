package columns

import (
	"github.com/mmapjfr/jfr/internal/javaname"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// RecordingID returns the key of a recording.
func RecordingID(rec *mmapjfr.Recording) string { return recordingID(rec, machineOf(rec.Chunks()...)) }

// StackID returns the number of a stack by its content.
func StackID(frames []Frame, truncated bool) int64 {
	b := make([]byte, 0, 128*len(frames)+1)
	for i := range frames {
		f := &frames[i]
		b = appendPlace(appendTexts(b, javaname.Stable(f.Method.Class), f.Method.Name, f.Method.Descriptor), f.Type, f.Line, f.BCI)
	}
	return stackID(b, truncated)
}
