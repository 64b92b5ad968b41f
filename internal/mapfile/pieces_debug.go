//go:build jfrdebug

package mapfile

import "os"

// Builds that check themselves read all passes by pieces if the environment asks for that: views of bytes
// that are gone are found then.
func init() {
	if os.Getenv("JFR_PASSES") == "read" {
		Force(ByRead)
	}
}
