package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// Key makes pseudonyms and hashes: the same text gets the same one under the same key.
type Key [32]byte

// RandomKey returns a key that no other run has.
func RandomKey() (k Key) {
	_, _ = rand.Read(k[:]) // it does not fail
	return k
}

// ReadKey reads a key from a file, of 64 hexadecimal digits. If the file is not there, ReadKey makes a random key and
// the file, which its owner alone can read.
func ReadKey(path string) (k Key, err error) {
	text, err := readShort(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k = RandomKey()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return Key{}, err
		}
		_, err = fmt.Fprintf(f, "%x\n", k[:])
		return k, errors.Join(err, f.Close())
	case err != nil:
		return Key{}, err
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(b) != len(k) {
		return Key{}, fmt.Errorf("%s: it has no key of %d hexadecimal digits; to create a key, name a file that does not exist", path, 2*len(k))
	}
	return Key(b), nil
}

// readShort returns the first bytes of a file: more than those of a key, so that one which is too long is no key. It may
// be a device without end.
func readShort(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<10))
}

// sum returns the HMAC of a text of a class of names.
func (k *Key) sum(class, text string) []byte {
	h := hmac.New(sha256.New, k[:])
	_, _ = h.Write([]byte(class))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(text))
	return h.Sum(nil)
}

const (
	// tokenLength is how many letters and digits a pseudonym has. The last two are a checksum of those before, by which
	// pseudonyms are distinguished from names such as user-services; the others have 29 bits.
	tokenLength = 8
	tokenSums   = 2
	// hashDigits is how many hexadecimal digits a hash has.
	hashDigits = 16

	tokenLetters = "abcdefghijklmnopqrstuvwxyz234567"
)

// token returns the letters and digits that stand for a text. The first is a letter.
func (k *Key) token(class, text string) string {
	v := binary.BigEndian.Uint64(k.sum(class, text))
	out := make([]byte, 0, tokenLength)
	out = append(out, tokenLetters[v%26])
	for len(out) < tokenLength-tokenSums {
		v >>= 5
		out = append(out, tokenLetters[v&31])
	}
	return string(append(out, tokenSum(string(out))...))
}

// tokenSum returns the checksum of the start of a token.
func tokenSum(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	v := h.Sum32()
	return string([]byte{tokenLetters[v>>27], tokenLetters[v>>17&31]})
}

// isToken reports whether a text can be a token: its checksum is right.
func isToken(text string) bool {
	return len(text) == tokenLength && text[tokenLength-tokenSums:] == tokenSum(text[:tokenLength-tokenSums])
}

// hash returns a hash of a text.
func (k *Key) hash(text string) string {
	return "#" + hex.EncodeToString(k.sum("hash", text))[:hashDigits]
}

// pseudonymPrefixes are what pseudonyms begin with, before a dash and a token.
var pseudonymPrefixes = []string{
	"user", "host", "ip", "dir", "file", "name", "text", "hidden", "tk", "id", "card", "iban", "query", "thread",
}

// isPseudonym reports whether a text is a pseudonym, of whatever key.
func isPseudonym(text string) bool {
	if len(text) > longestPseudonym {
		return false
	}
	dash := strings.LastIndexByte(text, '-')
	if dash < 2 || !isToken(text[dash+1:]) {
		return false
	}
	prefix, _, _ := strings.Cut(text, "-")
	return slices.Contains(pseudonymPrefixes, prefix) && (len(prefix) == dash || prefix == "ip")
}

// prefixOf are the prefixes of pseudonyms by kind.
var prefixOf = [kinds]string{
	kindField: "text", kindPattern: "text", kindSecret: "hidden", kindURL: "query", kindHost: "host", kindUser: "user", kindJWT: "tk", kindToken: "tk",
	kindPrivateKey: "hidden", kindUUID: "id", kindCard: "card", kindIBAN: "iban", kindSQL: "text", kindThread: "thread",
}

// pseudonym returns the pseudonym of a piece of a kind.
func (k *Key) pseudonym(of kind, text string) string {
	switch of {
	case kindEmail:
		at := strings.LastIndexByte(text, '@')
		if at < 0 { // the rest of one that another rule has found a part of
			return k.named("user", text)
		}
		return k.named("user", text[:at]) + "@" + k.named("host", text[at+1:])
	case kindIP:
		return k.address(text)
	case kindPath:
		return k.path(text, true)
	}
	return k.named(prefixOf[of], text)
}

// named returns a pseudonym with a prefix. Case does not matter for users and hosts.
func (k *Key) named(prefix, text string) string {
	if prefix == "user" || prefix == "host" {
		text = strings.ToLower(text)
	}
	return prefix + "-" + k.token(prefix, text)
}

// address returns the pseudonym of an address, with the numbers of its network.
func (k *Key) address(text string) string {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return k.named("ip", text)
	}
	groups := strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ':' })
	network := strings.Join(groups[:min(2, len(groups)-1)], map[bool]string{true: ".", false: ":"}[a.Is4()])
	return "ip-" + network + "-" + k.token("ip", a.String())
}

// path returns a path with other names, as deep as before, with the same extension. The first name is that of a user
// in a path below the folder of homes.
func (k *Key) path(text string, user bool) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if isSeparator(text[i]) {
			out.WriteByte(text[i])
			i++
			continue
		}
		to := run(text, i, func(b byte) bool { return !isSeparator(b) })
		switch name := text[i:to]; {
		case user && i == 0:
			out.WriteString(k.named("user", name))
		case i == 0 && len(name) == 2 && name[1] == ':', name == ".", name == "..":
			out.WriteString(name) // a drive
		default:
			if ext := extension(name); ext != "" && to == len(text) {
				out.WriteString("file-" + k.token("dir", name) + ext)
			} else {
				out.WriteString(k.named("dir", name))
			}
		}
		i = to
	}
	return out.String()
}

// extension returns the extension of the name of a file with its dot; "" if it has none that looks like one.
func extension(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name)-dot > 9 || len(name)-dot < 2 || run(name, dot+1, isAlnum) < len(name) {
		return ""
	}
	return name[dot:]
}

// whole returns the pseudonym of a whole field, as one of a kind of names; by what it looks like if as is empty.
func (k *Key) whole(text, as string) string {
	switch {
	case as == "path":
		return k.path(text, false)
	case as == "host" || as == "ip":
		if a, err := netip.ParseAddr(text); err == nil {
			if a.IsLoopback() || a.IsUnspecified() {
				return text
			}
			return k.address(text)
		}
		if text == "localhost" {
			return text
		}
		return k.named("host", text)
	case as != "":
		return k.named(as, text)
	case strings.ContainsAny(text, `/\`):
		return k.path(text, false)
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return k.whole(text, "ip")
	}
	return k.named("text", text)
}
