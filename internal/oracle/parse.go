package oracle

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrFormat is returned for a text that is not an answers file.
var ErrFormat = errors.New("oracle: not an answers file")

// Parse reads what [Answers.Text] wrote.
func Parse(text []byte) (*Answers, error) {
	p := parser{answers: new(Answers)}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if err := p.line(n, strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFormat, n, err)
		}
	}
	if p.account == nil || !p.names {
		return nil, fmt.Errorf("%w: it ends early", ErrFormat)
	}
	return p.answers, nil
}

var errLine = errors.New("unexpected line")

type parser struct {
	answers *Answers
	account *Account // nil in the head of the file
	names   bool     // after the line "names" of account
}

func (p *parser) line(n int, line string) error {
	key, value, _ := strings.Cut(line, " ")
	switch {
	case n == 1 && line != formatLine:
		return errLine
	case n == 1 || line == "":
		return nil
	case key == "account" && (p.account == nil || p.names) && !strings.Contains(value, " "):
		return p.newAccount(value)
	case p.names:
		return p.name(line)
	case p.account != nil:
		return p.inAccount(line, key, value)
	}
	return p.inHead(key, value)
}

func (p *parser) newAccount(title string) error {
	p.names = false
	switch title {
	case plainAccount:
		p.account = &p.answers.Plain
	case finishedAccount:
		p.answers.AsFinished = new(Account)
		p.account = p.answers.AsFinished
	default:
		return errLine
	}
	p.account.Events, p.account.Classes = Multiset{}, Classes{}
	return nil
}

func (p *parser) inHead(key, value string) (err error) {
	a := p.answers
	switch key {
	case "file":
		a.File, _, err = readName(value)
	case "bytes":
		a.Bytes, err = strconv.ParseInt(value, 10, 64)
	case "sha256":
		a.SHA256 = value
	case "jdk":
		a.JDK = value
	default:
		err = errLine
	}
	return err
}

func (p *parser) inAccount(line, key, value string) (err error) {
	s := &p.account.Summary
	switch key {
	case "version":
		s.Version, s.Types = value, map[string]Count{}
	case "chunks":
		s.Chunks, err = strconv.Atoi(value)
	case "start":
		s.Start = value
	case "duration":
		s.Duration = value
	case "chunk":
		return p.chunk(line)
	case "names":
		p.names = true
	default:
		text, ok := strings.CutPrefix(line, "summary refused: ")
		if !ok {
			return errLine
		}
		s.Refused = text
	}
	return err
}

func (p *parser) chunk(line string) error {
	var i int
	var c ChunkAnswer
	chunks := &p.account.Chunks
	if _, err := fmt.Sscanf(line, "chunk %d at %d size %d state %d events %d", &i, &c.Offset, &c.Size, &c.State, &c.Events); err == nil {
		*chunks = append(*chunks, c)
		return nil
	}
	if len(*chunks) == 0 {
		return errLine
	}
	last := &(*chunks)[len(*chunks)-1]
	if _, text, ok := strings.Cut(line, " print refused: "); ok {
		last.PrintRefused = text
	} else if _, text, ok := strings.Cut(line, " metadata refused: "); ok {
		last.MetadataRefused = text
	} else {
		return errLine
	}
	return nil
}

func (p *parser) name(line string) error {
	name, rest, err := readName(line)
	if err != nil {
		return err
	}
	columns := strings.Split(rest, " ")
	if len(columns) != 5 {
		return fmt.Errorf("%d columns: %w", len(columns), errLine)
	}
	if columns[0] != "-" {
		if p.account.Summary.Types == nil {
			return fmt.Errorf("a count without a summary: %w", errLine)
		}
		var c Count
		if _, err := fmt.Sscan(columns[0], &c.Events); err != nil {
			return err
		}
		if _, err := fmt.Sscan(columns[1], &c.Bytes); err != nil {
			return err
		}
		p.account.Summary.Types[name] = c
	}
	if columns[2] != "-" {
		var s Sum
		if _, err := fmt.Sscan(columns[2], &s.N); err != nil {
			return err
		}
		if _, err := fmt.Sscanf(columns[3], "%016x%016x", &s.A, &s.B); err != nil {
			return err
		}
		p.account.Events[name] = s
	}
	if columns[4] != "-" {
		for h := range strings.SplitSeq(columns[4], ",") {
			hash, err := strconv.ParseUint(h, 16, 64)
			if err != nil {
				return err
			}
			p.account.Classes.add(name, hash)
		}
	}
	return nil
}
