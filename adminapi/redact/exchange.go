package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
)

// Exchange masks the secrets in the parts of a request and its answer by the names that they
// stand under. It collects them, so that they can be masked wherever else they stand.
type Exchange struct{ Found []string }

// RequestHeaders are those of a request that say who sends it or how it is answered.
var RequestHeaders = []string{"Authorization", "X-Esri-Authorization", "Proxy-Authorization", "Cookie", "Referer", "Origin"}

// AnswerHeaders are those of an answer that matter to a client.
var AnswerHeaders = []string{"Allow", "Location", "Content-Disposition", "Set-Cookie", "Www-Authenticate", "Content-Type"}

// maxDepth limits how far lines of JSON are indented: what a few bytes nest would fill a disk.
const maxDepth = 32

// maxField is the longest value of a field that is written.
const maxField = 64 << 10

// Hide returns a name in place of a secret.
func (t *Exchange) Hide(secret, name string) string {
	t.Found = append(t.Found, secret)
	return name
}

// Header masks the credentials of a header.
func (t *Exchange) Header(name, value string) string {
	scheme, secret, ok := strings.Cut(value, " ")
	switch {
	case name == "Www-Authenticate":
	case strings.HasSuffix(name, "Authorization") && ok && strings.EqualFold(scheme, "Bearer"):
		return Visible(scheme) + " " + t.Hide(strings.TrimSpace(secret), "{token}")
	case strings.HasSuffix(name, "Authorization") && ok:
		return Visible(scheme) + " " + t.Hide(strings.TrimSpace(secret), "{credentials}")
	case strings.HasSuffix(name, "Authorization"):
		return t.Hide(value, "{credentials}")
	case name == "Cookie", name == "Set-Cookie":
		for cookie := range strings.SplitSeq(value, ";") {
			_, secret, _ := strings.Cut(cookie, "=")
			t.Hide(strings.TrimSpace(secret), "")
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
	case Field(name):
		return t.Hide(value, "{"+strings.ToLower(name)+"}")
	case len(value) > maxField:
		return fmt.Sprintf("(%d bytes)", len(value))
	}
	return t.Text(value)
}

// Text masks what stands in a text as secrets do in JSON, URLs and headers.
func (t *Exchange) Text(text string) string {
	if inner := strings.TrimLeft(text, " \t\r\n\ufeff"); strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[") {
		if masked, ok := t.JSON([]byte(inner), Mask, false); ok {
			return masked
		}
	}
	return Text(text, func(secret string) string { return t.Hide(secret, Mask) })
}

// JSON writes JSON anew, with a mask in place of the texts and numbers that secret members
// hold, at any depth. It reports whether it is JSON, and no deeper than maxDepth.
func (t *Exchange) JSON(value []byte, mask string, multiline bool) (text string, ok bool) {
	var out bytes.Buffer
	in := jsonx.NewDecoder(value)
	enc := jsontext.NewEncoder(&out, jsonx.AsWritten)
	if multiline {
		enc.Reset(&out, jsonx.AsWritten, jsontext.WithIndent("  "))
	}
	secretBelow := 0 // the depth at which a secret member's value began; 0: in none
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return string(plain.SafeJSON(bytes.TrimSpace(out.Bytes()))), out.Len() > 0
		}
		if err != nil {
			return "", false
		}
		depth, kind := in.StackDepth(), token.Kind()
		if depth > maxDepth {
			return "", false
		}
		within, count := in.StackIndex(depth)
		isName := within == jsontext.KindBeginObject && count%2 == 1 && kind == jsontext.KindString
		switch {
		case isName:
			if name := token.String(); depth <= secretBelow || secretBelow == 0 {
				secretBelow = 0
				if Member(name) {
					secretBelow = depth
				}
			}
		case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
			if depth < secretBelow {
				secretBelow = 0
			}
		case kind == jsontext.KindString && secretBelow > 0, kind == jsontext.KindNumber && secretBelow > 0:
			if secret := token.String(); secret != "" {
				token = jsontext.String(t.Hide(secret, mask))
			}
		case kind == jsontext.KindString:
			token = jsontext.String(t.Text(token.String()))
		}
		if enc.WriteToken(token) != nil {
			return "", false
		}
	}
}

// Visible writes what a terminal obeys, and what is no UTF-8, as JSON escapes.
func Visible(text string) string {
	return plain.EscapeJSON(strings.ToValidUTF8(text, "\ufffd"), func(r rune) bool {
		return unicode.IsControl(r) || r >= utf8.RuneSelf && !plain.IsPrintable(r)
	})
}
