package redact

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mmapjfr/jfr/internal/longtest"
	"github.com/mmapjfr/jfr/mmapjfr/rewrite"
)

// marked returns a text with the kinds of what is found in it, as <kind>, in its place.
func marked(t testing.TB, text string, kinds ...kind) string {
	t.Helper()
	ownOf(t).add(text)
	rules := Default()
	rules.list = nil
	for _, k := range kinds {
		rules.list = append(rules.list, rule{act: action{constant, "<" + kindNames[k] + ">"}, kind: k})
	}
	r := New(rules, Key{})
	r.learnName("user", "ann.lee")
	r.learnName("host", "web-01.prod.example.org")
	r.fields, r.programs = map[rewrite.Place]*field{}, map[string]*program{}
	edited, _ := r.Text(rewrite.Place{Type: "test.Event", Field: "text", Event: true})(text, nil)
	return edited
}

// TestFinders: what each finder finds, and what it leaves alone.
func TestFinders(t *testing.T) {
	names := map[string]string{}
	for _, prefix := range pseudonymPrefixes {
		names[prefix] = (&Key{7}).named(prefix, "x")
	}
	tests := map[kind][][2]string{
		kindEmail: {
			{"mail ann@example.com now", "mail <email> now"}, {"<a.b+c@sub.example.co.uk>.", "<<email>>."},
			{"java.lang.Object@6d06d69c", ""}, {"a@b", ""}, {"@x.y", ""}, {"x@127.0.0.1", ""}, {"ä@example.com", ""},
			{names["user"] + "@" + names["host"], ""},
		},
		kindIP: {
			{"10.1.2.3", "<ip>"}, {"/192.168.0.7:8080", "/<ip>:8080"}, {"from 8.8.8.8, then", "from <ip>, then"}, {"10.0.0.0/8", "<ip>/8"},
			{"127.0.0.1 0.0.0.0", ""}, {"1.2.3", ""}, {"1.2.3.4.5", ""}, {"300.1.1.1", ""}, {"version 1.2.3.4", ""}, {"11.0.19.7+1", ""}, {"lib-1.2.3.4.jar", ""},
			{"Linux 4.4.0.0", ""}, {"3.0.0.1", ""}, {"0.0.0.0/0", ""}, {"81.2.0.0/16", "<ip>/16"}, {"10.0.0.0", "<ip>"}, {"192.168.0.0", "<ip>"}, {"81.2.0.7", "<ip>"},
			{"fe80::1", "<ip>"}, {"[2001:db8::8a2e:370:7334]:80", "[<ip>]:80"}, {"2001:0db8:0000:0000:0000:ff00:0042:8329", "<ip>"},
			{"::1", ""}, {"12:34:56", ""}, {"std::a1", ""}, {"a::b", ""},
		},
		kindHost: {
			{"connect to web-01.prod.example.org:80", "connect to <host>:80"}, {"on WEB-01 since", "on <host> since"}, {"web-012", ""},
			{"https://repo.maven.example/x?y", "https://<host>/x?y"}, {"jdbc:postgresql://u:p@db7/shop", "jdbc:postgresql://u:p@<host>/shop"},
			{"db1.prod.acme.com", "<host>"}, {"node-3.lan", "<host>"}, {"http://localhost:80/", ""}, {"http://127.0.0.1/", ""},
			{"-Duser.home=/x -Dmy-app.home=y", ""}, {"com.example.Main", ""}, {"java.net", ""}, {"org.acme.shop.io", ""}, {"Main.java", ""}, {"jdk.internal", ""}, {"management.endpoint.info", ""},
		},
		kindUser: {{"ann.lee logged in", "<user> logged in"}, {"job-ANN.LEE-3", "job-<user>-3"}, {"joann.leeds", ""}},
		kindPath: {
			{"/home/ann/work/a.txt", "/home/<path>"}, {"cp=/home/ann/a.jar:/opt/b.jar:/home/bob/c.jar", "cp=/home/<path>:/opt/b.jar:/home/<path>"},
			{"file:///Users/ann/x y", "file:///Users/<path> y"}, {`C:\Users\Ann Lee\AppData\x.log`, `C:\Users\<path>`}, {"/root/.m2/settings.xml", "/root/<path>"},
			{`at C:\Users\Ann Lee\x.log now`, `at C:\Users\<path> now`}, {"/home/ann/a b.txt", "/home/<path>"}, {"/export/home/ann", "/export/home/<path>"},
			{"/home/", ""}, {"com/example/home/Main", ""}, {"/usr/lib/jvm", ""}, {"/home/" + names["user"] + "/" + names["dir"], ""}, {"/home/user-services/x", "/home/<path>"}, {"/home/[REDACTED]", ""},
		},
		kindJWT: {
			{"t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_123 x", "t <jwt> x"}, {"eyJust a word", ""},
		},
		kindToken: {
			{"AKIAIOSFODNN7EXAMPLE", "<token>"}, {"key ghp_" + strings.Repeat("a1", 18), "key <token>"}, {"xoxb-123456789012-abcdef", "<token>"},
			{"sk_live_" + strings.Repeat("4e", 12), "<token>"}, {"AIza" + strings.Repeat("S4", 17) + "x", "<token>"}, {"glpat-" + strings.Repeat("x9", 10), "<token>"},
			{"Authorization Bearer abc.def-123", "Authorization Bearer <token>"}, {"Basic dXNlcjpwYXNz", "Basic <token>"}, {"basic authentication", ""}, {"Bearer of news", ""},
			{"MAKIAIOSFODNN7EXAMPLE", "M<token>"}, {"ghp_short1", ""},
			{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""}, {"00-Notes-On-Version-2-Of-The-Installation-Guide", ""}, {"re_Compiled_patterns", ""}, {"rnd_state_of_threads", ""},
			{"task-" + strings.Repeat("0a", 16), ""}, {"sk-" + strings.Repeat("0a", 15), ""}, {"sk-lf-" + strings.Repeat("a", 20), ""}, {"nvapi-version-3", ""}, {"nfp_count", ""}, {"phx_endpoint", ""},
			{"sb_secret_store", ""}, {"essu_x", ""}, {"ddMTk4NjIyNDgzNDcxOTI1MjQ4.example.org", ""},
		},
		kindPrivateKey: {
			{"k=-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----;", "k=<private-key>;"}, {"-----BEGIN PRIVATE KEY-----\nMIIE", "<private-key>"},
			{"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\nAAA\nBBB\nPrivate-MAC: 12\nx", "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n<private-key>\nx"},
			{"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAA", ""}, {`PuTTY-User-Key-File-2: x\nPrivate-Lines: 1\nAAA`, `PuTTY-User-Key-File-2: x\nPrivate-Lines: 1\n<private-key>`},
			{"-----BEGIN CERTIFICATE-----\nMIIE", ""},
		},
		kindUUID: {{"id 123e4567-e89b-12d3-a456-426614174000.", "id <uuid>."}, {"123e4567-e89b-12d3-a456-42661417400", ""}},
		kindCard: {
			{"card 4111 1111 1111 1111 ok", "card <card> ok"}, {"5555555555554444", "<card>"}, {"3782-822463-10005", "<card>"},
			{"4111111111111112", ""}, {"1234567890123456", ""}, {"41111111111111111", ""}, {"0x4111111111111111", ""}, {"1.4111111111111111", ""},
		},
		kindIBAN: {
			{"to DE89 3704 0044 0532 0130 00.", "to <iban>."}, {"GB82WEST12345698765432", "<iban>"}, {"DE89370400440532013001", ""}, {"XX89370400440532013000", ""},
		},
		kindURL: {
			{"GET https://u:p@h.org/a?b=c#d HTTP", "GET https://<url>@h.org/a?<url> HTTP"}, {"(http://h/x?y=1)", "(http://h/x?<url>)"}, {"http://h/x", ""}, {"http://h/x?", ""},
			{"to=https%3A%2F%2Fann%3AX%40h%2Fx%3Fy%3D1&n=2", "to=https%3A%2F%2F<url>%40h%2Fx%3F<url>&n=2"}, {"https%3a%2f%2fh%2fx", ""},
			{"http://h/x?[REDACTED]", ""}, {"jdbc:oracle:thin:scott/X@h:1521", "jdbc:oracle:thin:<url>@h:1521"}, {"jdbc:oracle:thin:@//h:1/x", ""}, {"jdbc:oracle:thin:[REDACTED]@h", ""},
		},
		kindSQL: {
			{"SELECT a FROM t WHERE b = 'it''s' AND c1 < 3.5", "SELECT a FROM t WHERE b = <sql> AND c1 < <sql>"}, {"insert into t values ('x', 7)", "insert into t values (<sql>, <sql>)"},
			{"error in: update t set a=1", "error in: update t set a=<sql>"}, {"select 5 from the menu of \"3\"", ""}, {"select 5 from the_menu", "select <sql> from the_menu"},
			{"create user ann identified by X", "create user ann identified by <sql>"}, {"ALTER USER ann IDENTIFIED BY X;", "ALTER USER ann IDENTIFIED BY <sql>;"},
			{"alter user ann identified by values 'X'", "alter user ann identified by values <sql>"}, {"alter user ann identified by [REDACTED]", ""},
			{"we select 5 items", ""}, {"the update 3 is set", ""}, {"select a from t where b = ?", ""},
		},
		kindSecret: {
			{"-Ddb.password=hunter2 -Xmx1g", "-Ddb.password=<secret> -Xmx1g"}, {"--password hunter2 --x", "--password <secret> --x"}, {"-storepass 'a b' c", "-storepass '<secret>' c"},
			{`{"apiToken": "abc", "n": 1}`, `{"apiToken": "<secret>", "n": 1}`}, {"a=1&access_token=abc&b=2", "a=1&access_token=<secret>&b=2"},
			{"Authorization: Basic abc", "Authorization: Basic <secret>"}, {"user=x;Password=a,b;c=d", "user=x;Password=<secret>,b;c=d"},
			{"password: hunter2", "password: <secret>"}, {"SECRET = x", "SECRET = <secret>"}, {"--my-secret=x", "--my-secret=<secret>"},
			{"password:\tX", "password:\t<secret>"}, {"password=\nX y", "password=\n<secret> y"}, {"password := X", "password := <secret>"},
			{`{\"password\":\"X\",\"n\":1}`, `{\"password\":\"<secret>\",\"n\":1}`}, {`{\"password\":\"X\\\"Y\"}`, `{\"password\":\"<secret>\"}`},
			{`"password": "a\"b", "c`, `"password": "<secret>", "c`}, {`"password": "a\\", "c"`, `"password": "<secret>", "c"`},
			{`"password":["X"],"n":"y"`, `"password":["<secret>"],"n":"y"`}, {`"password":["X", "Y"],"n"`, `"password":["<secret>"],"n"`},
			{"Set-Cookie: a=X; b=Y\nx: y", "Set-Cookie: <secret>\nx: y"}, {"a%3Db%26password%3DX%26c%3Dd", "a%3Db%26password%3D<secret>%26c%3Dd"},
			{"curl -u bob:X http://h", "curl -u bob:<secret> http://h"}, {"docker run -u 1000:1000 x", ""}, {"-u http://x", ""}, {"-u bob x", ""},
			{"--pass X y", "--pass <secret> y"}, {"-Dx.pass=X", "-Dx.pass=<secret>"}, {"-Dpass=X", "-Dpass=<secret>"}, {"bypass=X compass: y", ""},
			{"<a><password>X</password>", "<a><password><secret></password>"}, {`<password type="t">X</password>`, `<password type="t"><secret></password>`},
			{"<password/><b>X</b>", ""}, {"<password></password>", ""}, {"<password>[REDACTED]</password>", ""},
			{"com.sun.management.jmxremote.authenticate=false", ""}, {"com.acme.AuthException: no", ""}, {"-XX:+UseAuth", ""}, {"password=", ""}, {"password=[REDACTED]", ""}, {"password=" + names["hidden"], ""}, {"password=<secret>x", "password=<secret>"}, {"password=user-services", "password=<secret>"},
			{"password|X", "password|<secret>"}, {"n|password|X|y", "n|password|<secret>|y"}, {"id|password|token|name", ""}, {"password~X y", "password~<secret> y"},
			{`c.setPassword("X")`, `c.setPassword("<secret>")`}, {`withToken('X Y', 1)`, `withToken('<secret>', 1)`}, {`{"f":"setPassword(\"X\")"}`, `{"f":"setPassword(\"<secret>\")"}`},
			{"setPassword(Ljava/lang/String;)V", ""}, {`<password value="X"/>`, `<password value="<secret>"/>`}, {`<password id="a" value = 'X'>y`, `<password id="a" value = '<secret>'>y`},
			{"password\\x3dX", "password\\x3d<secret>"}, {"sshpass -p X ssh -p 22 h", "sshpass -p <secret> ssh -p 22 h"}, {"sshpass -pX ssh", "sshpass -p<secret> ssh"},
			{"mysql -u root -pX db", "mysql -u root -p<secret> db"}, {"-cp mysql-connector.jar -prod", ""}, {"mysql -p db", ""},
			{"--password --next", ""}, {"name=value", ""}, {"token://x", ""},
		},
	}
	for k, cases := range tests {
		for _, c := range cases {
			want := c[1]
			if want == "" {
				want = c[0]
			}
			assert.Equal(t, want, marked(t, c[0], k), "%s in %s", kindNames[k], c[0])
		}
	}
}

