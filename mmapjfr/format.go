package mmapjfr

import (
	"fmt"
	"strconv"
	"time"
)

// Package fmt prints views as one line. Those of events and values show what was recorded, which
// may be secret; all others only identify the view.

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

// String returns what the selection is of, and how many filters it has: these may hold names of
// threads.
func (s *Selection) String() string {
	return fmt.Sprintf("selection of %v, filters: %d", s.rec, len(s.filters))
}

// String returns the event in one line, as in "jdk.CPULoad 2026-11-21T00:49:17.354Z jvmUser=0.02
// jvmSystem=0 machineTotal=0.31": its type, when it began, and its other fields as [Value.Text]
// has them. Recorded texts can be secret: to log which event it is, log its type and offset.
func (e Event) String() string {
	if e.IsZero() {
		return "no event"
	}
	text := []byte(e.Type().recordedName())
	if t := e.Start(); !t.IsZero() {
		text = t.AppendFormat(append(text, ' '), time.RFC3339Nano)
	}
	for f, v := range e.Fields() {
		if f.Name() == "startTime" {
			continue
		}
		text = append(append(append(text, ' '), f.Name()...), '=')
		if v.Kind() == KindString {
			text = strconv.AppendQuote(text, v.Text())
		} else {
			text = v.appendText(text, 0)
		}
	}
	return string(text)
}

// String returns [Value.Text].
func (v Value) String() string { return v.Text() }

// String returns the number of the thread in Java, as in "thread 36", or else in the operating
// system. Its name, which may be a secret, is [Thread.Name].
func (t Thread) String() string { return t.o.orNo(t.number(), "thread") }

// String returns the key of the group. Its name, which may be a secret, is
// [ThreadGroup.Name].
func (g ThreadGroup) String() string { return g.o.orNo("", "thread group") }

// String returns [Class.Name].
func (c Class) String() string { return c.o.orNo(c.Name(), "class") }

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
func (t Type) String() string { return t.recordedName() }

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

// format writes a text for every verb, in the width that is asked for. Views that hold a recording's
// bytes have a Format method: %#v and %d would write all of them.
func format(w fmt.State, text string) { fmt.Fprintf(w, fmt.FormatString(w, 's'), text) }

// Format writes what String returns, for every verb.
func (r *Recording) Format(w fmt.State, _ rune) { format(w, r.String()) }

// Format writes what the cursor is of, for every verb.
func (c *Cursor) Format(w fmt.State, _ rune) { format(w, "cursor of "+c.rec.String()) }
