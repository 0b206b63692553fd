package operationtest

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
)

// Echoes are the ways in which a site may repeat a secret: none is a pattern that
// distinguishes it from other words.
func Echoes(secret string) []string {
	var unseen, numbers strings.Builder
	for _, r := range secret {
		unseen.WriteString(string(r) + "\u200b\x07\u202e")
		fmt.Fprintf(&numbers, "&#%d;", r)
	}
	return []string{
		secret, strings.ToUpper(secret), strings.ToLower(secret), url.QueryEscape(secret), url.PathEscape(secret),
		html.EscapeString(secret), unseen.String(), numbers.String(), secret[:len(secret)/2], secret[len(secret)/3:],
	}
}

// WantNoTrace fails where a text holds eight characters in a row of a secret.
func WantNoTrace(t *testing.T, name, text, secret string) {
	t.Helper()
	text, secret = strings.ToLower(text), strings.ToLower(secret)
	text = strings.NewReplacer("\u200b", "", "\x07", "", `\u0007`, "", "\u202e", "").Replace(text)
	forms := []string{text, html.UnescapeString(text)}
	if decoded, err := url.QueryUnescape(text); err == nil {
		forms = append(forms, decoded)
	}
	for _, form := range forms {
		for at := range len(secret) - 7 {
			if i := strings.Index(form, secret[at:at+8]); i >= 0 {
				t.Errorf("%s holds %q: %.100q", name, secret[at:at+8], form[max(0, i-20):])
				return
			}
		}
	}
}
