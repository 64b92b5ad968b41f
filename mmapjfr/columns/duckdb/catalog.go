package duckdb

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/sqltext"
	"github.com/mmapjfr/jfr/internal/suggest"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/columns"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/query/views"
)

//go:embed macros.sql
var macros string

// Catalog is the tables, views and macros of recordings.
type Catalog struct {
	// Tables are those of event types, and those that events refer to, sorted by name.
	Tables []*columns.Table

	own        []*views.View     // of the user
	parameters map[string]string // of views

	times  query.Options // what points in time mean in conditions of views
	types  []mmapjfr.Type
	macros []macro
	names  map[*columns.Table]string   // of tables in SQL
	tables map[string]*columns.Table   // by these names in lower case
	real   map[string]*columns.Table   // by their own names
	short  map[string][]*columns.Table // by names without package in lower case
	views  map[string]*View            // those that have been asked for, by name
}

// View is a view as SQL.
type View struct {
	Name, Title, SQL string
	// Err says why SQL cannot say it of these recordings; nil if it can.
	Err error
}

// macro is a macro, and how to make it.
type macro struct{ name, sql string }

// NewCatalog returns the catalog of recordings, of which filters of the options take the events.
func NewCatalog(recs []*mmapjfr.Recording, o columns.Options) (*Catalog, error) {
	tables, err := columns.Tables(recs, o)
	c := &Catalog{Tables: tables, views: make(map[string]*View)}
	c.nameAll()
	c.times = timesOf(recs)
	for _, s := range Statements(macros) {
		head, _, _ := strings.Cut(s[strings.Index(s, "CREATE MACRO ")+len("CREATE MACRO "):], "(")
		c.macros = append(c.macros, macro{head, s})
	}
	c.types, _ = mmapjfr.EventTypes(recs, o.Filters...) // the error is that of the tables
	return c, err
}

// timesOf returns how points in time are understood: as in mjfr view, those without a zone are of the zone of the first recording.
func timesOf(recs []*mmapjfr.Recording) (o query.Options) {
	for i, rec := range recs {
		if i == 0 {
			o.Zone, o.Start, o.End = rec.Location(), rec.Start(), rec.End()
		}
		if rec.Start().Before(o.Start) {
			o.Start = rec.Start()
		}
		if rec.End().After(o.End) {
			o.End = rec.End()
		}
	}
	return o
}

// nameAll gives all tables names. DuckDB does not tell upper from lower case: of tables whose names differ in nothing else the
// first has its own, and the others get _ at their ends. So do those that are called as views of DuckDB.
func (c *Catalog) nameAll() {
	c.names, c.tables = make(map[*columns.Table]string), make(map[string]*columns.Table)
	c.real, c.short = make(map[string]*columns.Table), make(map[string][]*columns.Table)
	var others []*columns.Table
	for _, t := range c.Tables {
		c.real[t.Name] = t
		if lower := strings.ToLower(t.Name); c.tables[lower] == nil && !isSystem(lower) {
			c.names[t], c.tables[lower] = t.Name, t
		} else {
			others = append(others, t)
		}
	}
	tails := make(map[string]string)
	for _, t := range others {
		lower := strings.ToLower(t.Name)
		for c.tables[lower+tails[lower]] != nil || isSystem(lower+tails[lower]) {
			tails[lower] += "_"
		}
		c.names[t], c.tables[lower+tails[lower]] = t.Name+tails[lower], t
	}
	for _, t := range c.Tables {
		if short := strings.ToLower(c.simpleName(t)); short != "" && c.tables[short] == nil && !isSystem(short) {
			c.short[short] = append(c.short[short], t)
		}
	}
}

// Named returns the table that has exactly this name; nil if there is no such table.
func (c *Catalog) Named(name string) *columns.Table { return c.real[name] }

// NameOf returns the name that a table has in SQL.
func (c *Catalog) NameOf(t *columns.Table) string { return c.names[t] }

