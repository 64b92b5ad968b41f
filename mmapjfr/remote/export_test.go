package remote

import "time"

// SetRetrying sets how often requests are repeated, how long the pauses are, and how long a server may send nothing.
func SetRetrying(c *Client, times int, pause, stall time.Duration) {
	c.retry = retrying{times: times, first: pause, max: 4 * pause, longest: 2 * time.Second, stall: stall}
}

// What is not exported.
var (
	BlockSize      = blockSize
	AzureSignature = azureSignature
)
