package redact

import (
	"slices"
	"strings"
)

// commandOption is an option of programs that takes a secret and is not called by a key of one.
type commandOption struct {
	option   string
	programs string // that take it, with a bar between them; empty for any
	form     valueForm
}

// valueForm says what the value of an option is, and which part of it is secret.
type valueForm uint8

const (
	apart      valueForm = iota // the next word
	joined                      // what follows the option in the same word
	either                      // one or the other
	afterSign                   // what follows the first : or % of one or the other
	afterComma                  // the same with a comma
	afterEqual                  // and with =
)

// signsOf are the signs after which part of a value is secret.
var signsOf = map[valueForm]string{afterSign: ":%", afterComma: ",", afterEqual: "="}

// commandOptions are options of well-known programs.
var commandOptions = []commandOption{
	{"-u", "curl", afterSign}, {"-u", "", afterSign}, {"--user", "", afterSign}, {"--proxy-user", "", afterSign}, {"-U", "smbclient|rpcclient|curl", afterSign},
	{"-a", "http|https", afterSign},
	{"-p", "7z|7za|7zz|rar|unrar", joined}, {"-p", "mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mariadb|mariadb-dump|mariadb-admin", joined},
	{"-p", "mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|docker login|podman login|rabbitmqadmin|az login|az acr login|oc login|twine upload|cypher-shell|crane auth login", either},
	{"-p", "useradd|usermod|beeline|psexec|PsExec|certutil|rdesktop", apart}, {"-b", "gh secret set", either}, {"--body", "gh secret set", either},
	{"-E", "curl", afterSign}, {"--cert", "curl", afterSign}, {"--proxy-cert", "curl", afterSign}, {"-b", "curl", afterEqual}, {"-u", "lftp", afterComma},
	{"--value", "az keyvault secret set|aws ssm put-parameter", either}, {"-k", "nuget push", apart}, {"-c", "snmpget|snmpwalk|snmpset", apart},
	{"-a", "redis-cli", either}, {"-w", "ldapsearch|ldapmodify|ldapadd|ldapdelete|ldappasswd|ldapwhoami", either},
	{"-P", "sqlcmd|bcp|isql|zip|unzip|mosquitto_pub|mosquitto_sub|ipmitool", either}, {"-A", "snmpget|snmpwalk|snmpset", apart}, {"-X", "snmpget|snmpwalk|snmpset", apart},
	{"-passin", "openssl", apart}, {"-passout", "openssl", apart}, {"-k", "openssl", apart},
}

// positional are commands that take a secret after some other words, the first of which begins with a text.
var positional = []struct {
	command string
	words   int
	first   string
}{
	{command: "vault login"}, {command: "cargo login"}, {"rabbitmqctl add_user", 1, ""}, {"rabbitmqctl change_password", 1, ""}, {"wpa_passphrase", 1, ""},
	{"htpasswd -b", 2, ""}, {"htpasswd -cb", 2, ""}, {"htpasswd -bc", 2, ""}, {"htpasswd -bB", 2, ""}, {"htpasswd -cbB", 2, ""},
	{"htpasswd -nb", 1, ""}, {"htpasswd -bn", 1, ""}, {"htpasswd -nbB", 1, ""}, {"htpasswd -bnB", 1, ""}, {"net use", 1, `\\`}, {"net use", 2, ""},
}

// positionalValue returns where the secret lies that a command takes, which ends before the space at i.
func positionalValue(text string, i int) (from, to int) {
	for _, p := range positional {
		if start := i - len(p.command); start < 0 || text[start:i] != p.command || !wordStarts(text, start) {
			continue
		}
		from = blanks(text, i)
		if !strings.HasPrefix(text[from:], p.first) {
			continue
		}
		for range p.words {
			from = blanks(text, wordEnd(text, from, ""))
		}
		if from == len(text) || isSpace(text[from]) || isOneOf(text[from], "-/*<|>;&") {
			return 0, 0
		}
		from, to = valueAt(text, from, "")
		if p.words == 0 && from < to && !looksLikePassword(text[from:to], false) {
			return 0, 0 // a sentence
		}
		return from, to
	}
	return 0, 0
}

// connecting are programs that take name/password, or name/password@database.
var connecting = []string{"sqlplus", "rman", "expdp", "impdp", "sqlldr"}

// setting are commands that a key and its value follow, or a token.
var setting = []string{"config set", "configure set", "setx", "config add-authtoken"}

