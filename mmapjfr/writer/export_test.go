package writer

import "fmt"

// SplitFunction returns what splitFunction makes of a name.
func SplitFunction(name string) string {
	class, method, isStatic := splitFunction(name)
	return fmt.Sprint(class, " ", method, " ", isStatic)
}
