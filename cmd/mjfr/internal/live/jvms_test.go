package live

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// mjfrCommand runs mjfr with the verbs that the tests use.
var mjfrCommand = clitest.Mjfr(NewJVMs)

// jvmsOf has mjfr jvms see these.
func jvmsOf(t *testing.T, list []attach.Process, recordings map[int][]attach.Recording) {
	t.Helper()
	oldList, oldCheck := ListProcesses, recordingsOf
	t.Cleanup(func() { ListProcesses, recordingsOf = oldList, oldCheck })
	ListProcesses = func() ([]attach.Process, error) { return list, nil }
	recordingsOf = func(_ context.Context, pid int) ([]attach.Recording, error) {
		r, ok := recordings[pid]
		if !ok {
			return nil, errors.New("it does not answer")
		}
		return r, nil
	}
}

var jvmsThree = []attach.Process{
	{PID: 7, User: "app", Main: "app.Main", Command: "app.Main one", Arguments: "-Xmx1g", Version: "17.0.15", VM: "OpenJDK 17", Attachable: true},
	{PID: 1234, User: "1001", Main: "my\x1b app.jar", Version: "25.0.3", Container: true, Attachable: true},
	{PID: 99999, User: "other", Main: "x.Y"},
}

func TestJVMs(t *testing.T) {
	jvmsOf(t, jvmsThree, nil)
	code, out, told := mjfrCommand(t, "jvms")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, told)
	assert.Equal(t, `PID	Java	User	Container	Attachable	Main
7	17.0.15	app	no	yes	app.Main
1234	25.0.3	1001	yes	yes	my\x1b app.jar
99999		other	no	no	x.Y
`, out)
	_, out, _ = mjfrCommand(t, "jvms", "--color=always")
	assert.Contains(t, out, "\n    7  17.0.15  app ")
	assert.Contains(t, out, `my\x1b app.jar`)
}

func TestJVMsRecordings(t *testing.T) {
	jvmsOf(t, jvmsThree, map[int][]attach.Recording{
		7:    {{ID: 1, Name: "1", State: "running"}, {ID: 2, Name: "two", State: "stopped"}},
		1234: {},
	})
	for _, flag := range []string{"-v", "--recordings"} {
		code, out, told := mjfrCommand(t, "jvms", flag)
		assert.Equal(t, cli.ExitOK, code)
		assert.Empty(t, told)
		assert.Equal(t, `PID	Java	User	Container	Attachable	Main	Recordings
7	17.0.15	app	no	yes	app.Main	1 (running), 2 two (stopped)
1234	25.0.3	1001	yes	yes	my\x1b app.jar	none
99999		other	no	no	x.Y	
`, out)
	}
}

func TestJVMsThatDoNotAnswer(t *testing.T) {
	jvmsOf(t, jvmsThree, map[int][]attach.Recording{1234: {}})
	code, out, told := mjfrCommand(t, "jvms", "-v")
	assert.Equal(t, cli.ExitData, code)
	assert.Equal(t, "mjfr jvms: process 7: it does not answer\n", told)
	assert.Contains(t, out, "app.Main\t\n")
	assert.Contains(t, out, "my\\x1b app.jar\tnone\n")
}

func TestJVMsJSON(t *testing.T) {
	jvmsOf(t, jvmsThree[:1], map[int][]attach.Recording{7: {
		{ID: 2, Name: "two", State: "running", Duration: time.Hour, MaxAge: time.Minute, MaxSize: 250 << 20},
	}})
	code, out, told := mjfrCommand(t, "jvms", "--json", "-v")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, told)
	assert.Equal(t, `{
  "jvms": [
    {
      "pid": 7,
      "user": "app",
      "main": "app.Main",
      "command": "app.Main one",
      "jvmArguments": "-Xmx1g",
      "version": "17.0.15",
      "vm": "OpenJDK 17",
      "container": false,
      "attachable": true,
      "recordings": [
        {
          "id": 2,
          "name": "two",
          "state": "running",
          "durationNanos": 3600000000000,
          "maxAgeNanos": 60000000000,
          "maxSizeBytes": 262144000
        }
      ]
    }
  ]
}
`, out)
	_, out, _ = mjfrCommand(t, "jvms", "--json")
	assert.NotContains(t, out, "recordings", "nobody was asked")
	jvmsOf(t, jvmsThree[:1], map[int][]attach.Recording{7: nil})
	_, out, _ = mjfrCommand(t, "jvms", "--json", "-v")
	assert.Contains(t, out, `"recordings": []`)
}

func TestJVMsNone(t *testing.T) {
	jvmsOf(t, nil, nil)
	code, out, told := mjfrCommand(t, "jvms")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "PID\tJava\tUser\tContainer\tAttachable\tMain\n", out)
	assert.Equal(t, "mjfr jvms: no JVM runs that can be seen from here; root also sees JVMs of other users, and in containers\n", told)
	code, out, told = mjfrCommand(t, "jvms", "--json")
	assert.Equal(t, cli.ExitOK, code)
	assert.Empty(t, told)
	var d jvmsDocument
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	assert.NotNil(t, d.JVMs)
}

func TestJVMsErrors(t *testing.T) {
	jvmsOf(t, nil, nil)
	code, _, told := mjfrCommand(t, "jvms", "7")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, told, `jvms takes no arguments, not "7"`)
	ListProcesses = func() ([]attach.Process, error) { return nil, errors.New("nothing here") }
	code, out, told := mjfrCommand(t, "jvms")
	assert.Equal(t, cli.ExitData, code)
	assert.Empty(t, out)
	assert.Equal(t, "mjfr jvms: nothing here\n", told)
}
