package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/internal/lazy"
	"github.com/mmapjfr/jfr/internal/parseunit"
	"github.com/mmapjfr/jfr/internal/remote"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// remoteFlags adds the flags about objects of servers.
func (a *App) remoteFlags(f *pflag.FlagSet) {
	f.Var((*Size)(&a.remote.CacheLimit), "cache-limit", "let data of URLs take up to `SIZE` on disk, such as 10GB; it is removed at the end")
	a.maxUnpacked = 64 << 30
	f.Var(&a.maxUnpacked, "max-unpacked", "unpack at most `SIZE`, such as 100GB; pipes count, too")
}

// MaxUnpacked returns how many bytes packed recordings may give; 0 is what package input has by
// default.
func (a *App) MaxUnpacked() int64 { return int64(a.maxUnpacked) }

// Size is a number of bytes as it was typed.
type Size int64

// Set implements pflag.Value.
func (s *Size) Set(text string) error {
	n, ok := parseunit.Bytes(text)
	if !ok || n < 1 || n > 1<<60 {
		return fmt.Errorf("it must be a size, such as 10GB")
	}
	*s = Size(n)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string {
	return strings.ReplaceAll(javatext.Size(cmp.Or(int64(*s), 4<<30)), " ", "")
}

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// Client returns what lists and opens objects of servers.
func (a *App) Client() *remote.Client { return remote.New(a.remote) }

// urls are names of objects of servers in a text. SQL has two single quotes for one.
var urls = lazy.Regexp(`[a-zA-Z0-9]+://(?:[^\s'"]|'')+`)

// WithoutSecrets returns a text without passwords and queries of URLs that are in it, and of those
// of the command line, also for verbs that take no URLs.
func (a *App) WithoutSecrets(text string) string {
	client := a.Client()
	if strings.Contains(text, "://") {
		text = urls().ReplaceAllStringFunc(text, func(url string) string {
			address := strings.TrimRight(url, ":,;)")
			isShown := strings.HasSuffix(address, "?...") && !strings.Contains(address, "@")
			if !client.Takes(address) || isShown || !strings.ContainsAny(address, "?@") {
				return url
			}
			return client.Show(address) + url[len(address):]
		})
	}
	for _, arg := range a.args {
		if name, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(name, "-") {
			arg = value
		}
		if client.Takes(arg) {
			text = strings.ReplaceAll(text, arg, client.Show(arg))
			text = strings.ReplaceAll(text, filepath.Clean(arg), client.Show(arg))
		}
	}
	return text
}

// mentionUnread reports chunks that were not fetched although they may have events that were asked
// for.
func (a *App) mentionUnread(set *input.Set) {
	for _, rec := range set.Recordings {
		if n := engine.RecordingChunksAfter(rec); n > 0 {
			a.Report(fmt.Errorf("%s: %d chunks that began after that time were not fetched; events that began before and ended in them are left out", set.Name(rec), n))
		}
	}
}