// setValue returns where the value lies that a command sets, which ends before the space at i: configure set key value.
func setValue(e *environment, text string, i int) (from, to int) {
	if from, to := positionalValue(text, i); from < to {
		return from, to
	}
	if strings.HasSuffix(text[:i], "AUTH") && wordStarts(text, i-len("AUTH")) {
		return authValue(text, i)
	}
	if !slices.ContainsFunc(setting, func(s string) bool { return hasFoldSuffix(text[:i], s) && wordStarts(text, i-len(s)) }) {
		return 0, 0
	}
	for from = blanks(text, i); from < len(text) && text[from] == '-'; {
		from = blanks(text, wordEnd(text, from, ""))
	}
	if !strings.HasSuffix(text[:i], "token") {
		to = wordEnd(text, from, "")
		key := text[from+strings.LastIndexAny(text[from:to], "/:")+1 : to] // as in //host/:_authToken
		if !e.isKey(key) || to == len(text) || !isSpace(text[to]) {
			return 0, 0
		}
		from = blanks(text, to)
	}
	if from < len(text) && text[from] == '-' {
		return 0, 0
	}
	return valueAt(text, from, "")
}

// authValue returns where the password lies that the command AUTH of Redis takes, perhaps with a name before it: its last word,
// unless it is one of HELLO.
func authValue(text string, i int) (from, to int) {
	from = blanks(text, i)
	to = wordEnd(text, from, "")
	before := runBack(text, i-len("AUTH "), isDigit)
	hello := before > 0 && hasFoldSuffix(text[:before-1], "hello")
	if next := blanks(text, to); next > to && next < len(text) && !isSpace(text[next]) {
		from, to = next, wordEnd(text, next, "")
	} else if hello {
		return 0, 0
	}
	if end := blanks(text, to); from == to || !hello && (end < len(text) && !isOneOf(text[end], "\n\r;\"'") || !looksLikePassword(text[from:to], false)) {
		return 0, 0
	}
	return valueAt(text, from, "")
}

// commands says where the names of programs stand in a text, so that each is looked for once.
type commands struct {
	text  string
	first map[string]int
}

// follows reports whether one of some programs is called before i.
func (c *commands) follows(text string, i int, programs string) bool {
	if programs == "" {
		return true
	}
	if c.first == nil || len(c.text) != len(text) {
		c.text, c.first = text, make(map[string]int)
	}
	for program := range strings.SplitSeq(programs, "|") {
		at, ok := c.first[program]
		if !ok {
			at = indexProgram(text, program)
			c.first[program] = at
		}
		if at < i {
			return true
		}
	}
	return false
}

// indexProgram returns where a program is called in a text; its length if nowhere.
func indexProgram(text, program string) int {
	for i := 0; ; i++ {
		at := strings.Index(text[i:], program)
		if at < 0 {
			return len(text)
		}
		i += at
		end := i + len(program)
		if strings.HasPrefix(text[end:], ".exe") {
			end += len(".exe")
		}
		if (i == 0 || !isKeyByte(text[i-1])) && end < len(text) && (isSpace(text[end]) || isOneOf(text[end], ",\"'\x00")) {
			return i
		}
	}
}

// optionValue returns where the value of --key value lies, whose dashes begin at i, or that of an option of a program.
func optionValue(e *environment, text string, i int, c *commands) (from, to int) {
	end := run(text, i, isKeyByte)
	if !e.names {
		const sshpass = "sshpass"
		if before := runBack(text, i, func(b byte) bool { return isOneOf(b, " \x00,\"'") }); before < i && strings.HasSuffix(text[:before], sshpass) && strings.HasPrefix(text[i:], "-p") {
			o := commandOption{"-p", sshpass, either} // before the options of the program that it starts
			return o.value(text, i, end)
		}
		if u := run(text, i+1, func(b byte) bool { return isOneOf(b, "sSfLkvigIOJNnqRlZGjpB#0123456") }); u > i+1 && u < len(text) && text[u] == 'u' && c.follows(text, i, "curl") {
			o := commandOption{text[i : u+1], "curl", afterSign} // -su name:password
			if from, to := o.value(text, i, end); from < to {
				return from, to
			}
		}
		for k := range commandOptions {
			o := &commandOptions[k]
			if strings.HasPrefix(text[i:], o.option) && c.follows(text, i, o.programs) {
				if from, to := o.value(text, i, end); from < to {
					return from, to
				}
			}
		}
	}
	if key := strings.TrimLeft(text[i:end], "-"); len(key) < 2 || !e.isKey(key) {
		return 0, 0
	}
	from, inList := nextWord(text, i, end)
	if from == 0 {
		return 0, 0
	}
	if inList {
		return valueAt(text, from, listEnds)
	}
	return valueAt(text, from, "")
}

