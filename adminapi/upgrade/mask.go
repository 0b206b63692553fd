package upgrade

import (
	"bytes"
	"io"
	"strings"

	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// mask stands for a value that is shown and recorded nowhere.
const mask = `"[secret]"`

// MaskSettings returns settings fit to be shown and recorded: values of settings
// and of members whose names look like a secret are masked. What is no JSON is
// masked as a whole.
func MaskSettings(settings jsontext.Value) jsontext.Value {
	decoder := jsontext.NewDecoder(bytes.NewReader(settings), lenient...)
	m := masker{dec: decoder}
	if err := m.value(false); err != nil {
		return jsontext.Value(mask)
	}
	if _, err := decoder.ReadToken(); err != io.EOF {
		return jsontext.Value(mask)
	}
	return m.out
}

// WithoutSecrets returns the answers that may be stored: those to settings that
// look like a secret are left out, and those whose JSON, finished or not, holds
// something that does.
func WithoutSecrets(settings adminapi.UpgradeSettings, answers Answers) Answers {
	secret := map[string]bool{}
	for _, field := range Form(settings) {
		secret[field.ID] = field.Secret
	}
	kept := Answers{}
	for id, answer := range answers {
		if !secret[id] && !holdsSecret(jsontext.Value(strings.TrimSpace(answer.JSON))) {
			kept[id] = answer
		}
	}
	return kept
}

func holdsSecret(text jsontext.Value) bool {
	if !text.IsValid(lenient...) { // still being typed
		return looksSecret(string(text))
	}
	return !sameJSON(MaskSettings(text), text)
}

// deepest is how far into settings names are looked at. Every level is read once
// for each one around it; below this all is masked.
const deepest = 64

type masker struct {
	dec    *jsontext.Decoder
	out    []byte
	depth  int               // of objects
	hidden *[]jsontext.Value // what was masked; nil where nobody asks
}

// secretsIn returns the texts in settings that are masked where they are shown.
func secretsIn(settings jsontext.Value) (secrets []adminapi.Secret) {
	var hidden []jsontext.Value
	m := masker{dec: jsontext.NewDecoder(bytes.NewReader(settings), lenient...), hidden: &hidden}
	_ = m.value(false) // settings that are broken are not sent
	for _, value := range hidden {
		in := jsontext.NewDecoder(bytes.NewReader(value), lenient...)
		for {
			token, err := in.ReadToken()
			if err != nil {
				break
			}
			within, count := in.StackIndex(in.StackDepth())
			isName := within == jsontext.KindBeginObject && count%2 == 1
			if kind := token.Kind(); !isName && (kind == jsontext.KindString || kind == jsontext.KindNumber) {
				secrets = append(secrets, adminapi.Secret(token.String()))
			}
		}
	}
	return secrets
}

// value writes the next value; hidden masks it whatever it is, unless it says
// nothing.
func (m *masker) value(hidden bool) error {
	kind := m.dec.PeekKind()
	hidden = hidden || m.depth >= deepest
	if hidden || kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		value, err := m.dec.ReadValue()
		if hidden && textOf(value) != "" {
			if m.hidden != nil {
				*m.hidden = append(*m.hidden, bytes.Clone(value))
			}
			value = jsontext.Value(mask)
		}
		m.out = append(m.out, value...)
		return err
	}
	if kind == jsontext.KindBeginObject {
		return m.object()
	}
	return m.array()
}

func (m *masker) array() error {
	if _, err := m.dec.ReadToken(); err != nil {
		return err
	}
	m.out = append(m.out, '[')
	for i := 0; m.dec.PeekKind() != jsontext.KindEndArray; i++ {
		if i > 0 {
			m.out = append(m.out, ',')
		}
		if err := m.value(false); err != nil {
			return err
		}
	}
	m.out = append(m.out, ']')
	_, err := m.dec.ReadToken()
	return err
}

// object looks at the whole object first: the id that makes its value a secret may
// stand behind it.
func (m *masker) object() error {
	whole, err := m.dec.ReadValue()
	if err != nil {
		return err
	}
	hides := namesSecret(whole)
	inner := masker{dec: jsontext.NewDecoder(bytes.NewReader(whole), lenient...), depth: m.depth + 1, hidden: m.hidden}
	if _, err := inner.dec.ReadToken(); err != nil {
		return err
	}
	inner.out = append(inner.out, '{')
	for i := 0; inner.dec.PeekKind() != jsontext.KindEndObject; i++ {
		if i > 0 {
			inner.out = append(inner.out, ',')
		}
		name, err := inner.dec.ReadValue()
		if err != nil {
			return err
		}
		inner.out = append(append(inner.out, name...), ':')
		text := unquoted(name)
		if err := inner.value(looksSecret(text) || hides && isValue(text)); err != nil {
			return err
		}
	}
	m.out = append(append(m.out, inner.out...), '}')
	return nil
}

func isValue(name string) bool {
	return strings.EqualFold(name, "value") || strings.EqualFold(name, "defaultValue")
}

// namesSecret tells whether an object calls itself one: a setting with a telling
// id, name or type.
func namesSecret(object jsontext.Value) bool {
	s := scanner{dec: jsontext.NewDecoder(bytes.NewReader(object), lenient...)}
	secret := false
	_ = s.members(func(member string) error {
		value, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		switch strings.ToLower(member) {
		case "id", "name", "type", "key":
			secret = secret || looksSecret(unquoted(value))
		}
		return nil
	}) // an object that was read as a whole has no error
	return secret
}
