package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mmapjfr/jfr/internal/engine"
	"github.com/mmapjfr/jfr/mmapjfr"
)

// SetRetrying sets how often requests are repeated, how long the pauses are, and how long a server
// may send nothing.
func SetRetrying(c *Client, times int, pause, stall time.Duration) {
	c.retry = retrying{times: times, first: pause, max: 4 * pause, longest: 2 * time.Second, stall: stall}
}

// What is not exported.
var (
	BlockSize      = blockSize
	AzureSignature = azureSignature
)

// Recording opens an object that is not packed as a recording.
func (c *Client) Recording(ctx context.Context, name string, opts ...mmapjfr.Option) (*mmapjfr.Recording, error) {
	shown := show(name)
	o, err := c.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	if !o.Ranges() {
		return nil, errors.Join(fmt.Errorf("%s: the server gives no ranges of bytes; open it by package mmapjfr/input", shown), o.Close())
	}
	rec, err := mmapjfr.OpenSource(o, append([]mmapjfr.Option{engine.Named(shown)}, opts...)...)
	if errors.Is(err, mmapjfr.ErrNotRecording) {
		err = fmt.Errorf("%w; package mmapjfr/input opens packed recordings", err)
	}
	return rec, err
}
