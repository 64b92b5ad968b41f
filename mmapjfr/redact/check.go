package redact

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/wire"
)

// Finding is a pattern that is still in a file. It says where it is, and not what.
type Finding struct {
	// Rule is the rule as it was written.
	Rule string `json:"rule"`
	// Offset is where it begins, in bytes from the start of the file; of a text whose characters take different
	// numbers of bytes, where the text begins.
	Offset int64 `json:"offset"`
	// Length is how many bytes the text has, in UTF-8.
	Length int `json:"length"`
	// Encoding is that of the text: ASCII, which UTF-8, Latin-1 and arrays of numbers have in common, UTF-8, Latin-1,
	// char (an array of char), UTF-16, int or long (numbers of four or eight bytes), or padded (numbers that take more
	// bytes than they need).
	Encoding string `json:"encoding"`
}

// maxFindings is how many findings are listed.
const maxFindings = 1000

// Checked says what is still in a file.
type Checked struct {
	// Bytes is how many were read.
	Bytes int64 `json:"bytes"`
	// Count is how many patterns were found, of which Findings are the first, in the order of the file.
	Count    int64     `json:"count"`
	Findings []Finding `json:"findings"`
}

const (
	// checkWindow is how many bytes are looked at together, and checkOverlap how many of them again with the next
	// ones. What begins in the first checkLead bytes has been found before, and what begins after as many of the
	// overlap is found with the next ones, which have more of it.
	checkWindow  = 1 << 20
	checkOverlap = 64 << 10
	checkLead    = 4 << 10
	// longestRun is the greatest length of a text that is searched at once.
	longestRun = 32 << 10
	// shortestText is the least length of a text with a pattern.
	shortestText = 4
)

// Check reads all bytes of a file, which need not be a recording, and looks for what the rules for
// pieces of texts find, wherever it may be: in strings of all encodings, and in remains that belong
// to nothing. Where a rule applies is ignored. It also looks for names that the Redactor has
// learned, and for texts that it has replaced if it remembers them, and so finds in a copy what is
// left of the original; names of classes are not known. It takes some MB of memory for a file of
// any size. If the file cannot be read to its end, it returns what was found before, and the error.
func (r *Redactor) Check(ctx context.Context, from io.Reader) (*Checked, error) {
	c := newChecker(r)
	buffer := make([]byte, checkWindow)
	n := 0
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m, err := io.ReadFull(from, buffer[n:])
		ends := err != nil
		if err == io.EOF || err == io.ErrUnexpectedEOF { // not one of packed data that ends too early
			err = nil
		}
		n += m
		if c.until = n; !ends {
			c.until = n - checkOverlap + checkLead
		}
		c.window(buffer[:n])
		if ends {
			c.report.Bytes = c.base + int64(n)
			if err != nil {
				err = fmt.Errorf("at byte %d: %w", c.report.Bytes, err)
			}
			return c.done(), err
		}
		copy(buffer, buffer[n-checkOverlap:n])
		c.base += int64(n - checkOverlap)
		n = checkOverlap
	}
}

// checker finds patterns in the bytes of a file.
type checker struct {
	prog   *program
	base   int64 // of the window in the file
	until  int   // before this place in the window begins what is found
	search *search
	text   []byte // decoded
	// whole are where whole strings lie in the window, in order, and edges has a bit for each place where one begins or ends:
	// what follows a string is no part of it, whatever its bytes look like.
	whole  []wholeString
	edges  []uint64
	length int // where the length of the last long one ends: its bytes begin no other
	seen   map[findingKey]bool
	list   []Finding
	report Checked
}

// wholeString is where the characters of a string lie.
type wholeString struct{ from, to int }

// findingKey is a finding by which it is known again.
type findingKey struct {
	rule   int
	offset int64
}

// decoded is a text in a window.
type decoded struct {
	text     string
	at       int // where it begins
	width    int // bytes of each character; 0 if they differ
	encoding string
}

func newChecker(r *Redactor) *checker {
	c := &checker{seen: make(map[findingKey]bool), search: searches.Get().(*search), edges: make([]uint64, checkWindow/64+1)}
	var steps []step
	for i := range r.rules.list {
		switch l := &r.rules.list[i]; {
		case l.kind == kindPattern:
			steps = append(steps, step{patternFinder(l), i})
		case finders[l.kind] != nil:
			steps = append(steps, step{r.fit(l.kind), i})
		}
	}
	c.prog = &program{r: r, steps: steps}
	return c
}

