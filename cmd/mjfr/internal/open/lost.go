package open

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/internal/errtree"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
)

// damage collects what could not be read.
type damage struct {
	mu    sync.Mutex
	set   *input.Set
	live  bool // a chunk may be unfinished
	notes []string
}

// mostNotes is how many notes an answer has about damage.
const mostNotes = 20

func (d *damage) add(rec *mmapjfr.Recording, err error) {
	for _, e := range errtree.Each(err) {
		if d.live && errors.Is(e, mmapjfr.ErrUnfinished) {
			continue
		}
		d.note(filepath.Base(d.set.Name(rec)) + ": " + errtree.Unnamed(e).Error())
	}
}

// note adds notes that are new.
func (d *damage) note(notes ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, note := range notes {
		if len(d.notes) < mostNotes && !slices.Contains(d.notes, note) {
			d.notes = append(d.notes, note)
		}
	}
}

// list returns what could not be read so far.
func (d *damage) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.notes)
}

// lostKey is the key of the damage in the context of a request.
type lostKey struct{}

// lost returns what collects the damage that a request meets, by its context.
func (x *explorer) lost(ctx context.Context) *damage {
	if d, ok := ctx.Value(lostKey{}).(*damage); ok {
		return d
	}
	return &damage{set: x.set, live: x.live}
}

// collecting returns a request that collects what cannot be read.
func (x *explorer) collecting(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), lostKey{}, &damage{set: x.set, live: x.live}))
}

// each calls f with events of a recording, on several goroutines. It collects what cannot be read,
// and goes on.
func (x *explorer) each(ctx context.Context, rec *mmapjfr.Recording, f func(worker int, ev mmapjfr.Event), filters ...mmapjfr.Filter) error {
	err := rec.Select(filters...).Parallel(ctx, func(worker int, ev mmapjfr.Event) error {
		f(worker, ev)
		return nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.lost(ctx).add(rec, err)
	return nil
}

// json returns a handler that answers with what make returns, as JSON, and with what could not be
// read for it.
func (x *explorer) json(make func(*http.Request) (any, error)) http.Handler {
	return x.remember("application/json", func(r *http.Request) ([]byte, error) {
		value, err := make(r)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(value)
		x.changed(r.Context())
		if notes := x.lost(r.Context()).list(); err == nil && notes != nil {
			more, _ := json.Marshal(notes) // they are texts
			body = slices.Concat(body[:len(body)-1], []byte(`,"lost":`), more, []byte("}"))
		}
		return body, err
	})
}

// remember returns a handler that answers with what make returns. It makes the answer to the same
// question once, unless a file is no longer what it was.
func (x *explorer) remember(kind string, make func(*http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = x.collecting(r)
		asked := r.URL.Path + "?" + r.URL.Query().Encode() // in the order of names
		var body []byte
		if !x.changed(r.Context()) {
			body = x.answers.find(asked)
		}
		if body == nil {
			var err error
			if body, err = make(r); err != nil {
				writeError(w, r, err)
				return
			}
			if !x.changed(r.Context()) {
				x.answers.add(asked, body)
			}
		}
		localhttp.GiveBack(r)
		writeBody(w, kind, body)
	})
}

// changed reports whether a file has been cut or overwritten since it was opened. Then it forgets
// all that was read, and collects the reason. The files of a JVM that goes on are opened anew at
// each flush.
func (x *explorer) changed(ctx context.Context) (is bool) {
	if x.live {
		return false
	}
	sets := []*input.Set{x.set}
	if x.base != nil {
		sets = append(sets, x.base)
	}
	for _, set := range sets {
		d := damage{set: set}
		for _, rec := range set.Recordings {
			d.add(rec, rec.FileErr())
		}
		x.lost(ctx).note(d.notes...)
		is = is || d.notes != nil
	}
	if is {
		x.forget()
	}
	return is
}

// forget drops all that is kept of what was read.
func (x *explorer) forget() {
	x.answers.clear()
	x.counting.Lock()
	x.census, x.perChunk = nil, nil
	x.counting.Unlock()
	x.listing.Lock()
	x.named, x.laneAsked, x.laneThreads, x.lanePauses, x.laneLost = nil, "", nil, nil, nil
	x.listing.Unlock()
}
