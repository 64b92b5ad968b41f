package remote

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// maxListed is how many objects a name may stand for, and maxPage how many bytes a page of a list may have.
const (
	maxListed = 100_000
	maxPage   = 16 << 20
)

// page is a page of a list of objects: of S3 and Google, or of Azure.
type page struct {
	Contents []struct{ Key string }
	Next     string   `xml:"NextContinuationToken"`
	Blobs    []string `xml:"Blobs>Blob>Name"`
	Marker   string   `xml:"NextMarker"`
}

// List returns the names of the objects that a name stands for, in their order: those that match a pattern, those directly
// below a name that ends in /, or the object itself.
func (c *Client) List(ctx context.Context, name string) (names []string, many bool, err error) {
	scheme, rest, _ := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	bucket, pattern, _ := strings.Cut(rest, "/")
	if scheme == "http" || scheme == "https" || bucket == "" || !strings.ContainsAny(pattern, "*?[") && pattern != "" && !strings.HasSuffix(pattern, "/") {
		return []string{name}, false, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, true, errors.New("this is no pattern")
	}
	prefix := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		prefix = pattern[:i]
	}
	wanted := func(key string) bool {
		if prefix == pattern {
			return key != pattern // some programs make an empty object for a folder
		}
		ok, _ := path.Match(pattern, key)
		return ok
	}
	// Below the next / nothing can match, unless the pattern has one.
	flat := !strings.Contains(pattern[len(prefix):], "/")
	for next := ""; ; {
		p, err := c.page(ctx, scheme, bucket, prefix, next, flat)
		if err != nil {
			return nil, true, err
		}
		for _, o := range p.Contents {
			p.Blobs = append(p.Blobs, o.Key)
		}
		for _, key := range p.Blobs {
			if wanted(key) {
				names = append(names, scheme+"://"+bucket+"/"+key)
			}
		}
		if len(names) > maxListed {
			return nil, true, fmt.Errorf("more than %d objects have such a name", maxListed)
		}
		before := next
		if next = p.Next + p.Marker; next == "" || next == before {
			break
		}
	}
	if len(names) == 0 {
		return nil, true, fmt.Errorf("no object has such a name: %w", fs.ErrNotExist)
	}
	slices.Sort(names)
	return names, true, nil
}

// page asks for a page of a list.
func (c *Client) page(ctx context.Context, scheme, bucket, prefix, next string, flat bool) (*page, error) {
	query := url.Values{"prefix": {prefix}}
	if flat {
		query.Set("delimiter", "/")
	}
	at, err := c.bucket(ctx, scheme, bucket, "")
	if err != nil {
		return nil, err
	}
	if scheme == "azblob" {
		query.Set("restype", "container")
		query.Set("comp", "list")
		if next != "" {
			query.Set("marker", next)
		}
		at.url.Path, at.url.RawPath = strings.TrimSuffix(at.url.Path, "/"), ""
	} else {
		query.Set("list-type", "2")
		if next != "" {
			query.Set("continuation-token", next)
		}
	}
	if moved := at.moved; moved != nil {
		at.moved = func(resp *http.Response) bool {
			ok := moved(resp)
			at.url.RawQuery = query.Encode()
			return ok
		}
	}
	at.url.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	p := new(page)
	err = c.retry.again(ctx, func() (int64, error) {
		resp, err := c.do(ctx, at, nil)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close() // only read
		*p = page{}
		if err := xml.NewDecoder(io.LimitReader(resp.Body, maxPage)).Decode(p); err != nil {
			return 0, errors.New("the list of objects cannot be read")
		}
		return 0, nil
	})
	return p, err
}
