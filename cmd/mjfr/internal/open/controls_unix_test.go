//go:build linux || darwin

package open

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// post returns the status of the answer to a request that changes something, and what its error says.
func post(ctx context.Context, h http.Handler, path string) (status int, text string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, path, http.NoBody))
	var answer struct{ Error string }
	_ = json.Unmarshal(w.Body.Bytes(), &answer) // another answer has no error
	return w.Code, answer.Error
}

// TestWrongCommands are known before a JVM is asked.
func TestWrongCommands(t *testing.T) {
	h := (&following{}).handler()
	for path, says := range map[string]string{
		"start?name=a%0Ab":                              "line end",
		"start?name=a%0Db":                              "line end",
		"start?name=%00":                                "zero byte",
		"start?name=12":                                 "numbers are ids",
		"start?name=%22%27":                             "quotes of both kinds",
		"start?settings=":                               "needs a name",
		"start?settings=a/b":                            "default or profile",
		"start?settings=none&settings=profile":          "one of several",
		"start?name=" + strings.Repeat("n", mostName+1): "100 characters",
		"start?duration=1ms":                            "a second or more",
		"start?duration=169h":                           "a week",
		"dump?id=":                                      "number of a recording",
	} {
		status, text := post(t.Context(), h, "/api/jvm/"+path)
		assert.Equal(t, http.StatusBadRequest, status, path)
		assert.Contains(t, text, says)
	}
	status, _ := post(t.Context(), h, "/api/jvm/start?duration=168h&settings=profile&name="+strings.Repeat("%C3%BC", mostName))
	assert.Equal(t, http.StatusNotFound, status, "no JVM is known")
}

// TestRoomForADump: a JVM ends when it cannot write.
func TestRoomForADump(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jfr"), make([]byte, 10), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.dump"), make([]byte, 10), 0o600))
	assert.NoError(t, checkRoom(dir, room+10))
	assert.ErrorContains(t, checkRoom(dir, room+9), "make room first")
	assert.Positive(t, freeBytes(dir))
}

// TestDumpOfAnotherUser reads no link, no pipe, and no file but those of the JVM's user.
func TestDumpOfAnotherUser(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	f, err := openOf(file, os.Getuid())
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, path := range []string{link, pipe, dir, filepath.Join(dir, "none")} {
		for _, uid := range []int{os.Getuid(), -1} {
			_, err := openOf(path, uid)
			assert.Error(t, err, path)
		}
	}
	_, err = openOf(file, os.Getuid()+1)
	assert.ErrorContains(t, err, "not a regular file of the JVM's user")
}

// TestManyRecordings starts as many as a JVM may have.
func TestManyRecordings(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, NoRecording: true})
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	h := (&following{vm: vm}).handler()
	for range mostRecordings {
		status, text := post(t.Context(), h, "/api/jvm/start?settings=none")
		require.Equal(t, http.StatusOK, status, text)
	}
	status, text := post(t.Context(), h, "/api/jvm/start")
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, text, "stop one")
}

// TestStoppedJVM asks a JVM that does not answer: the answer says so, few requests wait, and mjfr says what it waits for
// when it ends.
func TestStoppedJVM(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, NoRecording: true})
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	defer func(d time.Duration) { commandPatience = d }(commandPatience)
	commandPatience = 50 * time.Millisecond
	h := (&following{vm: vm}).handler()
	resume := j.Suspend()
	status, text := post(t.Context(), h, "/api/jvm/stop?id=1")
	assert.Equal(t, http.StatusGatewayTimeout, status)
	assert.Equal(t, fmt.Sprintf("process %d: the JVM does not answer: the process is stopped; kill -CONT %[1]d lets it go on", j.PID), text)
	resume()
	release := j.Hang()
	status, text = post(t.Context(), h, "/api/jvm/stop?id=1")
	assert.Equal(t, http.StatusGatewayTimeout, status)
	assert.Equal(t, fmt.Sprintf("process %d: the JVM does not answer: it is very busy, or stopped; kill -CONT %[1]d lets a stopped one go on", j.PID), text)

	commandPatience = time.Hour
	const asked = 30
	ctx, cancel := context.WithCancel(t.Context())
	statuses := make(chan int, asked)
	for range asked {
		go func() {
			status, _ := post(ctx, h, "/api/jvm/dump?id=1")
			statuses <- status
		}()
	}
	for range asked - 1 - mostCommands {
		assert.Equal(t, http.StatusServiceUnavailable, <-statuses)
	}
	cancel()
	for range 1 + mostCommands {
		assert.NotEqual(t, http.StatusServiceUnavailable, <-statuses)
	}
	release()

	out, told := io.Pipe()
	app := &cli.App{Stdout: io.Discard, Stderr: told, Root: clitest.Verbs(New)}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		ended <- app.Run(ctx, []string{"open", "--no-browser", strconv.Itoa(j.PID)})
		told.Close()
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, "press Ctrl-C to stop"):
			release = j.Hang()
			cancel()
		case strings.Contains(line, "waiting for"):
			release()
		default:
			assert.NotContains(t, line, "may go on")
		}
	}
	assert.Equal(t, cli.ExitInterrupted, <-ended)
	list, err := vm.Recordings(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list)
}
