package repository_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/jdk"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/wire"
	"github.com/mmapjfr/jfr/mmapjfr/stream/internal/repository"
)

// program begins a chunk for each line that it reads, and exits at the end.
const program = `
public class Rotate {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) {
            try (jdk.jfr.Recording r = new jdk.jfr.Recording()) {
                r.start();
            }
        }
    }
}
`

// javas returns the virtual machines of this computer, by version.
func javas(t *testing.T) map[string]string {
	t.Helper()
	longtest.JVM(t)
	found := map[string]string{}
	for _, j := range jdk.All() {
		if j.Major == 17 || j.Major == 25 {
			found[strconv.Itoa(j.Major)] = filepath.Join(j.Home, "bin", "java")
		}
	}
	if len(found) == 0 {
		t.Skip("no virtual machine: put java on PATH, or set JAVA17_HOME or JAVA25_HOME")
	}
	return found
}

// machine is a virtual machine that records.
type machine struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// start starts a virtual machine that records below a base directory.
func start(t *testing.T, java, base string) *machine {
	t.Helper()
	source := filepath.Join(t.TempDir(), "Rotate.java")
	require.NoError(t, os.WriteFile(source, []byte(program), 0o666))
	cmd := exec.Command(java, "-XX:StartFlightRecording", "-XX:FlightRecorderOptions:repository="+base, "-XX:+UseSerialGC", "-Xmx128m", source)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	require.NoError(t, lines.Err())
	return &machine{cmd, in}
}

// rotate begins two chunks: one for a recording, and one for its end.
func (m *machine) rotate(t *testing.T) {
	t.Helper()
	_, err := m.in.Write([]byte("\n"))
	require.NoError(t, err)
}

// until scans and waits until it is so.
func until(t *testing.T, r *repository.Repository, w *repository.Watch, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		scan(t, r)
		r.WatchWith(w)
		if so() {
			return
		}
		require.NoError(t, w.Wait(ctx, 100*time.Millisecond))
	}
}

// header reads the header of a chunk.
func header(t *testing.T, f repository.File) wire.Header {
	t.Helper()
	file, err := os.Open(f.Path)
	require.NoError(t, err)
	defer file.Close()
	head := make([]byte, wire.HeaderLen)
	_, err = io.ReadFull(file, head)
	require.NoError(t, err)
	h, ok := wire.ReadHeader(head)
	require.True(t, ok)
	return h
}

// TestVirtualMachine follows a virtual machine that exits, and one that is killed.
func TestVirtualMachine(t *testing.T) {
	for version, java := range javas(t) {
		for _, kill := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/kill=%t", version, kill), func(t *testing.T) {
				base := t.TempDir()
				r := repository.Open(base)
				w := repository.NewWatch(base)
				defer w.Close()
				m := start(t, java, base)
				var all []repository.File
				more := func(n int) {
					t.Helper()
					want := len(all) + n
					until(t, r, w, func() bool {
						for {
							var last repository.File
							if len(all) > 0 {
								last = all[len(all)-1]
							}
							f, ok := r.After(last)
							if !ok {
								return len(all) >= want
							}
							all = append(all, f)
						}
					})
				}
				more(1)
				pid, ok := r.PID()
				require.True(t, ok)
				assert.Equal(t, m.cmd.Process.Pid, pid)
				assert.Equal(t, base, filepath.Dir(r.Dir()))
				assert.Equal(t, repository.Alive, r.Liveness().State())

				if !w.Polling() {
					flushes(t, w, all[len(all)-1])
				}
				for range 5 {
					m.rotate(t)
				}
				more(10)
				assert.Len(t, slices.Compact(slices.Clone(all)), len(all))
				for i := range all[1:] {
					assert.Less(t, header(t, all[i]).StartTicks, header(t, all[i+1]).StartTicks)
				}
				others, err := r.Others()
				require.NoError(t, err)
				assert.Empty(t, others)
				life := r.Liveness()
				if kill {
					require.NoError(t, m.cmd.Process.Kill())
				} else {
					require.NoError(t, m.in.Close())
				}
				_ = m.cmd.Wait() // it may have been killed
				soon(t, life, repository.Dead)
				scan(t, r)
				assert.Equal(t, !kill, r.Gone())
				assert.Equal(t, kill, len(r.Files()) > 0)
			})
		}
	}
}

// flushes waits for some flushes of a chunk and logs how late they were noticed.
func flushes(t *testing.T, w *repository.Watch, f repository.File) {
	t.Helper()
	var delays []time.Duration
	for state := header(t, f).State; len(delays) < 3; {
		notices(t, w, "a flush")
		now := time.Now()
		if h := header(t, f); h.State != state && h.State != wire.StateUpdating {
			state = h.State
			info, err := os.Stat(f.Path)
			require.NoError(t, err)
			delays = append(delays, now.Sub(info.ModTime()))
		}
	}
	t.Log("noticed after", delays)
}
