package rewrite

import (
	"github.com/mmapjfr/jfr/internal/index/schema"
	"github.com/mmapjfr/jfr/internal/refs"
	"github.com/mmapjfr/jfr/internal/wire"
)

// longText is a long text in the pool of strings. Many values may refer to it, and the work for each must not grow with
// its length.
type longText struct {
	text   string
	memo   Memo
	edited []editedText
	round  int // of the chunk that has the texts
}

// editedText is what has become of a long text, and its key.
type editedText struct {
	text string
	key  int64
}

const (
	// longestShort is how many bytes a text has at most of which nothing is kept.
	longestShort = 256
	// mostEdited is how many other texts of one are known: different fields may have different rules.
	mostEdited = 4
)

// view returns the text; "" of none.
func (l *longText) view() string {
	if l == nil {
		return ""
	}
	return l.text
}

// pooled appends a string that lies in the pool of strings; its encoding has been appended.
func (s *source) pooled(a *wire.Appender, r refs.Reference, ch *change, t *schema.Type, pos, end, depth int) {
	encoding := len(a.Bytes) - 1
	if ch != nil && ch.text != nil {
		if long, text, ok := s.pooledText(r.Key); ok {
			if edited, changed := s.editPooled(ch, long, text, t, pos, end); changed {
				s.edited = true
				if len(edited) >= shortestPooled && s.described.Pools(r.Type) {
					a.Long(s.poolText(long, edited))
					return
				}
				a.Bytes = a.Bytes[:encoding]
				a.Text(edited)
				return
			}
		}
	}
	key := s.constant(r.Type, r.Key, depth)
	if key == missing {
		a.Bytes[encoding] = uint8(wire.Null)
		s.edited = true
		return
	}
	a.Long(key)
}

// shortestPooled is how long an edited text is that stays in the pool: a reference to a key that is made up takes ten
// bytes.
const shortestPooled = 16

// editPooled returns what becomes of a text in the pool, a long one if it is not nil.
func (s *source) editPooled(ch *change, long *longText, text wire.Text, t *schema.Type, pos, end int) (edited string, changed bool) {
	if long == nil {
		return s.edit(ch, text, t, pos, end)
	}
	s.of = values{s: s, t: t, pos: pos, end: end, memo: long.memo, ch: ch, at: s.at}
	return ch.text(long.text, &s.of)
}

// poolText returns the key in the pool of strings of what has become of a text, a long one if it is not nil.
func (s *source) poolText(long *longText, text string) int64 {
	if long == nil {
		return s.internText(text)
	}
	if long.round != s.round {
		long.edited, long.round = long.edited[:0], s.round
	}
	for _, e := range long.edited {
		if e.text == text { // mostly it is the same memory
			return e.key
		}
	}
	key := s.internText(text)
	if len(long.edited) < mostEdited {
		long.edited = append(long.edited, editedText{text, key})
	}
	return key
}

func (s *source) internText(text string) int64 {
	a := wire.Appender{Bytes: s.pooling[:0], Encoding: s.out.form}
	a.Text(text)
	s.pooling = a.Bytes
	return s.out.intern(s.out.pool(s.jvm.ID(s.strings.ID)), a.Bytes)
}

// pooledText returns the text of a pooled string: as a long text if it is one.
func (s *source) pooledText(key int64) (long *longText, text wire.Text, ok bool) {
	if long = s.long[key]; long != nil {
		return long, text, true
	}
	at, ok := s.constants.Lookup(s.strings, key)
	if !ok {
		return nil, text, false
	}
	text, n := wire.ReadText(s.data[at:], s.form)
	if n == 0 || text.Encoding == wire.Null || text.Encoding == wire.Constant {
		return nil, text, false
	}
	if n > longestShort {
		view, isView := text.View()
		if !isView {
			view = string(text.Append(nil))
		}
		long = &longText{text: view, memo: make(Memo)}
		if s.long == nil {
			s.long = make(map[int64]*longText)
		}
		s.long[key] = long
	}
	return long, text, true
}

// edit returns what becomes of a text of a value that lies between pos and end.
func (s *source) edit(ch *change, text wire.Text, t *schema.Type, pos, end int) (edited string, changed bool) {
	s.of = values{s: s, t: t, pos: pos, end: end, ch: ch, at: s.at}
	return s.editNext(ch.text, text)
}

// editNext is edit for another text of the same value.
func (s *source) editNext(edit TextEdit, text wire.Text) (edited string, changed bool) {
	view, ok := text.View()
	if !ok {
		s.units = text.Append(s.units[:0])
		view = wire.View(s.units)
	}
	return edit(view, &s.of)
}
