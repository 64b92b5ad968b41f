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

// maxListed is how many objects a name may stand for, maxDeep how many those that lie in any folder
// below it may be, and maxPage how many bytes a page of a list may have.
const (
	maxListed = 100_000
	maxDeep   = 10_000_000
	maxPage   = 16 << 20
)

// page is a page of a list of objects: of S3 and Google, or of Azure.
type page struct {
	Contents []listed
	Next     string   `xml:"NextContinuationToken"`
	Blobs    []listed `xml:"Blobs>Blob"`
	Marker   string   `xml:"NextMarker"`
}

// listed is an object of a page: of S3 and Google, or of Azure.
type listed struct {
	Key     string
	ETag    string
	Size    int64
	Name    string
	BlobTag string `xml:"Properties>Etag"`
	Length  int64  `xml:"Properties>Content-Length"`
}

// List returns the objects that a name stands for, in the order of their names: those that match a
// pattern, those directly below a name that ends in /, or with deep in all folders below it, or the
// object itself.
func (c *Client) List(ctx context.Context, name string, deep bool) (list []Listed, many bool, err error) {
	scheme, rest, _ := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	bucket, pattern, _ := strings.Cut(rest, "/")
	if scheme == "http" || scheme == "https" || bucket == "" || !strings.ContainsAny(pattern, "*?[") && pattern != "" && !strings.HasSuffix(pattern, "/") {
		return []Listed{{Name: name}}, false, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, true, errors.New("this is not a pattern")
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
	flat, most := !strings.Contains(pattern[len(prefix):], "/"), maxListed
	if deep {
		flat, most = flat && prefix != pattern, maxDeep
	}
	for next := ""; ; {
		p, err := c.page(ctx, scheme, bucket, prefix, next, flat)
		if err != nil {
			return nil, true, err
		}
		for _, o := range append(p.Contents, p.Blobs...) {
			if key := o.Key + o.Name; wanted(key) {
				version := version{etag: o.ETag + o.BlobTag}.text(0)
				list = append(list, Listed{Name: scheme + "://" + bucket + "/" + key, Size: o.Size + o.Length, Version: version})
			}
		}
		if len(list) > most {
			return nil, true, fmt.Errorf("more than %d objects match", most)
		}
		before := next
		if next = p.Next + p.Marker; next == "" || next == before {
			break
		}
	}
	switch {
	case len(list) > 0:
	case prefix == pattern && !deep:
		return nil, true, fmt.Errorf("no object is directly below it; for those in its folders, give a pattern such as %s://%s/%s*/*.jfr: %w", scheme, bucket, pattern, fs.ErrNotExist)
	default:
		return nil, true, fmt.Errorf("no object matches: %w", fs.ErrNotExist)
	}
	slices.SortFunc(list, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return list, true, nil
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
