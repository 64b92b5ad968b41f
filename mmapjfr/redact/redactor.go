package redact

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// Redactor applies rules to recordings. It implements [rewrite.Edits], and its methods can be called from several
// goroutines at once, but for [Redactor.Learn], which comes first.
type Redactor struct {
	rules *Rules
	key   Key
	env   environment

	classes    *classNames // nil if names of classes stay
	classRule  int         // the rule that gives classes other names
	threadRule int         // that for threads; below 0 if their names stay

	numbers  numbers
	replaced *replacedTexts // nil if they are not remembered

	fits []atomic.Bool // by rule: something is in a place of it

	keyed [256]atomic.Pointer[keyMatch]
	seed  maphash.Seed

	mu       sync.Mutex
	programs map[string]*program
	fields   map[rewrite.Place]*field
}

// keyMatch says of what a key is.
type keyMatch struct {
	key          string
	secret, user bool
}

// match returns of what a key is. Recordings have few keys, and each often.
func (r *Redactor) match(key string) *keyMatch {
	known := &r.keyed[maphash.String(r.seed, key)%uint64(len(r.keyed))]
	m := known.Load()
	if m == nil || m.key != key {
		m = &keyMatch{strings.Clone(key), r.env.keys.match(key), r.env.userKeys.match(key)}
		known.Store(m)
	}
	return m
}

// field is the edits of a field.
type field struct {
	r     *Redactor
	whole []int // rules for the whole text
	prog  *program
	// beside are the fields that say what this one holds, as "key" does of "value". secret and user are the rules that are
	// asked about it.
	beside       []string
	secret, user int
	named        bool // the name of the field is a key of secrets
	numbered     bool // it is one of numbers, too
	thread       bool
	counts       []atomic.Int64 // by rule

	// remembered are whole texts and their pseudonyms.
	remembered [64]atomic.Pointer[editedText]
	seed       maphash.Seed
}

// New returns a Redactor that applies rules. Do not change the rules after that.
func New(rules *Rules, key Key) *Redactor {
	r := &Redactor{rules: rules, key: key, seed: maphash.MakeSeed(), programs: make(map[string]*program), fields: make(map[rewrite.Place]*field), fits: make([]atomic.Bool, len(rules.list))}
	r.env = environment{
		keys: compileKeywords(rules.secretKeys.globs), userKeys: compileKeywords(rules.userKeys.globs), users: &nameSet{}, hosts: &nameSet{}, marks: rules.constants(),
	}
	r.threadRule = rules.first(kindThread)
	if r.classRule = rules.first(kindClass); r.classRule >= 0 {
		r.classes = &classNames{
			key: &r.key, kept: rules.keptClasses.globs, packages: make(map[string]bool), classes: make(map[string]bool),
			methods: make(nameUses), texts: make(nameUses), fields: make(nameUses),
		}
	}
	return r
}

// Drops reports whether a rule removes the events of a type. The type is called by its current name.
func (r *Redactor) Drops(eventType string) bool { return r.dropRule(eventType) >= 0 }

func (r *Redactor) dropRule(eventType string) int {
	for i := range r.rules.list {
		l := &r.rules.list[i]
		if l.kind == kindEvent && slices.ContainsFunc(l.in, func(p place) bool { return p.matchesType(eventType) }) {
			r.fits[i].Store(true)
			return i
		}
	}
	return -1
}

// Dropped counts events of a type as removed, for the report.
func (r *Redactor) Dropped(eventType string, events uint64) {
	if rule := r.dropRule(eventType); rule >= 0 {
		f := r.field(rewrite.Place{Type: eventType, Event: true})
		f.counts[rule].Add(int64(events))
	}
}

// Text returns what edits the texts of a field; nil if no rule applies.
func (r *Redactor) Text(of rewrite.Place) rewrite.TextEdit {
	f := r.field(of)
	if len(f.whole) == 0 && len(f.prog.steps) == 0 && !f.thread && !f.named && f.prog.symbols == symbolsStay {
		return nil
	}
	if of.Type == "jdk.types.Symbol" || of.Type == "jdk.types.Method" {
		return f.editSymbol
	}
	return f.edit
}

