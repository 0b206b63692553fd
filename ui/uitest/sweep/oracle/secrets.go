package oracle

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
)

// Secrets finds secrets in any text, in every spelling, whole or from their first or last eight
// characters on. One pass over a text looks each eight bytes up in a filter.
type Secrets struct {
	mu     sync.RWMutex
	filter [1 << 10]uint64
	known  map[uint64]spelled
	whole  map[string]bool
}

// spelled is a secret as it is written somewhere.
type spelled struct{ name, how, begins string }

const window = 8 // bytes

// each calls see with every character of a text in another spelling.
func each(text string, see func(c byte) string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteString(see(c))
	}
	return b.String()
}

// plainly reports whether a character stands for itself in every spelling that only escapes.
func plainly(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '.' || c == '_'
}

// escaped writes some characters in a format.
func escaped(text, format string, all bool) string {
	return each(text, func(c byte) string {
		if plainly(c) && !all {
			return string(c)
		}
		return fmt.Sprintf(format, c)
	})
}

// JSON is a text with its letters beyond ASCII escaped, those beyond the basic plane as pairs.
func JSON(text string) string {
	return beyondASCII.ReplaceAllStringFunc(text, func(c string) (escaped string) {
		for _, unit := range utf16.Encode([]rune(c)) {
			escaped += fmt.Sprintf(`\u%04x`, unit)
		}
		return escaped
	})
}

var beyondASCII = regexp.MustCompile(`[^\x00-\x7f]`)

// spellings are those of a text, by their names. Escapes have capitals or not, and stand for all
// characters or only for those that need them.
func spellings(text string) map[string][]string {
	all := map[string][]string{"plain": {text}, "form": {url.QueryEscape(text)}, "HTML": {html.EscapeString(text), escaped(text, "&#%d;", false), escaped(text, "&#%d;", true), escaped(text, "&#x%x;", true)}}
	for _, upper := range []string{"%02X", "%02x"} {
		hexed := strings.TrimPrefix(upper, "%")
		all["percent"] = append(all["percent"], escaped(text, "%%%"+hexed, false), escaped(text, "%%%"+hexed, true))
		all["JSON"] = append(all["JSON"], escaped(text, `\u00%`+hexed, false), escaped(text, `\u00%`+hexed, true))
		all["hex"] = append(all["hex"], fmt.Sprintf("%"+strings.TrimPrefix(hexed, "02"), text))
	}
	all["JSON"] = append(all["JSON"], JSON(text))
	all["capitals"] = []string{strings.ToUpper(text), strings.ToLower(text)}
	for lead := range 3 { // a text that begins within three bytes
		code := base64.StdEncoding.EncodeToString([]byte("xx"[:lead] + text))
		code = strings.TrimRight(code, "=")[(lead*8+5)/6:]
		all["base64"] = append(all["base64"], code, strings.NewReplacer("+", "-", "/", "_").Replace(code))
	}
	for _, once := range append(all["percent"], url.QueryEscape(text)) {
		all["escaped twice"] = append(all["escaped twice"], url.QueryEscape(once))
	}
	for _, once := range all["HTML"] {
		all["escaped twice"] = append(all["escaped twice"], html.EscapeString(once))
	}
	for _, once := range all["JSON"] {
		all["escaped twice"] = append(all["escaped twice"], strings.ReplaceAll(once, `\`, `\\`))
	}
	return all
}

// slot is the place of eight bytes in the filter.
func slot(at uint64) (word int, bit uint64) {
	hash := at * 0x9E3779B97F4A7C15 >> 48
	return int(hash >> 6), 1 << (hash & 63)
}

// Add makes a text of at least eight bytes a secret.
func (s *Secrets) Add(name, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known, s.whole = map[uint64]spelled{}, map[string]bool{}
	}
	if len(secret) < window || s.whole[secret] {
		return
	}
	s.whole[secret] = true
	for how, texts := range spellings(secret) {
		for _, text := range texts {
			parts := []string{text[:window]}
			if how == "plain" { // the end of an escaped text may be that of any other
				parts = append(parts, text[len(text)-window:])
			}
			for _, part := range parts {
				at := binary.LittleEndian.Uint64([]byte(part))
				word, bit := slot(at)
				s.filter[word] |= bit
				if _, there := s.known[at]; !there || how == "plain" {
					s.known[at] = spelled{name, how, ""}
					if how == "hex" { // eight digits are those of many a number
						s.known[at] = spelled{name, how, text[:2*window]}
					}
				}
			}
		}
	}
}

// In returns which secret a text holds, and in which spelling.
func (s *Secrets) In(text string) (name, how string, found bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var at uint64
	for i := range len(text) {
		at = at>>8 | uint64(text[i])<<56
		if word, bit := slot(at); i >= window-1 && s.filter[word]&bit != 0 {
			if one, is := s.known[at]; is && strings.HasPrefix(text[i-window+1:], one.begins) {
				return one.name, one.how, true
			}
		}
	}
	return "", "", false
}

// Free judges a text that may hold no secret, also where its lines are drawn in a frame.
func (d *Day) Free(where, text string) {
	d.Meet(counted(secretRule))
	for _, text := range []string{text, narrow(text)} {
		if name, how, found := d.Secrets.In(text); found {
			d.Fail(fmt.Sprintf("%s: %s holds the %s (%s)", secretRule, where, name, how))
			return
		}
	}
}

const secretRule = "no secret is written or shown"

// narrow takes out what a frame has between the parts of a word that is wrapped.
func narrow(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\n', '\r', '│', '┃':
			return -1
		}
		return r
	}, text)
}
