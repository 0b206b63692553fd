package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/redact"
)

// exchangeText writes one exchange and masks the secrets in it by the names that they stand
// under. It collects them, so that they are masked wherever else they stand.
type exchangeText struct {
	strings.Builder
	site  string // its address, which is written as {site}
	found []adminapi.Secret
}

// maxDepth limits how far lines of JSON are indented: what a few bytes nest would fill a disk.
const maxDepth = 32

// maxField is the longest value of a field that is written.
const maxField = 64 << 10

func (t *exchangeText) line(text string) {
	t.WriteString(strings.ReplaceAll(text, t.site, "{site}"))
	t.WriteByte('\n')
}

// hide returns a name in place of a secret.
func (t *exchangeText) hide(secret, name string) string {
	t.found = append(t.found, adminapi.Secret(secret))
	return name
}

// target is the path below the context of the site, and the query.
func (t *exchangeText) target(u *url.URL) string {
	target := t.text(strings.TrimPrefix(u.EscapedPath(), siteContext))
	if u.RawQuery == "" {
		return visible(target)
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		name, value := formPair(pair)
		if masked := t.value(name, value); masked != value {
			pairs[i] = url.QueryEscape(name) + "=" + strings.NewReplacer("%7B", "{", "%7D", "}").Replace(url.QueryEscape(masked))
		}
	}
	return visible(target + "?" + strings.Join(pairs, "&"))
}

// formPair reads a pair of a form, and what is not escaped well as it stands.
func formPair(pair string) (name, value string) {
	name, value, _ = strings.Cut(pair, "=")
	unescaped := func(text string) string {
		if plain, err := url.QueryUnescape(text); err == nil {
			return plain
		}
		return text
	}
	return unescaped(name), unescaped(value)
}

// header masks the credentials of a header.
func (t *exchangeText) header(name, value string) string {
	scheme, secret, ok := strings.Cut(value, " ")
	switch {
	case name == "Www-Authenticate":
	case strings.HasSuffix(name, "Authorization") && ok && strings.EqualFold(scheme, "Bearer"):
		return visible(scheme) + " " + t.hide(strings.TrimSpace(secret), "{token}")
	case strings.HasSuffix(name, "Authorization") && ok:
		return visible(scheme) + " " + t.hide(strings.TrimSpace(secret), "{credentials}")
	case strings.HasSuffix(name, "Authorization"):
		return t.hide(value, "{credentials}")
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
	return visible(t.text(value))
}

// value masks the value of a field or parameter.
func (t *exchangeText) value(name, value string) string {
	switch {
	case value == "":
		return ""
	case redact.Field(name):
		return t.hide(value, "{"+strings.ToLower(name)+"}")
	case len(value) > maxField:
		return fmt.Sprintf("(%d bytes)", len(value))
	}
	return t.text(value)
}

// text masks what stands in a text as secrets do in JSON, URLs and headers.
func (t *exchangeText) text(text string) string {
	if inner := strings.TrimLeft(text, " \t\r\n\ufeff"); strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[") {
		if masked, ok := t.json([]byte(inner), redact.Mask, false); ok {
			return masked
		}
	}
	return redact.Text(text, func(secret string) string { return t.hide(secret, redact.Mask) })
}

// json writes JSON anew, with a mask in place of the texts and numbers that secret members
// hold, at any depth. It reports whether it is JSON, and no deeper than maxDepth.
func (t *exchangeText) json(value []byte, mask string, multiline bool) (text string, ok bool) {
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
				if redact.Member(name) {
					secretBelow = depth
				}
			}
		case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
			if depth < secretBelow {
				secretBelow = 0
			}
		case kind == jsontext.KindString && secretBelow > 0, kind == jsontext.KindNumber && secretBelow > 0:
			if secret := token.String(); secret != "" {
				token = jsontext.String(t.hide(secret, mask))
			}
		case kind == jsontext.KindString:
			token = jsontext.String(t.text(token.String()))
		}
		if enc.WriteToken(token) != nil {
			return "", false
		}
	}
}

// body writes the fields of a form, or how long a body of another kind is.
func (t *exchangeText) body(contentType string, b *sentBody) {
	kind, parameters, _ := mime.ParseMediaType(contentType)
	switch {
	case b.size == 0:
	case kind == "multipart/form-data":
		t.line("multipart")
		t.parts(multipart.NewReader(bytes.NewReader(b.kept), parameters["boundary"]), b)
	case kind == "application/x-www-form-urlencoded":
		pairs := strings.Split(string(b.kept), "&")
		if b.size > len(b.kept) {
			pairs = pairs[:len(pairs)-1]
		}
		for _, pair := range pairs {
			name, value := formPair(pair)
			t.field(name, value)
		}
	default:
		t.line(fmt.Sprintf("# A body of %d bytes.", b.size))
	}
	if b.size > len(b.kept) {
		t.line(fmt.Sprintf("# The form has %d bytes; what comes after %d is left out.", b.size, len(b.kept)))
	}
	if b.err != nil {
		t.line("# The body ended early.")
	}
}

func (t *exchangeText) field(name, value string) {
	t.line(visible(name) + "=" + fieldText(t.value(name, value)))
}

// parts writes the parts of a multipart form, files by their name and size.
func (t *exchangeText) parts(in *multipart.Reader, b *sentBody) {
	for {
		part, err := in.NextPart()
		if err != nil {
			return
		}
		content, err := io.ReadAll(part)
		if name := part.FileName(); name != "" || strings.Contains(part.Header.Get("Content-Disposition"), "filename=") {
			size := fmt.Sprintf("%d bytes", len(content))
			if err != nil {
				size = "not whole"
			}
			t.line(fmt.Sprintf("%s=@%s (%s)", visible(part.FormName()), visible(name), size))
		} else if err == nil || b.err != nil {
			t.field(part.FormName(), string(content))
		}
	}
}

// fieldText writes a value on one line: as it is, or else as a JSON text.
func fieldText(value string) string {
	if value == "" || visible(value) == value && !strings.ContainsRune(`"@`, rune(value[0])) && strings.TrimSpace(value) == value {
		return value
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(value, "\ufffd"))
	if err != nil {
		return ""
	}
	return string(plain.SafeJSON(quoted))
}

// visible writes what a terminal obeys, and what is no UTF-8, as JSON escapes.
func visible(text string) string {
	return plain.EscapeJSON(strings.ToValidUTF8(text, "\ufffd"), func(r rune) bool {
		return unicode.IsControl(r) || r >= utf8.RuneSelf && !plain.IsPrintable(r)
	})
}
