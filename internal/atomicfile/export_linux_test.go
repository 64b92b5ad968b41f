package atomicfile

import "testing"

// SetOnlyNamed lets no file be without a name in a test.
func SetOnlyNamed(t testing.TB) { set(t, &onlyNamed) }

// SetWithoutLinks lets no file get a name later in a test.
func SetWithoutLinks(t testing.TB) { set(t, &withoutLinks) }

func set(t testing.TB, to *bool) {
	*to = true
	t.Cleanup(func() { *to = false })
}

// KnowsUnnamed reports whether files in a folder can be without a name.
func KnowsUnnamed(dir string) bool {
	f := unnamed(dir, 0o600)
	return f != nil && f.Close() == nil
}

// Forget forgets that a folder has been swept.
func Forget(dir string) { swept.Delete(dir) }

// Machine is the number in names.
func Machine() uint32 { return machine() }
