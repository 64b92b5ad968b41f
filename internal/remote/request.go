package remote

import (
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// retrying says how requests are repeated.
type retrying struct {
	times      int           // without any progress
	first, max time.Duration // the pauses, each twice as long as the one before
	longest    time.Duration // that a server may ask for
	stall      time.Duration // without a byte
}

var defaultRetrying = retrying{times: 5, first: 200 * time.Millisecond, max: 10 * time.Second, longest: time.Minute, stall: 20 * time.Second}

// progressSize is how many bytes are progress.
const progressSize = 16 << 10

// permanent is an error that no repetition helps against.
type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// stalled is an error of a server that sends nothing. It counts as two failures: nobody should wait
// for minutes.
type stalled struct{ error }

// later is an error of a server that wants to be asked again after some time.
type later struct {
	error
	after time.Duration
}

// errChanged says that the object is another one by now.
var errChanged = &permanent{fmt.Errorf("the object has %w; start again", mmapjfr.ErrChanged)}

// again calls try until it succeeds, or fails for good. Try returns how many bytes it has got.
func (r retrying) again(ctx context.Context, try func() (n int64, err error)) error {
	for failures, tries := 0, 0; ; {
		n, err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p, ok := errors.AsType[*permanent](err); ok {
			return p.error
		}
		if n >= progressSize {
			failures, tries = 0, 0
		}
		pause := min(r.first<<failures, r.max)
		pause += rand.N(pause/4 + 1)
		if l, ok := errors.AsType[*later](err); ok && l.after > 0 {
			if pause = l.after; pause > r.longest {
				return fmt.Errorf("%w; the server asks to wait %s", l.error, l.after)
			}
		}
		if errors.As(err, new(*stalled)) {
			failures++
		}
		tries++
		if failures++; failures >= r.times {
			return fmt.Errorf("%w (tried %d times)", err, tries)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// do sends a request with these headers. The answer's body ends with an error if nothing
// comes for long. The answer is 200 or 206, or 416 where the object is empty.
func (c *Client) do(ctx context.Context, at *location, header http.Header) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watched{cancel: cancel, stall: c.retry.stall}
	w.timer = time.AfterFunc(w.stall, func() { cancel(&stalled{fmt.Errorf("the server sent nothing for %s", w.stall)}) })
	resp, err := c.send(ctx, at, header)
	if err != nil {
		_ = w.stop() // never fails without a body
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		return nil, err
	}
	w.ctx, w.ReadCloser, resp.Body = ctx, resp.Body, w
	return resp, nil
}

func (c *Client) send(ctx context.Context, at *location, header http.Header) (*http.Response, error) {
	for moves := 0; ; moves++ {
		signed := ctx
		if at.sign != nil {
			signed = context.WithValue(ctx, signedKey{}, true)
		}
		req, err := http.NewRequestWithContext(signed, http.MethodGet, at.url.String(), nil)
		if err != nil {
			return nil, &permanent{errors.New("this is not a URL")}
		}
		for name, values := range header {
			req.Header[name] = values
		}
		req.Header.Set("Accept-Encoding", "identity")
		req.Header.Set("User-Agent", "mjfr")
		if at.sign != nil {
			if err := at.sign(req); err != nil {
				return nil, &permanent{err}
			}
		}
		resp, err := c.http.Do(req)
		if err != nil {
			return nil, transportError(err)
		}
		switch resp.StatusCode {
		case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
			return resp, nil
		}
		err = statusError(resp)
		moved := moves == 0 && at.moved != nil && at.moved(resp)
		_ = resp.Body.Close() // only read
		if !moved {
			return nil, err
		}
	}
}

// watched is a body that must go on.
type watched struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.stall)
	n, err := w.ReadCloser.Read(p)
	if cause := context.Cause(w.ctx); err != nil && cause != nil {
		err = cause
	}
	return n, err
}

func (w *watched) Close() error { return w.stop() }

func (w *watched) stop() error {
	w.timer.Stop()
	w.cancel(context.Canceled)
	if w.ReadCloser == nil {
		return nil
	}
	return w.ReadCloser.Close()
}

// transportError returns why a request got no answer, without the URL, whose query can be a secret.
func transportError(err error) error {
	for {
		u, ok := errors.AsType[*url.Error](err)
		if !ok {
			break
		}
		err = u.Err
	}
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		head tls.RecordHeaderError
		was  *permanent
	)
	switch {
	case errors.As(err, &was):
		return was
	case errors.As(err, &head), errors.Is(err, http.ErrSchemeMismatch):
		return &permanent{errors.New("the server does not speak TLS; should the URL begin with http://?")}
	case errors.As(err, &cert):
		return &permanent{fmt.Errorf("cannot trust the server's certificate: %w", cert.Err)}
	case errors.As(err, &dns) && dns.IsNotFound:
		return &permanent{fmt.Errorf("there is no server named %s", dns.Name)}
	}
	return err
}

