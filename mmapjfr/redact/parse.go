package redact

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxRuleLine is the greatest length of a line of rules.
const maxRuleLine = 64 << 10

// Parse reads rules, one a line. Errors name the file, as it is called, and the line; all lines are read, and all
// errors are joined.
func Parse(name string, from io.Reader) (*Rules, error) {
	rules := &Rules{}
	var errs []error
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxRuleLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // as editors of Windows put it there
		}
		before := len(rules.list)
		if err := rules.parseLine(line); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
		for i := before; i < len(rules.list); i++ {
			rules.list[i].from = fmt.Sprintf("%s:%d", name, n)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("the line has more than %d bytes", maxRuleLine)
		}
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, n+1, err))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rules, nil
}

// parseLine reads a line.
func (r *Rules) parseLine(line string) error {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return err
	}
	switch words[0].text {
	case "secret-keys":
		return r.secretKeys.parse(words, strings.ToLower)
	case "user-keys":
		return r.userKeys.parse(words, strings.ToLower)
	case "keep-classes":
		return r.keptClasses.parse(words, strings.Clone)
	case "learn":
		return r.parseLearn(words[1:])
	}
	l := rule{}
	if words, err = l.parseAction(words); err != nil {
		return err
	}
	if words, err = l.parseKind(words); err != nil {
		return err
	}
	if words, err = l.parseTail(words); err != nil {
		return err
	}
	if len(words) > 0 {
		return fmt.Errorf("%q is not expected here; a rule is ACTION WHAT [in PLACE,...] [when FIELD=GLOB,...] [as NAME]", words[0].text)
	}
	l.text = strings.TrimSpace(line)
	r.list = append(r.list, l)
	return nil
}

// parse adds the globs of a line; none removes those before it.
func (l *globList) parse(words []word, as func(string) string) error {
	if len(words) == 1 {
		return fmt.Errorf("%s needs globs, as in %s *ticket* *badge*; none removes those before it", words[0].text, words[0].text)
	}
	for _, w := range words[1:] {
		if w.text == "none" && !w.quoted {
			*l = globList{fresh: true}
			continue
		}
		l.globs = append(l.globs, as(w.text))
	}
	return nil
}

