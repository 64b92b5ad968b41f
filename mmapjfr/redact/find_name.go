package redact

import (
	"net/netip"
	"slices"
	"strings"
)

// isMailByte reports whether a byte can stand before the @ of an address.
func isMailByte(b byte) bool { return isAlnum(b) || strings.IndexByte("._%+-", b) >= 0 }

// isHostByte reports whether a byte can stand in the name of a host.
func isHostByte(b byte) bool { return isAlnum(b) || b == '-' || b == '.' || b == '_' }

// findEmails finds mail addresses.
func findEmails(e *environment, text string, found func(from, to int)) {
	for at := strings.IndexByte(text, '@'); at >= 0 && !e.stopped(at); {
		from := runBack(text, at, isMailByte)
		for from < at && !isAlnum(text[from]) {
			from++
		}
		to := run(text, at+1, isHostByte)
		for to > at+1 && !isAlnum(text[to-1]) {
			to--
		}
		domain := text[at+1 : to]
		dot := strings.LastIndexByte(domain, '.')
		if from < at && dot > 0 && len(domain)-dot > 2 && run(domain, dot+1, isLetter) == len(domain) && !inUserinfo(text, from) {
			found(from, to)
		}
		next := strings.IndexByte(text[at+1:], '@')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// inUserinfo reports whether i lies in the part of a URL before its @, which findURLs finds.
func inUserinfo(text string, i int) bool {
	const longest = 256
	start := max(0, i-longest)
	before := text[start:i]
	from := runBack(before, len(before), func(b byte) bool { return classOf[b]&hasSpace == 0 && b != '/' })
	return strings.HasSuffix(text[:start+from], "://")
}

// findURLs finds what URLs have before the host, and their queries and fragments.
func findURLs(e *environment, text string, found func(from, to int)) {
	const slashes = "//"
	for i := 0; !e.stopped(i); {
		at := strings.Index(text[i:], slashes)
		if at < 0 {
			break
		}
		begin := i + at
		i = begin + len(slashes)
		if !strings.HasSuffix(text[:begin], ":") && !hasPassword(text[i:]) {
			continue // no URL
		}
		to := urlEnd(text, i)
		host := i
		authority := i + indexAny(text[i:to], "/?#")
		if _, port, ok := strings.Cut(text[i:authority], ":"); ok && strings.IndexFunc(port, isNoDigit) >= 0 && strings.IndexByte(port, '@') < 0 {
			authority = min(to, authority+indexAny(text[authority:to], "@")+1) // a password with one of these
		}
		if sign := strings.LastIndexByte(text[i:authority], '@'); sign >= 0 {
			if host = i + sign + 1; !e.isMark(text[i : host-1]) {
				found(i, host-1)
			}
		}
		if q := strings.IndexAny(text[host:to], "?#"); q >= 0 && host+q+1 < to && !e.isMark(text[host+q+1:to]) {
			found(host+q+1, to)
		}
		i = to
	}
	const oracle = "jdbc:oracle:" // and then thin:name/password@host
	for i := indexFold(text, oracle, 0); i >= 0; i = indexFold(text, oracle, i) {
		i += len(oracle)
		from := i + indexAny(text[i:], ": ") + 1
		sign := from + indexAny(text[min(from, len(text)):], "@ ")
		if sign < len(text) && text[sign] == '@' && strings.IndexByte(text[from:sign], '/') > 0 && !strings.Contains(text[from:sign], "//") {
			found(from, sign)
		}
	}
}

// hasPassword reports whether what follows // in a URL is name:password@host.
func hasPassword(text string) bool {
	const longest = 256
	text = text[:min(len(text), longest)]
	end := urlEnd(text, 0)
	name, rest, ok := strings.Cut(text[:indexAny(text[:end], "/?#")], ":")
	return ok && name != "" && strings.IndexByte(rest, '@') > 0
}

// urlEnd returns where a URL ends that has begun before i. It has no bracket at its end that none in it opens.
func urlEnd(text string, i int) int {
	to := run(text, i, func(b byte) bool { return b > ' ' && strings.IndexByte("\"'<>`|", b) < 0 })
	for end := to; end > i; to = end {
		end = runBack(text[:to], to, func(b byte) bool { return isOneOf(b, ".,;:!") })
		if end == i {
			break
		}
		end--
		opening := strings.IndexByte(")]}", text[end])
		if opening < 0 || strings.IndexByte(text[i:end], "([{"[opening]) >= 0 {
			break
		}
	}
	return to
}

// findAddresses finds IP addresses, but not those of this host.
func findAddresses(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text) && !e.stopped(i); {
		b := text[i]
		switch {
		case isDigit(b) && (i == 0 || !isAddressByte(text[i-1])):
			to := ipv4(text, i)
			if to > 0 && !strings.HasPrefix(text[i:], "127.") && !strings.HasPrefix(text[i:], "0.") && !isVersion(text, i, to) {
				found(i, to)
				i = to
				continue
			}
			i++
		case b == ':' && i+1 < len(text):
			from := runBack(text, i, isHex)
			to := run(text, i, func(b byte) bool { return isHex(b) || b == ':' || b == '.' })
			for to > i && (text[to-1] == '.' || text[to-1] == ':' && (to < 2 || text[to-2] != ':')) {
				to--
			}
			if wordStarts(text, from) && wordEnds(text, to) && ipv6(text[from:to]) {
				found(from, to)
			}
			i = max(to, i+1)
		default:
			i++
		}
	}
}

func isAddressByte(b byte) bool { return isWord(b) || b == '.' || b == '-' || b == '+' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }

// ipv4 returns where an address that begins at i ends; 0 if none does.
func ipv4(text string, i int) int {
	for group := range 4 {
		n, from := 0, i
		for i < len(text) && isDigit(text[i]) && i-from < 3 {
			n, i = n*10+int(text[i]-'0'), i+1
		}
		if i == from || n > 255 || group < 3 && (i >= len(text) || text[i] != '.') {
			return 0
		}
		if group < 3 {
			i++
		}
	}
	switch {
	case !wordEnds(text, i):
		return 0
	case i+1 < len(text) && strings.IndexByte(".-+", text[i]) >= 0 && isAlnum(text[i+1]):
		return 0 // a version
	}
	return i
}

// isVersion reports whether what looks like an address is a version: it follows a word such as version, or has zeros
// where addresses of hosts have none, as 3.0.0.1 and 4.4.0.0. Networks such as 10.0.0.0 and 81.2.0.0/16 are addresses.
func isVersion(text string, from, to int) bool {
	before := strings.TrimRight(text[:from], " (=:\"'")
	word := strings.ToLower(before[runBack(before, len(before), isWord):])
	if word == "v" || word == "jre" || word == "vm" || word == "release" || word == "build" || strings.HasSuffix(word, "version") {
		return true
	}
	first, rest, _ := strings.Cut(text[from:to], ".")
	return first != "10" && (strings.HasPrefix(rest, "0.0.") || first != "172" && first != "192" && strings.HasSuffix(rest, ".0.0")) &&
		(to == len(text) || text[to] != '/')
}

// ipv6 reports whether a text is an address, and not that of this host.
func ipv6(text string) bool {
	if strings.Count(text, ":") < 2 || len(text) < 5 || !strings.ContainsAny(text, "0123456789") {
		return false
	}
	if !strings.Contains(text, "::") && strings.Count(text, ":") < 6 {
		return false // a time of day
	}
	address, err := netip.ParseAddr(text)
	return err == nil && !address.IsLoopback() && !address.IsUnspecified()
}

// topDomains are the last labels by which names of hosts are known in any text.
var topDomains = []string{
	"com", "net", "org", "edu", "gov", "mil", "io", "cloud", "biz", "de", "uk", "fr", "nl", "ch", "es", "se", "dk", "fi", "pl", "cz", "eu",
	"ca", "au", "nz", "jp", "cn", "br", "ru", "kr", "za",
}

// localDomains are last labels that are words, too: another label must have a digit or a dash.
var localDomains = []string{
	"local", "internal", "lan", "corp", "intra", "intranet", "localdomain", "home", "cluster", "svc", "consul", "dev", "app", "info", "int",
	"in", "it", "at", "no", "be", "us",
}

// packageStarts are the first labels of names of packages, which look like hosts.
var packageStarts = []string{
	"java", "javax", "jdk", "sun", "com", "org", "net", "io", "de", "edu", "gov", "uk", "fr", "nl", "ch", "at", "it", "es", "se", "no", "dk", "fi", "pl", "cz",
	"eu", "us", "ca", "au", "nz", "jp", "cn", "in", "br", "ru", "kr", "za", "be", "app", "dev", "kotlin", "kotlinx", "scala", "groovy", "jakarta", "akka", "play",
}

// findHosts finds learned names of hosts, hosts of URLs, and full names of hosts.
func findHosts(e *environment, text string, found func(from, to int)) {
	e.hosts.find(e, text, found)
	e.next = workAtOnce
	for i := 0; !e.stopped(i); {
		at := strings.Index(text[i:], "://")
		if at < 0 {
			break
		}
		i += at + len("://")
		end := run(text, i, func(b byte) bool { return b > ' ' && strings.IndexByte("/?#\"'<>`|", b) < 0 })
		if sign := strings.LastIndexByte(text[i:end], '@'); sign >= 0 {
			i += sign + 1
		}
		to := run(text, i, isHostByte)
		if host := text[i:to]; to > i && host != "localhost" && !e.isMark(host) && ipv4(host, 0) == 0 && text[i] != '.' {
			found(i, to)
		}
		i = to
	}
	e.next = workAtOnce
	for i := 0; i < len(text) && !e.stopped(i); {
		dot := strings.IndexByte(text[i:], '.')
		if dot < 0 {
			return
		}
		from := runBack(text, i+dot, isHostByte)
		to := run(text, i+dot, isHostByte)
		for to > from && !isAlnum(text[to-1]) {
			to--
		}
		if from >= i && wordEnds(text, to) && (from == 0 || text[from-1] != '/' && text[from-1] != '$') && !isProperty(text, from, to) && isHostName(text[from:to]) {
			found(from, to)
		}
		i = max(to, i+dot+1)
	}
}

// isProperty reports whether a name is that of a property, as in -Duser.home=value.
func isProperty(text string, from, to int) bool {
	return strings.HasPrefix(text[from:to], "-D") && to < len(text) && text[to] == '='
}

// isHostName reports whether a text with dots looks like the full name of a host, and not like that of a class.
func isHostName(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 || strings.Contains(text, "..") || strings.IndexByte(text, '_') >= 0 {
		return false
	}
	last, rest := text[dot+1:], text[:dot]
	first, _, more := strings.Cut(rest, ".")
	if len(last) > 12 || slices.Contains(packageStarts, first) {
		return false
	}
	if more && slices.Contains(topDomains, last) {
		return true
	}
	return slices.Contains(localDomains, last) && strings.ContainsAny(rest, "0123456789-")
}

// homes are the folders in which the homes of users lie, with slashes.
var homes = []string{"/home/", "/users/", "/root/"}

// isSeparator reports whether a byte separates the parts of a path.
func isSeparator(b byte) bool { return b == '/' || b == '\\' }

// findPaths finds what follows the folder of homes in a path: the name of the user, and all below.
func findPaths(e *environment, text string, found func(from, to int)) {
	for i := 0; i < len(text); i++ {
		if !isSeparator(text[i]) {
			continue
		}
		if e.stopped(i) {
			return
		}
		home := homeAt(text[i:])
		if home == 0 {
			continue
		}
		from := i + home
		to := pathEnd(text, from, i)
		first := from + indexAny(text[from:to], `/\`)
		// Folders that all users share, and members such as com/example/home/Main.
		if from < to && !e.isMark(text[from:first]) && !strings.HasPrefix(text[from:to], "*.") && text[from:first] != "Shared" && text[from:first] != "Public" && startsPath(text, i) {
			found(from, to)
		}
		i = max(i, to-1)
	}
}

// homeAt returns the length of the folder of homes at the start of a text; 0 if none is there.
func homeAt(text string) int {
	for _, h := range homes {
		if len(text) <= len(h) {
			continue
		}
		n := 1
		for n < len(h)-1 && lower(text[n]) == h[n] {
			n++
		}
		if n == len(h)-1 && isSeparator(text[n]) {
			// A backslash in JSON and properties is written twice.
			return n + run(text, n, isSeparator) - n
		}
	}
	return 0
}

// startsPath reports whether the separator at i begins a path, or follows a drive or a folder that systems have homes
// in. So the class com/example/home/Main is no path.
func startsPath(text string, i int) bool {
	before := text[runBack(text, i, func(b byte) bool { return isWord(b) || b == '-' || b == '.' || isSeparator(b) }):i]
	switch strings.Trim(before, `/\`) {
	case "", "export", "usr", "var", "mnt", "data", "Volumes", "host", "mnt/c", "C", "D":
		return true
	}
	return isSeparator(before[0])
}

// pathEnd returns where a path ends of which more follows from i; it began at start. A path that is all of a text may
// have spaces.
func pathEnd(text string, i, start int) int {
	const ends = "\"'<>|*?,;:\n\r\t"
	whole := start == 0 || start == 2 && text[1] == ':'
	near := text
	if !whole { // words of a path are near one another
		const longest = 4 << 10
		near = text[:min(len(text), i+longest)]
	}
	to := run(near, i, func(b byte) bool { return b >= ' ' && strings.IndexByte(ends, b) < 0 })
	if whole && to == len(text) && !strings.Contains(text[i:], " -") && !strings.Contains(text[i:], " /") {
		return to
	}
	end := run(text, i, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
	// C:\Users\Ann Lee\x: the rest of the name ends with a backslash.
	if end < to && text[end] == ' ' && strings.IndexByte(text[i:end], '\\') < 0 && text[i-1] == '\\' {
		if slash := strings.IndexByte(text[end:to], '\\'); slash >= 0 && slash < 32 {
			return run(text, end+slash, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
		}
	}
	// /home/ann/Application Support/x: the next word belongs to the path if it has a slash, and does not begin with one.
	for end < to && text[end] == ' ' {
		next := run(text, end+1, func(b byte) bool { return b > ' ' && strings.IndexByte(ends+")]}`", b) < 0 })
		if slash := strings.IndexByte(text[end:next], '/'); slash < 2 || text[end+1] == '-' || next < len(text) && text[next] == ':' {
			break
		}
		end = next
	}
	return end
}
