package views

import (
	"fmt"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/suggest"
)

const inBraces = `\$\{([^}=]*)(=[^}]*)?\}`

// parameter is a parameter in a statement, with its default.
var parameter = lazy.Regexp(inBraces)

// token is a part of a statement with a meaning of its own: a comment, a text in quotes, or a
// parameter.
var token = lazy.Regexp(`--[^\n]*|'(?:\\.|` + inBraces + `|[^'\\])*'|"(?:\\.|` + inBraces + `|[^"\\])*"|` + inBraces)

// replaced returns a statement with its parameters replaced; inQuotes is set for those inside a
// text in quotes. In comments there are no parameters.
func replaced(statement string, value func(match []string, inQuotes bool) string) string {
	return token().ReplaceAllStringFunc(statement, func(part string) string {
		if part[0] == '-' {
			return part
		}
		return parameter().ReplaceAllStringFunc(part, func(s string) string {
			return value(parameter().FindStringSubmatch(s), part[0] != '$')
		})
	})
}

// plain are numbers and names, which stand in a statement without quotes.
var plain = lazy.Regexp(`^-?[0-9][\pL0-9.]*%?$|^[@\pL_$][@\pL\pN_$.\[\]]*$`)

var parameterName = lazy.Regexp(`^[\pL_][\pL\pN_-]*$`)

// parameters returns those of a statement. The same one can stand in it several times, with its
// default at least once.
func parameters(text string) (list []Parameter, err error) {
	at := make(map[string]int)
	var matches [][]string
	replaced(text, func(m []string, _ bool) string {
		matches = append(matches, m)
		return ""
	})
	for _, m := range matches {
		name, value, given := m[1], strings.TrimPrefix(m[2], "="), m[2] != ""
		if !parameterName().MatchString(name) {
			return nil, fmt.Errorf("%q is not a parameter name; write ${threshold=10ms}", name)
		}
		if strings.Contains(value, "${") {
			return nil, fmt.Errorf("the default of the parameter %s cannot hold another parameter", name)
		}
		i, known := at[name]
		switch {
		case !known:
			at[name] = len(list)
			list = append(list, Parameter{Name: name, Default: value, Required: !given})
		case given && list[i].Required:
			list[i] = Parameter{Name: name, Default: value}
		case given && list[i].Default != value:
			return nil, fmt.Errorf("the parameter %s has two defaults, %s and %s", name, list[i].Default, value)
		}
	}
	return list, nil
}

// missingValue is the error for a parameter without a value.
type missingValue struct{ view, name string }

func (e missingValue) Error() string {
	return fmt.Sprintf("view %s: the parameter %s needs a value", e.view, e.name)
}

// filled returns the statement with values of parameters.
func (v *View) filled(values map[string]string) (string, error) {
	known := make(map[string]Parameter)
	var names []string
	for _, p := range v.Parameters {
		known[p.Name], names = p, append(names, p.Name)
	}
	for name := range values {
		if _, ok := known[name]; ok {
			continue
		}
		if len(names) == 0 {
			return "", fmt.Errorf("view %s has no parameters, and so no %s", v.Name, name)
		}
		return "", fmt.Errorf("view %s has no parameter %s%s", v.Name, name, suggest.Question(name, names))
	}
	var err error
	return replaced(v.Query, func(match []string, inQuotes bool) string {
		p := known[match[1]]
		value, given := values[p.Name]
		switch {
		case given:
		case p.Required:
			err = missingValue{v.Name, p.Name}
		default:
			value = p.Default
		}
		if inQuotes {
			return escape.Replace(value)
		}
		return valueText(value)
	}), err
}

// valueText returns a value as it stands in a statement.
func valueText(value string) string {
	if plain().MatchString(value) {
		return value
	}
	return "'" + escape.Replace(value) + "'"
}

var escape = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
