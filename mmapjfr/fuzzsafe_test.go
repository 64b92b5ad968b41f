package mmapjfr_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/internal/dumpall"
)

// FuzzSafe reads recordings with unsafe code and, in another process, without: both must
// tell the same.
func FuzzSafe(f *testing.F) {
	for _, in := range fuzzInputs() {
		f.Add(in.which, in.program, in.edits)
	}
	safe := newSafeTeller(f)
	var tr dumpall.Dumper
	f.Fuzz(func(t *testing.T, which uint8, program, edits []byte) {
		data := fuzzed(which, program, edits)
		tr.Reset()
		tr.Open(data)
		if safe.sum(t, data) != dumpall.Sum(tr.Bytes()) {
			sameTold(t, "without unsafe code", safe.text(t, data), tr.Bytes())
		}
	})
}

// safeTeller is a process that reports recordings without unsafe code.
type safeTeller struct {
	in  io.Writer
	out *bufio.Reader
	buf []byte
}

func newSafeTeller(f *testing.F) *safeTeller {
	longtest.Long(f, "it has to be built")
	if copiesStrings {
		f.Skip("this is without unsafe code")
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		f.Skip("there is no go command to build without unsafe code")
	}
	exe := filepath.Join(f.TempDir(), "dumper")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	if out, err := exec.Command(compiler, "build", "-tags", "nounsafe", "-o", exe, "./internal/dumpall/dumper").CombinedOutput(); err != nil {
		f.Skipf("it cannot be built here: %v\n%s", err, out)
	}
	cmd := exec.Command(exe)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = in.Close() // which ends it
		if err := cmd.Wait(); err != nil {
			f.Error(err)
		}
	})
	return &safeTeller{in: in, out: bufio.NewReader(out)}
}

// ask asks for something about a recording, and reads an answer of n bytes.
func (s *safeTeller) ask(t *testing.T, what byte, data []byte, n int) []byte {
	s.buf = append(s.buf[:0], what)
	s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(len(data)))
	s.buf = append(s.buf, data...)
	if _, err := s.in.Write(s.buf); err != nil {
		t.Fatal(err)
	}
	return s.read(t, n)
}

func (s *safeTeller) read(t *testing.T, n int) []byte {
	s.buf = append(s.buf[:0], make([]byte, n)...)
	if _, err := io.ReadFull(s.out, s.buf); err != nil {
		t.Fatalf("the process without unsafe code ended: %v", err)
	}
	return s.buf
}

func (s *safeTeller) sum(t *testing.T, data []byte) uint64 {
	return binary.LittleEndian.Uint64(s.ask(t, dumpall.AskSum, data, 8))
}

func (s *safeTeller) text(t *testing.T, data []byte) []byte {
	n := binary.LittleEndian.Uint32(s.ask(t, dumpall.AskText, data, 4))
	return s.read(t, int(n))
}
