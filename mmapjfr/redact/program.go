package redact

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// program is the rules that look for pieces of texts in some places, compiled. Places where the same rules apply
// share it.
type program struct {
	r       *Redactor
	steps   []step
	symbols symbolUse // what becomes of names of classes

	seed maphash.Seed
	// clean are hashes of texts in which nothing was found, and edited what became of others.
	clean  [1 << 14]atomic.Uint64
	edited [1 << 12]atomic.Pointer[editedText]
}

// step is a finder and its rule.
type step struct {
	*finder
	rule int
}

// editedText is what became of a text.
type editedText struct {
	from, to string
	rules    []int // that have found a piece, once for each
}

// maxRemembered is the greatest length of a text that is remembered with what became of it.
const maxRemembered = 4 << 10

// search finds the pieces of a text.
type search struct {
	pieces []piece
	rule   int
	kind   kind
	found  func(from, to int)
	env    environment
	levels [deepest]unescaped
	level  int // how many of them what is searched has been through
}

var searches = sync.Pool{New: func() any {
	s := &search{}
	s.found = s.add
	return s
}}

// add adds a piece of what is searched.
func (s *search) add(from, to int) {
	p := piece{from: from, to: to, rule: s.rule, kind: s.kind}
	if s.level > 0 {
		p.text = string(s.levels[s.level-1].text[from:to])
	}
	for i := s.level - 1; i >= 0; i-- {
		p.from, p.to = s.levels[i].at[p.from], s.levels[i].at[p.to]
	}
	s.pieces = append(s.pieces, p)
}

// longEdit is what became of a text that many values share, and how many pieces of it each rule has found.
type longEdit struct {
	to    string
	found map[int]int64
}

// editLong is edit for a text that many values share. It is searched once.
func (p *program) editLong(ctx context.Context, text string, memo rewrite.Memo, counts []atomic.Int64) (string, bool) {
	e, ok := memo[p].(*longEdit)
	if !ok {
		e = &longEdit{text, make(map[int]int64)}
		memo[p] = e
		if has, digits := featuresOf(text); p.wants(text, has, digits) {
			var rules []int
			e.to, rules = p.compute(ctx, text, has, digits)
			for _, rule := range rules {
				e.found[rule]++
			}
		}
	}
	for rule, n := range e.found {
		counts[rule].Add(n)
	}
	return e.to, len(e.found) > 0 || e.to != text
}

// edit returns what becomes of a text and counts what was found.
func (p *program) edit(ctx context.Context, text string, counts []atomic.Int64) (string, bool) {
	has, digits := featuresOf(text)
	if !p.wants(text, has, digits) {
		return text, false
	}
	h := maphash.String(p.seed, text) | 1 // 0 is a free place
	clean, edited := &p.clean[h>>1%uint64(len(p.clean))], &p.edited[h>>1%uint64(len(p.edited))]
	if clean.Load() == h {
		return text, false
	}
	if e := edited.Load(); e != nil && e.from == text {
		for _, rule := range e.rules {
			counts[rule].Add(1)
		}
		return e.to, true
	}
	to, rules := p.compute(ctx, text, has, digits)
	if to != "" && len(rules) == 0 {
		clean.Store(h)
		return text, false
	}
	for _, rule := range rules {
		counts[rule].Add(1)
	}
	if len(text) <= maxRemembered {
		edited.Store(&editedText{strings.Clone(text), to, rules})
	}
	return to, true
}

// wants reports whether any rule can find anything in a text.
func (p *program) wants(text string, has features, digits int) bool {
	if p.symbols != symbolsStay && len(text) > 0 {
		return true
	}
	for i := range p.steps {
		if p.steps[i].wants(text, has, digits) {
			return true
		}
	}
	return false
}

// compute returns a text with other pieces in the place of those that are found, and the rules that found them. Nothing is left of
// the text once the context is done: it must not be in a copy with what it hides.
func (p *program) compute(ctx context.Context, text string, has features, digits int) (to string, rules []int) {
	if p.symbols == symbolsAlone {
		if edited := p.r.classes.symbol(text); edited != text {
			return edited, []int{p.r.classRule}
		}
	}
	s := searches.Get().(*search)
	defer searches.Put(s)
	// What is replaced may have hidden that something else begins or ends beside it.
	for range deepest {
		s.pieces = s.pieces[:0]
		p.search(ctx, s, text, has, digits)
		edited, found := p.replace(&s.env, text, ordered(s.pieces))
		if ctx.Err() != nil {
			return "", nil
		}
		if len(found) == 0 {
			break
		}
		text, rules = edited, append(rules, found...)
		has, digits = featuresOf(text)
	}
	if p.symbols == symbolsInText {
		if edited := p.r.classes.text(text); edited != text {
			return edited, append(rules, p.r.classRule)
		}
	}
	return text, rules
}

// search finds the pieces of a text, and those of it without its escapes.
func (p *program) search(ctx context.Context, s *search, text string, has features, digits int) {
	s.env = p.r.env
	s.env.ctx = ctx
	for s.level = 0; ; s.level++ {
		s.env.unescaped = s.level > 0
		p.searchOnce(s, text, has, digits)
		if !has.has(hasEscape) || s.level == deepest || len(text) > workAtOnce && ctx.Err() != nil || !s.levels[s.level].unescape(text) {
			s.level = 0
			return
		}
		text = wire.View(s.levels[s.level].text)
		has, digits = featuresOf(text)
	}
}

func (p *program) searchOnce(s *search, text string, has features, digits int) {
	for i := range p.steps {
		if st := &p.steps[i]; st.wants(text, has, digits) {
			s.rule, s.kind, s.env.next = st.rule, st.kind, workAtOnce
			st.find(&s.env, text, s.found)
		}
	}
}

// replace returns a text with what takes the place of the pieces. Pieces that stay as they are do not count.
func (p *program) replace(e *environment, text string, pieces []piece) (string, []int) {
	if len(pieces) == 0 {
		return text, nil
	}
	var (
		out   strings.Builder
		end   int
		rules []int
	)
	e.next = workAtOnce
	for i, f := range pieces {
		if e.stopped(i * workOfPiece) {
			break
		}
		was := text[f.from:f.to]
		if f.text != "" {
			was = f.text
		}
		is := p.r.replacement(f.rule, f.kind, was)
		if is == was {
			continue
		}
		p.r.replaced.add(f.rule, was)
		out.WriteString(text[end:f.from])
		out.WriteString(is)
		end = f.to
		rules = append(rules, f.rule)
	}
	out.WriteString(text[end:])
	return out.String(), rules
}

// replacement returns what takes the place of a piece of a kind by a rule, or of a whole field.
func (r *Redactor) replacement(rule int, of kind, text string) string {
	switch l := &r.rules.list[rule]; l.act.verb {
	case constant:
		return l.act.text
	case hash:
		if isHash(text) {
			return text
		}
		return r.key.hash(text)
	case pseudonym:
		if l.kind != kindField {
			return r.key.pseudonym(of, text)
		}
		if isPseudonym(text) {
			return text
		}
		return r.key.whole(text, l.as)
	case generalise:
		return general(of, text)
	case stay:
		return text
	}
	return ""
}
