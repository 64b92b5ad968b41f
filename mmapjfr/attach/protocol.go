package attach

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// The versions of the protocol. The first has three arguments, always, each of at
// most 1024 bytes; the second, since JDK 24, any number, after the length of all.
const (
	protocol1, protocol2 = 1, 2

	maxArgument1 = 1024
	maxRequest2  = 256 << 10
)

// maxAnswer bounds the size of an answer. The longest ones list all threads or all classes.
const maxAnswer = 64 << 20

// request writes what is sent to a JVM: texts that end with a zero byte.
func request(protocol int, command string, args ...string) ([]byte, error) {
	texts := append([]string{command}, args...)
	if protocol == protocol1 {
		texts = append(texts, make([]string, max(0, 4-len(texts)))...)
	}
	var body bytes.Buffer
	for i, text := range texts {
		text = toJava(text)
		if strings.Contains(text, "\x00") {
			return nil, fmt.Errorf("%q has a zero byte in it, which JVM commands cannot have", text)
		}
		if protocol == protocol1 && i > 0 && len(text) > maxArgument1 {
			return nil, fmt.Errorf("a command of %d bytes is too long for a JVM before JDK 24, which takes %d", len(text), maxArgument1)
		}
		body.WriteString(text)
		body.WriteByte(0)
	}
	head := strconv.Itoa(protocol) + "\x00"
	if protocol == protocol2 {
		if body.Len() > maxRequest2 {
			return nil, fmt.Errorf("a command of %d bytes is too long for a JVM, which takes %d", body.Len(), maxRequest2)
		}
		head += strconv.Itoa(body.Len()) + "\x00"
	}
	return append([]byte(head), body.Bytes()...), nil
}

// agree finds out which protocol the JVM speaks.
func (vm *VM) agree(ctx context.Context) error {
	vm.protocol = protocol1
	answer, err := vm.run(ctx, "getversion")
	if _, refused := errors.AsType[*CommandError](err); refused {
		return nil // it knows only the first one
	}
	if err != nil {
		return err
	}
	version, _, _ := strings.Cut(strings.TrimSpace(answer), " ")
	if n, err := strconv.Atoi(version); err == nil && n >= protocol2 {
		vm.protocol = protocol2
	}
	return nil
}

// run has the JVM execute a command and returns its answer.
func (vm *VM) run(ctx context.Context, command string, args ...string) (string, error) {
	message, err := request(vm.protocol, command, args...)
	if err != nil {
		return "", err
	}
	code, text, err := vm.exchange(ctx, message)
	if err != nil {
		return "", err
	}
	if code != 0 {
		return "", &CommandError{Command: commandName(command, args), Code: code, Text: strings.TrimSpace(text)}
	}
	return text, nil
}

// commandName returns the name of a command; that of the jcmd command if it is one.
func commandName(command string, args []string) string {
	if command == "jcmd" && len(args) > 0 {
		command, _, _ = strings.Cut(strings.TrimSpace(args[0]), " ")
	}
	return command
}

// connect connects to a socket. A JVM lets five connections wait; while it is too busy to accept
// them, another one is refused with EAGAIN and tried again until the context ends.
func connect(ctx context.Context, socket string) (net.Conn, error) {
	for {
		c, err := new(net.Dialer).DialContext(ctx, "unix", socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// exchange sends a request over a connection of its own.
func (vm *VM) exchange(ctx context.Context, message []byte) (code int, text string, err error) {
	t := vm.target
	if err := t.stopped(); err != nil {
		return 0, "", err
	}
	c, err := connect(ctx, t.socket())
	if err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
			return 0, "", fmt.Errorf("nothing listens at %s: the JVM has ended, or is of another user: %w", t.socket(), ErrNoAnswer)
		}
		return 0, "", vm.late(ctx, err)
	}
	defer c.Close()
	// The end of the context ends all waiting for the connection.
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := checkPeer(c, t); err != nil {
		return 0, "", err
	}
	_, sendErr := c.Write(message)
	// A JVM that refuses a request does not read all of it, and may say why.
	answer, err := io.ReadAll(io.LimitReader(c, maxAnswer+1))
	if err = cmp.Or(sendErr, err); err == nil && len(answer) == 0 {
		err = io.EOF
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return 0, "", vm.late(ctx, err)
	case len(answer) > maxAnswer:
		return 0, "", fmt.Errorf("process %d has answered more than %d MB: %w", t.pid, maxAnswer>>20, ErrBadReply)
	case err != nil && len(answer) == 0:
		return 0, "", fmt.Errorf("process %d has closed the connection (%w): a JVM takes commands from its own user and group, and from root: %w", t.pid, err, ErrNoAnswer)
	}
	code, text, parseErr := parseAnswer(t.pid, answer)
	if parseErr == nil && err != nil && code == 0 {
		return 0, "", vm.late(ctx, err) // it cannot be all there
	}
	return code, text, parseErr
}

// late returns the error of a connection that failed, or whose time is up.
func (vm *VM) late(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &silence{vm.target.pid, fmt.Sprintf("it is very busy, or stopped; kill -CONT %d lets a stopped one go on", vm.target.pid), err}
	}
	return fmt.Errorf("process %d: %w: %w", vm.target.pid, ErrNoAnswer, err)
}

// parseAnswer splits an answer into the line with the code and the text.
func parseAnswer(pid int, answer []byte) (code int, text string, err error) {
	const longest = 12 // of the line
	line, rest, ok := bytes.Cut(answer, []byte("\n"))
	if ok && len(line) <= longest {
		if code, err = strconv.Atoi(string(line)); err == nil {
			return code, fromJava(string(rest)), nil
		}
	}
	return 0, "", fmt.Errorf("process %d has answered %.40q, which is not a result: %w", pid, answer, ErrBadReply)
}

// JVMs write and read texts in what Java calls modified UTF-8: characters beyond
// 0xffff are two surrogates of three bytes each. Given four bytes for one, a JVM
// loses the end of the text.

func toJava(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff }) {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		if r <= 0xffff {
			b = utf8.AppendRune(b, r)
			continue
		}
		high, low := utf16.EncodeRune(r)
		b = appendSurrogate(appendSurrogate(b, high), low)
	}
	return string(b)
}

// appendSurrogate appends what utf8 refuses to.
func appendSurrogate(b []byte, r rune) []byte {
	return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
}

func fromJava(s string) string {
	at := nextSurrogates(s)
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = nextSurrogates(s) {
		b.WriteString(s[:at])
		b.WriteRune(utf16.DecodeRune(surrogate(s[at:]), surrogate(s[at+3:])))
		s = s[at+6:]
	}
	b.WriteString(s)
	return b.String()
}

// nextSurrogates returns where a pair of surrogates begins, or -1.
func nextSurrogates(s string) int {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], 0xed)
		if at < 0 {
			return -1
		}
		at += from
		if len(s)-at >= 6 && s[at+1]&0xf0 == 0xa0 && s[at+3] == 0xed && s[at+4]&0xf0 == 0xb0 {
			return at
		}
		from = at + 1
	}
}

func surrogate(s string) rune {
	return rune(s[0]&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}
