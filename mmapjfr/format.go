package mmapjfr

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/mmapjfr/jfr/internal/jdktypes"
)

// With every verb of package fmt, and in package log/slog, views print one line that identifies
// them: classes, methods and frames print their names, threads their numbers, events their type,
// time and offset. They print no internals, and no recorded strings. System properties,
// environment variables, command lines and paths may be secrets, and so may names of threads,
// which can name the user of a request. They should not get into a log by log.Printf("%+v", ev).
// Value.Str, Value.Text and Thread.Name return them.

// String returns the path and the size of the recording.
func (r *Recording) String() string {
	if r == nil {
		return "no recording"
	}
	if r.path == "" {
		return fmt.Sprintf("recording of %d bytes", r.size)
	}
	return fmt.Sprintf("recording %s of %d bytes", r.path, r.size)
}

// String returns the number of the chunk and where it begins.
func (c Chunk) String() string {
	if c.c == nil {
		return "no chunk"
	}
	return fmt.Sprintf("chunk %d at %#x", c.Number(), c.Offset())
}

// String returns the number of events and their type.
func (b *Batch) String() string {
	if b.typ == nil {
		return "no events"
	}
	return fmt.Sprintf("%d of %s", b.Len(), b.typ.Name)
}

// String returns what the selection is of. Filters may hold names of threads.
func (s *Selection) String() string { return "selection of " + s.rec.String() }

// String returns the type of the event, when it began and its offset, as in
// "jdk.CPULoad at 2026-11-21T00:49:17.354Z, offset 0x2a4c", but none of its fields.
func (e Event) String() string {
	if e.IsZero() {
		return "no event"
	}
	if t := e.Start(); !t.IsZero() {
		return fmt.Sprintf("%s at %s, offset %#x", e.Type().RecordedName(), t.Format(time.RFC3339Nano), e.Offset())
	}
	return fmt.Sprintf("%s at offset %#x", e.Type().RecordedName(), e.Offset())
}

// String returns numbers, classes, methods, frames and stack traces as [Value.Text] does, and
// threads as [Thread.String]. For strings it returns their length, and for arrays and other
// structs their type: their contents may be secret.
func (v Value) String() string {
	switch v.at.kind() { // of strings that are computed the text is no secret
	case KindString:
		return fmt.Sprintf("string of %d bytes", v.Len())
	case KindArray:
		return fmt.Sprintf("array of %d %s", v.Len(), v.Type().RecordedName())
	case KindStruct:
		return v.structString()
	}
	return string(v.appendText(nil, 0))
}

func (v Value) structString() string {
	switch v.Type().Name() {
	case jdktypes.Thread:
		return v.Thread().String()
	case jdktypes.Class, jdktypes.ClassLoader, jdktypes.Method, jdktypes.StackFrame, jdktypes.StackTrace:
		if text := v.named(); text != "" {
			return text
		}
	}
	return "struct " + v.Type().RecordedName()
}

// String returns the number of the thread in Java, as in "thread 36", or else in the operating
// system. Its name, which may be a secret, is [Thread.Name].
func (t Thread) String() string { return t.o.orNo(t.number(), "thread") }

// String returns the key of the group. Its name, which may be a secret, is
// [ThreadGroup.Name].
func (g ThreadGroup) String() string { return g.o.orNo("", "thread group") }

// String returns [Class.JavaName].
func (c Class) String() string { return c.o.orNo(c.JavaName(), "class") }

// String returns the name of the class loader, or that of its class.
func (l ClassLoader) String() string { return l.o.orNo(l.o.plain(), "class loader") }

// String returns [Method.Signature].
func (m Method) String() string { return m.o.orNo(m.Signature(), "method") }

// String returns [Frame.Text].
func (f Frame) String() string { return f.o.orNo(f.Text(), "frame") }

// String returns the innermost frame, and how many there are besides.
func (s StackTrace) String() string { return s.o.orNo(s.text(), "stack trace") }

// orNo returns the text if there is one, or else says what is missing, with its key.
func (o object) orNo(text, what string) string {
	switch {
	case o.c == nil:
		return "no " + what
	case text == "":
		return what + " " + strconv.FormatInt(o.key, 10)
	}
	return text
}

// String returns the name of the type.
func (t Type) String() string { return t.RecordedName() }

// String returns the name of the field.
func (f Field) String() string {
	if f.f == nil {
		return ""
	}
	return f.Name()
}

