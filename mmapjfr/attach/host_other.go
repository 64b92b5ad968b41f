//go:build !linux && !darwin

package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
)

// errHere says that this package cannot attach to JVMs on this system.
var errHere = fmt.Errorf("cannot attach to JVMs on %s: record to a file, or follow the repository of the JVM: %w", runtime.GOOS, errors.ErrUnsupported)

func commonTmp() string { return "" }

func sendQuit(*os.Process) error { return errHere }

func (h *host) targets() ([]*target, error) { return nil, errHere }

func (h *host) find(int) (*target, error) { return nil, errHere }

func (h *host) handlesQuit(*target) (bool, error) { return false, errHere }

func ownerOf(fs.FileInfo) (int, bool) { return 0, false }

func checkPeer(net.Conn, *target) error { return errHere }