// TestOverlaps: what two rules find is replaced as a whole.
func TestOverlaps(t *testing.T) {
	all := []kind{kindSecret, kindURL, kindEmail, kindHost, kindSQL}
	assert.Equal(t, "https://<url>@<host>/x?<url>", marked(t, "https://u:p@db.acme.com/x?mail=a@b.com&token=1", all...))
	assert.Equal(t, "password=<secret>", marked(t, "password=ann@acme.com", all...))
	assert.Equal(t, []piece{{0, 4, 0, 0, ""}, {4, 6, 1, 0, ""}}, ordered([]piece{{2, 6, 1, 0, "x"}, {0, 4, 0, 0, ""}, {1, 3, 2, 0, ""}}))
}

// TestTextsThatStayCostNothing counts allocations of texts in which nothing is found.
func TestTextsThatStayCostNothing(t *testing.T) {
	r := New(Default(), Key{})
	edit := r.Text(rewrite.Place{Type: "test.Event", Field: "text", Event: true})
	texts := []string{
		"java/util/concurrent/ThreadPoolExecutor$Worker", "(Ljava/lang/String;I[B)V", "http-nio-8080-exec-12", "com.example.shop.OrderService", "G1 Young Generation",
		"jdk.internal.misc.Unsafe.park(boolean, long)", "select a from t where b = ?", "authenticate=false", "25.0.3+9-LTS", "Thread-0", "a=b", "12:34:56.789",
	}
	for _, text := range texts {
		got, changed := edit(text, nil)
		require.False(t, changed, "%s: %s", text, got)
		assert.Zero(t, testing.AllocsPerRun(10, func() { edit(text, nil) }), text)
	}
}

