// Package door lets packages mmapjfr and profile hand functions to engine and profiles, which import them.
package door

var functions map[string]any

// Open offers functions by name when a program starts. Those of package mmapjfr have been taken when
// package profile, which imports engine, offers its own in their place.
func Open(named map[string]any) { functions = named }

// Through returns the function of that name. It panics if it has another type or is missing: a
// mistake that each program shows when it starts.
func Through[F any](name string) F { return functions[name].(F) }
