package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

// TestVerbsThatAreNotThereYet has command lines that are right for the JDK's jfr.
func TestVerbsThatAreNotThereYet(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"scrub", "--exclude-events", "InitialSecurityProperty", "app.jfr"}, "jfr scrub"},
		{[]string{"assemble", "repository", "all.jfr"}, "mjfr repair REPOSITORY OUT.jfr"},
		{[]string{"disassemble", "--max-chunks", "1", "app.jfr"}, "mjfr chunks"},
	} {
		code, stdout, stderr := mjfrCommand(t, c.args...)
		assert.Equal(t, cli.ExitUsage, code, c.args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "mjfr "+c.args[0]+": mjfr does not have this verb of the JDK's jfr yet; use ")
		assert.Contains(t, stderr, c.says)
	}
	_, help, _ := mjfrCommand(t, "help")
	assert.Contains(t, help, "\nOf the JDK's jfr, not there yet:\n  scrub ")
	code, help, _ := mjfrCommand(t, "scrub", "--help")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, help, "jfr scrub of a JDK 19 or later")
}
