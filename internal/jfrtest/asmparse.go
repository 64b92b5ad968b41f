package jfrtest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// asmParser reads a text of [Assemble].
type asmParser struct {
	text string
	pos  int
}

// space steps over space and comments.
func (p *asmParser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		case '#':
			end := strings.IndexByte(p.text[p.pos:], '\n')
			if end < 0 {
				end = len(p.text) - p.pos
			}
			p.pos += end
		default:
			return
		}
	}
}

// met steps over a text if it is next.
func (p *asmParser) met(s string) bool {
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

// word returns the characters up to one that ends words.
func (p *asmParser) word() string {
	n := strings.IndexAny(p.text[p.pos:], " \t\r\n\"()<>=:*/#")
	if n < 0 {
		n = len(p.text) - p.pos
	}
	p.pos += n
	return p.text[p.pos-n : p.pos]
}

// items reads items up to the end of the text, or to what closes them.
func (p *asmParser) items(closing string) ([]asmItem, error) {
	var list []asmItem
	for {
		p.space()
		switch {
		case closing != "" && p.met(closing):
			return list, nil
		case p.pos == len(p.text) && closing == "":
			return list, nil
		case p.pos == len(p.text):
			return nil, fmt.Errorf("%s is missing at the end", closing)
		}
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
}

func (p *asmParser) item() (asmItem, error) {
	if p.met("<") {
		return p.element()
	}
	if p.met("(") {
		items, err := p.items(")")
		return asmRow(items), err
	}
	start := p.pos
	word := p.word()
	switch {
	case word == "":
	case word == "table":
		return asmTable{}, nil
	case word == "x":
		digits, err := p.quoted()
		if err != nil {
			return nil, err
		}
		bytes, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		return asmBytes(bytes), err
	case word == "event":
		return p.event()
	case word == "chunk":
		flags, err := p.width(FlagCompressed)
		if err != nil || !p.met("(") {
			return nil, errors.Join(err, errors.New("chunk wants a parenthesis"))
		}
		items, err := p.items(")")
		return &asmChunk{flags: byte(flags), items: items}, err
	case p.met("*"):
		n, err := strconv.ParseUint(word, 10, 24)
		if err != nil {
			return nil, fmt.Errorf("how often is %q", word)
		}
		item, err := p.item()
		return asmRepeat{int(n), item}, err
	case word[0] == 's' && len(word) <= 2:
		return p.string(word)
	case word == "u1" || word == "u2" || word == "u4" || word == "u8":
		if p.met(":") {
			sum, err := p.sum(p.word())
			return asmNumber{sum, int(word[1] - '0')}, err
		}
	case word == "f4" || word == "f8":
		if p.met(":") {
			x, err := strconv.ParseFloat(p.word(), 64)
			if word == "f4" {
				return asmNumber{asmSum{{number: int64(math.Float32bits(float32(x)))}}, 4}, err
			}
			return asmNumber{asmSum{{number: int64(math.Float64bits(x))}}, 8}, err
		}
	case word[0] == 'u' && strings.Trim(word[1:], "0123456789") == "":
		// Not a label that is called u3.
	case p.met(":"):
		return asmLabel(word), nil
	case word[0] == 'v':
		sum, err := p.sum(word[1:])
		if err != nil {
			return nil, err
		}
		width, err := p.width(0)
		return asmVarint{sum, width}, err
	}
	return nil, fmt.Errorf("what is %.20q", p.text[start:])
}

// width reads a slash and the number after it, if it is there.
func (p *asmParser) width(without int) (int, error) {
	if !p.met("/") {
		return without, nil
	}
	word := p.word()
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > 9 {
		return 0, fmt.Errorf("a width of %q", word)
	}
	return n, nil
}

func (p *asmParser) event() (asmItem, error) {
	e := asmEvent{raw: p.met(":u4")}
	var err error
	if e.width, err = p.width(0); err != nil {
		return nil, err
	}
	if !p.met("(") {
		return nil, errors.New("event wants a parenthesis")
	}
	e.items, err = p.items(")")
	return e, err
}

func (p *asmParser) quoted() (string, error) {
	rest := p.text[p.pos:]
	prefix, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", fmt.Errorf("no text in quotes is %.10q", rest)
	}
	p.pos += len(prefix)
	return strconv.Unquote(prefix)
}

// string reads what follows s, s3 and so on.
func (p *asmParser) string(word string) (asmItem, error) {
	encoding := byte(encUTF8)
	if len(word) == 2 {
		encoding = word[1] - '0'
	}
	switch encoding {
	case encNull, encEmpty:
		return asmBytes{encoding}, nil
	case encPool:
		if !p.met(":") {
			return nil, errors.New("s2 wants a key, as in s2:7")
		}
		sum, err := p.sum(p.word())
		return asmRow{asmBytes{encPool}, asmVarint{sum, 0}}, err
	case encUTF8, encUTF16, encLatin1:
		text, err := p.quoted()
		if err != nil {
			return nil, err
		}
		for _, r := range text {
			if encoding == encLatin1 && r > 0xff {
				return nil, fmt.Errorf("%q is not Latin-1", text)
			}
		}
		return asmText{textIn(text, encoding)}, nil
	}
	return nil, fmt.Errorf("what is %q", word)
}

// sum reads numbers and references with + and - between them.
func (p *asmParser) sum(word string) (asmSum, error) {
	var sum asmSum
	for rest := word; ; {
		var t asmTerm
		switch {
		case strings.HasPrefix(rest, "-"):
			t.minus, rest = true, rest[1:]
		case len(sum) > 0:
			rest = strings.TrimPrefix(rest, "+")
		}
		n := strings.IndexAny(rest, "+-")
		if n < 0 {
			n = len(rest)
		}
		part := rest[:n]
		rest = rest[n:]
		if label, ok := strings.CutPrefix(part, "@"); ok {
			t.label = label
		} else if number, err := strconv.ParseUint(part, 0, 64); err == nil {
			t.number = int64(number)
		} else {
			return nil, fmt.Errorf("no number is %q", word)
		}
		sum = append(sum, t)
		if rest == "" {
			return sum, nil
		}
	}
}

// element reads an element after its <.
func (p *asmParser) element() (asmItem, error) {
	e := asmElement{name: p.word()}
	if e.name == "" {
		return nil, errors.New("an element without a name")
	}
	for {
		p.space()
		switch {
		case p.met(">"):
			return e, nil
		case p.met("<"):
			child, err := p.element()
			if err != nil {
				return nil, err
			}
			e.children = append(e.children, child.(asmElement))
			continue
		}
		a := Attribute{Name: p.word()}
		if a.Name == "" || !p.met("=") {
			return nil, fmt.Errorf("no attribute of %s is %.10q", e.name, a.Name+p.text[p.pos:])
		}
		var err error
		if strings.HasPrefix(p.text[p.pos:], `"`) {
			a.Value, err = p.quoted()
		} else {
			a.Value = p.word()
		}
		if err != nil {
			return nil, err
		}
		e.attributes = append(e.attributes, a)
	}
}
