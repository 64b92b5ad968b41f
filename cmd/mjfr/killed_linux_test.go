package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli/clitest"
	"github.com/mmapjfr/jfr/internal/jvmtest"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// recordingVerbs are those that have a JVM record, for [argsOf].
var recordingVerbs = []string{
	"watch PID", "tail -f --settings default PID", "query --live PID --settings default select_count(*)_from_CPULoad",
	"view --live PID --settings default gc", "profile --for 100s PID", "open --settings default --no-browser --listen localhost:0 PID",
}

// argsOf returns the arguments of a verb for a process.
func argsOf(verb string, pid int) []string {
	args := strings.Fields(strings.ReplaceAll(verb, "PID", strconv.Itoa(pid)))
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	return args
}

// TestKilledVerbs kills each verb that has a JVM record. What it leaves has an end, stays while another
// verb of the same kind runs, and is removed by whatever verb comes next.
func TestKilledVerbs(t *testing.T) {
	verbs := recordingVerbs
	for _, major := range []int{17, 25} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			tmp := t.TempDir() // other tests leave folders in the common one
			j := jvmtest.Start(t, jvmtest.Options{Major: major, NoRecording: true, JVM: []string{"-Djava.io.tmpdir=" + tmp}})
			vm, err := attach.Open(t.Context(), j.PID)
			require.NoError(t, err)
			folders := func() []string {
				list, err := filepath.Glob(filepath.Join(tmp, "mjfr-*"))
				require.NoError(t, err)
				return list
			}
			recordings := func(n int) []attach.Recording {
				t.Helper()
				for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
					list, err := vm.Recordings(t.Context())
					require.NoError(t, err)
					if len(list) == n || time.Now().After(end) {
						require.Len(t, list, n)
						return list
					}
				}
			}
			// start starts a verb, and returns what kills it.
			start := func(verb string) (kill func()) {
				cmd, _ := mjfrProcess(t, argsOf(verb, j.PID)...)
				require.NoError(t, cmd.Start())
				kill = func() {
					if cmd.ProcessState == nil {
						_ = cmd.Process.Kill()
						_ = cmd.Wait() // it says that it was killed
					}
				}
				t.Cleanup(kill)
				return kill
			}
			for i, verb := range verbs {
				lives := start(verbs[(i+2)%len(verbs)])
				mine := recordings(1)
				kill := start(verb)
				for _, r := range recordings(2) {
					assert.NotZero(t, r.Duration, r.Name)
				}
				kill()
				assert.Len(t, recordings(2), 2, "nobody has removed it yet")
				next := start(verbs[(i+1)%len(verbs)]) // removes one, and starts one
				assert.Eventually(t, func() bool {
					list, err := vm.Recordings(t.Context())
					return err == nil && len(list) == 2 && list[0].Name == mine[0].Name && list[1].ID > mine[0].ID+1
				}, time.Minute, 20*time.Millisecond, verb)
				lives()
				next()
				cmd, stderr := mjfrProcess(t, "tail", "-f", strconv.Itoa(j.PID))
				assert.Error(t, cmd.Run())
				assert.Equal(t, "mjfr tail: process "+strconv.Itoa(j.PID)+" records nothing; mjfr tail -f --settings default "+strconv.Itoa(j.PID)+" makes it record\n", stderr.String())
				recordings(0)
				assert.Empty(t, folders(), verb)
			}
			here, err := filepath.Glob(fmt.Sprintf("/proc/%d/cwd/*.jfr", j.PID))
			require.NoError(t, err)
			assert.Empty(t, here, "JDK 25 writes recordings that end into its working directory")
		})
	}
}

// TestVerbsEndWithTheRecording stops the recording that verbs follow: each says so, and ends.
func TestVerbsEndWithTheRecording(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, NoRecording: true})
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	pid := strconv.Itoa(j.PID)
	for _, verb := range [][]string{
		{"tail", "-f", pid}, {"tail", "-f", "--settings", "default", pid}, {"watch", "--existing", pid}, {"watch", pid},
		{"query", "--every", "1s", "--live", pid, "select count(*) from CPULoad"},
	} {
		_, err := vm.StartRecording(t.Context(), attach.RecordingOptions{Name: "other", Settings: []string{"default"}})
		require.NoError(t, err)
		cmd, stderr := mjfrProcess(t, verb...)
		out := new(clitest.LockedText)
		cmd.Stdout = out
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return out.String() != "" }, time.Minute, 20*time.Millisecond, verb)
		list, err := vm.Recordings(t.Context())
		require.NoError(t, err)
		for _, r := range list {
			require.NoError(t, vm.Stop(t.Context(), r.ID))
		}
		assert.NoError(t, cmd.Wait(), verb)
		assert.Contains(t, stderr.String(), "process "+pid+": its recording has ended, and the JVM goes on: ", verb)
	}
}

// TestInterruptedBesideASilentJVM interrupts each verb that has a JVM record that does not answer. If it is stopped the verb
// says what may be left; else it says what it waits for, and ends at once when it is interrupted again.
func TestInterruptedBesideASilentJVM(t *testing.T) {
	j := jvmtest.Start(t, jvmtest.Options{Major: 25, NoRecording: true})
	vm, err := attach.Open(t.Context(), j.PID)
	require.NoError(t, err)
	for _, verb := range recordingVerbs {
		for _, hangs := range []bool{false, true} {
			cmd, _ := mjfrProcess(t, argsOf(verb, j.PID)...)
			told := new(clitest.LockedText)
			cmd.Stderr = told
			said := func(text string) {
				t.Helper()
				require.Eventually(t, func() bool { return strings.Contains(told.String(), text) }, time.Minute, 10*time.Millisecond, "%s: %s", verb, told)
			}
			require.NoError(t, cmd.Start())
			own := fmt.Sprintf(" %d-", cmd.Process.Pid) // in the name of its recording
			require.Eventually(t, func() bool {
				list, err := vm.Recordings(t.Context())
				return err == nil && slices.ContainsFunc(list, func(r attach.Recording) bool { return strings.Contains(r.Name, own) })
			}, time.Minute, 10*time.Millisecond, "%s: %s", verb, told)
			silence, says := j.Suspend, "a recording may go on; end it with jcmd "
			if verb[0] == 'p' {
				says = "lets it go on" // it ends with the time of the profile
			}
			if hangs {
				silence, says = j.Hang, fmt.Sprintf("process %d to end the recording of mjfr; another Ctrl-C ends mjfr at once", j.PID)
			}
			release := silence()
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			said(says)
			if hangs {
				require.NoError(t, cmd.Process.Signal(os.Interrupt))
			}
			assert.Error(t, cmd.Wait(), verb)
			assert.Equal(t, hangs, strings.Contains(told.String(), "waiting for "), told)
			assert.Equal(t, hangs, !strings.Contains(told.String(), "go on"), told)
			release()
		}
	}
}
