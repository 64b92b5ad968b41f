package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// location is where an object lies.
type location struct {
	url *url.URL
	// sign, if not nil, makes a request one of the user of the cloud.
	sign func(*http.Request) error
	// moved, if not nil, looks at an answer that is an error, and reports whether the request is to
	// be repeated at once.
	moved func(*http.Response) bool
}

// locate returns where the object of a name lies.
func (c *Client) locate(ctx context.Context, name string) (*location, error) {
	scheme, rest, _ := strings.Cut(name, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	scheme = strings.ToLower(scheme)
	if scheme == "http" || scheme == "https" {
		u, err := url.Parse(name)
		if err != nil || u.Host == "" {
			return nil, errors.New("this is not a URL") // the error of Parse has the query
		}
		u.Fragment = ""
		return &location{url: u}, nil
	}
	if bucket == "" || key == "" {
		return nil, errors.New("the name lacks a bucket or an object: it should be as in " + scheme + "://bucket/app.jfr, or end in / for all objects below")
	}
	return c.bucket(ctx, scheme, bucket, key)
}

// bucket returns where a key of a bucket lies; the bucket itself for an empty key.
func (c *Client) bucket(ctx context.Context, scheme, bucket, key string) (*location, error) {
	switch scheme {
	case "s3":
		return c.s3.locate(ctx, c.http.Transport, bucket, key)
	case "gs":
		return c.gs.locate(ctx, bucket, key)
	}
	return c.azure.locate(bucket, key)
}

// show returns a name without what may be secret.
func show(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	rest, _, _ = strings.Cut(rest, "#")
	switch strings.ToLower(scheme) {
	case "http", "https":
	default:
		return name
	}
	rest, _, query := strings.Cut(rest, "?")
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if slash {
		host += "/" + path
	}
	if query {
		host += "?..."
	}
	return scheme + "://" + host
}

// identity returns a URL without what differs from signature to signature.
func identity(u *url.URL) string {
	v := *u
	v.User = nil
	query := u.Query()
	for name := range query {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-amz-") || strings.HasPrefix(lower, "x-goog-") {
			query.Del(name)
		}
	}
	if query.Has("sig") && query.Has("sv") { // a shared access signature of Azure
		for _, name := range azureSigned {
			query.Del(name)
		}
	}
	v.RawQuery = query.Encode()
	return v.String()
}

// azureSigned are the parameters of a shared access signature.
var azureSigned = []string{"sv", "sr", "st", "se", "sp", "sip", "spr", "sig", "si", "skoid", "sktid", "skt", "ske", "sks", "skv"}

// publicIdentity returns the name of an object without secrets, and without what differs from
// signature to signature. What else a query has is hashed.
func publicIdentity(name string) string {
	shown := show(name)
	scheme, _, _ := strings.Cut(shown, "://")
	if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
		return shown
	}
	u, err := url.Parse(name)
	if err != nil {
		return shown
	}
	u.Fragment, shown = "", strings.TrimSuffix(shown, "?...")
	_, query, has := strings.Cut(identity(u), "?")
	if !has {
		return shown
	}
	sum := sha256.Sum256([]byte(query))
	return shown + "?" + hex.EncodeToString(sum[:8])
}

// maxRedirects is how often a request follows to another URL.
const maxRedirects = 10

// checkRedirect follows no request of a cloud, which is signed for its host, and none from https to http. The URL that
// leads to another is not told there: its query can be a secret.
func checkRedirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	switch first := via[0]; {
	case first.Context().Value(signedKey{}) != nil:
		return http.ErrUseLastResponse
	case len(via) >= maxRedirects:
		return &permanent{errors.New("the server redirects too often")}
	case req.URL.Scheme != "https" && req.URL.Scheme != "http":
		return &permanent{errors.New("the server redirects to something that is not an https or http URL")}
	case first.URL.Scheme == "https" && req.URL.Scheme != "https":
		return &permanent{errors.New("the server redirects from https to http, which mjfr does not follow")}
	}
	return nil
}

// signedKey marks contexts of requests of clouds.
type signedKey struct{}
