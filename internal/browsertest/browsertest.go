// Package browsertest starts a browser for long tests of pages.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/mmapjfr/jfr/internal/longtest"
)

// Open starts a browser, and returns the context of a tab. It skips the test unless long tests run,
// and where Chromium is missing. What the page writes to the console goes to a function, which a
// goroutine calls.
func Open(t testing.TB, message func(chromedp.ConsoleMessage), options ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	longtest.Long(t, "it starts a browser")
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("it needs Chromium: install Debian's package chromium")
	}
	// Folders of the browser stay there, and some of its processes end after it.
	temp, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1500, 900), chromedp.Env("TMPDIR="+temp))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(all, options...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			message(m)
		}
	}()
	return ctx
}

// IsError reports whether a message says that something is wrong.
func IsError(m chromedp.ConsoleMessage) bool {
	return m.Type == "error" || m.Type == "warning" || m.Type == chromedp.ConsoleException
}