// value returns where the secret lies in the value of an option that lies between i and end.
func (o *commandOption) value(text string, i, end int) (from, to int) {
	word := i + len(o.option)
	signs, long := signsOf[o.form], strings.HasPrefix(o.option, "--")
	if (o.programs == "" || long) && word < len(text) && isKeyByte(text[word]) {
		return 0, 0
	}
	if word < end || signs != "" && word < len(text) && isOneOf(text[word], ":=\"'") || long && word < len(text) && text[word] == '=' || o.form != apart && quoteAt(text, word) != "" && !inQuotes(text, i) {
		switch {
		case o.form == apart, signs != "" && long && text[word] != '=':
			return 0, 0
		case text[word] == '=':
			word++
		}
		from, to = valueAt(text, word, "")
		if end := optionQuoteEnd(text, i); end > to && !strings.Contains(text[to:end], " -") {
			to = end
		}
	} else {
		inList := false
		if from, inList = nextWord(text, i, word); from == 0 || o.form == joined {
			return 0, 0
		}
		if from, to = valueAt(text, from, ""); inList {
			from, to = valueAt(text, from, listEnds)
		}
	}
	if signs != "" {
		return afterName(text, from, to, signs)
	}
	return from, to
}

// optionQuoteEnd returns where the quote is that closes the one before an option at i, if both have no backslash; 0 if none is.
func optionQuoteEnd(text string, i int) int {
	if !inQuotes(text, i) || i > 1 && text[i-2] == '\\' {
		return 0
	}
	if _, to := quoted(text[:min(len(text), i+longestQuoted)], i-1); to < len(text) && text[to] == text[i-1] {
		return to
	}
	return 0
}

// inQuotes reports whether the option at i is in quotes, as in a list: then a quote after it closes them.
func inQuotes(text string, i int) bool { return i > 0 && isQuote(text[i-1]) }

// afterName returns where the password of name:password lies, of which one of some signs is between them.
func afterName(text string, from, to int, signs string) (int, int) {
	sign := from + indexAny(text[from:to], signs)
	if sign == to || sign > from && strings.IndexFunc(text[from:sign], isNoDigit) < 0 || strings.HasPrefix(text[sign+1:], "//") {
		return 0, 0 // no password, numbers of user and group, or a URL
	}
	return sign + 1, to
}

// nextWord returns where the word begins that follows an option between i and end, and whether both are elements of a list;
// 0 if none follows, or the next option.
func nextWord(text string, i, end int) (from int, inList bool) {
	if end >= len(text) {
		return 0, false
	}
	from, inList = afterOption(text, i, end)
	if from == 0 || from == len(text) || text[from] == '-' || quoteAt(text, from) != "" && strings.HasPrefix(text[from+1:], "-") {
		return 0, false
	}
	return from, inList
}

// connectValue returns where the password lies of name/password that follows the name of a program, which ends before the
// space at i, and options.
func connectValue(text string, i int) (from, to int) {
	text = text[:min(len(text), i+longestQuoted)]
	for from = i; from < len(text); from = to {
		from = run(text, from, isSpace)
		if to = wordEnd(text, from, ""); to == from {
			return 0, 0
		}
		word := text[from:to]
		slash := strings.IndexByte(word, '/')
		if word[0] == '-' || slash < 0 {
			continue
		}
		from += slash + 1
		if sign := strings.LastIndexByte(text[from:to], '@'); sign >= 0 {
			to = from + sign
		}
		if slash == 0 || strings.IndexByte(text[from:to], '/') >= 0 {
			return 0, 0 // a path
		}
		return from, to
	}
	return 0, 0
}

// netrcValue returns where the value lies that follows the space at i in what .netrc has: machine x login y password z; and
// where passwords lie that programs take with the name.
func netrcValue(e *environment, text string, i int) (from, to int) {
	word := text[runBack(text, i, isKeyByte):i]
	switch {
	case !e.names && (slices.Contains(connecting, word) || word == "connect" && strings.Contains(text[max(0, i-longestBeside):i], "sqlplus ")):
		return connectValue(text, i)
	case e.names && word == "login", !e.names && (word == "password" || word == "account" || word == "passwd"):
	default:
		return 0, 0
	}
	const longest = 512
	near := text[max(0, i-longest):i]
	if word != "login" && !strings.Contains(near, "login ") || word == "login" && !strings.Contains(near, "machine ") {
		return 0, 0
	}
	return valueAt(text, run(text, i, isSpace), "")
}
