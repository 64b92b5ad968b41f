package query

import (
	"strconv"
	"strings"
)

// formatNames are what FORMAT takes, for errors.
var formatNames = []string{"none", "normalized", "cell-height:N", "missing:TEXT", "truncate-beginning", "truncate-end", "ms-precision:N"}

// properties parses how a column is shown: properties with semicolons between them.
func (p *parser) properties() (f Format, err error) {
	for {
		if err := p.property(&f); err != nil {
			return f, err
		}
		// A semicolon ends the statement if nothing follows.
		after := *p
		if !after.accept(";") {
			return f, nil
		}
		if after.skip(); after.at == len(p.text) {
			return f, nil
		}
		p.at = after.at
	}
}

func (p *parser) property(f *Format) (err error) {
	p.skip()
	begin := p.at
	p.at += end(p.text[begin:], func(r rune) bool { return isPart(r) || r == '-' })
	name := strings.ToLower(p.text[begin:p.at])
	value := ""
	if strings.HasPrefix(p.text[p.at:], ":") {
		p.at++
		if value, err = p.propertyValue(); err != nil {
			return err
		}
		name += ":"
	}
	n, wrong := strconv.ParseUint(value, 10, 16)
	switch {
	case name == "none":
	case name == "normalized":
		f.Normalized = true
	case name == "truncate-beginning":
		f.TruncateBeginning = true
	case name == "truncate-end":
		f.TruncateBeginning = false
	case name == "missing:" && value == "whitespace":
		f.Missing = " "
	case name == "missing:":
		f.Missing = value
	case name == "cell-height:" && wrong == nil && n > 0:
		f.CellHeight = int(n)
	case name == "ms-precision:" && wrong == nil && n <= 9:
		f.Millis, f.MillisDigits = true, int(n)
	case name == "cell-height:":
		return p.errorAt(begin, "cell-height needs a number of lines from 1, as in cell-height:2")
	case name == "ms-precision:":
		return p.errorAt(begin, "ms-precision needs a number of digits from 0 to 9, as in ms-precision:3")
	case name == "":
		return p.expected("a format, one of " + strings.Join(formatNames, " "))
	default:
		question := didYouMean(name, formatNames)
		if question == "" {
			question = "; formats are " + strings.Join(formatNames, " ")
		}
		return p.errorAt(begin, "there is no format %s%s", shortened(p.text[begin:p.at]), question)
	}
	return nil
}

// propertyValue returns what stands after the colon: a text in quotes, or up to a space, a comma, a
// semicolon or a brace.
func (p *parser) propertyValue() (string, error) {
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, `"`) {
		return p.quoted()
	}
	if i := strings.IndexAny(rest, " \t\r\n,;}"); i >= 0 {
		rest = rest[:i]
	}
	p.at += len(rest)
	return rest, nil
}

// appendFormat appends a format as [Parse] takes it.
func appendFormat(dst []byte, f Format) []byte {
	begin := len(dst)
	add := func(there bool, text string) {
		if !there {
			return
		}
		if len(dst) > begin {
			dst = append(dst, ';')
		}
		dst = append(dst, text...)
	}
	add(f.Normalized, "normalized")
	add(f.CellHeight > 0, "cell-height:"+strconv.Itoa(f.CellHeight))
	add(f.TruncateBeginning, "truncate-beginning")
	add(f.Millis, "ms-precision:"+strconv.Itoa(f.MillisDigits))
	if add(f.Missing != "", "missing:"); f.Missing == " " {
		return append(dst, "whitespace"...)
	}
	if f.Missing != "" {
		dst = appendQuoted(dst, f.Missing)
	}
	return dst
}
