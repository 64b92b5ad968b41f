package redact

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rules say what is looked for in recordings and what takes its place. They are made by [Parse] and [Default].
type Rules struct {
	list        []rule
	learn       []source // what names are learned from
	secretKeys  globList // in lower case
	userKeys    globList // as well
	keptClasses globList // of names of classes, packages and types
}

// globList are globs. If it is fresh, none is written before them.
type globList struct {
	globs []string
	fresh bool
}

// add adds the globs of another list, or takes those instead if that is fresh.
func (l *globList) add(more globList) {
	if more.fresh {
		l.globs = nil
	}
	l.globs = append(l.globs, more.globs...)
}

// rule is one of the rules.
type rule struct {
	text string // the rule as it was written
	from string // its file and line; empty of a default rule
	act  action
	kind kind
	// pattern is what kindPattern looks for.
	pattern *regexp.Regexp
	// in are the places where the rule applies; everywhere if it is empty.
	in   []place
	when *condition
	// as is the kind of name that a whole field holds, if the rule says so.
	as string
}

// source is where names of users and hosts are learned.
type source struct {
	kind kind // kindUser, kindHost, or kindPath, of which the user is learned
	from place
	when *condition
}

// verb is what a rule does.
type verb uint8

const (
	remove verb = iota
	blank
	constant
	hash
	pseudonym
	generalise
	stay       // the text stays as it is
	searchText // the text is searched for pieces, and no rule for whole fields applies
)

var verbs = []string{"remove", "blank", "constant", "hash", "pseudonym", "generalise", "stay", "search"}

// action is what a rule does with what it finds.
type action struct {
	verb verb
	text string // of a constant
}

// Marker takes the place of what rules with the action constant find, unless they name another text. The JDK uses
// the same one.
const Marker = "[REDACTED]"

// kind is what a rule looks for.
type kind uint8

// The kinds, each with its name in rules.
const (
	kindEvent kind = iota
	kindField
	kindPattern
	kindSecret
	kindURL
	kindEmail
	kindIP
	kindHost
	kindUser
	kindPath
	kindJWT
	kindToken
	kindPrivateKey
	kindUUID
	kindCard
	kindIBAN
	kindSQL
	kindClass
	kindThread
	kinds // how many there are
)

var kindNames = [kinds]string{
	"event", "field", "pattern", "secret", "url", "email", "ip", "host", "user", "path", "jwt", "token",
	"private-key", "uuid", "card", "iban", "sql", "classes", "threads",
}

//go:embed default.rules
var defaultText string

// DefaultText returns the rules of [Default] as text, to be changed and read again by [Parse].
func DefaultText() string { return defaultText }

// Default returns the default rules. They take out secrets, tokens, keys, cards and accounts, the values of
// environment variables and the command lines of other processes; they give other names to users, hosts, addresses
// and paths below home. Names of classes and threads stay.
func Default() *Rules {
	rules, err := Parse("default.rules", strings.NewReader(defaultText))
	if err != nil {
		panic(err) // a test reads them
	}
	for i := range rules.list {
		rules.list[i].from = ""
	}
	return rules
}

// Add puts the rules of another list before its own, so that those for whole fields decide first. Keys of secrets and
// classes that keep their names are added, or take the place of its own if the other list begins with none.
func (r *Rules) Add(more *Rules) {
	r.list = slices.Concat(more.list, r.list)
	r.learn = append(r.learn, more.learn...)
	r.secretKeys.add(more.secretKeys)
	r.userKeys.add(more.userKeys)
	r.keptClasses.add(more.keptClasses)
}

// HideClasses adds a rule that gives other names to classes, methods and packages.
func (r *Rules) HideClasses() { r.hide("pseudonym classes", kindClass) }

// HideThreads adds a rule that gives other names to threads.
func (r *Rules) HideThreads() { r.hide("pseudonym threads", kindThread) }

func (r *Rules) hide(text string, k kind) {
	if r.first(k) < 0 {
		r.list = append(r.list, rule{text: text, act: action{verb: pseudonym}, kind: k})
	}
}

// first returns the first rule of a kind; -1 if no rule is.
func (r *Rules) first(k kind) int {
	return slices.IndexFunc(r.list, func(l rule) bool { return l.kind == k })
}

// Knows returns what [Redactor.Check] looks for by the rules, each kind and each pattern once: what it does not name it does not find.
func (r *Rules) Knows() (kinds []string) {
	for i := range r.list {
		l := &r.list[i]
		name := kindNames[l.kind]
		switch {
		case l.kind == kindPattern:
			name = "/" + l.pattern.String() + "/"
		case finders[l.kind] == nil:
			continue
		case l.kind == kindSecret:
			name = fmt.Sprintf("secret (values of %d keys)", len(r.secretKeys.globs))
		case l.kind == kindToken:
			forms := 0
			for _, some := range tokens().list {
				forms += len(some.forms)
			}
			name = fmt.Sprintf("token (%d forms)", forms)
		}
		if !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	return kinds
}

// constants returns the texts that rules put in place of what they find.
func (r *Rules) constants() (texts []string) {
	texts = append(texts, Marker)
	for i := range r.list {
		if l := &r.list[i]; l.act.verb == constant && l.act.text != "" {
			texts = append(texts, l.act.text)
		}
	}
	return texts
}
