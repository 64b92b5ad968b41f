// Package door lets package mmapjfr hand functions to package engine, which imports it.
package door

var functions map[string]any

// Open offers functions by name. Package mmapjfr calls it when a program starts.
func Open(named map[string]any) { functions = named }

// Through returns the function of that name. It panics if it has another type or is missing: a
// mistake that each program shows when it starts.
func Through[F any](name string) F { return functions[name].(F) }
