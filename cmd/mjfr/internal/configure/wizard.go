package configure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/mmapjfr/jfc"
)

// errAbort is returned when the user wants no file.
var errAbort = errors.New("abort")

// wizard asks the questions of --interactive.
type wizard struct {
	*verb
	ctx   context.Context
	lines <-chan string // what the user enters; closed at its end
}

// ask asks for each option of a file, and for the file to write, whose name it returns. The name is
// empty if the user gave up.
func (v *verb) ask(ctx context.Context, file *jfc.File, output string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &wizard{v, ctx, v.readLines(ctx)}
	options := file.Options()
	w.say("============== .jfc Configuration Wizard ============")
	w.say("This wizard will generate a JFR configuration file by")
	w.say("asking %d questions. Press ENTER to use the default", len(options)+1)
	w.say("value, or type Q to abort the wizard.")
	var err error
	for _, o := range options {
		if err == nil {
			err = w.option(o)
		}
	}
	if err == nil {
		output, err = w.filename(output)
	}
	if errors.Is(err, errAbort) {
		w.say("\nAbort.")
		return "", nil
	}
	return output, err
}

// readLines reads what the user enters in a goroutine of its own, so that a signal ends the questions.
func (v *verb) readLines(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(v.Stdin); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (w *wizard) say(format string, args ...any) { fmt.Fprintf(w.ui, format+"\n", args...) }

// line returns the next line of the user. It is an error if the user gives up.
func (w *wizard) line() (string, error) {
	select {
	case line, ok := <-w.lines:
		if !ok || strings.EqualFold(line, "Q") {
			return "", errAbort
		}
		return line, nil
	case <-w.ctx.Done():
		return "", context.Cause(w.ctx)
	}
}

// option asks for the value of an option until it gets one.
func (w *wizard) option(o jfc.Option) error {
	ask := w.text
	now := o.Value()
	switch o.Kind() {
	case jfc.Selection:
		now, ask = o.Selected().Label, w.selection
		w.say("\n%s: %s (default)", o.Label(), now)
		for i, c := range o.Choices() {
			w.say("%d. %s", i+1, c.Label)
		}
	case jfc.Flag:
		now, ask = "No", w.flag
		if strings.EqualFold(o.Value(), "true") {
			now = "Yes"
		}
		w.say("\n%s [Y/N]: %s (default)", o.Label(), now)
	case jfc.Text:
		if now == "" {
			now = `""`
		}
		w.say("\n%s: %s  (default)", o.Label(), now)
	}
	for {
		line, err := w.line()
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) == "" {
			w.say("Using default: %s", now)
			return nil
		}
		value, shown := ask(o, line)
		if shown == "" {
			continue
		}
		w.say("Using: %s", shown)
		changed, err := o.Set(value)
		w.note(changed)
		w.showLog()
		return err
	}
}

// selection returns the choice that a number stands for. Like its siblings, it says what is wrong with a
// line and returns empty texts.
func (w *wizard) selection(o jfc.Option, line string) (value, shown string) {
	n, err := strconv.ParseInt(line, 10, 32)
	list := o.Choices()
	switch {
	case err != nil:
		w.say("Must enter a number, or ENTER to select default.")
	case n < 1 || int(n) > len(list):
		w.say("Not in range.")
	default:
		return list[n-1].Name, list[n-1].Label
	}
	return "", ""
}

func (w *wizard) flag(_ jfc.Option, line string) (value, shown string) {
	switch {
	case strings.EqualFold(line, "Y"):
		return "true", "Yes"
	case strings.EqualFold(line, "N"):
		return "false", "No"
	}
	w.say("Not a valid choice.")
	return "", ""
}

func (w *wizard) text(o jfc.Option, line string) (value, shown string) {
	if o.ContentType() == "method-filter" && !isMethodFilter(line) {
		w.say("Not a valid method filter. A filter can be an annotation (@jakarta.ws.rs.GET), a full " +
			"qualified class name (com.example.Foo), a fully qualified method reference " +
			"(java.lang.HashMap::resize) or a class initializer (::<clinit>). Use <init> for " +
			"constructors. Separate multiple filters with semicolon.")
		return "", ""
	}
	value, err := o.Check(line)
	if err != nil {
		w.say("%s", err)
		return "", ""
	}
	return value, value
}

// identifier and className are the names of Java.
const (
	identifier = `[\p{L}\p{Nl}\p{Sc}_][\p{L}\p{N}\p{Sc}_]*`
	className  = identifier + `(\.` + identifier + `)*`
)

// methodFilter is an annotation, a class, a method, or a method of a class.
var methodFilter = lazy.Regexp(`^(@?` + className + `|(` + className + `)?::(` + identifier + `|<clinit>|<init>))$`)

// isMethodFilter reports whether a text is one or more filters, with semicolons between them.
func isMethodFilter(text string) bool {
	for one := range strings.SplitSeq(text, ";") {
		if !methodFilter().MatchString(strings.TrimSpace(one)) {
			return false
		}
	}
	return true
}

// filename asks for the name of the file to write.
func (w *wizard) filename(output string) (string, error) {
	w.say("\nFilename: %s (default)", output)
	for {
		line, err := w.line()
		switch {
		case err != nil:
			return "", err
		case strings.TrimSpace(line) == "":
			return output, nil
		case strings.HasSuffix(line, suffix):
			return line, nil
		}
		w.say("Filename must end with .jfc.")
	}
}
