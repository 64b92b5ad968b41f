package leakcheck_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/constants"
	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/internal/index"
	"github.com/mmapjfr/jfr/internal/inspect"
	"github.com/mmapjfr/jfr/internal/leakcheck"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/internal/metadata"
	"github.com/mmapjfr/jfr/internal/where"
	"github.com/mmapjfr/jfr/mmapjfr"
	"github.com/mmapjfr/jfr/mmapjfr/print"
	"github.com/mmapjfr/jfr/mmapjfr/stream"
	"github.com/mmapjfr/jfr/mmapjfr/summary"
	"github.com/mmapjfr/jfr/mmapjfr/verify"
)

// damages is how many recordings are damaged at random.
var damages = flag.Int("damages", 60, "how many recordings are damaged at random")

// messages are all error messages that have come.
type messages struct {
	t    *testing.T
	what string // the recording
	n    int
	seen map[error]int // by sentinel
}

var sentinels = []error{
	mmapjfr.ErrEmpty, mmapjfr.ErrNotRecording, mmapjfr.ErrUnsupported, mmapjfr.ErrCorrupt, mmapjfr.ErrTruncated, mmapjfr.ErrUnfinished,
	mmapjfr.ErrTrailing, mmapjfr.ErrNoEvent, mmapjfr.ErrUnknownType, index.ErrSavedIndex, mmapjfr.ErrClosed,
}

// error checks all that can be made of an error.
func (m *messages) error(where string, err error) {
	if err == nil {
		return
	}
	m.n++
	for _, s := range sentinels {
		if errors.Is(err, s) {
			m.seen[s]++
		}
	}
	m.text(where, err.Error())
	m.text(where, fmt.Sprintf("%+v %#v", err, err))
}

func (m *messages) text(where, text string) {
	m.t.Helper()
	if leak := leakcheck.Leak(text); leak != "" {
		m.t.Errorf("%s: %s: %s", m.what, where, leak)
	}
}

// TestErrorsOfTheLibrary damages recordings in many ways, asks everything of them, and looks at
// all that is said.
func TestErrorsOfTheLibrary(t *testing.T) {
	m := &messages{t: t, seen: make(map[error]int)}
	n := 0
	for what, data := range leakcheck.Damaged(min(*damages, longtest.Cases(1, *damages))) {
		m.what = what
		n++
		rec, err := mmapjfr.OpenBytes(data)
		m.error("OpenBytes", err)
		m.pipe(data)
		if n < 40 || n%4 == 0 {
			m.files(t, data)
		}
		if err != nil {
			continue
		}
		m.recording(rec)
		m.index(rec)
		m.tools(rec)
		require.NoError(t, rec.Close())
		m.closed(rec)
	}
	for _, s := range sentinels {
		assert.Positive(t, m.seen[s], "no error is %v", s)
	}
	require.Greater(t, m.n, 10*n)
	t.Logf("%d recordings, %d errors", n, m.n)
}

