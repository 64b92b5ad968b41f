package remote

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// azureService signs requests to Azure Blob Storage by the key of an account, or by a shared access
// signature.
type azureService struct{}

// azureVersion is the version of the interface: the first that gives ranges with ETag under a
// shared access signature of now.
const azureVersion = "2021-12-02"

func (*azureService) locate(container, blob string) (*location, error) {
	set := map[string]string{
		"AccountName": os.Getenv("AZURE_STORAGE_ACCOUNT"), "AccountKey": os.Getenv("AZURE_STORAGE_KEY"),
		"SharedAccessSignature": os.Getenv("AZURE_STORAGE_SAS_TOKEN"),
	}
	for part := range strings.SplitSeq(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), ";") {
		if name, value, ok := strings.Cut(part, "="); ok && set[name] == "" {
			set[name] = value
		}
	}
	account := set["AccountName"]
	if account == "" {
		return nil, errors.New("the account is missing; set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING")
	}
	server := set["BlobEndpoint"]
	if server == "" {
		protocol := cmp.Or(os.Getenv("AZURE_STORAGE_PROTOCOL"), set["DefaultEndpointsProtocol"], "https")
		domain := cmp.Or(os.Getenv("AZURE_STORAGE_DOMAIN"), "blob."+cmp.Or(set["EndpointSuffix"], "core.windows.net"))
		server = protocol + "://" + account + "." + domain
	}
	at := &location{url: below(server, container, blob)}
	if at.url == nil {
		return nil, errors.New("the Azure endpoint is not a URL")
	}
	key, err := base64.StdEncoding.DecodeString(set["AccountKey"])
	if err != nil {
		return nil, errors.New("the Azure account key is not in base64")
	}
	signature := strings.TrimPrefix(set["SharedAccessSignature"], "?")
	at.sign = func(req *http.Request) error {
		req.Header.Set("X-Ms-Version", azureVersion)
		req.Header.Set("X-Ms-Date", time.Now().UTC().Format(http.TimeFormat))
		switch {
		case len(key) > 0:
			req.Header.Set("Authorization", "SharedKey "+account+":"+azureSignature(req, account, key))
		case signature != "":
			if req.URL.RawQuery != "" {
				req.URL.RawQuery += "&"
			}
			req.URL.RawQuery += signature
		}
		return nil
	}
	return at, nil
}

// azureSignature returns the signature of a GET request without a body, as Azure describes it under
// "Authorize with Shared Key".
func azureSignature(req *http.Request, account string, key []byte) string {
	h := req.Header
	lines := []string{http.MethodGet, "", "", "", "", "", "", h.Get("If-Modified-Since"), h.Get("If-Match"), h.Get("If-None-Match"), h.Get("If-Unmodified-Since"), h.Get("Range")}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-ms-") {
			lines = append(lines, lower+":"+h.Get(name))
		}
	}
	lines = append(lines, "/"+account+req.URL.EscapedPath())
	query, _ := url.ParseQuery(req.URL.RawQuery) // this package has made it
	for _, name := range slices.Sorted(maps.Keys(query)) {
		lines = append(lines, strings.ToLower(name)+":"+query.Get(name))
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(lines, "\n")))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