// Number returns what edits the numbers of a field: only rules for whole fields do, and only those without a
// condition; and numbers, and arrays of char or byte, that are called by a key of secrets become zeros. nil is returned if
// no rule does.
func (r *Redactor) Number(of rewrite.Place) rewrite.NumberEdit {
	f := r.field(of)
	i := f.numberRule(of)
	if i >= 0 {
		l := &r.rules.list[i]
		if l.act.verb == stay || l.act.verb == searchText {
			return nil
		}
		return func(n int64) int64 {
			is := r.number(l.act, of, n)
			if is != n {
				f.counts[i].Add(1)
			}
			return is
		}
	}
	if f.named && of.Units || f.numbered && of.Number != rewrite.Boolean {
		return func(n int64) int64 {
			if n != 0 {
				f.counts[f.secret].Add(1)
			}
			return 0
		}
	}
	return nil
}

// numberRule returns the rule for whole fields that decides about the numbers of a field; -1 if none does. Rules that say
// which names a field holds do not apply to a share or a truth: jdk.ThreadCPULoad has a float called user.
func (f *field) numberRule(of rewrite.Place) int {
	for _, i := range f.whole {
		l := &f.r.rules.list[i]
		if l.when == nil && (l.as == "" || of.Number != rewrite.Real && of.Number != rewrite.Boolean) {
			return i
		}
	}
	return -1
}

// Described returns what takes the place of a text of the metadata. Names of types, fields and settings only change
// where classes get other names, but secrets in them go, too.
func (r *Redactor) Described(of rewrite.Description, text string) string {
	f := r.field(rewrite.Place{Type: "metadata", Field: descriptions[of]})
	if r.classes != nil {
		if edited := r.classes.described(of, text); edited != text {
			f.counts[r.classRule].Add(1)
			return edited
		}
	}
	if of == rewrite.TypeName || of == rewrite.FieldName {
		return r.oddName(f, text)
	}
	edited, _ := f.prog.edit(context.Background(), text, f.counts)
	return edited
}

// oddName returns a name of a type or a field, or another one if it is no name in Java and a rule finds something in it:
// then nothing of it stays, since readers must be able to distinguish it from others.
func (r *Redactor) oddName(f *field, text string) string {
	if run(text, 0, func(b byte) bool { return isWord(b) || b == '.' || b == '$' }) == len(text) {
		return text
	}
	if _, changed := f.prog.edit(context.Background(), text, f.counts); !changed {
		return text
	}
	return "hidden_" + r.key.token("name", text)
}

// descriptions are the fields of the place metadata.
var descriptions = map[rewrite.Description]string{
	rewrite.TypeName: "type", rewrite.FieldName: "field", rewrite.SettingName: "setting", rewrite.Annotated: "annotation", rewrite.Default: "default",
}

// field returns the edits of a field.
func (r *Redactor) field(of rewrite.Place) *field {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.fields[of]
	if f != nil {
		return f
	}
	f = &field{r: r, secret: -1, user: -1, seed: maphash.MakeSeed(), counts: make([]atomic.Int64, len(r.rules.list))}
	var steps []step
	for i := range r.rules.list {
		l := &r.rules.list[i]
		if l.in != nil && !slices.ContainsFunc(l.in, func(p place) bool { return p.matches(of) }) {
			continue
		}
		r.fits[i].Store(true)
		switch l.kind {
		case kindField:
			f.whole = append(f.whole, i)
		case kindPattern:
			steps = append(steps, step{patternFinder(l), i})
		case kindEvent, kindClass, kindThread:
		default:
			steps = append(steps, step{r.fit(l.kind), i})
			if l.kind == kindSecret && f.secret < 0 {
				f.secret = i
			}
			if l.kind == kindUser && f.user < 0 {
				f.user = i
			}
		}
	}
	f.beside = namersOf(of.Field)
	// The name of a field is a key, too: an application may have an event with a field apiKey.
	f.named = f.secret >= 0 && of.Type != "metadata" && r.env.keys.match(of.Field)
	f.numbered = f.named && r.env.keys.matchFrom(of.Field, true)
	f.thread = r.threadRule >= 0 && (of.Type == "java.lang.Thread" && (of.Field == "osName" || of.Field == "javaName") || of.Type == "jdk.types.ThreadGroup" && of.Field == "name")
	f.prog = r.program(steps, r.symbolUse(of))
	r.fields[of] = f
	return f
}

// fit returns the finder of a kind. While no names are learned it leaves out texts without a chance.
func (r *Redactor) fit(k kind) *finder {
	own := *finders[k]
	own.kind = k
	switch {
	case k == kindHost && r.env.hosts.longest == 0:
		own.oneOf = hasDot | hasColon
	case k == kindUser && r.env.users.longest == 0:
		own.oneOf = hasEqual | hasColon | hasDash | hasMore | hasSpace | hasQuote | hasHigh
	}
	return &own
}

