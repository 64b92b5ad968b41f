package table

import (
	"strings"
	"unicode"

	"github.com/mmapjfr/jfr/internal/javatext"
)

// WriteStatement writes a statement after the table or form of the last result, in lines that are not
// longer than it is wide, as jfr view --verbose does. It writes nothing where [Writer.Width] is 0.
func (w *Writer) WriteStatement(statement string) error {
	if w.width == 0 {
		return nil
	}
	w.out.WriteByte('\n')
	at := 0
	for _, word := range words(statement) {
		n, space := javatext.Len(word), at > 0 && word != ","
		if space {
			n++
		}
		switch {
		case n > w.width: // it goes on where the line has room
			at = w.writeLong(word, space, at)
			continue
		case at+n > w.width:
			w.out.WriteByte('\n')
			at = 0
			if space {
				n, space = n-1, false
			}
		}
		if space {
			w.out.WriteByte(' ')
		}
		w.out.WriteString(word)
		at += n
	}
	w.out.WriteByte('\n')
	return w.out.Flush()
}

// writeLong writes a word that is longer than a line, and returns how long the lines are together.
func (w *Writer) writeLong(word string, space bool, at int) int {
	if space {
		word = " " + word
	}
	for _, r := range word {
		if at > 0 && at%w.width == 0 {
			w.out.WriteByte('\n')
		}
		w.out.WriteRune(r)
		at++
	}
	return at
}

// words splits a statement at blanks, and before and after commas and equals signs. Texts in quotes
// stay whole.
func words(s string) (list []string) {
	word, quote := "", rune(0)
	end := func() {
		if word != "" {
			list = append(list, word)
		}
		word = ""
	}
	for _, r := range s {
		switch {
		case quote != 0:
			if word += string(r); r == quote {
				quote = 0
			}
		case strings.ContainsRune("'\"`", r):
			word, quote = word+string(r), r
		case r == ',' || r == '=':
			end()
			list = append(list, string(r))
		case unicode.IsSpace(r):
			end()
		default:
			word += string(r)
		}
	}
	end()
	return list
}
