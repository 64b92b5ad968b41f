package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mmapjfr/jfr/internal/jfrtest"
	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// TestSpellingsOfPrograms: options of programs, and files that programs read.
func TestSpellingsOfPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"redis-cli -h h -a S1 ping":                      "redis-cli -h h -a <secret> ping",
		"[/usr/bin/redis-cli, -a, S1, ping]":             "[/usr/bin/redis-cli, -a, <secret>, ping]",
		"ls -a x":                                        "",
		"sqlplus scott/S1@orcl":                          "sqlplus scott/<secret>@orcl",
		"sqlplus -s scott/S1 @x.sql":                     "sqlplus -s scott/<secret> @x.sql",
		"sqlplus / as sysdba":                            "",
		"machine h login ann password S1 account T1":     "machine h login ann password <secret> account <secret>",
		"machine h\n\tlogin ann\n\tpassword S1\n":        "machine h\n\tlogin ann\n\tpassword <secret>\n",
		"the password is forgotten":                      "",
		"mongosh -u ann -p S1 h":                         "mongosh -u ann -p <secret> h",
		"docker run -p 8080:80 x":                        "",
		"docker login -u ann -p S1 h":                    "docker login -u ann -p <secret> h",
		"ldapsearch -x -w S1 -b x":                       "ldapsearch -x -w <secret> -b x",
		"openssl rsa -passin pass:S1 -in x":              "openssl rsa -passin <secret> -in x",
		"sshpass -p S1 ssh -p 22 h":                      "sshpass -p <secret> ssh -p 22 h",
		`curl -u "ann:S1" http://h`:                      `curl -u "ann:<secret>" http://h`,
		"Cookie: a=b; X-Api-Key: S1":                     "Cookie: <secret> X-Api-Key: <secret>",
		"Cookie: a=b; Authorization: Odd S1":             "Cookie: <secret> Authorization: <secret>",
		"%7B%22password%22%3A%22S1%22%2C%22n%22%3A1%7D":  "%7B%22password%22%3A%22<secret>%22%2C%22n%22%3A1%7D",
		"{&quot;password&quot;:&quot;S1&quot;}":          "{&quot;password&quot;:&quot;<secret>&quot;}",
		"Access denied (using password: YES)":            "",
		"User(name=ann, password=S1)":                    "User(name=ann, password=<secret>)",
		"{a=b, --password=S1)x}":                         "{a=b, --password=<secret>}",
		"java -Dpassword=S1)x y":                         "java -Dpassword=<secret> y",
		"Token::parse(x)":                                "",
		"hasLocation=5 massenhalt=6 bypassOrder=7 epw=8": "",
		"密码：S1":                                          "密码：<secret>",
		"x.put('X_TOKEN', 'S1')":                         "x.put('X_TOKEN', '<secret>')",
		"$token .= 'S1'":                                 "$token .= '<secret>'",
		"\\npassword=S1":                                 "\\npassword=<secret>",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
	assert.Equal(t, "call +1 (415) 555-1234", marked(t, "call +1 (415) 555-1234", kindSQL))
	assert.Equal(t, "{call shop.order(<sql>, ?)}", marked(t, "{call shop.order(5, ?)}", kindSQL))
	assert.Equal(t, "(see http://h/x?<url>) and [http://h/y(z)?<url>].", marked(t, "(see http://h/x?a=b) and [http://h/y(z)?a=b].", kindURL))
}

// TestUsersOfKeys: names of users are the values of keys, too.
func TestUsersOfKeys(t *testing.T) {
	for text, want := range map[string]string{
		"-Dhttp.proxyUser=annlee -Dx=y":                       "-Dhttp.proxyUser=<user> -Dx=y",
		"spring.datasource.username=annlee":                   "spring.datasource.username=<user>",
		"spring:\n  datasource:\n    username: annlee":        "spring:\n  datasource:\n    username: <user>",
		"jdbc:sqlserver://h:1433;user=annlee;x=y":             "jdbc:sqlserver://h:1433;user=<user>;x=y",
		"jdbc:db2://h:5/db:user=annlee;x=y":                   "jdbc:db2://h:5/db:user=<user>;x=y",
		`Krb5LoginModule required username="annlee" x="y";`:   `Krb5LoginModule required username="<user>" x="y";`,
		`principal="annlee@ACME.COM"`:                         `principal="<user>"`,
		`{"user": "annlee", "userName":"bobby"}`:              `{"user": "<user>", "userName":"<user>"}`,
		`<property name="username" value="annlee"/>`:          `<property name="username" value="<user>"/>`,
		"machine h login annlee password x":                   "machine h login <user> password x",
		"--user annlee --x":                                   "--user <user> --x",
		"user%3Dannlee%26x%3Dy":                               "user%3D<user>%26x%3Dy",
		"benutzer=annlee usuario=bobby":                       "benutzer=<user> usuario=<user>",
		"[Times: user=0.05 sys=0.01, real=0.02 secs]":         "",
		"Last login: Monday":                                  "",
		"-Duser.home=/x -Duser.language=en -Duser.timezone=Z": "",
		"user=root user=null user: com.acme.User@1234":        "",
		"superuser=maybe users=three":                         "",
		"user=[REDACTED]":                                     "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, marked(t, text, kindUser))
	}
}