// program returns the program with these steps, which places share.
func (r *Redactor) program(steps []step, use symbolUse) *program {
	name := fmt.Sprint(use)
	for _, s := range steps {
		name += fmt.Sprint(",", s.rule)
	}
	if p := r.programs[name]; p != nil {
		return p
	}
	p := &program{r: r, steps: steps, symbols: use, seed: maphash.MakeSeed()}
	r.programs[name] = p
	return p
}

// edit edits a text of the field.
func (f *field) edit(text string, of rewrite.Values) (string, bool) {
	if text == "" {
		return text, false
	}
	var memo rewrite.Memo
	if of != nil {
		memo = of.Memo()
	}
	for _, i := range f.whole {
		if l := &f.r.rules.list[i]; l.when.holds(of) {
			if l.act.verb == searchText {
				break
			}
			return f.changed(i, text, f.wholeText(i, text, memo))
		}
	}
	if f.thread {
		return f.changed(f.r.threadRule, text, once(memo, kindThread, func() string { return f.r.key.thread(text) }))
	}
	if f.named && !isPlain(&f.r.env, text) {
		return f.keyed(f.secret, text, memo)
	}
	if of != nil {
		for _, field := range f.beside {
			if key, ok := of.Text(field); ok {
				if rule := f.ruleOfKey(shortKey(key), text); rule >= 0 {
					return f.keyed(rule, text, memo)
				}
			}
		}
	}
	if f.secret >= 0 && of != nil && text[0] != '-' {
		if option, ok := of.Previous(); ok && f.r.env.isSecretOption(option) && !isPlain(&f.r.env, text) {
			return f.keyed(f.secret, text, memo)
		}
	}
	ctx := context.Background()
	if of != nil && len(text) > workAtOnce {
		ctx = of.Context()
	}
	if memo != nil {
		return f.prog.editLong(ctx, text, memo, f.counts)
	}
	return f.prog.edit(ctx, text, f.counts)
}

// isSecretOption reports whether a text is an option of a command line whose value is a secret.
func (e *environment) isSecretOption(text string) bool {
	key := strings.TrimLeft(shortKey(text), "-")
	return len(key) >= 3 && len(key) < len(text) && run(key, 0, isKeyByte) == len(key) && e.keys.match(key)
}

// changed counts and returns what has become of a text by a rule.
func (f *field) changed(rule int, was, is string) (string, bool) {
	if was == is { // at once if it is the same memory
		return was, false
	}
	f.counts[rule].Add(1)
	if rule != f.r.threadRule {
		f.r.replaced.add(rule, was)
	}
	return is, true
}

// ruleOfKey returns the rule for the value of a key: that for secrets or that for users; below 0 if it is neither.
func (f *field) ruleOfKey(key, text string) int {
	switch m, e := f.r.match(key), &f.r.env; {
	case f.secret >= 0 && m.secret && !isPlain(e, text):
		return f.secret
	case f.user >= 0 && m.user && e.isUser(text):
		return f.user
	}
	return -1
}

// keyed edits a text that a rule hides by the name of its field, or by the field beside it.
func (f *field) keyed(rule int, text string, memo rewrite.Memo) (string, bool) {
	of := f.r.rules.list[rule].kind
	return f.changed(rule, text, once(memo, of, func() string { return f.r.replacement(rule, of, text) }))
}

// once returns what edit does, which is called once for a text that many values share.
func once(memo rewrite.Memo, key any, edit func() string) string {
	if memo == nil {
		return edit()
	}
	is, ok := memo[key].(string)
	if !ok {
		is = edit()
		memo[key] = is
	}
	return is
}

// wholeText returns what takes the place of the text of the field by a rule. It remembers pseudonyms, since making one
// takes a microsecond or more.
func (f *field) wholeText(rule int, text string, memo rewrite.Memo) string {
	l := &f.r.rules.list[rule]
	if memo != nil || l.act.verb != pseudonym && l.act.verb != hash || len(text) > maxRemembered {
		return once(memo, rule, func() string { return f.r.replacement(rule, kindField, text) })
	}
	known := &f.remembered[maphash.String(f.seed, text)%uint64(len(f.remembered))]
	if e := known.Load(); e != nil && e.from == text && e.rules[0] == rule {
		return e.to
	}
	e := &editedText{strings.Clone(text), f.r.replacement(rule, kindField, text), []int{rule}}
	e.to = strings.Clone(e.to) // which may be the text itself
	known.Store(e)
	return e.to
}