// recording asks everything of a recording.
func (m *messages) recording(rec *mmapjfr.Recording) {
	types, err := rec.Types()
	m.error("Types", err)
	events := uint64(0)
	for cur := rec.Select().Cursor(); cur.Next() || cur.Err() != nil; {
		if m.error("Cursor", cur.Err()); cur.Err() == nil {
			events++
			_ = cur.Event().String() // it shows what is recorded, and must not panic
		}
	}
	for _, c := range rec.Chunks() {
		_, _, err := engine.ChunkRegion(c)
		m.error("Region", err)
		m.error("ConstantsErr", c.ConstantsErr())
	}
	for _, sel := range m.selections(rec, types) {
		for _, err := range sel.Events() {
			m.error("Events", err)
		}
		m.error("Parallel", sel.Parallel(context.Background(), func(int, mmapjfr.Event) error { return nil }))
		m.error("Batches", engine.SelectionBatches(sel, context.Background(), func(int, *mmapjfr.Batch) error { return nil }))
		_, err = mmapjfr.Fold(context.Background(), sel, func(*int, mmapjfr.Event) error { return nil }, func(_, _ *int) {})
		m.error("Fold", err)
	}
	for offset := uint64(0); offset < uint64(rec.Size())+100; offset += 31 {
		_, err := rec.EventAtOffset(offset)
		m.error("EventAtOffset", err)
	}
	for n := range events + 2 {
		_, err := rec.EventByOrdinal(n)
		m.error("EventByOrdinal", err)
	}
	_, err = rec.FirstEventSince(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	m.error("FirstEventSince", err)
	m.bindings(rec)
	for _, text := range []string{"utf8.length", "texts", "texts[x]", "inner.none", "sampledThread.none", "a..b", "stackTrace.frames[0].none"} {
		p, err := mmapjfr.ParsePath(text)
		m.error("ParsePath", err)
		for _, typ := range types {
			if err == nil && typ.IsEvent() {
				_, _, e := typ.Resolve(p)
				m.error("Find", e)
			}
		}
	}
}

// selections are some that are right, and some that are not.
func (m *messages) selections(rec *mmapjfr.Recording, types []mmapjfr.Type) []*mmapjfr.Selection {
	list := []*mmapjfr.Selection{
		rec.Select(), rec.Select(mmapjfr.Types("Kinds", "ExecutionSample")), rec.Select(mmapjfr.Threads("none of these")), rec.Select(mmapjfr.Threads("*")),
		rec.Select(mmapjfr.Types()), rec.Select(mmapjfr.Between(rec.End(), rec.Start().Add(-1))), rec.Select(mmapjfr.Between(rec.Start(), rec.End())),
	}
	for _, text := range []string{
		"utf8 ~ ([", "int > many", "utf8 = x", "nothing = 1", "class = 1", "duration = 5", "stackTrace < 1", "inner = 5", "thread = a && (", "long = 1e99",
	} {
		c, err := where.Parse(text)
		m.error("where", err)
		if err == nil {
			f, err := c.Filter(types)
			m.error("where", err)
			if err == nil {
				list = append(list, rec.Select(f))
			}
		}
	}
	return list
}

// bindings binds fields to what cannot hold them.
func (m *messages) bindings(rec *mmapjfr.Recording) {
	_, err := mmapjfr.Bind[struct {
		Text   int            `jfr:"utf8"`
		Int    int8           `jfr:"int"`
		Time   time.Duration  `jfr:"startTime"`
		Thread mmapjfr.Class  `jfr:"eventThread"`
		None   string         `jfr:"none"`
		Inner  string         `jfr:"inner"`
		Path   string         `jfr:"a..b"`
		Texts  string         `jfr:"texts"`
		Stack  []mmapjfr.Type `jfr:"stackTrace.frames"`
	}](rec, "test.Kinds")
	m.error("Bind", err)
	b, err := mmapjfr.Bind[struct {
		Text string `jfr:"utf8"`
	}](rec, "test.Kinds")
	m.error("Bind", err)
	if err == nil {
		for _, err := range b.Events() {
			m.error("Binding", err)
		}
	}
}

// index asks the index below the recording.
func (m *messages) index(rec *mmapjfr.Recording) {
	x, err := index.New(engine.RecordingIndex(rec).Data())
	m.error("index.New", err)
	if err != nil {
		return
	}
	m.error("Trail", x.TrailingErr())
	for _, c := range x.Chunks() {
		m.error("Lead", c.LeadingErr())
		m.error("Trail", c.TrailingErr())
		types, err := c.AllTypes()
		m.error("CompleteTypes", err)
		if err == nil {
			for _, class := range types.Types {
				_, err := class.Plan()
				m.error("Plan", err)
			}
		}
		_, err = c.NewestTypes()
		m.error("Described", err)
		k, err := c.Constants()
		m.error("Constants", err)
		if err == nil {
			m.error("Constants", k.Err())
			m.text("Constants", k.String())
		}
		m.error("Blocks", c.Blocks().Err())
		for offset := uint64(0); offset < uint64(len(c.Data())); offset += 61 {
			_, _, err := c.EventAt(offset)
			m.error("Find", err)
			_, _, err = c.ReadHeaders(offset, math.MaxUint64, make([]index.EventHeader, 3))
			m.error("Records", err)
		}
	}
	for _, census := range x.CountEvents(context.Background(), 1, nil) {
		m.error("Census", census.Err)
	}
	m.error("Sweep", index.Sweep(context.Background(), x.Chunks(), 1, nil))
	m.saved(x)
}

// saved saves the index and loads what becomes of it by and by.
func (m *messages) saved(x *index.Index) {
	var saved bytes.Buffer
	stamp := index.FileStamp{Size: uint64(len(x.Data())), ModTime: 1}
	m.error("Keep", x.Keep(index.FileStamp{}, 0, nil))
	m.error("Keep", x.Keep(stamp, 0, func() (io.Writer, error) { return &saved, nil }))
	for _, c := range x.Chunks() {
		_ = c.Blocks()
		_, err := c.Constants()
		m.error("Constants", err)
	}
	_, err := x.Finish()
	m.error("Finish", err)
	for i := 0; i < saved.Len(); i += 1 + saved.Len()/20 {
		spoiled := bytes.Clone(saved.Bytes())
		spoiled[i] ^= 0x10
		for _, b := range [][]byte{spoiled, spoiled[:i]} {
			y, err := index.New(x.Data())
			m.error("index.New", err)
			m.error("Load", y.Load(b, stamp))
			for _, c := range y.Chunks() {
				_ = c.Blocks()
				_, err := c.Constants()
				m.error("Constants", err)
			}
		}
	}
	m.error("Load", x.Load(saved.Bytes(), index.FileStamp{Size: stamp.Size, ModTime: 2}))
}

// tools calls what is made of the library. What they write is what was asked for.
func (m *messages) tools(rec *mmapjfr.Recording) {
	ctx := context.Background()
	report, err := verify.Check(ctx, rec)
	m.error("verify", err)
	if err == nil {
		for _, f := range report.Findings {
			m.text("verify", f.Text)
		}
	}
	s, err := summary.Count(ctx, []*mmapjfr.Recording{rec}, nil)
	m.error("summary", err)
	if err == nil {
		for _, f := range s.Faults {
			m.error("summary", f.Err)
		}
	}
	for _, format := range []print.Format{print.Text, print.JSON, print.NDJSON, print.XML, print.CSV} {
		m.error("print", print.Write(ctx, io.Discard, []*mmapjfr.Recording{rec}, print.Options{Format: format, OnError: func(_ *mmapjfr.Recording, err error) { m.error("print", err) }}))
	}
	for _, err := range constants.All(rec, func(mmapjfr.Type) bool { return true }) {
		m.error("constants", err)
	}
	for _, err := range constants.Duplicates(ctx, rec, nil) {
		m.error("constants", err)
	}
	for _, err := range constants.Unused(ctx, rec, nil) {
		m.error("constants", err)
	}
	for offset := uint64(0); offset < uint64(rec.Size())+100; offset += 101 {
		p, err := inspect.Find(rec, offset)
		m.error("dump", err)
		if err == nil {
			m.error("dump", p.Err)
		}
	}
	err = new(metadata.Catalog).Add(rec)
	m.error("metadata", err)
}

// closed asks after the end.
func (m *messages) closed(rec *mmapjfr.Recording) {
	_, err := rec.EventAtOffset(100)
	m.error("EventAtOffset", err)
	_, err = rec.Types()
	m.error("Types", err)
	for _, err := range rec.Events() {
		m.error("Events", err)
	}
	m.error("Guard", rec.Protect(func() error { return nil }))
}

// pipe reads the recording as it comes through a pipe, and as a stream.
func (m *messages) pipe(data []byte) {
	r, err := engine.ReadChunks(bytes.NewReader(data))
	require.NoError(m.t, err)
	for {
		live, span, err := engine.ChunkStreamNext(r)
		if errors.Is(err, io.EOF) {
			break
		}
		m.error("LiveReader", err)
		if live != nil {
			m.live(live, span)
		}
	}
	s := stream.OpenReader(bytes.NewReader(data))
	s.OnEvent(func(mmapjfr.Event) error { return nil })
	s.OnError(func(err error) { m.error("stream", err) })
	m.error("stream", s.Start(context.Background()))
}

// live reads the events of a part.
func (m *messages) live(live *mmapjfr.GrowingChunk, span mmapjfr.ByteRange) {
	m.error("Live", engine.GrowingChunkProtect(live, func() error {
		var recs [8]index.EventHeader
		for at := span.From; at < span.To; {
			n, next, err := engine.ChunkIndex(engine.GrowingChunkChunk(live)).ReadHeaders(at, span.To, recs[:])
			for _, rec := range recs[:n] {
				if rec.IsEvent() {
					_, err := engine.GrowingChunkEvent(live, rec, 0)
					m.error("Live.Event", err)
				}
			}
			if err != nil || n == 0 {
				return err
			}
			at = next
		}
		return nil
	}))
	_, err := engine.GrowingChunkNewestTypes(live)
	m.error("Described", err)
}

// files does what takes a file.
func (m *messages) files(t *testing.T, data []byte) {
	path := filepath.Join(t.TempDir(), "a.jfr")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for _, opts := range [][]mmapjfr.Option{nil, {mmapjfr.CopyOnOpen()}} {
		rec, err := mmapjfr.Open(path, opts...)
		m.error("Open", err)
		if err != nil {
			continue
		}
		for _, err := range rec.Events() {
			m.error("Events", err)
		}
		require.NoError(t, rec.Close())
	}
	_, err := mmapjfr.Open(path + ".none")
	m.error("Open", err)
	for _, at := range []int64{0, int64(len(data)) / 2} { // in the middle there is no chunk
		for _, opts := range [][]mmapjfr.Option{nil, {engine.KeepEvents()}} {
			f, err := engine.FollowChunk(path, at, opts...)
			require.NoError(t, err)
			for range 10 {
				span, err := engine.ChunkFollowerAdvance(f)
				if m.error("LiveFile", err); engine.ChunkFollowerHasHeader(f) {
					m.live(&f.GrowingChunk, span)
				}
			}
			require.NoError(t, engine.ChunkFollowerClose(f))
		}
	}
	s, err := stream.OpenFile(path)
	require.NoError(t, err)
	require.NoError(t, s.SetFollow(false))
	s.OnEvent(func(mmapjfr.Event) error { return nil })
	s.OnError(func(err error) { m.error("stream", err) })
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond) // some wait for more
	defer cancel()
	m.error("stream", s.Start(ctx))
}
