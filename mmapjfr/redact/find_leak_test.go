package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSQLOfSeveralLines: words of a statement may be on lines of their own, and anywhere in a long one.
func TestSQLOfSeveralLines(t *testing.T) {
	long := ""
	for range 2000 {
		long += "column, "
	}
	for text, want := range map[string]string{
		"select x\nfrom t\nwhere n='S'":                                      "select x\nfrom t\nwhere n=<sql>",
		"UPDATE t\nSET a='S'":                                                "UPDATE t\nSET a=<sql>",
		"delete\r\n\tfrom t where a = 'S'":                                   "delete\r\n\tfrom t where a = <sql>",
		"insert into t\nvalues\n('S')":                                       "insert into t\nvalues\n(<sql>)",
		"x\nwhere a = 'S'":                                                   "x\nwhere a = <sql>",
		"select " + long + "x from t where n='S'":                            "select " + long + "x from t where n=<sql>",
		`select a from t where b = "S" and "t"."c" = "u"."d"`:                `select a from t where b = <sql> and "t"."c" = "u"."d"`,
		`insert into t ("a", "b") values ("S", "T")`:                         `insert into t ("a", "b") values (<sql>, <sql>)`,
		"select $$S$$, $1 from t":                                            "select <sql>, $1 from t",
		"select a from t where b = $x$S$y$S$x$":                              "select a from t where b = <sql>",
		`insert into t values (E'it\'s', 'it\'s', 'C:\', 'S')`:               `insert into t values (E<sql>, <sql>, <sql>, <sql>)`,
		"alter user ann identified by 'S'":                                   "alter user ann identified by <sql>",
		"CREATE USER ann WITH\nPASSWORD 'S'":                                 "CREATE USER ann WITH\nPASSWORD <sql>",
		"select a from t where b = 'it''s S'":                                "select a from t where b = <sql>",
		"select 'S'":                                                         "select <sql>",
		"SELECT 5, 'S' AS x":                                                 "SELECT <sql>, <sql> AS x",
		"select distinct a, t.b, :c, 'S', 7":                                 "select distinct a, t.b, :c, <sql>, <sql>",
		"select @@version, N'S'":                                             "select @@version, N<sql>",
		"select q'[it's S]', 'S' from dual":                                  "select q<sql>, <sql> from dual",
		"select a from t -- it's\nwhere b = 'S' /* 'T' don't */ and c = 'S'": "select a from t -- it's\nwhere b = <sql> /* <sql> don't */ and c = <sql>",
		"create user a identified with x by 'S'":                             "create user a identified with x by <sql>",
		"ALTER USER a IDENTIFIED WITH 'x' AS 'S'":                            "ALTER USER a IDENTIFIED WITH 'x' AS <sql>",
		"alter user a identified with x by S;":                               "alter user a identified with x by <sql>;",
		`create database link l identified by "S"`:                           "create database link l identified by <sql>",
		"GRANT x TO a IDENTIFIED BY PASSWORD 'S'":                            "GRANT x TO a IDENTIFIED BY PASSWORD <sql>",
		"set password for 'a'@'h' = 'S'":                                     "set password for <sql>@<sql> = <sql>",
		"SET PASSWORD = PASSWORD('it''s S')":                                 "SET PASSWORD = PASSWORD(<sql>)",
		"set password for a to 'S'":                                          "set password for a to <sql>",
		"DECLARE @p nvarchar(20) = N'S'":                                     "DECLARE @p nvarchar(<sql>) = N<sql>",
		"declare p varchar2(9) := 'S'; begin x := 'S'; end":                  "declare p varchar2(<sql>) := <sql>; begin x := <sql>; end",
		"set @p = 'S'":                                                       "set @p = <sql>",
		"failed: für insert into t (a) values ('S', ?)":                      "failed: für insert into t (a) values (<sql>, ?)",
		"explain analyze select 'S'":                                         "explain analyze select <sql>",
		"begin p('S'); end;":                                                 "begin p(<sql>); end;",
		"MATCH (n {name:'S'}) RETURN n":                                      "MATCH (n {name:<sql>}) RETURN n",
		"create (n:P {name: 'S'})":                                           "create (n:P {name: <sql>})",
		"SELECT $tag$S$tag$":                                                 "SELECT <sql>",
		`delete from t where x in ('S', "S") order by "b", "c"`:              `delete from t where x in (<sql>, <sql>) order by "b", "c"`,
		`grant x to y identified by "S S"`:                                   `grant x to y identified by <sql>`,
		"select a file from the list 'recent'":                               "select a file from the list 'recent'",
		"Select one from\nyour 5 accounts":                                   "Select one from\nyour 5 accounts",
		"SELECT a FROM the WHERE b = 'S'":                                    "SELECT a FROM the WHERE b = <sql>",
		"select a from theatre where b = 'S'":                                "select a from theatre where b = <sql>",
		"insert coin into slot 3":                                            "insert coin into slot 3",
		"merge branch 5 into 'main'":                                         "merge branch 5 into 'main'",
		"replace the 2 into 'x'":                                             "replace the 2 into 'x'",
		"insert or replace into t select 'S'":                                "insert or replace into t select <sql>",
		"INSERT t INTO x (5)":                                                "INSERT t INTO x (<sql>)",
		"insert /*+ append */ into t select 5":                               "insert /*+ append */ into t select <sql>",
		"update the config to set 5 values":                                  "update the config to set 5 values",
		"delete from cache: 17 entries":                                      "delete from cache: 17 entries",
		"delete from the 3 caches":                                           "delete from the 3 caches",
		"delete from cache where id = 17":                                    "delete from cache where id = <sql>",
		"delete from s.t x where id::int = 17":                               "delete from s.t x where id::int = <sql>",
		"begin with 5 items; end it":                                         "begin with 5 items; end it",
		"explain how to begin with 5":                                        "explain how to begin with 5",
		"match (case 5) and return":                                          "match (case 5) and return",
		"grant 5 rights to 'ann'":                                            "grant 5 rights to 'ann'",
		"wir führen aus insert into t values (5)":                            "wir führen aus insert into t values (<sql>)",
		"执行SQL：select a, 5 from t":                                           "执行SQL：select a, <sql> from t",
		"查询select a, 'S' from t":                                             "查询select a, <sql> from t",
		"Select 'Open' to go on":                                             "Select 'Open' to go on",
		"Select 5 items":                                                     "Select 5 items",
		"select 'A' or 'B'":                                                  "select 'A' or 'B'",
		"Set password for 'ann'":                                             "Set password for 'ann'",
		"declare a variable 'x'":                                             "declare a variable 'x'",
		"has values (5 of 'them')":                                           "has values (5 of 'them')",
		"secret (values of 7 keys)":                                          "secret (values of 7 keys)",
		"we create 5 files":                                                  "we create 5 files",
		"a call to 5 others, with a name as long as 'this'":                  "a call to 5 others, with a name as long as 'this'",
		"select the 3 best":                                                  "select the 3 best",
	} {
		assert.Equal(t, want, marked(t, text, kindSQL))
	}
}

