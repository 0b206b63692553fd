package upgrade

import (
	"bytes"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json/jsontext"
)

// mask replaces a secret value.
const mask = `"[secret]"`

// MaskSettings returns settings that may be shown and recorded: values of settings and of
// members whose names look like a secret are masked. What is not JSON is masked as a whole.
func MaskSettings(settings jsontext.Value) jsontext.Value {
	if !settings.IsValid(jsonx.AsWritten) {
		return jsontext.Value(mask)
	}
	var m masker
	m.value(bytes.TrimSpace(settings), false)
	return m.out
}

// WithoutSecrets returns the answers that may be stored: without those to secret settings,
// and without those whose JSON, finished or not, looks like it holds a secret.
func WithoutSecrets(settings adminapi.UpgradeSettings, answers Answers) Answers {
	fields := fieldsByID(settings)
	stored := Answers{}
	for id, answer := range answers {
		if !fields[id].Secret && !holdsSecret(jsontext.Value(strings.TrimSpace(answer.JSON))) {
			stored[id] = answer
		}
	}
	return stored
}

func holdsSecret(text jsontext.Value) bool {
	if !text.IsValid(jsonx.AsWritten) { // still being typed
		return looksSecret(string(text))
	}
	return !sameJSON(MaskSettings(text), text)
}

// secretsIn returns the texts of settings that [MaskSettings] masks.
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

// maxMaskDepth bounds how deep names are checked, since each level is parsed once for
// every level around it. Everything below is masked.
const maxMaskDepth = 64

type masker struct {
	out    jsontext.Value
	depth  int              // of objects
	hidden []jsontext.Value // what was masked
}

// value writes a value; hidden masks it unless it is empty.
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

// object reads the object twice: the id that makes the value a secret may come after it.
func (m *masker) object(object jsontext.Value) {
	hides := false // the id, name or type looks like that of a secret
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
