package oracle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Count is what jfr summary says of one event type.
type Count struct {
	Events uint64 `json:"events"`
	Bytes  uint64 `json:"bytes"`
}

// Summary is what jfr summary says of a file.
type Summary struct {
	Refused  string // the first line of the refusal; the rest is empty then
	Version  string
	Chunks   int
	Start    string // as printed, for example 2026-11-20 21:22:36 (UTC)
	Duration string // as printed, for example 3 s
	Types    map[string]Count
}

// ParseSummary reads the output of jfr summary. Rows with the same name are added
// up: the JDK prints one for each id.
func ParseSummary(r io.Reader) (Summary, error) {
	s := Summary{Types: map[string]Count{}}
	table := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if table {
			name, c, err := summaryRow(line)
			if err != nil {
				return Summary{}, err
			}
			old := s.Types[name]
			s.Types[name] = Count{old.Events + c.Events, old.Bytes + c.Bytes}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Version":
			s.Version = value
		case "Chunks":
			n, err := strconv.Atoi(value)
			if err != nil {
				return Summary{}, fmt.Errorf("oracle: summary: %w", err)
			}
			s.Chunks = n
		case "Start":
			s.Start = value
		case "Duration":
			s.Duration = value
		}
		table = strings.HasPrefix(line, "=====")
	}
	if err := lines.Err(); err != nil {
		return Summary{}, fmt.Errorf("oracle: summary: %w", err)
	}
	if !table || s.Version == "" {
		return Summary{}, errors.New("oracle: not the output of jfr summary")
	}
	return s, nil
}

func summaryRow(line string) (string, Count, error) {
	rest, bytes, ok1 := cutLastNumber(line)
	name, events, ok2 := cutLastNumber(rest)
	if name = strings.TrimSpace(name); name == "" || !ok1 || !ok2 {
		return "", Count{}, fmt.Errorf("oracle: summary: not a row: %q", line)
	}
	return name, Count{events, bytes}, nil
}

func cutLastNumber(s string) (rest string, n uint64, ok bool) {
	s = strings.TrimRight(s, " ")
	i := strings.LastIndexByte(s, ' ')
	n, err := strconv.ParseUint(s[i+1:], 10, 64)
	return s[:i+1], n, err == nil
}
