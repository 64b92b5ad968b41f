package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// s3Service signs requests to S3, and to servers that speak as it does.
type s3Service struct {
	once  sync.Once
	chain *credentials.Credentials // nil if requests are anonymous

	mu      sync.Mutex // guards what follows
	regions map[string]string
}

func newS3() *s3Service { return &s3Service{regions: make(map[string]string)} }

// find looks for credentials once: where there are none, to ask the machine for its role takes some
// seconds.
func (s *s3Service) find(transport http.RoundTripper) {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		providers = append(providers, &credentials.IAM{})
	}
	chain := credentials.New(&credentials.Chain{Providers: providers})
	value, err := chain.GetWithContext(credentialsBy(transport)) // the error may have secrets, and public buckets need none
	if err == nil && !value.SignerType.IsAnonymous() && value.AccessKeyID != "" {
		s.chain = chain
	}
}

// credentialsBy says how credentials are asked for.
func credentialsBy(transport http.RoundTripper) *credentials.CredContext {
	return &credentials.CredContext{Client: &http.Client{Transport: transport, Timeout: 2 * time.Second}}
}

func (s *s3Service) locate(ctx context.Context, transport http.RoundTripper, bucket, key string) (*location, error) {
	at := &location{url: s.url(bucket, key)}
	if at.url == nil {
		return nil, errors.New("AWS_ENDPOINT_URL is not a URL")
	}
	s.once.Do(func() { s.find(transport) })
	at.sign = func(req *http.Request) error {
		if s.chain == nil {
			return nil
		}
		now, err := s.chain.GetWithContext(credentialsBy(transport))
		if err != nil {
			return errors.New("the credentials for S3 have expired; get new ones")
		}
		req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
		signed := signer.SignV4(*req, now.AccessKeyID, now.SecretAccessKey, now.SessionToken, s.region(bucket))
		req.Header = signed.Header
		return nil
	}
	at.moved = func(resp *http.Response) bool {
		region := resp.Header.Get("X-Amz-Bucket-Region")
		if region == "" || region == s.region(bucket) || !awsName(region) {
			return false
		}
		s.mu.Lock()
		s.regions[bucket] = region
		s.mu.Unlock()
		at.url = s.url(bucket, key)
		return true
	}
	return at, ctx.Err()
}

// awsName reports whether a word can be a part of a host.
func awsName(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (s *s3Service) region(bucket string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.regions[bucket], os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
}

// url returns where a key lies; nil if the user has set what is no URL.
func (s *s3Service) url(bucket, key string) *url.URL {
	if endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")); endpoint != "" {
		return below(endpoint, bucket, key)
	}
	host := "s3." + s.region(bucket) + ".amazonaws.com"
	if !awsName(bucket) {
		return below("https://"+host, bucket, key)
	}
	return below("https://"+bucket+"."+host, "", key)
}

// below returns the URL of an object of a server; nil if the server has no URL.
func below(server, bucket, key string) *url.URL {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return nil
	}
	path := strings.TrimSuffix(u.Path, "/") + "/"
	if bucket != "" {
		path += bucket + "/"
	}
	u.Path = path + key
	u.RawPath = s3utils.EncodePath(u.Path)
	return u
}

// gsService asks Google Cloud Storage, by the interface that is like that of S3.
type gsService struct {
	once   sync.Once
	tokens oauth2.TokenSource // nil if requests are anonymous
}

func (g *gsService) locate(ctx context.Context, bucket, key string) (*location, error) {
	server := "https://storage.googleapis.com"
	if emulator := os.Getenv("STORAGE_EMULATOR_HOST"); emulator != "" {
		if server = emulator; !strings.Contains(server, "://") {
			server = "http://" + server
		}
	} else {
		g.once.Do(func() {
			if found, err := google.FindDefaultCredentials(context.WithoutCancel(ctx), "https://www.googleapis.com/auth/devstorage.read_only"); err == nil {
				g.tokens = found.TokenSource
			}
		})
	}
	at := &location{url: below(server, bucket, key)}
	if at.url == nil {
		return nil, errors.New("STORAGE_EMULATOR_HOST is not a URL")
	}
	at.sign = func(req *http.Request) error {
		if g.tokens == nil {
			return nil
		}
		token, err := g.tokens.Token()
		if err != nil {
			code := "no token"
			if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
				code = cmp.Or(answer.ErrorCode, code)
			}
			return fmt.Errorf("cannot use the Google Cloud credentials: %s; get new ones with gcloud auth application-default login", code)
		}
		token.SetAuthHeader(req)
		return nil
	}
	return at, nil
}
