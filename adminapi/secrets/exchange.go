package secrets

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
)

// Exchange masks the secrets in the parts of a request and its answer by the names that they
// stand under.
type Exchange struct{ ByName }

// RequestHeaders are those of a request that say who sends it or how it is answered.
var RequestHeaders = []string{"Authorization", "X-Esri-Authorization", "Proxy-Authorization", "Cookie", "Referer", "Origin"}

// AnswerHeaders are those of an answer that matter to a client.
var AnswerHeaders = []string{"Allow", "Location", "Content-Disposition", "Set-Cookie", "Www-Authenticate", "Content-Type"}

// maxIndented limits how far lines of JSON are indented: what a few bytes nest would fill a disk.
const maxIndented = 32

// maxField is the longest value of a field that is written.
const maxField = 64 << 10

// Header masks the credentials of a header.
func (t *Exchange) Header(name, value string) string {
	switch {
	case strings.HasSuffix(name, "Authorization"):
		scheme, secret, ok := strings.Cut(value, " ")
		if !ok {
			return t.hide(value, "{credentials}")
		}
		what := "{credentials}"
		if strings.EqualFold(scheme, "Bearer") {
			what = "{token}"
		}
		return Visible(scheme) + " " + t.hide(strings.TrimSpace(secret), what)
	case name == "Cookie", name == "Set-Cookie":
		for cookie := range strings.SplitSeq(value, ";") {
			_, secret, _ := strings.Cut(cookie, "=")
			t.hide(strings.TrimSpace(secret), "")
			if name == "Set-Cookie" {
				break // attributes follow
			}
		}
		return "{cookie}"
	}
	return Visible(t.Text(value))
}

// Value masks the value of a field or parameter.
func (t *Exchange) Value(name, value string) string {
	switch {
	case value == "":
		return ""
	case IsField(name):
		return t.hide(value, "{"+strings.ToLower(name)+"}")
	case len(value) > maxField:
		return fmt.Sprintf("(%d bytes)", len(value))
	}
	if inner, isJSON := wholeJSON(value); isJSON {
		if body, ok := t.Body([]byte(inner), Mask, false); ok {
			return body
		}
	}
	return t.Text(value)
}

// Body returns the JSON of a body anew, in one line or in indented ones, with a mask in place of
// secrets. It reports whether it is JSON, and not too deep to be indented.
func (t *Exchange) Body(value []byte, mask string, isIndented bool) (text string, ok bool) {
	masked, ok := t.json(tree{text: value, maxDepth: maxIndented}, mask, false)
	options := []jsontext.Options{jsonx.AsWritten}
	if isIndented {
		options = append(options, jsontext.WithIndent("  "))
	}
	written := jsontext.Value(masked)
	if !ok || written.Format(options...) != nil {
		return "", false
	}
	return string(plain.SafeJSON(bytes.TrimSpace(written))), true
}

// Visible writes what a terminal obeys, and what is no UTF-8, as JSON escapes.
func Visible(text string) string {
	return plain.EscapeJSON(strings.ToValidUTF8(text, "\ufffd"), func(r rune) bool {
		return unicode.IsControl(r) || r >= utf8.RuneSelf && !plain.IsPrintable(r)
	})
}
