package redact

import (
	"fmt"
	"net/netip"
	"strings"
)

// general returns the general form of a piece of a kind: of a path its extension, of an address its network, of a
// host its domain, of a URL no more than that there was something. It is a mark, so that it is not found again.
func general(of kind, text string) string {
	switch of {
	case kindPath:
		return generalPath(text)
	case kindIP:
		return generalAddress(text)
	case kindEmail:
		return "[email]"
	case kindHost:
		if dot := strings.LastIndexByte(text, '.'); dot >= 0 {
			return "*" + text[dot:]
		}
		return "[host]"
	case kindField:
		return generalField(text)
	}
	return "[" + kindNames[of] + "]"
}

// generalField returns the general form of a whole field by what it looks like.
func generalField(text string) string {
	if text == "" {
		return ""
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return generalAddress(text)
	}
	if strings.ContainsAny(text, `/\`) || extension(text) != "" {
		return generalPath(text)
	}
	return "[field]"
}

// generalPath returns * and the extension of a path.
func generalPath(text string) string {
	return "*" + extension(text[strings.LastIndexAny(text, `/\`)+1:])
}

// generalAddress returns the first two numbers of an address.
func generalAddress(text string) string {
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return "[ip]"
	case a.Is4():
		b := a.As4()
		return fmt.Sprintf("%d.%d.*.*", b[0], b[1])
	}
	b := a.As16()
	return fmt.Sprintf("%x:%x:*", int(b[0])<<8|int(b[1]), int(b[2])<<8|int(b[3]))
}
