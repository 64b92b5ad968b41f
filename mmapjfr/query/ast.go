package query

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// Statement is a question that has been parsed. It is safe for concurrent use.
type Statement struct {
	text string

	outputs []output // none for SELECT *
	from    []source
	joins   []join
	where   *where.Condition // nil selects all
	whereAt int              // where the condition begins in the text
	groupBy []grouping
	byAll   bool // GROUP BY ALL: by all outputs that are no aggregates
	having  expr // nil keeps all groups
	orderBy []ordering
	limit   int // -1 is none
	weighed []weighed
	// fields are those that the statement reads, without the names of their sources.
	fields []string

	// names are the sources that a field can be qualified with: by alias, event type or its
	// simple name. Their values are names of sources, more than one if it is a type of several.
	names map[string][]string
}

// weighed is a field that is @weight.
type weighed struct {
	kind    string   // of profile; "" is the one that events measure best
	sources []string // their names; none for those of FROM
}

// output is what a column shows.
type output struct {
	expr   expr
	alias  string // "" is none
	title  string // of COLUMN; "" is none
	format Format // of FORMAT
	text   string // the expression as it was written
}

// source is event types that a statement reads: those whose names a pattern matches.
type source struct {
	pattern string // a full name, a simple name or a glob; "*" is all types
	alias   string // "" is none: then fields are qualified by the pattern itself
	pos     int    // where the pattern begins in the text
}

// joinMode is how events of one type find an event of another.
type joinMode uint8

const (
	during joinMode = iota // that lasts while they happen, in the same process
	within                 // that encloses them in the same thread
	asof                   // that came last before them
)

// join gives events the fields of an event of another type.
type join struct {
	mode  joinMode
	event source
	where *where.Condition // of the other event; nil selects all
}

// grouping is a key of GROUP BY.
type grouping struct {
	expr expr
	text string
}

// ordering is a key of ORDER BY.
type ordering struct {
	expr expr // a path that is the alias or the text of an output means that output; so does a number n, the n-th
	text string
	desc bool
	said bool // ASC or DESC was written
}

// expr is an expression.
type expr interface {
	// position is where the expression begins in the text of its statement, in bytes.
	position() int
}

type (
	// path is a field of an event: recorded, or computed as package where knows them.
	path struct {
		pos int
		// sources are the aliases or types before the field, as in B.when and [A|B].startTime;
		// none if the field is that of any type that has it. The parser takes what stands before
		// the first point as a source if FROM or a join has such an alias or type.
		sources []string
		field   string // as written, without sources: "stackTrace.topFrame"
		quoted  bool   // it stood between backquotes
	}
	// number is a number that was written, with its unit if it has one: 10ms, 1MB, 50%; or true,
	// false or null.
	number struct {
		pos   int
		text  string
		value Value
		unit  mmapjfr.Unit // of an amount of data or a percentage
	}
	// text is a text in quotes.
	text struct {
		pos   int
		value string
	}
	// call is a function or an aggregate of arguments.
	call struct {
		pos  int
		name string // in upper case; AVERAGE, MINIMUM, MAXIMUM and DIFFERENCE are AVG, MIN, MAX and DIFF
		star bool   // COUNT(*)
		args []expr
	}
	// binary is two operands with an operator between them.
	binary struct {
		pos         int
		op          string // + - * / and, in conditions of HAVING, = != < <= > >= AND OR
		left, right expr
	}
	// unary is an operand after an operator: - or NOT.
	unary struct {
		pos     int
		op      string
		operand expr
	}
)

func (e *path) position() int   { return e.pos }
func (e *number) position() int { return e.pos }
func (e *text) position() int   { return e.pos }
func (e *call) position() int   { return e.pos }
func (e *binary) position() int { return e.pos }
func (e *unary) position() int  { return e.pos }

// Error says what is wrong in a statement, and where. It is what [Parse] and [Statement.Plan] return
// for statements that are wrong.
type Error struct {
	// Text is the whole statement.
	Text string
	// Offset is where in the text the wrong part begins, in bytes.
	Offset int
	// Message says what is wrong and how to go on.
	Message string
	// NoType is set if there are no event types that the statement reads.
	NoType bool
	// Ambiguous is set if a name means several event types: whatever other recordings have, the statement is wrong.
	Ambiguous bool

	cause error
}

func newError(text string, offset int, cause error) *Error {
	return &Error{Text: text, Offset: max(0, min(offset, len(text))), Message: cause.Error(), cause: cause}
}

// Unwrap returns what the message is of.
func (e *Error) Unwrap() error { return e.cause }

// Position returns the line and the character in it where the wrong part begins, both from 1.
func (e *Error) Position() (line, character int) {
	before := e.Text[:e.Offset]
	begin := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[begin:]) + 1
}

// Error returns the position and the message.
func (e *Error) Error() string {
	line, character := e.Position()
	return fmt.Sprintf("query, line %d, character %d: %s", line, character, e.Message)
}
