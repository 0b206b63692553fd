package simtest

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/plain"
)

// MostLeft is how many characters in a row of a secret may be left in a text.
const MostLeft = 7

// Left returns a part of a secret that a reader of a text still finds, whatever they
// do to it: look at it on a terminal, take escapes away, look past invisible
// characters. It is empty where none is longer than MostLeft.
func Left(text, secret string) string {
	letters := []rune(solid(secret))
	var forms []string
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	add(text)
	add(plain.Text(text))
	looked := 0
	for range 3 {
		for _, form := range forms[looked:] {
			form = solid(form)
			for at := 0; at+MostLeft < len(letters); at++ {
				if part := string(letters[at : at+MostLeft+1]); strings.Contains(form, part) {
					return part
				}
			}
		}
		fresh := forms[looked:]
		looked = len(forms)
		for _, form := range fresh {
			add(html.UnescapeString(form))
			add(withoutPercents(form))
			add(withoutBackslashes(form))
		}
	}
	return ""
}

// solid leaves of a text what can be seen, in lower case.
func solid(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.M) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text))
}

func withoutPercents(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if i+2 < len(text) && text[i] == '%' {
			if plainText, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plainText)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func withoutBackslashes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			for _, size := range []int{2, 6} {
				var decoded string
				if i+size <= len(text) && json.Unmarshal([]byte(`"`+text[i:i+size]+`"`), &decoded) == nil {
					b.WriteString(decoded)
					i += size
					break
				}
			}
			if i >= len(text) {
				break
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unseen are characters that stand in a text and that nobody sees.
var unseen = []string{"\u200b", "\u200d", "\u202e", "\u2066", "\u2069", "\u00ad", "\ufeff", "\u034f", "\ufe0f", "\U000e0041", "\x07", "\x00", "\r", "\n", "\t", "\x1b[31m", "\u0301", "\ufffd", "\u0085"}

// Mangled repeats a secret as a careless or hostile site may.
func Mangled(draw *rand.Rand, secret string) string {
	escape := []func(rune) string{
		func(r rune) string { return fmt.Sprintf("&#%d;", r) },
		func(r rune) string { return fmt.Sprintf("&#x%X;", r) },
		func(r rune) string { return html.EscapeString(string(r)) },
		func(r rune) string { return url.QueryEscape(string(r)) },
		func(r rune) string { return strings.ToLower(url.QueryEscape(string(r))) },
		func(r rune) string { return fmt.Sprintf("%%%02x", string(r)[0]) + percentRest(r) },
		func(r rune) string { return fmt.Sprintf(`\u%04x`, r) },
		func(r rune) string { return string(unicode.ToUpper(r)) },
		func(r rune) string { return string(unicode.ToLower(r)) },
		func(r rune) string { return string(r) },
	}
	kind, often := draw.IntN(len(escape)+1), 1+draw.IntN(12)
	var b strings.Builder
	for _, r := range secret {
		if draw.IntN(often) == 0 && often < 10 {
			b.WriteString(unseen[draw.IntN(len(unseen))])
		}
		if k := kind; k < len(escape) {
			b.WriteString(escape[k](r))
		} else {
			b.WriteString(escape[draw.IntN(len(escape))](r))
		}
	}
	text := []rune(b.String())
	from := draw.IntN(1 + len(text)/3)
	return string(text[from : from+draw.IntN(1+len(text)-from)])
}

func percentRest(r rune) string {
	rest := ""
	for _, b := range []byte(string(r))[1:] {
		rest += fmt.Sprintf("%%%02X", b)
	}
	return rest
}

// RandomSecret returns a text of characters that have escapes, and of others.
func RandomSecret(draw *rand.Rand, length int) string {
	const letters = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/=&<>"'%\~!`
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[draw.IntN(len(letters))]
	}
	return string(b)
}