// TestLongTexts: the time that hostile texts take grows with their length.
func TestLongTexts(t *testing.T) {
	r := New(Default(), Key{})
	f := r.field(rewrite.Place{Type: "test.Event", Field: "text", Event: true})
	counts := make([]atomic.Int64, len(f.counts))
	for _, part := range []string{"a@", "a@b.", "://", "://a", "=", "token=", "a:", "select ", "select from where ", "/home/a", "/home/a x ", "eyJ", "eyJ.", "1.", "::1", "4 ", "DE12 ", "-----BEGIN ", "Bearer ", "xoxb-", "-p ", "password=\n", "<password", "<password>", "password%3d", `password:["x",`, "Cookie: a; ", `password:\"`, "jdbc:oracle:", " -u a:",
		"password=[", "password={", "password={{\"", "[password=]", "name=password ", "{value=x,", "value=name=password ", "[--password,", "curl -ua:", "Authorization: a b=c,", `Authorization: a b="`,
		"$$", "$a$", "select $a", "select\n", "insert E'\\", "create 5 ", "a where ", "<password><![CDATA[", "password=''", "Cookie: a=b;", "(cookie=a;", "password=", "key=", "  =", "password|", "password|a|", "password~", `setPassword("`, "%3a%2f%2f", "%3a%2f%2fa%40", "%3a%2f%2fa%3f ", "identified by ", "sshpass -p", "mysql -pa ", "<password value", "<password value=", "$$ select x from '",
		`"d":"a","kty"`, "AUTH a", "AUTH ", `mysql "-pa `, "<password><value>", "PuTTY-User-Key-File-Private-Lines: ", "Private-MAC: a PuTTY-User-Key-File-Private-Lines: ", "curl -su", "?code=", "sqlplus connect ", "password=\na=",
	} {
		text := strings.Repeat(part, longtest.Cases(50_000, 300_000)/len(part))
		edited, _ := f.prog.edit(t.Context(), text, counts)
		assert.NotEmpty(t, edited, part)
	}
}

// FuzzEdit edits any text: nothing panics, and the same text becomes the same one again.
func FuzzEdit(f *testing.F) {
	for _, s := range append(secrets, "(Lcom/acme/A;[I)V", "com.acme.A.b", "C:\\Users\\a b\\c", "::1:2", "@a.bc", "--token ", "k=\"\\") {
		f.Add(s)
	}
	rules := Default()
	rules.HideClasses()
	r := New(rules, Key{})
	r.classes.addClass("com.acme.A")
	r.classes.methods.add("b", false)
	edits := []func(string) string{
		func(s string) string { return edited(r, "test.E", "text", s, nil) },
		func(s string) string { return edited(r, "jdk.types.Symbol", "string", s, nil) },
		func(s string) string { return edited(r, "jdk.SocketRead", "host", s, nil) },
		generalField, r.key.thread, func(s string) string { return r.key.path(s, true) },
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, edit := range edits {
			assert.Equal(t, edit(text), edit(text))
		}
		_, err := New(rules, Key{}).Check(t.Context(), strings.NewReader(text))
		assert.NoError(t, err)
	})
}
