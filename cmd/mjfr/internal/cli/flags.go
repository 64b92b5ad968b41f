package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/terminal"
)

// persistentFlags adds the flags of all verbs.
func (a *App) persistentFlags(f *pflag.FlagSet) {
	a.color = terminal.Auto
	f.Var(&a.color, "color", "show colours; `WHEN` is auto, for terminals, or always, which also aligns columns, as for less -R, or never")
	f.BoolVar(&a.noProgress, "no-progress", false, "show no progress; it only ever shows on a terminal")
}

// flagError makes the error for a wrong flag.
func (a *App) flagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() {
		// If a word is no verb, its flags mean nothing.
		if words := cmd.Flags().Args(); len(words) > 0 {
			return UnknownVerb(cmd, words[0])
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedName() == "v" {
			return Usagef("%w; mjfr -v prints the version", err)
		}
		if unknown.GetSpecifiedShortnames() != "" {
			return usageError{err}
		}
		if like := suggestNames(flagNames(cmd), unknown.GetSpecifiedName()); like != "" {
			return Usagef("%w; did you mean %s?", err, "--"+strings.ReplaceAll(like, " or ", " or --"))
		}
	}
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return Usagef("--%s cannot be %q: %w", value.GetFlag().Name, value.GetValue(), badValue(value))
	}
	return usageError{err}
}

// badValue says what the value of a flag should be.
func badValue(err *pflag.InvalidValueError) error {
	switch err.GetFlag().Value.Type() {
	case "int", "int32", "int64", "uint", "uint32", "uint64":
		if number, ok := errors.AsType[*strconv.NumError](err); ok && number.Err == strconv.ErrRange {
			return errors.New("that is too large, or too small")
		}
		return errors.New("it must be a whole number")
	case "bool":
		return errors.New("it must be true or false; without a value it is true")
	case "duration":
		return errors.New("it must be a length of time, such as 20ms or 1m30s")
	}
	return fmt.Errorf("%w", err.Unwrap())
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
