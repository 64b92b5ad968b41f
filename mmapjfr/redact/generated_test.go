package redact

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// exampleForms returns how others describe tokens, by name.
func exampleForms(t testing.TB) map[string]*syntax.Regexp {
	text, err := os.ReadFile("testdata/tokens.tsv")
	require.NoError(t, err)
	all := make(map[string]*syntax.Regexp)
	for line := range strings.Lines(string(text)) {
		if name, expr, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && name[0] != '#' {
			re, err := syntax.Parse(expr, syntax.Perl)
			require.NoError(t, err, name)
			all[name] = re.Simplify()
		}
	}
	return all
}

// example returns a text that a regular expression matches. Bounds that it has none of are near.
func example(re *syntax.Regexp, random *rand.Rand) string {
	var out strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		out.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		for { // ASCII, each character as likely as others
			c := rune(' ' + 1 + random.IntN('~'-' '))
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= c && c <= re.Rune[i+1] {
					return string(c)
				}
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte('.')
	case syntax.OpAlternate:
		return example(re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpStar, syntax.OpPlus:
		for range random.IntN(4) + 10 {
			out.WriteString(example(re.Sub[0], random))
		}
	case syntax.OpQuest:
		if random.IntN(2) == 0 {
			return ""
		}
		fallthrough
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			out.WriteString(example(sub, random))
		}
	}
	return out.String()
}

// mixed is example with digits and letters of both cases, as nearly all tokens of a service have them.
func mixed(re *syntax.Regexp, random *rand.Rand) (token string) {
	for range 20 {
		token = example(re, random)
		if has, _ := featuresOf(strings.TrimPrefix(token, literalStart(re))); has.has(hasDigit | hasUpper | hasLower) {
			break
		}
	}
	return token
}

// literalStart is the text with which all that a regular expression matches begins.
func literalStart(re *syntax.Regexp) string {
	if re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpLiteral {
		return string(re.Sub[0].Rune)
	}
	return ""
}

// isLeft reports whether twelve bytes of a secret that follow one another are left, or a shorter secret.
func isLeft(edited, secret string) bool {
	enough := min(12, len(secret))
	for i := 0; i+enough <= len(secret); i++ {
		if strings.Contains(edited, secret[i:i+enough]) {
			return true
		}
	}
	return false
}

// spelled are how a text is written in others.
var spelled = map[string]func(string) string{
	"as it is":   func(s string) string { return s },
	"in a URL":   url.QueryEscape,
	"in two":     func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"in JSON":    func(s string) string { return escapedBy(s, `\u%04x`) },
	"in scripts": func(s string) string { return escapedBy(s, `\x%02X`) },
	"in HTML":    func(s string) string { return escapedBy(s, "&#%d;") },
}

// escapedBy writes what is neither a letter nor a digit in a format.
func escapedBy(s, format string) string {
	var out strings.Builder
	for i := range len(s) {
		if isAlnum(s[i]) {
			out.WriteByte(s[i])
		} else {
			fmt.Fprintf(&out, format, s[i])
		}
	}
	return out.String()
}

// before and after are what may stand around a secret.
var (
	before = []string{
		"", " ", "key", "KEY", "7", "_", "-", ".", "é", "密", `\n`, `\t`, "\n", "\x00", "%3D", "%22", `\u0022`, `\u003d`, "&quot;", "=", "/", "//", ":", `"`, `\"`, "'", "(", "[", "{", "<", ">", "@", "#", "|",
		"x=", "a: ", "with ", "{}:", "https://example.org/", "GET /x/", "user:", "eyJ", "sk-", "a.b.", "1.2.", "Cookie: a=b ", "--x ", "-", "$", "\\", "&", "https://h/?a=b ", "[REDACTED] ", "[REDACTED]",
		"AKIA", "xoxb-", "password", "select ", "  ", "é.", "$$", "$1$",
	}
	after = []string{"", " ", `"`, ")", "\n", "&x=1", ";", "<", ",", ".", `\n`, "/", "é", `\"`, "]", "%26", "?", " x=y", "\x00"}
)

// textEdit returns how the default rules edit a text of an event.
func textEdit() func(string) string {
	edit := New(Default(), Key{}).Text(rewrite.Place{Type: "test.Event", Field: "text", Event: true})
	return func(text string) string {
		is, _ := edit(text, nil)
		return is
	}
}

// notFound are forms that are too much like other texts: hexadecimal digits, or two numbers. The values of keys of secrets are
// found all the same.
var notFound = []string{"facebook-access-token", "mailgun-signing", "pagerduty"}

// foundApart are those that are only found where no letter or digit is before them.
var foundApart = []string{"artifactory-reference-token", "jfrog-reference", "pulumi-api-token", "vault-service-token", "stripe-access-token", "crates-io", "deepseek", "okta-api", "render", "resend"}

// TestTokensInAllPlaces makes tokens of all forms, and hides them whatever stands around them and however they are written.
func TestTokensInAllPlaces(t *testing.T) {
	edit, forms := ownOf(t).add, exampleForms(t)
	missed, alone := map[string][]string{}, map[string]bool{}
	tries, place, step := 0, 0, longtest.Cases(29, 1)
	for round := range longtest.Cases(1, 20) {
		random := rand.New(rand.NewPCG(39, uint64(round)))
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			re := forms[name]
			if slices.Contains(notFound, name) {
				continue
			}
			if token := mixed(re, random); isLeft(edit(token), strings.TrimPrefix(token, literalStart(re))) {
				alone[name] = true
			}
			for _, b := range before {
				if place++; place%step != 0 {
					continue
				}
				a := after[random.IntN(len(after))]
				token := mixed(re, random)
				if slices.Contains(foundApart, name) && !wordStarts("x"+b, len(b)+1) && b != "" {
					continue
				}
				for _, how := range slices.Sorted(maps.Keys(spelled)) {
					spell := spelled[how]
					text := b + spell(token) + a
					tries++
					is := edit(text)
					if isLeft(is, spell(strings.TrimPrefix(token, literalStart(re)))) {
						missed[name] = append(missed[name], fmt.Sprintf("%s: %q became %q", how, text, is))
					}
				}
			}
		}
	}
	for name, texts := range missed {
		t.Errorf("%s: %d, such as %s", name, len(texts), slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
	}
	n := 0
	for _, texts := range missed {
		n += len(texts)
	}
	t.Logf("missed %d of %d forms alone, %d somewhere, %d of %d texts", len(alone), len(forms), len(missed), n, tries)
}
