package oracle

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
)

// maxClassQuestions ends the search for event types that can be printed alone.
const maxClassQuestions = 100

// askClasses asks for the classes of a chunk, or for those that options select.
func askClasses(ctx context.Context, home, path string, options ...string) (Classes, error) {
	classes := Classes{}
	err := run(ctx, home, path, func(r io.Reader) error {
		for t, err := range SplitClasses(r) {
			if err != nil {
				return err
			}
			classes.Add(t.Name, t.Text)
		}
		return nil
	}, append([]string{"metadata"}, options...)...)
	if err != nil {
		return nil, err
	}
	return classes, nil
}

// askEventClasses asks for the event types among names where the JDK crashes when it
// prints them all, as it does on an annotation with an int[]. It halves the names
// until those that make it crash are alone.
func askEventClasses(ctx context.Context, home, path string, names map[string]Count) (Classes, error) {
	classes := Classes{}
	var filters []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		filters = append(filters, eventFilter(name))
	}
	questions := 0
	var ask func(filters []string) error
	ask = func(filters []string) error {
		if len(filters) == 0 || questions == maxClassQuestions {
			return nil
		}
		questions++
		found, err := askClasses(ctx, home, path, "--events", strings.Join(filters, ","))
		refused, err := asRefusal(err)
		if err != nil {
			return err
		}
		if refused == "" {
			classes.AddAll(found)
			return nil
		}
		if len(filters) == 1 {
			return nil
		}
		if err := ask(filters[:len(filters)/2]); err != nil {
			return err
		}
		return ask(filters[len(filters)/2:])
	}
	return classes, ask(filters)
}
