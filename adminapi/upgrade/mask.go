package upgrade

import (
	"bytes"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json/jsontext"
)

// mask stands for a value that is shown and recorded nowhere.
const mask = `"[secret]"`

// MaskSettings returns settings fit to be shown and recorded: values of settings
// and of members whose names look like a secret are masked. What is no JSON is
// masked as a whole.
func MaskSettings(settings jsontext.Value) jsontext.Value {
	if !settings.IsValid(jsonx.AsWritten) {
		return jsontext.Value(mask)
	}
	var m masker
	m.value(bytes.TrimSpace(settings), false)
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
	if !text.IsValid(jsonx.AsWritten) { // still being typed
		return looksSecret(string(text))
	}
	return !sameJSON(MaskSettings(text), text)
}

// secretsIn returns the texts in settings that are masked where they are shown.
func secretsIn(settings jsontext.Value) (secrets []adminapi.Secret) {
	var m masker
	m.value(bytes.TrimSpace(settings), false)
	for _, value := range m.hidden {
		secrets = appendSecrets(secrets, value)
	}
	return secrets
}

func appendSecrets(secrets []adminapi.Secret, value jsontext.Value) []adminapi.Secret {
	if kind := value.Kind(); kind == jsontext.KindString || kind == jsontext.KindNumber {
		return append(secrets, adminapi.Secret(jsonx.Text(value)))
	}
	for child := range jsonx.Children(value) {
		secrets = appendSecrets(secrets, child.Value)
	}
	return secrets
}

// maxMaskDepth is how far into settings names are looked at. Every level is read
// once for each one around it; below this all is masked.
const maxMaskDepth = 64

type masker struct {
	out    jsontext.Value
	depth  int              // of objects
	hidden []jsontext.Value // what was masked
}

// value writes a value; hidden masks it whatever it is, unless it says nothing.
func (m *masker) value(value jsontext.Value, hidden bool) {
	kind := value.Kind()
	hidden = hidden || m.depth >= maxMaskDepth
	switch {
	case hidden && textOf(value) != "":
		m.hidden = append(m.hidden, value)
		m.out = append(m.out, mask...)
	case !hidden && kind == jsontext.KindBeginObject:
		m.object(value)
	case !hidden && kind == jsontext.KindBeginArray:
		separator := "["
		for element := range jsonx.Children(value) {
			m.out = append(m.out, separator...)
			m.value(element.Value, false)
			separator = ","
		}
		m.out = append(m.out, strings.TrimSuffix(separator, ",")+"]"...)
	default:
		m.out = append(m.out, value...)
	}
}

// object looks at the whole object first: the id that makes its value a secret may
// stand behind it.
func (m *masker) object(object jsontext.Value) {
	hides := false // a setting with a telling id, name or type
	for member := range jsonx.Children(object) {
		switch strings.ToLower(member.Name) {
		case "id", "name", "type", "key":
			hides = hides || looksSecret(jsonx.Text(member.Value))
		}
	}
	m.depth++
	separator := "{"
	for member := range jsonx.Children(object) {
		m.out = append(append(append(m.out, separator...), member.Key...), ':')
		isValue := strings.EqualFold(member.Name, "value") || strings.EqualFold(member.Name, "defaultValue")
		m.value(member.Value, looksSecret(member.Name) || hides && isValue)
		separator = ","
	}
	m.out = append(m.out, strings.TrimSuffix(separator, ",")+"}"...)
	m.depth--
}
