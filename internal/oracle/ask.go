package oracle

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmapjfr/jfr/internal/jdk"
)

// Ask asks the JDK in home everything about a recording. That the JDK refuses the
// file or parts of it is an answer and no error.
func Ask(ctx context.Context, home, file string) (*Answers, error) {
	version, err := jdk.JudgeVersion(home)
	if err != nil {
		return nil, err
	}
	q, err := newQuestions(home, file)
	if err != nil {
		return nil, err
	}
	defer q.close()
	a := &Answers{File: filepath.Base(file), Bytes: int64(len(q.data)), SHA256: sha256Of(q.data), JDK: version}
	if err := q.account(ctx, &a.Plain, file, q.pieces); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(q.pieces, piece.unfinished) {
		a.AsFinished = new(Account)
		if err := q.asFinished(ctx, a.AsFinished); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// AskTruth asks the JDK in home no more than what [Answers.Truth] says: unfinished
// chunks only as finished ones. Where the JDK crashes in jfr metadata it does not ask
// for the event types one by one; that takes longer than all the rest.
func AskTruth(ctx context.Context, home, file string) (*Account, error) {
	q, err := newQuestions(home, file)
	if err != nil {
		return nil, err
	}
	defer q.close()
	q.brief = true
	a := new(Account)
	if slices.ContainsFunc(q.pieces, piece.unfinished) {
		return a, q.asFinished(ctx, a)
	}
	return a, q.account(ctx, a, file, q.pieces)
}

// asFinished asks about the recording as if all its chunks were finished.
func (q *questions) asFinished(ctx context.Context, a *Account) error {
	list := finishedPieces(q.pieces)
	var data []byte
	for _, p := range list {
		data = append(data, p.of(q.data)...)
	}
	whole := filepath.Join(q.dir, "whole.jfr")
	if err := os.WriteFile(whole, data, 0o600); err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	return q.account(ctx, a, whole, list)
}

// questions is a recording that is being asked about, and a temporary folder for the
// chunks cut out of it.
type questions struct {
	home   string
	data   []byte
	pieces []piece
	dir    string
	// brief leaves out what takes long and is seldom needed.
	brief bool
}

func newQuestions(home, file string) (*questions, error) {
	data, err := os.ReadFile(file) // the caller chose the file
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	dir, err := os.MkdirTemp("", "oracle")
	return &questions{home: home, data: data, pieces: pieces(data), dir: dir}, err
}

func (q *questions) close() { _ = os.RemoveAll(q.dir) }

// account asks for the summary of a whole file and for the events and classes of its pieces.
func (q *questions) account(ctx context.Context, a *Account, whole string, list []piece) error {
	a.Events, a.Classes = Multiset{}, Classes{}
	err := run(ctx, q.home, whole, func(r io.Reader) (err error) {
		a.Summary, err = ParseSummary(r)
		return err
	}, "summary")
	refused, err := asRefusal(err)
	if err != nil {
		return err
	}
	if refused != "" {
		a.Summary = Summary{Refused: refused}
	}
	return q.each(list, func(p piece, path string) error {
		c, err := q.askChunk(ctx, a, p, path)
		a.Chunks = append(a.Chunks, c)
		return err
	})
}

// each cuts out the pieces one after the other.
func (q *questions) each(list []piece, do func(p piece, path string) error) error {
	path := filepath.Join(q.dir, "chunk.jfr")
	for _, p := range list {
		if err := os.WriteFile(path, p.of(q.data), 0o600); err != nil {
			return fmt.Errorf("oracle: %w", err)
		}
		if err := do(p, path); err != nil {
			return err
		}
	}
	return nil
}

func (q *questions) askChunk(ctx context.Context, a *Account, p piece, path string) (ChunkAnswer, error) {
	c := ChunkAnswer{Offset: int64(p.offset), Size: int64(p.size), State: p.state}
	events := Multiset{}
	err := run(ctx, q.home, path, func(r io.Reader) error {
		for e, err := range SplitEvents(r) {
			if err != nil {
				return err
			}
			events.Add(e.Type, e.Text)
		}
		return nil
	}, printQuestion...)
	if c.PrintRefused, err = asRefusal(err); err != nil {
		return c, err
	}
	if c.PrintRefused == "" {
		c.Events = events.Len()
		a.Events.AddAll(events)
	}
	classes, err := askClasses(ctx, q.home, path)
	if c.MetadataRefused, err = asRefusal(err); err != nil {
		return c, err
	}
	isCrash := strings.Contains(c.MetadataRefused, "unexpected internal error") // a bug of the JDK
	if isCrash && c.PrintRefused == "" && !q.brief {
		classes, err = askEventClasses(ctx, q.home, path, a.Summary.Types)
	}
	a.Classes.AddAll(classes)
	return c, err
}

// printQuestion asks for all frames of every stack trace.
var printQuestion = []string{"print", "--json", "--stack-depth", "9999"}
