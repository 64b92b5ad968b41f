package redact

import (
	"fmt"
	"slices"
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
		"redis-cli -h h -a S1 ping":                              "redis-cli -h h -a <secret> ping",
		"[/usr/bin/redis-cli, -a, S1, ping]":                     "[/usr/bin/redis-cli, -a, <secret>, ping]",
		"ls -a x":                                                "",
		"-Dopts=--password S1== -x":                              "-Dopts=--password <secret> -x",
		"OPTS=--password S1:x=y":                                 "OPTS=--password <secret>",
		"x=-5 --passive y=z":                                     "",
		`new PasswordAuthentication("ann", "S1")`:                `new PasswordAuthentication("<secret>")`,
		`setPassword("S1", true)`:                                `setPassword("<secret>", true)`,
		"sqlplus scott/S1@orcl":                                  "sqlplus scott/<secret>@orcl",
		"sqlplus -s scott/S1 @x.sql":                             "sqlplus -s scott/<secret> @x.sql",
		"sqlplus / as sysdba":                                    "",
		"machine h login ann password S1 account T1":             "machine h login ann password <secret> account <secret>",
		"machine h\n\tlogin ann\n\tpassword S1\n":                "machine h\n\tlogin ann\n\tpassword <secret>\n",
		"the password is forgotten":                              "",
		"mongosh -u ann -p S1 h":                                 "mongosh -u ann -p <secret> h",
		"docker run -p 8080:80 x":                                "",
		"docker login -u ann -p S1 h":                            "docker login -u ann -p <secret> h",
		"ldapsearch -x -w S1 -b x":                               "ldapsearch -x -w <secret> -b x",
		"openssl rsa -passin pass:S1 -in x":                      "openssl rsa -passin <secret> -in x",
		"sshpass -p S1 ssh -p 22 h":                              "sshpass -p <secret> ssh -p 22 h",
		"sshpass -p'S1' ssh h":                                   "sshpass -p'<secret>' ssh h",
		`mysql -u root -p"S1"`:                                   `mysql -u root -p"<secret>"`,
		"redis-cli -aS1":                                         "redis-cli -a<secret>",
		"docker login -uX -pS1":                                  "docker login -uX -p<secret>",
		"curl -su bob:S1 http://h":                               "curl -su bob:<secret> http://h",
		`["sshpass", "-p", "S1"]`:                                `["sshpass", "-p", "<secret>"]`,
		`put("password","S1-secret-pw")`:                         `put("password","<secret>")`,
		`set( "db.password" , "S1secret")`:                       `set( "db.password" , "<secret>")`,
		"password|S1-secret-pw":                                  "password|<secret>",
		`Set.of("password","secret")`:                            "",
		`f("password","secret","token")`:                         "",
		`curl -u "ann:S1" http://h`:                              `curl -u "ann:<secret>" http://h`,
		"Cookie: a=b; X-Api-Key: S1":                             "Cookie: <secret>; X-Api-Key: <secret>",
		"Cookie: a=b; Authorization: Odd S1":                     "Cookie: <secret>; Authorization: <secret>",
		"%7B%22password%22%3A%22S1%22%2C%22n%22%3A1%7D":          "%7B%22password%22%3A%22<secret>%22%2C%22n%22%3A1%7D",
		"{&quot;password&quot;:&quot;S1&quot;}":                  "{&quot;password&quot;:&quot;<secret>&quot;}",
		"Access denied (using password: YES)":                    "",
		"User(name=ann, password=S1)":                            "User(name=ann, password=<secret>)",
		"{a=b, --password=S1)x}":                                 "{a=b, --password=<secret>}",
		"java -Dpassword=S1)x y":                                 "java -Dpassword=<secret> y",
		"Token::parse(x)":                                        "",
		"hasLocation=5 massenhalt=6 bypassOrder=7 epw=8":         "",
		"密码：S1":                                                  "密码：<secret>",
		"x.put('X_TOKEN', 'S1')":                                 "x.put('X_TOKEN', '<secret>')",
		"$token .= 'S1'":                                         "$token .= '<secret>'",
		"\\npassword=S1":                                         "\\npassword=<secret>",
		"password='it''s S1' x":                                  "password='<secret>' x",
		"password=\"\"\"S1\"\"\" x":                              "password=\"<secret>\" x",
		`{""password"":""S1"", ""n"":1}`:                         `{""password"":""<secret>"", ""n"":1}`,
		"aws configure set aws_secret_access_key S1 --profile x": "aws configure set aws_secret_access_key <secret> --profile x",
		"pulumi config set --secret dbPassword S1":               "pulumi config set --secret dbPassword <secret>",
		"setx OPENAI_API_KEY S1":                                 "setx OPENAI_API_KEY <secret>",
		"ngrok config add-authtoken S1":                          "ngrok config add-authtoken <secret>",
		"aws configure set region eu-west-1":                     "",
		"config set password":                                    "",
		"git config set --global user.password -x":               "",
		"Cookie: a=S1 b=S2 took 5 ms":                            "Cookie: <secret> took 5 ms",
		"Cookie: a=S1 -Db=x":                                     "Cookie: <secret> -Db=x",
		"AZURE_STORAGE_KEY=S1 STRIPE_KEY=S1 OPENAI_KEY=S1":       "AZURE_STORAGE_KEY=<secret> STRIPE_KEY=<secret> OPENAI_KEY=<secret>",
		"a SharedAccessSignature=S1 GITHUB_PAT=S1 PHPSESSID=S1":  "a SharedAccessSignature=<secret> GITHUB_PAT=<secret> PHPSESSID=<secret>",
		"Ocp-Apim-Subscription-Key: S1":                          "Ocp-Apim-Subscription-Key: <secret>",
		"encryption.key=S1 -Dtrust.store.pin=S1":                 "encryption.key=<secret> -Dtrust.store.pin=<secret>",
		"storage.keys=5 encryption.keys=2 stripe.keyed=x pat=*x": "",
		"cache_key=x PRIMARY_KEY=y store.pinned=z":               "",
		`tokens.join( " " )`:                                     "",
		"unrar x -pS1 a.rar":                                     "unrar x -p<secret> a.rar",
		`mysql -u root "-pS1 S2" db`:                             `mysql -u root "-p<secret>" db`,
		`["mysql", "-pS1 S2", "-h", "x"]`:                        `["mysql", "-p<secret>", "-h", "x"]`,
		`sh -c "mysql -pS1 -h x"`:                                `sh -c "mysql -p<secret> -h x"`,
		"curl -sSfLuann:S1 http://h":                             "curl -sSfLuann:<secret> http://h",
		"sqlplus /nolog; connect ann/S1@x":                       "sqlplus /nolog; connect ann/<secret>@x",
		"connect ann/S1@x":                                       "",
		"SSHPASS=S1 code_verifier=S1 SAMLResponse=S1":            "SSHPASS=<secret> code_verifier=<secret> SAMLResponse=<secret>",
		"/cb?code=S1S2S3S4&state=x":                              "/cb?code=<secret>&state=x",
		"a=b&assertion=S1S2S3S4":                                 "a=b&assertion=<secret>",
		"state%3Dx%26code%3DS1S2S3S4":                            "state%3Dx%26code%3D<secret>",
		"/x?code=404 /x?code=NOT_FOUND code=S1S2S3S4":            "",
		"assertion=false assertion: S1S2S3S4":                    "",
		"pass-word: S1":                                          "pass-word: <secret>",
		"pass word: S1":                                          "pass word: <secret>",
		"CONFIG SET requirepass S1":                              "CONFIG SET requirepass <secret>",
		"npm config set //registry.npmjs.org/:_authToken S1":     "npm config set //registry.npmjs.org/:_authToken <secret>",
		"npm config set //auth.example.org/:registry x":          "",
		"AUTH S1S2":                                               "AUTH <secret>",
		"AUTH default S1S2\nGET x":                                "AUTH default <secret>\nGET x",
		"HELLO 3 AUTH default swordfish SETNAME x":                "HELLO 3 AUTH default <secret> SETNAME x",
		"AUTH failed":                                             "",
		"250-AUTH PLAIN LOGIN CRAM-MD5":                           "",
		"AUTH error 530":                                          "",
		`{"kty":"RSA","n":"x","d":"S1","p":"S2"}`:                 `{"kty":"RSA","n":"x","d":"<secret>","p":"<secret>"}`,
		`{\"k\":\"S1\",\"kty\":\"oct\"}`:                          `{\"k\":\"<secret>\",\"kty\":\"oct\"}`,
		`{"d":"5","p":"x"} {"kty":"EC","d":5}`:                    "",
		"at x.PasswordEncoder.encode(PasswordEncoder.java:17)":    "",
		"PasswordEncoder.java:S1 token.py:17 token.pyx:17":        "PasswordEncoder.java:<secret> token.py:17 token.pyx:<secret>",
		"tokens=10 cookies: 3 secrets=12 maxTokens=128000":        "",
		"total_tokens: 1280000, tokenCount=5 {cookies=3}":         "",
		`{"prompt_tokens":128000,"token_limit":"1000000"}`:        "",
		"--max-tokens 4096 <tokenCount>5</tokenCount>":            "",
		"access_token_expires_in=3600 session.cookie.maxAge=30m":  "",
		"api_key_count=3 password.min.length=8 auth.port=8080":    "",
		"tokenExpiresAt=1764400000000 secretTtl: 10s":             "",
		"tokenizer=whitespace secretary=Ann":                      "",
		"tokens=123456 cookies=S1 secrets=4711 tokens=0x12":       "tokens=<secret> cookies=<secret> secrets=<secret> tokens=<secret>",
		"token_limit=S1 tokenCount=12ab tokenAge=12345678901234":  "token_limit=<secret> tokenCount=<secret> tokenAge=<secret>",
		"token=10 password=3 otp=123456 pin_code=4711 pass=8":     "token=<secret> password=<secret> otp=<secret> pin_code=<secret> pass=<secret>",
		"tokenizer.password=S1 my_tokenizer_token=S1":             "tokenizer.password=<secret> my_tokenizer_token=<secret>",
		"card_number=17 tokenstorage=17 discount.token=17":        "card_number=<secret> tokenstorage=<secret> discount.token=<secret>",
		"az login -u ann -p S1":                                   "az login -u ann -p <secret>",
		"oc login -p S1 h && twine upload -p S1 dist/*":           "oc login -p <secret> h && twine upload -p <secret> dist/*",
		"cypher-shell -u neo4j -p S1":                             "cypher-shell -u neo4j -p <secret>",
		"useradd -p S1 ann":                                       "useradd -p <secret> ann",
		"gh secret set TOKEN -b S1":                               "gh secret set TOKEN -b <secret>",
		"gh secret set X --body=S1; gh secret set Y --body 'S 1'": "gh secret set X --body=<secret> gh secret set Y --body '<secret>'",
		"gh secret set TOKEN --body-file x":                       "",
		"curl -E cert.pem:S1 h":                                   "curl -E cert.pem:<secret> h",
		"curl --cert cert.pem:S1 --cert-type PEM h":               "curl --cert cert.pem:<secret> --cert-type PEM h",
		"curl -b 'session=S1; a=S1' h":                            "curl -b 'session=<secret>' h",
		"curl -b cookies.txt -E cert.pem h":                       "",
		"lftp -u ann,S1 h":                                        "lftp -u ann,<secret> h",
		"az keyvault secret set --name n --value S1":              "az keyvault secret set --name n --value <secret>",
		"aws ssm put-parameter --name x --value S1 --type y":      "aws ssm put-parameter --name x --value <secret> --type y",
		"dotnet nuget push a.nupkg -k S1 -s x":                    "dotnet nuget push a.nupkg -k <secret> -s x",
		"snmpwalk -v2c -c S1 h":                                   "snmpwalk -v2c -c <secret> h",
		"vault login S1S2":                                        "vault login <secret>",
		"the vault login failed, the cargo login screen":          "",
		"rabbitmqctl add_user ann S1":                             "rabbitmqctl add_user ann <secret>",
		"rabbitmqctl change_password ann S1\nx":                   "rabbitmqctl change_password ann <secret>\nx",
		"wpa_passphrase ssid S1":                                  "wpa_passphrase ssid <secret>",
		"htpasswd -b file ann S1":                                 "htpasswd -b file ann <secret>",
		"htpasswd -nbB ann 'S 1'":                                 "htpasswd -nbB ann '<secret>'",
		`net use z: \\srv\share S1 /user:ann`:                     `net use z: \\srv\share <secret> /user:ann`,
		`net use \\srv\share S1`:                                  `net use \\srv\share <secret>`,
		`net use z: \\srv\share /user:ann`:                        "",
		`net use \\srv\share * /user:ann`:                         "",
		"rabbitmqctl add_user ann":                                "",
		"API key: S1":                                             "API key: <secret>",
		"the primary key: 5":                                      "",
		"the error code: 5":                                       "",
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

// TestSecretsInSentences: a password after that word, and long tokens after others, but no other words.
func TestSecretsInSentences(t *testing.T) {
	const hex = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
	for text, want := range map[string]string{
		"password hunter2":                         "password <secret>",
		"call of ann with password Tr0ub4&3.":      "call of ann with password <secret>.",
		"password was: swordfish":                  "password was: <secret>",
		"passcode 4711 was sent":                   "passcode <secret> was sent",
		"login with password \"two words\" failed": "login with password \"<secret>\" failed",
		"the password is 'purple horse battery'":   "the password is '<secret>'",
		"my password is hunter2!":                  "my password is <secret>",
		"password is 'swordfish'":                  "password is '<secret>'",
		"the password is 1234":                     "the password is <secret>",
		"Password for ann: swordfish":              "Password for ann: <secret>",
		"password for ann is hunter2, ok":          "password for ann is <secret>, ok",
		"password set to hunter2":                  "password set to <secret>",
		"password was reset to hunter2":            "password was reset to <secret>",
		"secret projected-volume-20240101":         "",
		"token class_name_12345678901234":          "",
		`password "hunter2" rejected`:              `password "<secret>" rejected`,
		"Passwort lautet geheim12":                 "Passwort lautet <secret>",
		"contraseña es abc123xyz":                  "contraseña es <secret>",
		"the private key 0x" + hex + " x":          "the private key <secret> x",
		"private key: 0x" + hex:                    "private key: <secret>",
		"secret is " + hex:                         "secret is <secret>",
		"the token is a1b2c3d4e5f6a7b8c9":          "the token is <secret>",
		"api key 3f2a9bd81c3f2a9bd81c":             "api key <secret>",
		"Seed phrase: a b c d e f g h i j k l":     "Seed phrase: <secret>",
		"password was: [REDACTED]":                 "",
		"block 0x" + hex:                           "",
		"cache key 3f2a9bd81c3f2a9bd81c":           "",
		"token expired":                            "",
		"unexpected token x1 at 5":                 "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
	for _, innocent := range []string{
		"password expired", "password reset", "using password: YES", "using password: NO", "password is required", "password is wrong", "password was changed", "Password must be at least 8 characters",
		"password for user ann was reset", "password reset for user ann is done", "password is too short", "password SHA-256", "password hash sha256", "password 8-character minimum", "password 2nd try",
		"password 12 characters", "password arg0", "password in com.acme.Config2", "password ${db.pw2}", "password %s1", "password authentication failed for user", "password 'must be set'", "password (8 to 20)",
		"label password \"Enter it here\"", "password \"does not match\"", "field password 'New one'", "password is 'too short'", "passcode 12 of 30", "password policy", "password manager", "password reset mail", "password \"%s is %s\"",
		"column password 'varchar not null'",
		"password user=x1", "a password MAX_LENGTH_8", "password /etc/x1", "password for ann", "password: null", "change password to continue", "password2 x1",
	} {
		assert.Equal(t, innocent, marked(t, innocent, kindSecret))
	}
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
		`Str("user", "current user")`:                         "",
		"user=annlee;password=x":                              "user=<user>;password=x",
		"Data Source=h;User ID=annlee;Password=x":             "Data Source=h;User ID=<user>;Password=x",
		"the user id of this; User ID=5":                      "",
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
	for _, name := range []string{
		"seedPhrase", "mfaCode", "mfa_code", "MFA_CODE", "jwt", "bearer", "dsn", "sentryDsn", "connectionString", "passphrase", "privateKey", "recoveryCode", "recovery_codes", "card_no",
	} {
		fields, values = append(fields, jfrtest.Of(name, jfrtest.StringClass)), append(values, "opaque "+name)
	}
	for name, typ := range map[string]string{"cardNo": "long", "card_number": "long", "otpCode": "int", "password": "int", "userPin": "int", "pinCode": "short", "apiKey": "long", "sessionToken": "double"} {
		if !slices.ContainsFunc(fields, func(f jfrtest.Field) bool { return f.Name == name }) {
			fields, values = append(fields, jfrtest.Of(name, typ)), append(values, map[string]any{"long": 73737, "int": 73737, "short": 7373, "double": 73737.5}[typ])
		}
	}
	for i, name := range []string{"passwordLength", "tokens", "tokenCount", "authFailures", "keySize", "seed"} {
		fields, values = append(fields, jfrtest.Of(name, "int")), append(values, 6161+i)
	}
	fields, values = append(fields, jfrtest.Of("cvv", "int"), jfrtest.Of("spinning", jfrtest.StringClass), jfrtest.Of("hosts", "int")), append(values, 73737, "kept", 5151)
	property := b.Event("jdk.InitialSystemProperty", jdkProperty...)
	for _, p := range [][2]string{{"http.proxyUser", "opaque1"}, {"spring.datasource.username", "opaque2"}, {"user.language", "kept2"}, {"java.home", "/Users/opaquer/jdk"}, {"x", "/tmp/-Users-opaquer--y"}} {
		b.Emit(property, 1, p[0], p[1])
	}
	b.Class("shop.Customer", jfrtest.Of("phone", jfrtest.StringClass), jfrtest.Of("pin", "int"), jfrtest.Of("shoe", jfrtest.StringClass))
	nested := b.Event("shop.N", jfrtest.Of("customer", "shop.Customer"), jfrtest.Of("all", "shop.Customer").Array())
	b.Emit(nested, 1, jfrtest.Inline{"opaque3", 73737, "kept3"}, []any{jfrtest.Inline{"opaque4", 73737, "kept4"}})
	b.Emit(b.Event("shop.E", fields...), append([]any{1}, values...)...)
	got := printed(t, redacted(t, New(Default(), Key{}), 1, open(t, b.Bytes())))
	assert.NotContains(t, got, "opaque")
	assert.NotContains(t, got, "7373")
	for i := range 6 {
		assert.Contains(t, got, fmt.Sprint(6161+i))
	}
	assert.Contains(t, got, `"kept"`)
	for _, text := range []string{"kept2", "kept3", "kept4"} {
		assert.Contains(t, got, text)
	}
	assert.Contains(t, got, "5151")
}

// TestLongTextsOfTokens: the time that heads of tokens take, over and over, grows with their number.
func TestLongTextsOfTokens(t *testing.T) {
	n := 0
	for _, some := range tokens().list {
		for _, f := range some.forms {
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
