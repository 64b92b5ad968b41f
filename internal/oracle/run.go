package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// patience is how long one question may take. The JDK loops forever on some damaged files.
const patience = 5 * time.Minute

// jfrOptions make the output the same on every machine. The last two save memory and time: many
// questions are asked at once, and most are answered before it pays to compile well.
var jfrOptions = []string{
	"-J-Dstdout.encoding=UTF-8",
	"-J-Dstderr.encoding=UTF-8",
	"-J-Duser.language=en",
	"-J-Duser.country=US",
	"-J-Duser.timezone=UTC",
	"-J-XX:+UseSerialGC",
	"-J-XX:TieredStopAtLevel=1",
}

// refusal is what the JDK says of a file it does not read: the first line, with the
// name of the file in place of its path.
type refusal string

func (r refusal) Error() string { return "oracle: the JDK refuses: " + string(r) }

// run asks the jfr command one question about a file and gives its output to read. The error is a
// refusal if the JDK does not read the file; what read was given is void then.
func run(ctx context.Context, home, file string, read func(io.Reader) error, question ...string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	if !strings.HasSuffix(path, ".jfr") {
		return fmt.Errorf("oracle: %s: the JDK reads only files whose name ends in .jfr", path)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args := append(append(append([]string{}, jfrOptions...), question...), path)
	cmd := jdk.Command(limited, home, "jfr", args...)
	stderr := &head{limit: 64 << 10}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	readErr := read(stdout)
	_, _ = io.Copy(io.Discard, stdout)
	waitErr := cmd.Wait()
	said := fmt.Sprintf("jfr %s: ", question[0])
	text, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	text = strings.ReplaceAll(strings.TrimSpace(text), path, filepath.Base(path))
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("oracle: %w", ctx.Err())
	case limited.Err() != nil:
		return refusal(fmt.Sprintf("%sno answer within %v", said, patience))
	case waitErr != nil && strings.HasPrefix(text, said):
		return refusal(text)
	case waitErr != nil:
		return fmt.Errorf("oracle: %s%w: %s", said, waitErr, text)
	}
	return readErr
}

// asRefusal separates what the JDK says of a file from what went wrong in asking.
func asRefusal(err error) (string, error) {
	if r, ok := errors.AsType[refusal](err); ok {
		return string(r), nil
	}
	return "", err
}

// head keeps the first bytes written to it and drops the others.
type head struct {
	bytes.Buffer
	limit int
}

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), h.limit-h.Len())])
	return len(p), nil
}

// Verbatim asks the jfr command of the JDK in home about a recording: the words are those that come
// before the file, as in "print", "--json". It returns what jfr prints. If jfr fails, refusal is
// the first line of what it says of it, with the name of the file in place of its path.
func Verbatim(ctx context.Context, home, file string, question ...string) (out []byte, refusal string, err error) {
	var b bytes.Buffer
	err = run(ctx, home, file, func(r io.Reader) error {
		_, err := b.ReadFrom(r)
		return err
	}, question...)
	refusal, err = asRefusal(err)
	return b.Bytes(), refusal, err
}
