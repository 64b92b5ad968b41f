package main

import (
	"encoding/json"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
)

func TestVersion(t *testing.T) {
	code, out, told := mjfrCommand(t, "version")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, told)
	assert.Regexp(t, `^\S+\n`+regexp.QuoteMeta(runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)+`\n$`, out)
}

func TestVersionJSON(t *testing.T) {
	code, out, _ := mjfrCommand(t, "version", "--json")
	assert.Equal(t, cli.ExitOK, code)
	var v versionDocument
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	assert.Equal(t, versionDocument{Version: v.Version, Revision: v.Revision, Modified: v.Modified,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}, v)
	assert.NotEmpty(t, v.Version)
}

func TestVersionTakesNoFile(t *testing.T) {
	code, _, told := mjfrCommand(t, "version", "app.jfr")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, `version takes no arguments, not "app.jfr"`)
}

func TestBuildVersion(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for name, c := range map[string]struct {
		info     *debug.BuildInfo
		version  string
		revision string
		modified bool
	}{
		"no information":   {nil, "devel", "", false},
		"nothing known":    {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel", "", false},
		"released":         {&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: settings("false")}, "v1.2.3", revision, false},
		"from the source":  {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: settings("false")}, "0123456789ab", revision, false},
		"changed since":    {&debug.BuildInfo{Settings: settings("true")}, "0123456789ab+dirty", revision, true},
		"a short revision": {&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "7"}}}, "7", "7", false},
	} {
		v := buildVersion(c.info)
		assert.Equal(t, c.version, v.Version, name)
		assert.Equal(t, c.revision, v.Revision, name)
		assert.Equal(t, c.modified, v.Modified, name)
	}
}
