package secrets

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

// JSON returns a value of JSON with a mask in place of the texts and numbers that stand under the
// name of a secret, or that an object holds as the value of one which it names, and of secrets in
// other texts. All other bytes are unchanged. isSecret is whether the value itself is one of a
// secret. What is no JSON is a mask as a whole, and not ok.
func (n *ByName) JSON(value []byte, isSecret bool) (masked []byte, ok bool) {
	return n.json(tree{text: value, maxDepth: 200, everyName: n.Kept}, Mask, isSecret)
}

// Settings returns JSON with the settings of an upgrade as they may be shown and recorded, and the
// secrets in them. They were typed for this one request: every name of a secret counts, and what
// stands under one is masked as a whole, whatever it is, as is what is no JSON.
func Settings(value []byte) (masked jsontext.Value, found []Secret) {
	var n ByName
	masked, _ = n.json(tree{text: value, maxDepth: 200, ofSettings: true}, Mask, false)
	return jsonx.Compact(masked), n.Found
}

func (n *ByName) json(t tree, mask string, isSecret bool) (masked []byte, ok bool) {
	t.in = jsonx.NewDecoder(t.text)
	err := t.read(isSecret)
	if _, after := t.in.ReadToken(); err != nil || !errors.Is(after, io.EOF) {
		return appendQuoted(nil, mask), false
	}
	end := 0 // of what is in masked
	for _, v := range t.values {
		raw, text := jsontext.Value(t.text[v.from:v.to]), ""
		kind := raw.Kind()
		if kind == jsontext.KindString || kind == jsontext.KindNumber {
			text = jsonx.Text(raw)
		}
		clean := text
		switch {
		case v.isSecret && text != "":
			clean = n.hide(text, mask)
		case v.isSecret && t.ofSettings && kind != jsontext.KindString && kind != jsontext.KindNull:
			clean = mask
		case kind == jsontext.KindString:
			clean = n.Text(text)
		}
		if clean != text && v.from >= end { // not within what is masked as a whole
			masked = appendQuoted(append(masked, t.text[end:v.from]...), clean)
			end = v.to
		}
	}
	return append(masked, t.text[end:]...), true
}

// tree is all values in JSON, each before those that it holds.
type tree struct {
	text       []byte
	in         *jsontext.Decoder
	maxDepth   int
	ofSettings bool
	everyName  bool // also of what only speaks of a secret, such as tokenUrl: it may hold one
	values     []value
}

// value is one by its place.
type value struct {
	from, to int
	isSecret bool
}

// read reads a value.
func (t *tree) read(isSecret bool) error {
	at, kind := len(t.values), t.in.PeekKind()
	t.values = append(t.values, value{isSecret: isSecret})
	if kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		raw, err := t.in.ReadValue()
		to := int(t.in.InputOffset())
		t.values[at].from, t.values[at].to = to-len(raw), to
		return err
	}
	_, err := t.in.ReadToken()
	t.values[at].from = int(t.in.InputOffset()) - 1
	switch {
	case err != nil:
	case t.in.StackDepth() > t.maxDepth:
		err = errors.ErrUnsupported
	case kind == jsontext.KindBeginObject:
		err = t.readMembers(isSecret)
	default:
		for err == nil && t.in.PeekKind() != jsontext.KindEndArray {
			err = t.read(isSecret)
		}
	}
	if err == nil {
		_, err = t.in.ReadToken()
	}
	t.values[at].to = int(t.in.InputOffset())
	return err
}

// readMembers reads those of an object. What names a secret may come after its value.
func (t *tree) readMembers(isSecret bool) error {
	named, namesSecret := IsMember, false
	if t.ofSettings || t.everyName {
		named = IsName
	}
	var held [][2]int // values of what the object names
	for t.in.PeekKind() != jsontext.KindEndObject {
		token, err := t.in.ReadToken()
		if err != nil {
			return err
		}
		name, at := token.String(), len(t.values)
		if err := t.read(isSecret || named(name)); err != nil {
			return err
		}
		switch v := t.values[at]; {
		case HoldsValue(name):
			held = append(held, [2]int{at, len(t.values)})
		case TellsName(name) && t.text[v.from] == '"':
			namesSecret = namesSecret || named(jsonx.Text(t.text[v.from:v.to]))
		}
	}
	for _, at := range held {
		for i := at[0]; i < at[1] && namesSecret; i++ {
			t.values[i].isSecret = true
		}
	}
	return nil
}

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
