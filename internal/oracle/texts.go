package oracle

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// Texts asks the JDK in home for the canonical texts of the events of one type, and returns how
// often each occurs. Chunks are asked as in [Ask], unfinished ones as finished. The texts of all
// chunks that are read come together with the error of the first that is refused.
func Texts(ctx context.Context, home, file, typeName string) (map[string]int, error) {
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
			for e, err := range SplitEvents(r) {
				if err != nil {
					return err
				}
				if e.Type == typeName {
					found[string(e.Text)]++
				}
			}
			return nil
		}, append(slices.Clone(printQuestion), "--events", eventFilter(typeName))...)
		if _, isRefusal := errors.AsType[refusal](err); isRefusal {
			refused = cmp.Or(refused, err)
			return nil
		}
		for text, n := range found {
			out[text] += n
		}
		return err
	})
	return out, cmp.Or(err, refused)
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
