// Package errtree takes errors apart.
package errtree

import (
	"errors"
	"fmt"
	"reflect"
)

// joined is the type of the errors of [errors.Join].
var joined = reflect.TypeOf(errors.Join(errors.ErrUnsupported))

// Each returns the errors that were joined by [errors.Join], in their order. Any other error
// is returned alone; nil has none.
func Each(err error) []error {
	if err == nil {
		return nil
	}
	if reflect.TypeOf(err) != joined {
		return []error{err}
	}
	var all []error
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		all = append(all, Each(e)...)
	}
	return all
}

// Unnamed returns what is wrong with a file, for callers that name the file themselves. Errors
// that begin with a name have a method Unnamed.
func Unnamed(err error) error {
	if all := Each(err); len(all) == 1 {
		err = all[0]
	}
	if e, ok := err.(interface{ Unnamed() error }); ok {
		return e.Unnamed()
	}
	return err
}

// Detail is an error of a kind, such as that bytes are corrupt, and what is wrong in particular.
// Two of the same kind and text are equal.
type Detail struct {
	Kind error
	Text string
}

// Detailf returns an error of a kind. It matches the kind.
func Detailf(kind error, format string, args ...any) error {
	return Detail{kind, fmt.Sprintf(format, args...)}
}

func (d Detail) Error() string { return d.Kind.Error() + ": " + d.Text }

// Unwrap returns the kind.
func (d Detail) Unwrap() error { return d.Kind }

// Key returns a value that errors with the same contents have in common, to find those that
// come again.
func Key(err error) any {
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.Elem().Comparable() {
		return v.Elem().Interface()
	}
	return err
}
