package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mmapjfr/jfr/internal/longtest"
)

var (
	// generatedKeys are keys of secrets: as they are called in applications, and in other languages.
	generatedKeys = []string{
		"password", "db.password", "DB_PASSWORD", "x-api-key", "apiKey", "clientSecret", "pw", "db.pw", "dbPw", "pass", "smtp_pass", "authToken", "otp", "Kennwort", "kennwort", "Passwort",
		"db.passwort", "mot_de_passe", "motDePasse", "contraseña", "CONTRASEÑA", "senha", "user.senha", "wachtwoord", "hasło", "HASŁO", "lösenord", "пароль", "ПАРОЛЬ", "密码", "パスワード", "비밀번호", "sandi", "parola", "heslo",
	}
	// generatedPlaces are how a key K and its value V are written; those with a space in the value have quotes.
	generatedPlaces = []string{
		"K=V", "K = V", "K: V", "K:V", "K := V", "K ?= V", "K -> V", "K => V", `"K":"V"`, `"K": "V"`, `'K': 'V'`, `{\"K\":\"V\"}`, `{"a":"b","K":"V","c":1}`, "--K V", "--K=V", "-DK=V", "<K>V</K>",
		`<p name="K" value="V"/>`, `<p value="V" name="K"/>`, `<add key='K' value='V' />`, `put("K", "V")`, `setProperty('K', 'V')`, "/x?a=b&K=V&c=d", "a=b;K=V;c=d", "{a=b, K=V}", "User(a=b, K=V)", "[K=V]", "[--K, V]", `["--K","V"]`,
		"export K='V'", `K="V"`, "K|V", "a=b%26K%3DV%26c%3Dd", "%7B%22K%22%3A%22V%22%7D", `{\u0022K\u0022\u003a\u0022V\u0022}`, "{&quot;K&quot;:&quot;V&quot;}", "&#34;K&#34;: &#34;V&#34;", "key=K, value=V", `{"key":"K","value":"V"}`,
		"Cookie: a=b; c=d\nK: V", "Cookie: a=b; K: V", "[Cookie: a=b, K: V]", "-H 'Cookie: a=b' -H 'K: V'", "K\t=\tV", "K:\nV", "f(1); K = V", `map["K"] = "V"`, "K[0]=V", "a[K]=V", "::x K=V", "K：V", "K＝V",
		"<name>K</name><value>V</value>", "<param-name>K</param-name>\n<param-value>V</param-value>", "<key>K</key><string>V</string>", `{"name":"K","val":"V"}`, `{"param_name":"K","param_value":"V"}`, `{"param_value":"V","param_name":"K"}`,
		`<input name="K" type="text" value="V">`, `put( "K" , "V" )`, "x config set K V", "x setx K V", "GET / HTTP/1.1\r\nK: V\r\nHost: x", "<a K='V'/>", `<a><K>V</K></a>`, "K=V&a=b", "set K=V", "$env:K = 'V'", "  K: V\n  a: b", "{'a': 1, 'K': 'V'}",
	}
	// generatedValues are secrets.
	generatedValues = []string{"hunter2hunter2", "Tr0ub4dor&3xyz", "correct-horse_99", "ünïcödé-päss9", "pa$$w0rd!abcd", "a.b/c+d=efgh", "#hash#value99", "*star*value99", "~tilde~value9"}
)

// TestSecretsInAllPlaces hides the values of keys of secrets, however both are written and whatever is before them.
func TestSecretsInAllPlaces(t *testing.T) {
	edit := ownOf(t).add
	missed := map[string][]string{}
	n, step := 0, longtest.Cases(97, 1)
	for k, key := range generatedKeys {
		for p, place := range generatedPlaces {
			for v, value := range generatedValues {
				for b, before := range []string{"", " ", "x ", "a=b ", "(x) ", "{", "é ", `\n`, "\n", "\x00", "> ", "2024-01-01 INFO ", `"`, "'", "-x ", "[ ", "http://h/ "} {
					if n++; (n+k+p+v+b)%step != 0 {
						continue
					}
					if strings.Contains(place, "&K") && strings.Contains(value, "&") || strings.ContainsAny(place, "%") && strings.ContainsAny(value, "&") {
						continue // the value ends there
					}
					text := before + strings.NewReplacer("K", key, "V", value).Replace(place)
					is := edit(text)
					if isLeft(is, value) {
						missed[place] = append(missed[place], fmt.Sprintf("%q became %q", text, is))
					}
				}
			}
		}
	}
	total := 0
	for place, texts := range missed {
		total += len(texts)
		t.Errorf("%s: %d, such as %s", place, len(texts), slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
	}
	t.Logf("missed %d of %d texts", total, n/step)
}

// TestInnocentKeysInAllPlaces leaves values alone where the key is none of secrets, however both are written.
func TestInnocentKeysInAllPlaces(t *testing.T) {
	edit := ownOf(t).add
	for _, key := range []string{"region", "db.name", "MAX_SIZE", "primaryKey", "cache_key", "x-request-id", "compass", "keyboard", "passed", "größe", "名前"} {
		for _, place := range generatedPlaces {
			for _, value := range []string{"hunter2hunter2", "eu-west-1", "a.b/c+d=efgh", "größte", "#hash#value99"} {
				text := strings.NewReplacer("K", key, "V", value).Replace(strings.ReplaceAll(place, "Cookie", "Host"))
				if is := edit(text); is != text {
					t.Errorf("%q became %q", text, is)
				}
			}
		}
	}
}

// TestCookiesInAllPlaces hides all cookies of a header, however they and the header are written.
func TestCookiesInAllPlaces(t *testing.T) {
	edit := ownOf(t).add
	cookies := []string{"a=opaque1", `a="opaque1"`, "a='opaque1'", `a={"x":"opaque1"}`, "a=[opaque1]", `a="two opaque1"`, `a=x"opaque1"`, "a=(opaque1)", "a=opaque1==", "a=[REDACTED]opaque1", "a=x; Expires=Wed, 21 Oct 2015 07:28:00 GMT"}
	places := []string{"Cookie: V", "Set-Cookie: V; Path=/; HttpOnly", "x Cookie: V", "[Cookie: V]", "{Cookie=V, Accept=x}", "curl -H 'Cookie: V' http://h", "GET / HTTP/1.1\r\nHost: x\r\nCookie: V\r\nAccept: y\r\n", "-DCookie=V"}
	for _, place := range places {
		for _, first := range cookies {
			for _, second := range cookies {
				for _, between := range []string{"; ", ";", "; c=d; "} {
					if strings.Contains(place, "'") && strings.Contains(first+second, "'") || strings.HasPrefix(place, "{") && strings.Contains(first+second, ", ") {
						continue // the quote, or the list, ends there
					}
					text := strings.Replace(place, "V", first+between+second, 1)
					if is := edit(text); strings.Contains(is, "opaque") {
						t.Errorf("%q became %q", text, is)
					}
				}
			}
		}
	}
}
