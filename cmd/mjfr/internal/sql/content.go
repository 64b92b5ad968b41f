package sql

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/mmapjfr/jfr/internal/parallel"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// cacheVersion changes when tables of the same recording would have other bytes.
const cacheVersion = "2"

// contentOf returns a number of what tables are made of: all bytes of the recordings, their names, which are in the
// tables, and which events are chosen.
func contentOf(ctx context.Context, in *Input) (string, error) {
	all := sha256.New()
	fmt.Fprintf(all, "%s %q\n", cacheVersion, in.Choice)
	for _, rec := range in.Set.Recordings {
		sum, err := sumOf(ctx, rec)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%q %d %x\n", filepath.Base(in.Options.Name(rec)), rec.Size(), sum)
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:16]), nil
}

// block is how many bytes are summed up at a time.
const block = 4 << 20

// sumOf sums up the bytes of a recording on all processors.
func sumOf(ctx context.Context, rec *mmapjfr.Recording) ([]byte, error) {
	sum := sha256.New()
	for _, c := range rec.Index().Chunks() {
		var data []byte
		if err := rec.Protect(func() error { data = c.Data(); return nil }); err != nil {
			return nil, err
		}
		sums := make([][sha256.Size]byte, (len(data)+block-1)/block)
		errs := make([]error, len(sums))
		parallel.ForEach(rec.Workers(), len(sums), func(_, i int) {
			// Each goroutine needs a trap of its own for a file that is cut meanwhile.
			errs[i] = rec.Protect(func() error {
				if ctx.Err() == nil {
					sums[i] = sha256.Sum256(data[i*block : min(len(data), (i+1)*block)])
				}
				return context.Cause(ctx)
			})
		})
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		for i := range sums {
			if errs[i] != nil {
				return nil, errs[i]
			}
			sum.Write(sums[i][:])
		}
	}
	return sum.Sum(nil), nil
}
