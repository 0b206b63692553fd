package secrets

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
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