// window looks for patterns in bytes.
func (c *checker) window(b []byte) {
	for key := range c.seen {
		if key.offset < c.base {
			delete(c.seen, key)
		}
	}
	c.whole, c.length = c.whole[:0], 0
	clear(c.edges)
	for i := range b {
		if e := wire.Encoding(b[i]); e == wire.UTF8 || e == wire.Latin1 || e == wire.Chars {
			c.encoded(b, i, e)
		}
	}
	slices.SortFunc(c.whole, func(a, b wholeString) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	c.ascii(b)
	for first := range 2 {
		c.wide(b, first)
	}
	c.numbers(b)
	c.padded(b)
}

// edge reports whether a string begins or ends at i; it does from now on if is is true.
func (c *checker) edge(i int, is bool) bool {
	if is {
		c.edges[i/64] |= 1 << (i % 64)
	}
	return c.edges[i/64]>>(i%64)&1 != 0
}

// isPrintable reports whether a byte can be one of an ASCII text.
func isPrintable(b byte) bool { return b >= ' ' && b < 0x7f || b == '\t' || b == '\n' || b == '\r' }

// ascii looks at all that may be text of one byte for each character, whatever is around it.
func (c *checker) ascii(b []byte) {
	known, end := c.whole, 0
	for i := 0; i < len(b); {
		if !isPrintable(b[i]) {
			i++
			continue
		}
		to := i + 1
		for to < len(b) && isPrintable(b[to]) && !c.edge(to, false) {
			to++
		}
		for ; len(known) > 0 && known[0].from <= i; known = known[1:] {
			if s := known[0]; s.to-s.from <= longestRun {
				end = max(end, s.to)
			}
		}
		if to <= end { // the string has been looked at as a whole
			i = to
			continue
		}
		for at := i; ; at += longestRun - checkLead {
			end := min(at+longestRun, to)
			c.look(decoded{wire.View(b[at:end]), at, 1, "ASCII"})
			if end == to {
				break
			}
		}
		i = to
	}
}

// wide looks at all that may be text of two bytes for each character. The first byte is odd or even.
func (c *checker) wide(b []byte, first int) {
	for i := first; i+1 < len(b); i += 2 {
		if b[i] == 0 && isPrintable(b[i+1]) {
			i = c.fixed(b, i, 2, "UTF-16") - 2
		}
	}
}

// numbers looks at all that may be text of four or eight bytes for each character.
func (c *checker) numbers(b []byte) {
	zeros := 0
	for i := 0; i < len(b); i++ {
		if b[i] == 0 {
			zeros++
			continue
		}
		before := zeros
		if zeros = 0; before < 3 || !isPrintable(b[i]) {
			continue
		}
		if before >= 7 && fixedChar(b[i+1:], 8) {
			i = c.fixed(b, i-7, 8, "long") - 1
		} else if fixedChar(b[i+1:], 4) {
			i = c.fixed(b, i-3, 4, "int") - 1
		}
	}
}

// fixed looks at text that begins at i, of characters of a width, and returns where to look on.
func (c *checker) fixed(b []byte, i, width int, encoding string) int {
	at := i
	c.text = c.text[:0]
	for fixedChar(b[i:], width) && len(c.text) < longestRun {
		c.text = append(c.text, b[i+width-1])
		if i += width; c.edge(i, false) {
			break
		}
	}
	return c.run(decoded{wire.View(c.text), at, width, encoding}, i)
}

// fixedChar reports whether bytes begin with a printable character of a width.
func fixedChar(b []byte, width int) bool {
	if len(b) < width || !isPrintable(b[width-1]) {
		return false
	}
	for _, x := range b[:width-1] {
		if x != 0 {
			return false
		}
	}
	return true
}

// run looks at a text that ends at i, and returns where to look on: before i if the text can go on.
func (c *checker) run(d decoded, i int) int {
	c.look(d)
	if len(d.text) == longestRun {
		i -= d.width * checkLead
	}
	return i
}

// padded looks at all that may be text whose characters are varints that take more bytes than they need, each as many.
func (c *checker) padded(b []byte) {
	for i := 0; i+1 < len(b); i++ {
		if b[i] < 0x80 || b[i+1]&0x7f != 0 {
			continue
		}
		width := paddedWidth(b[i:])
		if width == 0 {
			continue
		}
		at := i
		c.text = c.text[:0]
		for i < len(b) && paddedWidth(b[i:]) == width && len(c.text) < longestRun {
			c.text = append(c.text, b[i]&0x7f)
			i += width
		}
		i = c.run(decoded{wire.View(c.text), at, width, "padded"}, i) - 1
	}
}

// paddedWidth returns how many bytes the varint takes with which bytes begin; 0 unless it is that of a printable character and
// takes more than one.
func paddedWidth(b []byte) int {
	if b[0] < 0x80 || !isPrintable(b[0]&0x7f) {
		return 0
	}
	for i := 1; i < min(len(b), wire.MaxVarintLen); i++ {
		switch b[i] {
		case 0:
			return i + 1
		case 0x80:
		default:
			return 0
		}
	}
	return 0
}

// encoded looks at a string whose encoding may stand at i, exactly as long as it is.
func (c *checker) encoded(b []byte, i int, e wire.Encoding) {
	for _, form := range []wire.IntEncoding{wire.Compressed, wire.FixedWidth} {
		if form == wire.FixedWidth && (i+1 >= len(b) || b[i+1] != 0) {
			return
		}
		n, from := stringLength(b, i+1, form)
		if n < 1 || n > len(b)-from || i < c.length || n > longestRun && e == wire.Chars {
			continue
		}
		if to := c.string(b, from, n, e, form); to > 0 {
			c.edge(from, true)
			c.edge(to, true)
			c.whole = append(c.whole, wholeString{from, to})
			if form == wire.Compressed && from > i+2 {
				c.length = from
			}
		}
	}
}

// stringLength returns the length of a string that stands at i, and where its characters begin.
func stringLength(b []byte, i int, form wire.IntEncoding) (n, from int) {
	if form == wire.FixedWidth {
		if i+4 > len(b) {
			return 0, i
		}
		return int(uint32(b[i])<<24 | uint32(b[i+1])<<16 | uint32(b[i+2])<<8 | uint32(b[i+3])), i + 4
	}
	v, size := wire.Varint(b[i:])
	if size == 0 || v > checkWindow {
		return 0, i
	}
	return int(v), i + size
}

// string looks at a string of n bytes or characters from a place on, and returns where it ends; 0 if it has too many
// characters that texts do not have.
func (c *checker) string(b []byte, from, n int, e wire.Encoding, form wire.IntEncoding) int {
	c.text = c.text[:0]
	if e != wire.Chars {
		ascii, odd := true, 0
		for _, x := range b[from : from+n] {
			if !isPrintable(x) && x < 0x80 {
				if odd++; odd > (n+8)/16 || 0 < x && x <= byte(wire.Latin1) {
					return 0
				}
			}
			ascii = ascii && x < 0x80
		}
		switch text := b[from : from+n]; {
		case n > longestRun: // it is looked at in parts
		case ascii:
			c.look(decoded{wire.View(text), from, 1, "ASCII"})
		case e == wire.UTF8:
			c.look(decoded{wire.View(text), from, 1, "UTF-8"})
		default:
			for _, x := range text {
				c.text = utf8.AppendRune(c.text, rune(x))
			}
			c.look(decoded{wire.View(c.text), from, 0, "Latin-1"})
		}
		return from + n
	}
	at := from
	for range n {
		unit, size := uint64(0), 2
		switch {
		case form == wire.Compressed:
			unit, size = wire.Varint(b[at:])
		case at+2 <= len(b):
			unit = uint64(b[at])<<8 | uint64(b[at+1])
		default:
			return 0
		}
		if size == 0 || unit > 0xffff || unit < 0x80 && !isPrintable(byte(unit)) {
			return 0
		}
		c.text = utf8.AppendRune(c.text, rune(unit))
		at += size
	}
	width := 0
	if len(c.text) == n { // all ASCII
		width = (at - from) / n
	}
	c.look(decoded{wire.View(c.text), from, width, "char"})
	return at
}

// look looks for patterns in a text.
func (c *checker) look(d decoded) {
	if len(d.text) < shortestText {
		return
	}
	has, digits := featuresOf(d.text)
	c.search.pieces = c.search.pieces[:0]
	c.prog.search(context.Background(), c.search, d.text, has, digits)
	c.prog.r.replaced.find(d.text, func(from, to, rule int) {
		c.search.pieces = append(c.search.pieces, piece{from: from, to: to, rule: rule, kind: kindField})
	})
	for _, p := range c.search.pieces {
		at := d.at + p.from*d.width
		if at < checkLead && c.base > 0 || at >= c.until || c.prog.r.env.beginsWithMark(d.text[p.from:p.to]) {
			continue
		}
		key := findingKey{p.rule, c.base + int64(at)}
		if c.seen[key] {
			continue
		}
		c.seen[key] = true
		c.report.Count++
		if len(c.list) < maxFindings {
			c.list = append(c.list, Finding{c.prog.r.rules.list[p.rule].text, key.offset, p.to - p.from, d.encoding})
		}
	}
}

// beginsWithMark reports whether what was found has taken the place of another text, with perhaps bytes after it that
// look like letters: the size of the next event, for one. So has a mail address that begins with the pseudonym of a user.
func (e *environment) beginsWithMark(text string) bool {
	if strings.HasPrefix(text, Marker) || e.isMark(text) || isHash(text[:min(len(text), 1+hashDigits)]) {
		return true
	}
	for n := tokenLength + 2; n <= min(len(text), longestPseudonym); n++ {
		if isPseudonym(text[:n]) {
			return true
		}
	}
	return false
}

// longestPseudonym is more than pseudonyms have: those of addresses begin with parts of the address.
const longestPseudonym = 40

// done returns what was found, in the order of the file.
func (c *checker) done() *Checked {
	searches.Put(c.search)
	slices.SortFunc(c.list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Rule, b.Rule))
	})
	c.report.Findings = append([]Finding{}, c.list...)
	return &c.report
}
