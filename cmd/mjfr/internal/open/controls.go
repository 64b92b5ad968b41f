package open

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mmapjfr/jfr/cmd/mjfr/internal/localhttp"
	"github.com/mmapjfr/jfr/internal/javatext"
	"github.com/mmapjfr/jfr/mmapjfr/attach"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
)

// handler returns the interface for a JVM that runs: what is new, and its recordings.
func (f *following) handler() http.Handler {
	mux := http.NewServeMux()
	answer := func(make func(*http.Request) (any, error)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			value, err := make(r)
			if err != nil {
				writeError(w, r, err)
				return
			}
			writeJSON(w, value)
		})
	}
	mux.Handle("GET /api/live", answer(f.news))
	mux.Handle("GET /api/jvm", answer(f.recordings))
	// One is started after the other, so that they can be counted, and few are saved at once: each
	// is a file meanwhile.
	mux.Handle("POST /api/jvm/start", localhttp.Limit(answer(f.start), 1, mostCommands))
	mux.Handle("POST /api/jvm/stop", answer(f.stop))
	mux.Handle("POST /api/jvm/dump", localhttp.Limit(http.HandlerFunc(f.dump), 1, mostCommands))
	return mux
}

// mostCommands is how many commands of a kind may wait.
const mostCommands = 8

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
	after, err := number(r, "after", 0, math.MaxInt32)
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
var commandPatience = 20 * time.Second

// command runs a command of the JVM.
func (f *following) command(r *http.Request, do func(context.Context) error) error {
	if f.vm == nil {
		return &problem{status: http.StatusNotFound, Text: "only its directory is known of this JVM; name it by its process, as in mjfr open PID, to start and stop recordings"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), commandPatience)
	defer cancel()
	err := do(ctx)
	refused, ok := errors.AsType[*attach.CommandError](err)
	switch {
	case ok:
		return &problem{status: http.StatusConflict, Text: refused.Error()}
	case errors.Is(err, attach.ErrSuspended), errors.Is(err, attach.ErrNoAnswer) && errors.Is(err, context.DeadlineExceeded):
		return &problem{status: http.StatusGatewayTimeout, Text: err.Error()}
	case errors.Is(err, attach.ErrNoAnswer), errors.Is(err, attach.ErrNoProcess):
		return &problem{status: http.StatusBadGateway, Text: err.Error()}
	}
	return err
}

// recordings answers with the recordings of the JVM.
func (f *following) recordings(r *http.Request) (any, error) {
	list := []jvmRecording{}
	err := f.command(r, func(ctx context.Context) error {
		all, err := f.vm.Recordings(ctx)
		for _, rec := range all {
			list = append(list, jvmRecording{rec.ID, rec.Name, rec.State, float64(rec.Duration), float64(rec.MaxAge), rec.MaxSize, stream.IsOwnRecording(rec.Name)})
		}
		return err
	})
	return map[string]any{"pid": f.pid(), "recordings": list}, err
}

// pid returns the number of the process of the JVM; 0 if it is not known.
func (f *following) pid() int {
	if f.vm == nil {
		return 0
	}
	return f.vm.PID()
}

// What is started by a request has limits, for a page can be made to ask over and over.
const (
	mostDuration   = 7 * 24 * time.Hour
	mostName       = 100 // characters
	mostRecordings = 20  // that a JVM has at the same time
)

// start starts a recording.
func (f *following) start(r *http.Request) (any, error) {
	q := r.URL.Query()
	o := attach.RecordingOptions{Name: q.Get("name"), Settings: q["settings"], MaxSize: mostRecorded}
	if text := q.Get("duration"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Second || d > mostDuration {
			return nil, wrong("duration=%s: give a second or more, as in 90s or 10m, and a week at most, which is 168h", text)
		}
		o.Duration = d
	}
	if utf8.RuneCountInString(o.Name) > mostName {
		return nil, wrong("a name has %d characters at most", mostName)
	}
	if strings.ContainsAny(strings.Join(o.Settings, ""), "/\\") {
		return nil, wrong("settings=%s: give the name of settings of the JDK, default or profile", strings.Join(o.Settings, ","))
	}
	if err := o.Check(); err != nil {
		return nil, wrong("%v", err)
	}
	var id int
	err := f.command(r, func(ctx context.Context) (err error) {
		all, err := f.vm.Recordings(ctx)
		if err != nil {
			return err
		}
		if len(all) >= mostRecordings {
			return &problem{status: http.StatusConflict, Text: fmt.Sprintf("the JVM has %d recordings; stop one before you start another", len(all))}
		}
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

// dump answers with all that a recording has. The JVM writes it where only its user may look, for
// it makes files that all may read.
func (f *following) dump(w http.ResponseWriter, r *http.Request) {
	id, err := recordingID(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	var file *os.File
	err = f.command(r, func(ctx context.Context) (err error) {
		properties, err := f.vm.Properties(ctx)
		if err != nil {
			return err
		}
		folder, remove, err := f.vm.MakeFolder(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		if err := checkRoom(f.vm.Path(properties["jdk.jfr.repository"]), freeBytes(f.vm.Path(folder))); err != nil {
			return err
		}
		path := folder + "/dump.jfr"
		if err := f.vm.Dump(ctx, id, path); err != nil {
			return err
		}
		file, err = openOf(f.vm.Path(path), f.vm.UID())
		return err
	})
	if file != nil {
		defer file.Close()
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	localhttp.GiveBack(r)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", fmt.Sprintf("jvm-%d-%d.jfr", f.vm.PID(), id)))
	defer http.NewResponseController(w).SetWriteDeadline(time.Time{})
	http.ServeContent(patient{w}, r, "", time.Time{}, file)
}

// patient writes answers that somebody reads: the connection ends if nothing of it is read for a
// while.
type patient struct{ http.ResponseWriter }

// Write writes a part.
func (p patient) Write(b []byte) (int, error) {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(mostPatience)) // where there is a connection
	return p.ResponseWriter.Write(b)
}

// room is how many bytes of a disk a recording that is saved leaves free.
const room = 64 << 20

// checkRoom returns an error if a disk has no room for a copy of what a JVM records to a folder: it
// ends itself when it cannot write.
func checkRoom(dir string, free uint64) error {
	need := uint64(room)
	entries, _ := os.ReadDir(dir) // to save it says why it cannot be read
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".jfr" {
			need += uint64(info.Size())
		}
	}
	if need <= free {
		return nil
	}
	return &problem{status: http.StatusInsufficientStorage, Text: fmt.Sprintf("a copy of the recording can need %s of the disk that the JVM records to, and %s are free there; make room first, for a JVM ends when that disk is full",
		javatext.Size(need), javatext.Size(free))}
}
