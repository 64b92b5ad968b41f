package open

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/cli"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/input"
	"github.com/mmapjfr/jfr/mmapjfr/query"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
)

// explorer answers what pages ask about recordings. Any number of requests may run at the same
// time.
type explorer struct {
	set     *input.Set
	base    *input.Set // other recordings to compare with; nil without
	types   []mmapjfr.Type
	zone    *time.Location
	title   string
	first   int  // the number of the first file: those before it have been dropped
	live    bool // a JVM goes on
	answers answers
	mux     http.Handler

	counting sync.Mutex
	census   *summary.Summary // nil until it is asked for
	perChunk map[mmapjfr.Chunk]map[int64]int

	listing sync.Mutex
	named   []namedList // what was asked last is last
	// laneThreads are the threads of the lanes that were asked for last.
	laneAsked   string
	laneThreads []*threadLanes
	lanePauses  []pausePixels
	laneLost    []string
}

// newExplorer returns an explorer of recordings, which must stay open.
func newExplorer(set *input.Set) (*explorer, error) {
	types, err := mmapjfr.EventTypes(set.Recordings)
	if len(types) == 0 && err != nil {
		return nil, err
	}
	x := &explorer{set: set, types: types, zone: engine.RecordingLocation(set.Recordings[0]), title: cli.Title(set)}
	x.mux = x.handler()
	return x, nil
}

// explorer returns x, and a function that does nothing: files do not change.
func (x *explorer) explorer() (same *explorer, done func(), err error) { return x, func() {}, nil }

// handler returns the interface for programs. Its paths begin with /api/, but for the page with the
// flame graph.
func (x *explorer) handler() http.Handler {
	mux := http.NewServeMux()
	for path, answer := range map[string]func(*http.Request) (any, error){
		"recording": x.recording, "views": x.views, "query": x.query, "events": x.events, "event": x.event,
		"lanes": x.lanes, "lane": x.lane, "latency": x.latency, "waits": x.waits, "file": x.file, "verify": x.verify, "pools": x.pools,
	} {
		mux.Handle("GET /api/"+path, x.json(answer))
	}
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, r, &problem{status: http.StatusNotFound, Text: "there is no " + r.URL.Path + "; /openapi.json lists all paths"})
	})
	mux.HandleFunc("GET /flamegraph", x.flamegraph())
	return mux
}

// options are those of statements and conditions.
func (x *explorer) options() query.Options {
	start, end := x.set.Span()
	return query.Options{Zone: x.zone, Start: start, End: end}
}

// count returns how many events there are of each type. The first call reads the headers of all
// events.
func (x *explorer) count(ctx context.Context) (*summary.Summary, error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	if x.census == nil {
		s, err := summary.Count(ctx, x.set.Recordings, nil)
		if err != nil {
			return nil, err
		}
		x.census = s
	}
	lost := x.lost(ctx)
	for _, f := range x.census.Faults {
		lost.add(f.Recording, f.Err)
	}
	return x.census, nil
}

// counts returns how many events of each type, by its number, each chunk has. The first call reads
// the headers of all events.
func (x *explorer) counts(ctx context.Context) (map[mmapjfr.Chunk]map[int64]int, error) {
	x.counting.Lock()
	defer x.counting.Unlock()
	if x.perChunk != nil {
		return x.perChunk, nil
	}
	all := map[mmapjfr.Chunk]map[int64]int{}
	for _, rec := range x.set.Recordings {
		err := rec.Protect(func() error {
			for c, found := range engine.RecordingCountEvents(rec, ctx, nil) { // the list says what is damaged, as far as it is read
				all[c] = map[int64]int{}
				for i, id := range found.IDs {
					all[c][int64(id)] += int(found.Counts[i].Events)
				}
			}
			return context.Cause(ctx)
		})
		if err != nil {
			return nil, err
		}
	}
	x.perChunk = all
	return all, nil
}

// problem is an error of a request.
type problem struct {
	status int
	Text   string `json:"error"`
	// Line and Character say where a statement is wrong, from 1.
	Line      int `json:"line,omitempty"`
	Character int `json:"character,omitempty"`
}

func (p *problem) Error() string { return p.Text }

// wrong returns the error of a request that cannot be understood.
func wrong(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// writeError answers with an error. A request that nobody waits for any more gets no answer.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	p, ok := errors.AsType[*problem](err)
	if !ok {
		p = &problem{status: http.StatusInternalServerError, Text: err.Error()}
		if errors.Is(err, query.ErrTooMuch) {
			p.Text += "; choose a shorter time, or a condition"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p) // nobody reads it any more if it fails
}

// writeJSON answers with a document.
func writeJSON(w http.ResponseWriter, document any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document) // nobody reads it any more if it fails
}

// description says what the interface for programs is.
//
//go:embed openapi.json
var description []byte

// describe answers with the description.
func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(description) // nobody reads it any more if it fails
}
