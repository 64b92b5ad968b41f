package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mmapjfr/jfr/bench/peers"
	"github.com/mmapjfr/jfr/internal/jdk"
)

// peerJDK is a JDK and a folder with the compiled loops that are measured on it.
type peerJDK struct {
	home string
	// virtualMachine is the line in which it says what it is.
	virtualMachine string
	classes        string
}

// newPeerJDK compiles the loops into a temporary folder, which close removes.
func newPeerJDK(ctx context.Context, home string) (_ *peerJDK, err error) {
	j := &peerJDK{home: home}
	text, err := output(j.command(ctx, "java", "--version"))
	if err != nil {
		return nil, err
	}
	said := strings.TrimSpace(string(text))
	j.virtualMachine = strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:])
	if j.classes, err = os.MkdirTemp("", "jfrbench-peers-"); err != nil {
		return nil, err
	}
	source := filepath.Join(j.classes, peers.Class+".java")
	if err = os.WriteFile(source, peers.Source, 0o600); err == nil {
		_, err = output(j.command(ctx, "javac", "-encoding", "UTF-8", "-d", j.classes, source))
	}
	if err != nil {
		j.close()
		return nil, fmt.Errorf("the loops for the JDK in %s could not be compiled: %w", home, err)
	}
	return j, nil
}

func (j *peerJDK) close() {
	_ = os.RemoveAll(j.classes) // a temporary folder; there is nobody to tell
}

func (j *peerJDK) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	return jdk.Command(ctx, j.home, name, args...)
}