// errorCode is what the name of an error of a cloud looks like.
var errorCode = regexp.MustCompile(`^[A-Za-z.]{1,64}$`)

// statusError returns the error of an answer. Of its body it repeats the code alone: the rest can
// have secrets.
func statusError(resp *http.Response) error {
	text := "the server answers " + strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode)
	var body struct{ Code string }
	if err := xml.NewDecoder(io.LimitReader(resp.Body, 4<<10)).Decode(&body); err == nil && errorCode.MatchString(body.Code) {
		text += " (" + body.Code + ")"
	}
	switch code := resp.StatusCode; {
	case code == http.StatusPreconditionFailed:
		return errChanged
	case code == http.StatusNotFound:
		return &permanent{fmt.Errorf("%s: %w", text, fs.ErrNotExist)}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &permanent{fmt.Errorf("%s; check the credentials, and whether the URL has expired: %w", text, fs.ErrPermission)}
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500 && code != http.StatusNotImplemented:
		return &later{errors.New(text), retryAfter(resp.Header.Get("Retry-After"))}
	}
	return &permanent{errors.New(text)}
}

// retryAfter returns how long a server wants to be left alone; 0 if it does not say.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(0, min(seconds, 1<<20))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// contentRange returns which bytes an answer has, and how many the object has; false if it does not
// say.
func contentRange(resp *http.Response) (from, to, size int64, ok bool) {
	value, ok := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes ")
	if !ok {
		return 0, 0, 0, false
	}
	span, total, _ := strings.Cut(value, "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil || size < 0 {
		return 0, 0, 0, false
	}
	if span == "*" {
		return 0, 0, size, true
	}
	first, last, _ := strings.Cut(span, "-")
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	return from, to + 1, size, err1 == nil && err2 == nil && 0 <= from && from <= to && to < size
}

// version is what tells states of an object apart. Bytes that the server has packed are others,
// whatever its ETag is.
type version struct{ etag, generation, modified, encoding string }

func versionOf(h http.Header) version {
	return version{h.Get("ETag"), h.Get("X-Goog-Generation"), h.Get("Last-Modified"), strings.TrimPrefix(h.Get("Content-Encoding"), "identity")}
}

// text returns the version of an object of a size in one word: its ETag as lists have it, or the
// next best. It is empty if the server says nothing.
func (v version) text(size int64) string {
	switch {
	case v.etag != "":
		return strings.Trim(v.etag, `"`)
	case v.generation != "":
		return v.generation
	case v.modified != "":
		return fmt.Sprintf("%d %s", size, v.modified)
	}
	return ""
}

// same reports whether two answers are of one state of the object. A server may leave out the
// lesser marks.
func (v version) same(o version) bool {
	switch {
	case v.encoding != o.encoding:
		return false
	case v.etag != "":
		return v.etag == o.etag && v.generation == o.generation
	}
	return v.generation == o.generation && v.modified == o.modified && o.etag == ""
}

// condition adds that a range is wanted only of this state.
func (v version) condition(h http.Header) {
	switch {
	case v.etag != "" && !strings.HasPrefix(v.etag, "W/"):
		h.Set("If-Range", v.etag)
	case v.etag == "" && v.modified != "":
		h.Set("If-Range", v.modified)
	}
}