var jdkProperty = []jfrtest.Field{jfrtest.Of("key", jfrtest.StringClass), jfrtest.Of("value", jfrtest.StringClass)}

// TestFieldsThatSayWhatTheyHold: the name of a field of an event says that its whole value is to be hidden.
func TestFieldsThatSayWhatTheyHold(t *testing.T) {
	b := jfrtest.NewChunk()
	texts := []string{"otp", "pin", "ssn", "phone", "account", "hostName", "remoteAddress", "userPin", "accountNumber", "mobilePhone"}
	var fields []jfrtest.Field
	var values []any
	for _, name := range texts {
		fields, values = append(fields, jfrtest.Of(name, jfrtest.StringClass)), append(values, "opaque "+name)
	}
	fields, values = append(fields, jfrtest.Of("cvv", "int"), jfrtest.Of("spinning", jfrtest.StringClass), jfrtest.Of("hosts", "int")), append(values, 73737, "kept", 5151)
	property := b.Event("jdk.InitialSystemProperty", jdkProperty...)
	for _, p := range [][2]string{{"http.proxyUser", "opaque1"}, {"spring.datasource.username", "opaque2"}, {"user.language", "kept2"}} {
		b.Emit(property, 1, p[0], p[1])
	}
	b.Class("shop.Customer", jfrtest.Of("phone", jfrtest.StringClass), jfrtest.Of("pin", "int"), jfrtest.Of("shoe", jfrtest.StringClass))
	nested := b.Event("shop.N", jfrtest.Of("customer", "shop.Customer"), jfrtest.Of("all", "shop.Customer").Array())
	b.Emit(nested, 1, jfrtest.Inline{"opaque3", 73737, "kept3"}, []any{jfrtest.Inline{"opaque4", 73737, "kept4"}})
	b.Emit(b.Event("shop.E", fields...), append([]any{1}, values...)...)
	got := printed(t, redacted(t, New(Default(), Key{}), 1, open(t, b.Bytes())))
	assert.NotContains(t, got, "opaque")
	assert.NotContains(t, got, "73737")
	assert.Contains(t, got, `"kept"`)
	for _, text := range []string{"kept2", "kept3", "kept4"} {
		assert.Contains(t, got, text)
	}
	assert.Contains(t, got, "5151")
}

// TestLongTextsOfTokens: the time that heads of tokens take, over and over, grows with their number.
func TestLongTextsOfTokens(t *testing.T) {
	n := 0
	for _, forms := range tokens().byPair {
		for _, f := range forms {
			for _, tail := range []string{"", "a", f.head + "1-"} {
				findTokens(&environment{}, strings.Repeat(f.head+tail, longtest.Cases(1_000, 300_000)/len(f.head)), func(from, to int) { n++ })
			}
		}
	}
	assert.NotZero(t, n)
}

// TestAddressesCutInTwo: another rule finds what a mail address begins with, and its sign.
func TestAddressesCutInTwo(t *testing.T) {
	for _, text := range []string{"to ann@acme.com", "to ann%40acme.com"} {
		rules, err := Parse("x", strings.NewReader("constant \"X\" /to ann(@|%40)/\npseudonym email\n"))
		assert.NoError(t, err)
		edit := New(rules, Key{}).Text(rewrite.Place{Type: "test.Event", Field: "text", Event: true})
		is, changed := edit(text, nil)
		assert.True(t, changed)
		assert.Regexp(t, "^Xuser-", is)
	}
}
