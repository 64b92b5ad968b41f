package print

import (
	"context"
	"time"

	"github.com/mmapjfr/jfr/mmapjfr"
)

// skip tells which chunks need not be looked at, because only the last events are
// wanted.
type skip struct {
	rec   *mmapjfr.Recording // the first that is looked at; nil for all
	chunk int                // the first of its chunks that is
	past  bool               // that rec has been come to
}

// of returns the first chunk of a recording that is looked at. Recordings are to be
// asked about in their order.
func (s *skip) of(rec *mmapjfr.Recording) int {
	if s.rec == nil || s.past {
		return 0
	}
	if s.rec != rec {
		return len(rec.Chunks())
	}
	s.past = true
	return s.chunk
}

// skipBefore returns where to begin if n of the last events are wanted: a chunk before
// those that hold as many, since an event may have ended behind later ones. If events
// are sorted across chunks whose times overlap, nothing can be skipped.
func (o *Options) skipBefore(ctx context.Context, recs []*mmapjfr.Recording, n int) (skip, error) {
	if o.sortsChunks() && overlap(recs) {
		return skip{}, nil
	}
	quiet := *o
	quiet.OnError, quiet.progress = nil, progress{}
	for i := len(recs) - 1; i >= 0; i-- {
		chunks := recs[i].Chunks()
		for j := len(chunks) - 1; j >= 0; j-- {
			if n <= 0 {
				return skip{rec: recs[i], chunk: j}, nil
			}
			_, err := quiet.events(ctx, recs[i], chunks[j].Select(o.Filters...), func(mmapjfr.Event) bool {
				n--
				return true
			})
			if err != nil {
				return skip{}, err
			}
		}
	}
	return skip{}, nil
}

// overlap tells whether a chunk began before the one before it had ended.
func overlap(recs []*mmapjfr.Recording) bool {
	var end time.Time
	for _, rec := range recs {
		for _, c := range rec.Chunks() {
			if c.Start().Before(end) {
				return true
			}
			end = c.End()
		}
	}
	return false
}