func (l *rule) parseAction(words []word) ([]word, error) {
	i := slices.Index(verbs, words[0].text)
	if i < 0 {
		return nil, fmt.Errorf("%q is not an action; actions are %s", words[0].text, strings.Join(verbs, ", "))
	}
	l.act = action{verb: verb(i)}
	words = words[1:]
	if l.act.verb == constant {
		l.act.text = Marker
		if len(words) > 0 && words[0].quoted {
			l.act.text, words = words[0].text, words[1:]
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("what does %s apply to? Name a kind, such as email, a /pattern/, or field PLACE", verbs[i])
	}
	return words, nil
}

func (l *rule) parseKind(words []word) ([]word, error) {
	what := words[0]
	words = words[1:]
	switch {
	case what.pattern:
		re, err := regexp.Compile(what.text)
		if err != nil {
			return nil, fmt.Errorf("the pattern is wrong: %w", err)
		}
		if re.MatchString("") {
			return nil, errors.New("the pattern matches the empty text, and so would be found everywhere")
		}
		l.kind, l.pattern = kindPattern, re
	case what.text == "pattern" || !slices.Contains(kindNames[:], what.text):
		return nil, fmt.Errorf("%q is not a kind; kinds are a /pattern/, %s", what.text, strings.Join(slices.DeleteFunc(slices.Clone(kindNames[:]), func(n string) bool { return n == "pattern" }), ", "))
	default:
		l.kind = kind(slices.Index(kindNames[:], what.text))
	}
	if l.kind == kindEvent || l.kind == kindField {
		if len(words) == 0 {
			return nil, fmt.Errorf("%s needs a place, as in %s jdk.SystemProcess", what.text, what.text)
		}
		l.in, words = parsePlaces(words[0].text), words[1:]
	}
	return words, l.fits()
}

// fits returns an error if action and kind do not go together.
func (l *rule) fits() error {
	switch {
	case (l.act.verb == remove) != (l.kind == kindEvent):
		return errors.New("remove is for whole events, and nothing else is: remove event GLOB; blank leaves texts out")
	case l.kind == kindEvent && slices.ContainsFunc(l.in, func(p place) bool { return p.field != "*" }):
		return errors.New("events are removed as a whole: name no field")
	case (l.act.verb == stay || l.act.verb == searchText) && l.kind != kindField:
		return fmt.Errorf("%s is for whole fields: %s field PLACE", verbs[l.act.verb], verbs[l.act.verb])
	case (l.kind == kindClass || l.kind == kindThread) && l.act.verb != pseudonym:
		return fmt.Errorf("%s can only get pseudonyms", kindNames[l.kind])
	}
	return nil
}

// parseTail reads in, when and as.
func (l *rule) parseTail(words []word) (rest []word, err error) {
	for len(words) >= 2 && !words[0].quoted {
		switch {
		case words[0].text == "in" && l.in == nil && l.kind != kindClass && l.kind != kindThread:
			l.in = parsePlaces(words[1].text)
		case words[0].text == "when" && l.when == nil && l.kind == kindField:
			if l.when, err = parseWhen(words[1].text); err != nil {
				return nil, err
			}
		case words[0].text == "as" && l.as == "" && l.kind == kindField && l.act.verb == pseudonym:
			if l.as = words[1].text; !slices.Contains(pseudonymPrefixes, l.as) && l.as != "path" {
				return nil, fmt.Errorf("a pseudonym cannot be one as %q; it can as path, %s", l.as, strings.Join(pseudonymPrefixes, ", "))
			}
		default:
			return words, nil
		}
		words = words[2:]
	}
	return words, nil
}

// parseLearn reads KIND PLACE [when FIELD=GLOB,...].
func (r *Rules) parseLearn(words []word) (err error) {
	s := source{}
	if len(words) < 2 {
		return errors.New("learn needs a kind and a place, as in learn host jdk.SocketRead:host")
	}
	switch words[0].text {
	case "user":
		s.kind = kindUser
	case "host":
		s.kind = kindHost
	case "path":
		s.kind = kindPath
	default:
		return fmt.Errorf("%q cannot be learned; user, host and path (the users in it) can", words[0].text)
	}
	if s.from = parsePlace(words[1].text); s.from.field == "*" {
		return errors.New("name the field to learn from, as in jdk.SocketRead:host")
	}
	switch {
	case len(words) == 4 && words[2].text == "when":
		if s.when, err = parseWhen(words[3].text); err != nil {
			return err
		}
	case len(words) != 2:
		return fmt.Errorf("%q is not expected here; write learn KIND PLACE [when FIELD=GLOB,...]", words[2].text)
	}
	r.learn = append(r.learn, s)
	return nil
}

func parseWhen(text string) (*condition, error) {
	field, list, ok := strings.Cut(text, "=")
	if !ok || field == "" || list == "" {
		return nil, errors.New("a condition is FIELD=GLOB,GLOB, as in when key=user.name")
	}
	return &condition{field, strings.Split(strings.ToLower(list), ",")}, nil
}

func parsePlaces(list string) (all []place) {
	for text := range strings.SplitSeq(list, ",") {
		all = append(all, parsePlace(text))
	}
	return all
}

// word is a part of a rule.
type word struct {
	text            string
	quoted, pattern bool
}

// split returns the words of a line: words, "quoted texts" and /patterns/. A # that begins a word begins a comment.
func split(line string) (words []word, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
			return words, nil
		case line[0] == '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, errors.New(`a quoted text does not end; write \" for a quote in it`)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			words, line = append(words, word{text: text, quoted: true}), line[len(quoted):]
		case line[0] == '/':
			end := 1
			for end < len(line) && line[end] != '/' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(line) {
				return nil, errors.New(`a pattern does not end; write \/ for a slash in it`)
			}
			words, line = append(words, word{text: strings.ReplaceAll(line[1:end], `\/`, "/"), pattern: true}), line[end+1:]
		default:
			end := strings.IndexAny(line, " \t\r")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, word{text: line[:end]}), line[end:]
		}
	}
}
