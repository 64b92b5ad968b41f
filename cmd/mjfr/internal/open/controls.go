package open

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mmapjfr/jfr/internal/errtext"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
)

// handler returns the interface for a JVM that runs: what is new, and its recordings.
func (f *following) handler() http.Handler {
	mux := http.NewServeMux()
	answer := func(path string, make func(*http.Request) (any, error)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			value, err := make(r)
			if err != nil {
				writeError(w, r, err)
				return
			}
			writeJSON(w, value)
		})
	}
	answer("GET /api/live", f.news)
	answer("GET /api/jvm", f.recordings)
	answer("POST /api/jvm/start", f.start)
	answer("POST /api/jvm/stop", f.stop)
	mux.HandleFunc("POST /api/jvm/dump", f.dump)
	return mux
}

// liveDocument says how far a JVM has recorded.
type liveDocument struct {
	Flushes int     `json:"flushes"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Ended   bool    `json:"ended"`
	Problem string  `json:"problem,omitempty"` // why it has ended
}

// patience is how long a request waits for something new.
const patience = 15 * time.Second

// news answers once there is more than a page has seen, or after a while.
func (f *following) news(r *http.Request) (any, error) {
	after, err := number(r, "after", 0, 1<<40)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if _, err := f.wait(ctx, after); err != nil && r.Context().Err() != nil {
		return nil, err
	}
	x, done, err := f.explorer()
	if err != nil {
		return nil, err
	}
	defer done()
	f.mu.Lock()
	defer f.mu.Unlock()
	start, end := x.set.Span()
	return liveDocument{f.flushes, millis(start), millis(end), f.ended, f.problem}, nil
}

// jvmRecording describes a recording of a JVM.
type jvmRecording struct {
	ID       int     `json:"id"`
	Name     string  `json:"name"`
	State    string  `json:"state"`
	Duration float64 `json:"duration"` // in nanoseconds, as MaxAge; 0 for no limit
	MaxAge   float64 `json:"maxAge"`
	MaxSize  int64   `json:"maxSize"`
	Pages    bool    `json:"pages"` // it was made for the pages
}

// commandPatience is how long the JVM may take for a command.
const commandPatience = 20 * time.Second

// command runs a command of the JVM.
func (f *following) command(r *http.Request, do func(context.Context) error) error {
	if f.vm == nil {
		return &problem{status: http.StatusNotFound, Text: "only its directory is known of this JVM; name it by its process, as in mjfr open PID, to start and stop recordings"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandPatience)
	defer cancel()
	err := do(ctx)
	if refused, ok := errors.AsType[*attach.CommandError](err); ok {
		return &problem{status: http.StatusConflict, Text: errtext.Error(refused)}
	}
	return err
}

// recordings answers with the recordings of the JVM.
func (f *following) recordings(r *http.Request) (any, error) {
	list := []jvmRecording{}
	err := f.command(r, func(ctx context.Context) error {
		all, err := f.vm.Recordings(ctx)
		for _, rec := range all {
			list = append(list, jvmRecording{rec.ID, rec.Name, rec.State, float64(rec.Duration), float64(rec.MaxAge), rec.MaxSize, isOwn(rec.Name)})
		}
		return err
	})
	return map[string]any{"pid": f.pid(), "recordings": list}, err
}

// isOwn reports whether this process has made a recording to follow it: the stream names it so.
func isOwn(name string) bool {
	rest, found := strings.CutPrefix(name, "mmapjfr stream ")
	number, _, _ := strings.Cut(rest, "-")
	return found && number == strconv.Itoa(os.Getpid())
}

// pid returns the number of the process of the JVM; 0 if it is not known.
func (f *following) pid() int {
	if f.vm == nil {
		return 0
	}
	return f.vm.PID()
}

// start starts a recording.
func (f *following) start(r *http.Request) (any, error) {
	q := r.URL.Query()
	o := attach.RecordingOptions{Name: q.Get("name"), Settings: q["settings"], MaxSize: mostRecorded}
	if text := q.Get("duration"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Second {
			return nil, wrong("duration=%s: give a second or more, as in 90s or 10m", text)
		}
		o.Duration = d
	}
	if strings.ContainsAny(strings.Join(o.Settings, ""), "/\\") {
		return nil, wrong("settings=%s: give the name of settings of the JDK, default or profile", strings.Join(o.Settings, ","))
	}
	var id int
	err := f.command(r, func(ctx context.Context) (err error) {
		id, err = f.vm.StartRecording(ctx, o)
		return err
	})
	return map[string]any{"id": id}, err
}

// stop stops a recording.
func (f *following) stop(r *http.Request) (any, error) {
	id, err := recordingID(r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": id}, f.command(r, func(ctx context.Context) error { return f.vm.Stop(ctx, id) })
}

// recordingID returns the recording that a request names.
func recordingID(r *http.Request) (int, error) {
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	if err != nil || id < 1 {
		return 0, wrong("id=%s: give the number of a recording; /api/jvm lists them", r.URL.Query().Get("id"))
	}
	return id, nil
}

// dump answers with all that a recording has. The JVM writes it beside its own files, where it may write, and under a
// name that nobody reads as one of these.
func (f *following) dump(w http.ResponseWriter, r *http.Request) {
	id, err := recordingID(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	err = f.command(r, func(ctx context.Context) error {
		properties, err := f.vm.Properties(ctx)
		if err != nil {
			return err
		}
		path := properties["jdk.jfr.repository"] + "/" + rand.Text() + ".dump"
		here := f.vm.Path(path)
		defer os.Remove(here)
		if err := f.vm.Dump(ctx, id, path); err != nil {
			return err
		}
		file, err := os.Open(here)
		if err != nil {
			return err
		}
		defer file.Close()
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", fmt.Sprintf("jvm-%d-%d.jfr", f.vm.PID(), id)))
		http.ServeContent(w, r, "", time.Time{}, file)
		return nil
	})
	if err != nil {
		writeError(w, r, err)
	}
}