var kindTexts = [...]string{
	"none", "boolean", "byte", "char", "short", "int", "long", "float", "double", "string", "struct", "array",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindTexts) {
		return kindTexts[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// format writes a text for every verb, in the width that is asked for.
func format(w fmt.State, text string) { fmt.Fprintf(w, fmt.FormatString(w, 's'), text) }

// Format writes what String returns, for every verb.
func (r *Recording) Format(w fmt.State, _ rune) { format(w, r.String()) }

// Format writes what String returns, for every verb.
func (c Chunk) Format(w fmt.State, _ rune) { format(w, c.String()) }

// Format writes what String returns, for every verb.
func (b *Batch) Format(w fmt.State, _ rune) { format(w, b.String()) }

// Format writes "growing chunk", for every verb.
func (l *GrowingChunk) Format(w fmt.State, _ rune) { format(w, "growing chunk") }

// Format writes the path of the file, for every verb.
func (f *ChunkFollower) Format(w fmt.State, _ rune) { format(w, "growing chunk of "+f.path) }

// Format writes "stream of chunks", for every verb.
func (r *ChunkStream) Format(w fmt.State, _ rune) { format(w, "stream of chunks") }

// Format writes what String returns, for every verb.
func (s *Selection) Format(w fmt.State, _ rune) { format(w, s.String()) }

// Format writes what the cursor is of, for every verb.
func (c *Cursor) Format(w fmt.State, _ rune) { format(w, "cursor of "+c.rec.String()) }

// Format writes what String returns, for every verb.
func (e Event) Format(w fmt.State, _ rune) { format(w, e.String()) }

// Format writes what String returns, for every verb.
func (v Value) Format(w fmt.State, _ rune) { format(w, v.String()) }

// Format writes what String returns, for every verb.
func (s StackTrace) Format(w fmt.State, _ rune) { format(w, s.String()) }

// Format writes what String returns, for every verb.
func (f Frame) Format(w fmt.State, _ rune) { format(w, f.String()) }

// Format writes what String returns, for every verb.
func (m Method) Format(w fmt.State, _ rune) { format(w, m.String()) }

// Format writes what String returns, for every verb.
func (c Class) Format(w fmt.State, _ rune) { format(w, c.String()) }

// Format writes what String returns, for every verb.
func (l ClassLoader) Format(w fmt.State, _ rune) { format(w, l.String()) }

// Format writes what String returns, for every verb.
func (t Thread) Format(w fmt.State, _ rune) { format(w, t.String()) }

// Format writes what String returns, for every verb.
func (g ThreadGroup) Format(w fmt.State, _ rune) { format(w, g.String()) }

// Format writes what String returns, for every verb.
func (t Type) Format(w fmt.State, _ rune) { format(w, t.String()) }

// Format writes what String returns, for every verb.
func (f Field) Format(w fmt.State, _ rune) { format(w, f.String()) }

// LogValue returns what String does, for package log/slog.
func (r *Recording) LogValue() slog.Value { return slog.StringValue(r.String()) }

// LogValue returns what String does, for package log/slog.
func (c Chunk) LogValue() slog.Value { return slog.StringValue(c.String()) }

// LogValue returns what String does, for package log/slog.
func (s *Selection) LogValue() slog.Value { return slog.StringValue(s.String()) }

// LogValue returns what String does, for package log/slog.
func (e Event) LogValue() slog.Value { return slog.StringValue(e.String()) }

// LogValue returns what String does, for package log/slog.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// LogValue returns what String does, for package log/slog.
func (s StackTrace) LogValue() slog.Value { return slog.StringValue(s.String()) }

// LogValue returns what String does, for package log/slog.
func (f Frame) LogValue() slog.Value { return slog.StringValue(f.String()) }

// LogValue returns what String does, for package log/slog.
func (m Method) LogValue() slog.Value { return slog.StringValue(m.String()) }

// LogValue returns what String does, for package log/slog.
func (c Class) LogValue() slog.Value { return slog.StringValue(c.String()) }

// LogValue returns what String does, for package log/slog.
func (l ClassLoader) LogValue() slog.Value { return slog.StringValue(l.String()) }

// LogValue returns what String does, for package log/slog.
func (t Thread) LogValue() slog.Value { return slog.StringValue(t.String()) }

// LogValue returns what String does, for package log/slog.
func (g ThreadGroup) LogValue() slog.Value { return slog.StringValue(g.String()) }

// LogValue returns what String does, for package log/slog.
func (t Type) LogValue() slog.Value { return slog.StringValue(t.String()) }
