package oracle

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// Texts asks the JDK in home for the canonical texts of the events of one type, and
// returns how often each occurs. Chunks are asked as in [Ask], unfinished ones as
// finished. The texts of all chunks that are read come together with the error of
// the first that is refused.
func Texts(ctx context.Context, home, file, typeName string) (map[string]int, error) {
	question := append(slices.Clone(printQuestion), "--events", eventFilter(typeName))
	return texts(ctx, home, file, question, func(r io.Reader, add func(string)) error {
		for e, err := range SplitEvents(r) {
			if err != nil {
				return err
			}
			if e.Type == typeName {
				add(string(e.Text))
			}
		}
		return nil
	})
}

// ClassTexts asks the JDK in home for the canonical blocks of one class, and returns
// in how many chunks each occurs, otherwise like [Texts].
func ClassTexts(ctx context.Context, home, file, name string) (map[string]int, error) {
	return texts(ctx, home, file, []string{"metadata"}, func(r io.Reader, add func(string)) error {
		for t, err := range SplitClasses(r) {
			if err != nil {
				return err
			}
			if t.Name == name {
				add(string(t.Text))
			}
		}
		return nil
	})
}

func texts(ctx context.Context, home, file string, question []string, split func(io.Reader, func(string)) error) (map[string]int, error) {
	if _, err := jdk.JudgeVersion(home); err != nil {
		return nil, err
	}
	q, err := newQuestions(home, file)
	if err != nil {
		return nil, err
	}
	defer q.close()
	out := map[string]int{}
	var refused error
	err = q.each(finishedPieces(q.pieces), func(_ piece, path string) error {
		found := map[string]int{}
		err := run(ctx, home, path, func(r io.Reader) error {
			return split(r, func(text string) { found[text]++ })
		}, question...)
		text, err := asRefusal(err)
		if err != nil {
			return err
		}
		if text != "" {
			if refused == nil {
				refused = refusal(text)
			}
			return nil
		}
		for text, n := range found {
			out[text] += n
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	return out, err
}

// eventFilter returns a pattern for the --events option that matches a name, and
// perhaps others. Characters that mean something in patterns or might not survive the
// way to a JVM are replaced by one ? for each UTF-16 unit.
func eventFilter(name string) string {
	var b strings.Builder
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '$':
			b.WriteRune(c)
		default:
			b.WriteString(strings.Repeat("?", utf16.RuneLen(c)))
		}
	}
	return b.String()
}