// TestHeadersOfAuthorization: credentials are all that follows the scheme, which may be any.
func TestHeadersOfAuthorization(t *testing.T) {
	for text, want := range map[string]string{
		"Authorization: NTLM S":                                       "Authorization: NTLM <secret>",
		"Authorization=NTLM S -Xmx1g":                                 "Authorization=NTLM <secret> -Xmx1g",
		"Authorization: Custom S\nHost: h":                            "Authorization: <secret>\nHost: h",
		`Authorization: Digest username="a", response="S"`:            "Authorization: Digest <secret>",
		`Authorization: Token token="S T", x=y end`:                   "Authorization: Token <secret> end",
		"Authorization: AWS4-HMAC-SHA256 Credential=A/x, Signature=S": "Authorization: AWS4-HMAC-SHA256 <secret>",
		"Proxy-Authorization: Hawk id=\"a\",mac=\"S\" rest":           "Proxy-Authorization: Hawk <secret> rest",
		"{Authorization=[NTLM S], Accept=[x]}":                        "{Authorization=[<secret>], Accept=[x]}",
		"curl -H 'Authorization: Odd S' http://h":                     "curl -H 'Authorization: <secret>' http://h",
		`{"Authorization": "NTLM S", "n": 1}`:                         `{"Authorization": "<secret>", "n": 1}`,
		"Authorization: Bearer  S x":                                  "Authorization: Bearer  <secret> x",
		"Authorization: S":                                            "Authorization: <secret>",
		"Authorization: [REDACTED]":                                   "Authorization: [REDACTED]",
		"*Authorization: NTLM [REDACTED] x":                           "*Authorization: NTLM [REDACTED] x",
		"(Authorization: NTLM [REDACTED]S":                            "(Authorization: NTLM <secret>",
		"Authorization: Basic [REDACTED] x":                           "Authorization: Basic [REDACTED] x",
		"Authorization: S -x":                                         "Authorization: <secret> -x",
	} {
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
}

// TestSecretsInLists: a value may be a list, an object, or the next element of a list.
func TestSecretsInLists(t *testing.T) {
	for text, want := range map[string]string{
		"{cookie=[A=1, x=S], n=[1]}":                   "{cookie=[<secret>], n=[1]}",
		"password=[a, S] n":                            "password=[<secret>] n",
		"password=[a, [S], b] n":                       "password=[<secret>] n",
		`"password": ["a", 5, "b"], "n": 1`:            `"password": [<secret>], "n": 1`,
		`{"password":{"value":"S}"},"n":1}`:            `{"password":{<secret>},"n":1}`,
		`{\"password\":{\"value\":\"S\"},\"n\":1}`:     `{\"password\":{<secret>},\"n\":1}`,
		"jdbc:sqlserver://h;user=a;password={a;S};b=c": "jdbc:sqlserver://h;user=a;password={<secret>};b=c",
		"password={cipher}S x":                         "password=<secret> x",
		"password=[S":                                  "password=[<secret>",
		"(password=[REDACTED]S)":                       "(password=<secret>)",
		"password=[]":                                  "password=[]",
		"password=[REDACTED]":                          "password=[REDACTED]",
		"(password=[REDACTED])":                        "(password=[REDACTED])",
		"password=[[REDACTED]], n":                     "password=[[REDACTED]], n",
		"[--password, S]":                              "[--password, <secret>]",
		"[java, -x, --password, S, --y]":               "[java, -x, --password, <secret>, --y]",
		`["--password", "S"]`:                          `["--password", "<secret>"]`,
		"[--password, --y]":                            "[--password, --y]",
		"give --password, then go":                     "give --password, then go",
		"{Cookie=a=S; b=T}":                            "{Cookie=<secret>}",
	} {
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
}

// TestSpellingsOfSecrets: more ways in which keys and their values are written.
func TestSpellingsOfSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"<password><![CDATA[S]]></password>":                                "<password><![CDATA[<secret>]]></password>",
		"<password>\n <![CDATA[S<]]>":                                       "<password>\n <![CDATA[<secret>]]>",
		"usage: login <user> <password> <file>":                             "",
		"curl --user=ann:S http://h":                                        "curl --user=ann:<secret> http://h",
		"curl -uann:S http://h":                                             "curl -uann:<secret> http://h",
		"-upgrade:now":                                                      "",
		"-Dapi.key=S -DACCESS.KEY=S":                                        "-Dapi.key=<secret> -DACCESS.KEY=<secret>",
		"private.key=S":                                                     "private.key=<secret>",
		"Endpoint=x;AccountKey=S;y=z":                                       "Endpoint=x;AccountKey=<secret>;y=z",
		"dbpass=S":                                                          "dbpass=<secret>",
		`<property name="password" value="S"/>`:                             `<property name="password" value="<secret>"/>`,
		`<property value='S' name='password'/>`:                             `<property value='<secret>' name='password'/>`,
		`<property name="password" type="x" value="S"/>`:                    `<property name="password" type="x" value="<secret>"/>`,
		`<entry key="password">S</entry>`:                                   `<entry key="password"><secret></entry>`,
		`<property name="password"><value>S</value></property>`:             `<property name="password"><value><secret></value></property>`,
		`<constructor-arg name="password"> <b:value type="x"><![CDATA[S]]>`: `<constructor-arg name="password"> <b:value type="x"><![CDATA[<secret>]]>`,
		`<property name="password"><value/></property>`:                     "",
		`<property name="password"><ref bean="x">y</ref></property>`:        "",
		`{"key":"password","value":"S"}`:                                    `{"key":"password","value":"<secret>"}`,
		`{"value":"S","key":"password"},{"key":"n","value":"x"}`:            `{"value":"<secret>","key":"password"},{"key":"n","value":"x"}`,
		`{\"key\":\"password\",\"value\":\"S\"}`:                            `{\"key\":\"password\",\"value\":\"<secret>\"}`,
		"Param[key=password, value=S]":                                      "Param[key=password, value=<secret>]",
		`{"key":"name","value":"x"} {"key":"password","other":"x"}`:         "",
		"<key>password</key><string>S</string>":                             "<key>password</key><string><secret></string>",
		"<name>password</name>\n<type>x</type>\n<value>S</value>":           "<name>password</name>\n<type>x</type>\n<value><secret></value>",
		"<param-name>db.password</param-name><param-value>S</param-value>":  "<param-name>db.password</param-name><param-value><secret></param-value>",
		"<name>password</name><type>String</type>":                          "",
		"<key>name</key><string>x</string>":                                 "",
		`<input type="password" value="S">`:                                 `<input type="password" value="<secret>">`,
		`<input value="S" name="x" type="password">`:                        `<input value="<secret>" name="x" type="password">`,
		`<input type="text" value="x"> {"type":"token","value":"x"}`:        "",
		`{"name":"password","val":"S"}`:                                     `{"name":"password","val":"<secret>"}`,
		`{"paramName":"password","paramValue":"S"}`:                         `{"paramName":"password","paramValue":"<secret>"}`,
		`{"paramValue":"S","paramName":"password"}`:                         `{"paramValue":"<secret>","paramName":"password"}`,
		`{"interval":"x","name":"password","eval":"x"}`:                     "",
		`[["user","ann"],["db.password","S1S2"]]`:                           `[["user","ann"],["db.password","<secret>"]]`,
		"[password, S1S2]":                                                  "[password, <secret>]",
		`["password","username"] ["token","sha256"] [password, S1S2, x]`:    "",
		`password\u003dS\u0026a\u003db`:                                     `password\u003d<secret>\u0026a\u003db`,
		"password%253DS%2526a%253Db":                                        "password%253D<secret>%2526a%253Db",
		"x?user[password]=S&a=b":                                            "x?user[password]=<secret>&a=b",
		"password[0]=S":                                                     "password[0]=<secret>",
		"map['password'] = 'S'":                                             "map['password'] = '<secret>'",
		"--password\tS x":                                                   "--password\t<secret> x",
		"--password\x00S\x00x":                                              "--password\x00<secret>\x00x",
		"password=''S x":                                                    "password=''<secret> x",
		`password=a"S x`:                                                    "password=<secret> x",
		`"x --password=a" y`:                                                `"x --password=<secret>" y`,
		"password%3D[REDACTED]":                                             "",
		"a%3D1%26password%3D[REDACTED]%26b":                                 "",
		"jsessionid=[REDACTED]":                                             "",
		"password=\ntoken=\nsecret=":                                        "",
		"password =\napikey = S":                                            "password =\napikey = <secret>",
		"password=\r\n# of the database\r\ntoken=S":                         "password=\r\n# of the database\r\ntoken=<secret>",
		"password=\nserver.port=8080\nname = x":                             "",
		"password:\nuser: ann\ntoken: S":                                    "password:\nuser: ann\ntoken: <secret>",
		"- password:\n- name: x":                                            "",
		"x:\n  password:\n  server:\n    port: 1":                           "",
		`password=\ntoken=\nname=x`:                                         "",
		"password:\n  dGVzdA==\nname: x":                                    "password:\n  <secret>\nname: x",
		"password:\n  dGVzdGU=\nname: x":                                    "password:\n  <secret>\nname: x",
		"password:\n  swordfish\nname: x":                                   "password:\n  <secret>\nname: x",
		"password%3D%26token%3DS":                                           "password%3D%26token%3D<secret>",
		`{"pass": "[REDACTED]"}`:                                            "",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
}

// TestOtherSpellings: arrows, escaped spaces, options of the JVM's own form, and URLs without a scheme.
func TestOtherSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"password -> S":              "password -> <secret>",
		"password->S, x":             "password-><secret>, x",
		"{user -> ann, token -> S}":  "{user -> ann, token -> <secret>}",
		"(x) -> y":                   "(x) -> y",
		`password\t=\tS`:             `password\t=\t<secret>`,
		`{"password":\n "S"}`:        `{"password":\n "<secret>"}`,
		`C:\pass\temp=1`:             `C:\pass\temp=1`,
		"encrypt.key=S x?sig=T&y=1":  "encrypt.key=<secret> x?sig=<secret>&y=1",
		"a=b&X-Amz-Signature=S&x=1":  "a=b&X-Amz-Signature=<secret>&x=1",
		"-Xpass:S":                   "-Xpass:<secret>",
		"java -Xpass:S -Xmx1g":       "java -Xpass:<secret> -Xmx1g",
		"lambda token -> [REDACTED]": "lambda token -> [REDACTED]",
	} {
		assert.Equal(t, want, marked(t, text, kindSecret))
	}
	for text, want := range map[string]string{
		"connect //ann:S@db/x":              "connect //<url>@db/x",
		"//ann:S@db:1521/x?y=z":             "//<url>@db:1521/x?<url>",
		"x; // @Override: see a@b":          "x; // @Override: see a@b",
		`{"url":"https:\/\/ann:S@db\/x?y"}`: `{"url":"https:\/\/<url>@db\/x?<url>"}`,
		"//host/path?x=y":                   "//host/path?x=y",
		"a//b:c":                            "a//b:c",
		"http://ann:S@h//a:b@c":             "http://<url>@h//<url>@c",
	} {
		assert.Equal(t, want, marked(t, text, kindURL))
	}
}