// AddViews adds views of the user, which come before others of the same names, and values of parameters for all views that
// have such. Its error is about a parameter that no view has.
func (c *Catalog) AddViews(list []*views.View, parameters map[string]string) error {
	c.own, c.parameters = list, parameters
	var known []string
	for _, v := range c.definitions() {
		for _, p := range v.Parameters {
			known = append(known, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no view has a parameter %s%s", name, suggest.Question(name, known))
		}
	}
	return nil
}

// definitions returns all views as they are written, those of the user first.
func (c *Catalog) definitions() []*views.View { return slices.Concat(c.own, views.All()) }

// View returns the view with a name, in any case; nil if there is no such view, or a table is called so.
func (c *Catalog) View(name string) *View {
	name = strings.ToLower(name)
	if v := c.views[name]; v != nil {
		return v
	}
	all := c.definitions()
	i := slices.IndexFunc(all, func(v *views.View) bool { return strings.EqualFold(v.Name, name) })
	if i < 0 || c.tables[name] != nil || c.short[name] != nil {
		return nil
	}
	of := all[i]
	v := &View{Name: of.Name, Title: of.Label}
	v.SQL, v.Err = c.viewOf(of, c.types)
	c.views[name] = v
	return v
}

// Views returns all views, those of the user first, and then in the order of the JDK.
func (c *Catalog) Views() (list []*View) {
	for _, of := range c.definitions() {
		if v := c.View(of.Name); v != nil && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func (c *Catalog) viewOf(v *views.View, types []mmapjfr.Type) (string, error) {
	o := c.times
	o.JDK, o.Exact = v.IsStandard(), true
	values := maps.Clone(c.parameters)
	maps.DeleteFunc(values, func(name, _ string) bool {
		return !slices.ContainsFunc(v.Parameters, func(p views.Parameter) bool { return p.Name == name })
	})
	st, err := v.Statement(values, o)
	if err != nil {
		return "", err
	}
	plan, err := st.Plan(types, o)
	if err != nil {
		if wrong, is := errors.AsType[*query.Error](err); is {
			return "", errors.New(wrong.Message)
		}
		return "", err
	}
	return plan.DuckDB(func(typ mmapjfr.Type) (name string, list []query.SQLColumn) {
		name = columns.TableName(typ)
		if t := c.real[name]; t != nil {
			name = c.names[t]
			for _, col := range t.Columns {
				list = append(list, query.SQLColumn{Name: col.Name, Field: col.Field})
			}
		}
		return name, list
	})
}

// Need is what scripts name, and what that needs in turn.
type Need struct {
	Tables []*columns.Table
	Views  []*View
	macros []macro
	listed []*columns.Table // those that are only shown in lists of tables
}

// All returns everything.
func (c *Catalog) All() *Need {
	n := &Need{Tables: c.Tables, macros: c.usable()}
	n.Views = slices.DeleteFunc(c.Views(), func(v *View) bool { return v.Err != nil })
	return n
}

// usable returns the macros without those that read tables or columns which these recordings lack: DuckDB refuses them.
func (c *Catalog) usable() (list []macro) {
	lacking := make(map[string]bool)
	for _, m := range c.macros {
		lacks := false
		var table *columns.Table
		names(m.sql, func(name string) {
			if strings.HasPrefix(name, "jdk.") {
				table = c.tables[name]
				lacks = lacks || table == nil
			}
			lacks = lacks || lacking[name]
		})
		names(m.sql, func(name string) { // macros give tables names such as "@h"
			if alias, column, ok := strings.Cut(name, "."); ok && table != nil && strings.HasPrefix(alias, "@") {
				lacks = lacks || !slices.ContainsFunc(table.Columns, func(c columns.Column) bool { return strings.EqualFold(c.Name, column) })
			}
		})
		if lacking[m.name] = lacks; !lacks {
			list = append(list, m)
		}
	}
	return list
}

// Only leaves the tables with these names, and those that events refer to; the others have no rows.
func (n *Need) Only(names []string) {
	n.Tables, n.listed = slices.Clone(n.Tables), slices.Clone(n.listed)
	n.Tables = slices.DeleteFunc(n.Tables, func(t *columns.Table) bool {
		unwanted := !slices.Contains(names, t.Name)
		if unwanted {
			n.listed = append(n.listed, t)
		}
		return unwanted
	})
}

// Needed returns the tables, views and macros that scripts name, in any place. It may be more than they read, and
// never less, unless a script makes names out of texts. A script that asks which tables there are gets all of them; those
// that it does not name have no rows.
func (c *Catalog) Needed(scripts ...string) *Need {
	n, known := &Need{}, make(map[string]bool)
	var visit func(name string)
	visit = func(name string) {
		t := c.Table(name)
		if t != nil && !slices.Contains(n.Tables, t) {
			n.Tables = append(n.Tables, t)
		}
		if known[name] {
			return
		}
		known[name] = true
		if v := c.View(name); v != nil && v.Err == nil {
			names(v.SQL, visit)
			n.Views = append(n.Views, v)
		}
		for _, m := range c.macros {
			if m.name == name {
				names(m.sql, visit)
				n.macros = append(n.macros, m)
			}
		}
	}
	lists := false
	for _, s := range scripts {
		names(s, visit)
		lists = lists || slices.ContainsFunc(Statements(s), listsTables)
	}
	if lists {
		n.listed = slices.DeleteFunc(slices.Clone(c.Tables), func(t *columns.Table) bool { return slices.Contains(n.Tables, t) })
		n.Views, n.macros = c.All().Views, c.usable()
	}
	slices.SortFunc(n.Tables, func(a, b *columns.Table) int { return strings.Compare(a.Name, b.Name) })
	return n
}

// SQL returns the script that makes all of it. Source returns what a table is read from, as in read_parquet('a.parquet');
// the table is empty if it returns "".
func (c *Catalog) SQL(n *Need, source func(t *columns.Table) string) string {
	var b strings.Builder
	b.WriteString("SET TimeZone = 'UTC';\n")
	schemas := make(map[string]bool)
	for _, t := range slices.Concat(n.Tables, n.listed) {
		from := ""
		if !slices.Contains(n.listed, t) {
			from = source(t)
		}
		from = cmp.Or(from, Empty(t))
		name := c.names[t]
		fmt.Fprintf(&b, "CREATE VIEW %s AS FROM %s;\n", Quote(name), from)
		schema, short, _ := strings.Cut(name, ".")
		if short == "" {
			continue
		}
		if !strings.Contains(short, ".") && schema != "" && !isTaken(schema) {
			if !schemas[schema] {
				schemas[schema] = true
				fmt.Fprintf(&b, "CREATE SCHEMA IF NOT EXISTS %s;\n", Quote(schema))
			}
			fmt.Fprintf(&b, "CREATE VIEW IF NOT EXISTS %s.%s AS FROM main.%s;\n", Quote(schema), Quote(short), Quote(name))
		}
		if short = c.simpleName(t); c.tables[strings.ToLower(short)] == nil && c.Table(short) == t {
			fmt.Fprintf(&b, "CREATE VIEW %s AS FROM main.%s;\n", Quote(short), Quote(name))
		}
	}
	for _, m := range n.macros {
		b.WriteString(m.sql + ";\n")
	}
	for _, v := range n.Views {
		fmt.Fprintf(&b, "CREATE VIEW %s AS %s;\n", Quote(v.Name), v.SQL)
	}
	return b.String()
}

// isTaken reports whether DuckDB has a schema or a catalog of that name.
func isTaken(schema string) bool {
	return slices.Contains([]string{"main", "pg_catalog", "information_schema", "memory", "system", "temp"}, strings.ToLower(schema))
}

// isSystem reports whether DuckDB has a view of that name, or could have one, which SHOW TABLES and the like read.
func isSystem(view string) bool { return systemView().MatchString(view) }

var systemView = lazy.Regexp(`^(duckdb|pragma|sqlite|pg)_.*[^_]$`)

// Empty returns a subquery with the columns of a table and without rows.
func Empty(t *columns.Table) string {
	list := []string{}
	for i := range t.Columns {
		list = append(list, "CAST(NULL AS "+TypeOf(&t.Columns[i])+") AS "+Quote(t.Columns[i].Name))
	}
	return "(SELECT " + strings.Join(list, ", ") + " WHERE false)"
}

// TypeOf returns the type that a column has in DuckDB.
func TypeOf(c *columns.Column) string {
	if c.Kind == columns.List {
		return TypeOf(&columns.Column{Kind: c.Element}) + "[]"
	}
	return [...]string{
		columns.Bool: "BOOLEAN", columns.Int: "BIGINT", columns.Uint: "UBIGINT", columns.Double: "DOUBLE", columns.Time: "TIMESTAMP WITH TIME ZONE", columns.Text: "VARCHAR",
		columns.Frames: "STRUCT(class VARCHAR, method VARCHAR, descriptor VARCHAR, line BIGINT, bci BIGINT, type VARCHAR)[]",
	}[c.Kind]
}

// Quote returns a name in double quotes, without control characters.
func Quote(name string) string { return sqltext.Name(name) }

// Text returns an expression for a text, in which no control character stands.
func Text(text string) string { return sqltext.Text(text) }

// Table returns the table that a name means, in full or without the package, in any case; nil if there is no such table, or
// if there are several.
func (c *Catalog) Table(name string) *columns.Table {
	if all := c.meanings(name); len(all) == 1 {
		return all[0]
	}
	return nil
}

// meanings returns all tables that a name can mean, see [Catalog.Table]. A full name means its own table alone.
func (c *Catalog) meanings(name string) []*columns.Table {
	name = strings.ToLower(name)
	if t := c.tables[name]; t != nil {
		return []*columns.Table{t}
	}
	return c.short[name]
}

// Which returns how to name one of the tables that a name can mean; "" if they are not several.
func (c *Catalog) Which(name string) string {
	all := c.meanings(name)
	if len(all) < 2 {
		return ""
	}
	var list []string
	for _, t := range all[:min(len(all), 10)] {
		list = append(list, Quote(c.names[t]))
	}
	return fmt.Sprintf("%s is the name of %d event types; write one of them with its package: %s", name, len(all), strings.Join(list, ", "))
}

// simpleName returns the name of a table in SQL without its package; it may be empty.
func (c *Catalog) simpleName(t *columns.Table) string {
	name := c.names[t]
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Like returns the names of tables and views that look like a name; "" if none does.
func (c *Catalog) Like(name string) string {
	var list []string
	for _, v := range c.definitions() {
		list = append(list, v.Name)
	}
	for _, t := range c.Tables {
		name := c.simpleName(t)
		if len(c.short[strings.ToLower(name)]) != 1 {
			name = c.names[t]
		}
		list = append(list, name)
	}
	return strings.Join(suggest.To(name, list), " or ")
}
