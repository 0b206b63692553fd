package simulator

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// exchangeText writes one exchange without the secrets in it.
type exchangeText struct {
	strings.Builder
	secrets.Exchange
	site string // its address, which is written as {site}
}

func (t *exchangeText) line(text string) {
	t.WriteString(strings.ReplaceAll(text, t.site, "{site}"))
	t.WriteByte('\n')
}

// target is the path below the context of the site, and the query.
func (t *exchangeText) target(u *url.URL) string {
	target := t.Text(strings.TrimPrefix(u.EscapedPath(), siteContext))
	if u.RawQuery == "" {
		return secrets.Visible(target)
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		name, value := formPair(pair)
		if masked := t.Value(name, value); masked != value {
			pairs[i] = url.QueryEscape(name) + "=" + strings.NewReplacer("%7B", "{", "%7D", "}").Replace(url.QueryEscape(masked))
		}
	}
	return secrets.Visible(target + "?" + strings.Join(pairs, "&"))
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
	t.line(secrets.Visible(name) + "=" + fieldText(t.Value(name, value)))
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
			t.line(fmt.Sprintf("%s=@%s (%s)", secrets.Visible(part.FormName()), secrets.Visible(name), size))
		} else if err == nil || b.err != nil {
			t.field(part.FormName(), string(content))
		}
	}
}

// fieldText writes a value on one line: as it is, or else as a JSON text.
func fieldText(value string) string {
	if value == "" || secrets.Visible(value) == value && !strings.ContainsRune(`"@`, rune(value[0])) && strings.TrimSpace(value) == value {
		return value
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(value, "\ufffd"))
	if err != nil {
		return ""
	}
	return string(plain.SafeJSON(quoted))
}
