package views

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/mmapjfr/jfr/mmapjfr/query"
)

// View is a prepared statement.
type View struct {
	// Name is how the view is asked for: hot-methods.
	Name string
	// Label is its title.
	Label string
	// Description says what it shows; "" if nobody has said it.
	Description string
	// Section is jvm, environment, application, or another one by which lists are divided.
	Section string
	// Form is set if it is shown as one row, with a line for each column.
	Form bool
	// Query is the statement as it is written in its file, with its parameters.
	Query string
	// Parameters are in the order of the statement, each once.
	Parameters []Parameter

	standard bool
	file     string // and the line in it where the statement begins
	line     int
}

// Parameter is a value of a view that its user can choose.
type Parameter struct {
	Name string
	// Default is its value if none is given. Without one, Required is set.
	Default  string
	Required bool
}

// IsStandard reports whether the JDK has the view. Its rows are those of the JDK with
// [query.Options].JDK.
func (v *View) IsStandard() bool { return v.standard }

// Statement returns the statement of the view. Values are those of parameters by their names;
// others have their defaults. The error says where in its file a statement is wrong, or that a
// parameter has no value or does not exist.
func (v *View) Statement(values map[string]string, o query.Options) (*query.Statement, error) {
	text, err := v.filled(values)
	if err != nil {
		return nil, err
	}
	st, err := query.Parse(text, o)
	if err != nil {
		return nil, v.wrong(err)
	}
	return st, nil
}

//go:embed *.views
var files embed.FS

// builtIn reads the views of this package.
var builtIn = sync.OnceValue(func() (all []*View) {
	for _, name := range []string{"jdk.views", "more.views"} {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		list, err := parse(string(data), name)
		if err != nil {
			panic(err)
		}
		for _, v := range list {
			v.standard = name == "jdk.views"
		}
		all = append(all, list...)
	}
	return all
})

// All returns the views of this package: first those of the JDK, in the order of its all-views.
// They must not be changed.
func All() []*View { return slices.Clone(builtIn()) }

// Find returns the view of this package with a name, in any case.
func Find(name string) (v *View, ok bool) {
	for _, v := range builtIn() {
		if strings.EqualFold(v.Name, name) {
			return v, true
		}
	}
	return nil, false
}
