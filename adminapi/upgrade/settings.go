package upgrade

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a setting takes.
type Kind string

// The kinds. Whatever type is not known takes JSON as it stands.
const (
	Boolean Kind = "boolean"
	File    Kind = "file" // the path of a file here; its upload id is what is sent
	JSON    Kind = "json"
)

// Field is one setting as a form shows it. Texts are clean; ids are not.
type Field struct {
	ID         string // key of its answer: the setting's id, its name where it has none
	Label      string
	Help       string // prose only, else empty
	Kind       Kind
	Type       string // as the server wrote it
	Required   bool
	Hidden     bool           // not meant for everybody: shown behind a toggle
	Secret     bool           // the value is masked wherever it is shown
	Default    jsontext.Value // shown, never sent by itself
	Value      jsontext.Value // what the server gave, and what is sent unless it is changed
	Extensions []string       // of files, in lower case without dot; empty takes any
}

// On tells what a Boolean field says now: true for true and "true".
func (f Field) On() bool { return isTrue(f.Value) }

func isTrue(v jsontext.Value) bool { return strings.EqualFold(textOf(v), "true") }

// Empty reports whether the server gave no value: nothing, null or "".
func (f Field) Empty() bool { return textOf(f.Value) == "" }

// textOf returns the content of a JSON string, nothing for null, and any other
// value as it is written.
func textOf(v jsontext.Value) string {
	return strings.TrimSpace(jsonx.Text(bytes.TrimSpace(v)))
}

// Answer changes one setting. The zero value changes nothing.
type Answer struct {
	Bool   *bool  `json:"bool,omitempty"`
	Path   string `json:"path,omitempty"`   // File: a file on this machine
	Upload string `json:"upload,omitempty"` // File: id of what is uploaded already; Path wins
	JSON   string `json:"json,omitempty"`   // JSON: the text as typed
}

func (a Answer) isZero() bool { return a == Answer{} }

// Answers holds answers by Field.ID.
type Answers map[string]Answer

// Form returns the settings in the order of seqNum; equal ones stay in the
// server's order.
func Form(settings adminapi.UpgradeSettings) []Field {
	inputs := make([]orderedField, len(settings.Inputs))
	var keys keyMaker
	for i, input := range settings.Inputs {
		inputs[i] = orderedField{input.SeqNum, fieldOf(input, keys.next(input.ID, input.Name))}
	}
	slices.SortStableFunc(inputs, func(a, b orderedField) int { return cmp.Compare(a.seq, b.seq) })
	fields := make([]Field, len(inputs))
	for i := range inputs {
		fields[i] = inputs[i].field
	}
	return fields
}

type orderedField struct {
	seq   int
	field Field
}

// keyMaker gives every input a key of its own, in the server's order.
type keyMaker struct {
	seen  map[string]bool
	count int
}

func (k *keyMaker) next(id, name string) string {
	if k.seen == nil {
		k.seen = map[string]bool{}
	}
	k.count++
	key := cmp.Or(id, name)
	if key == "" || k.seen[key] {
		key = fmt.Sprintf("%s#%d", key, k.count)
	}
	k.seen[key] = true
	return key
}

func fieldOf(input adminapi.UserInput, key string) Field {
	f := Field{
		ID: key, Kind: kindOf(input.Type), Type: input.Type, Required: input.Required, Hidden: input.Hidden,
		Secret:  looksSecret(input.ID) || looksSecret(input.Name) || looksSecret(input.Type),
		Default: input.DefaultValue, Value: input.Value,
	}
	f.Label, f.Help = label(input, key), prose(input.Description)
	for _, extension := range input.ValidFileExtensions {
		if extension = strings.ToLower(strings.Trim(strings.TrimSpace(extension), "*.")); extension != "" {
			f.Extensions = append(f.Extensions, extension)
		}
	}
	return f
}

func kindOf(settingType string) Kind {
	switch strings.ToLower(strings.TrimSpace(settingType)) {
	case "boolean", "bool":
		return Boolean
	case "file":
		return File
	}
	return JSON
}

var secretName = regexp.MustCompile(`(?i)passw|passphrase|passcode|secret|credential|token|(private|access|api|account)[-_ ]?key`)

func looksSecret(name string) bool { return secretName.MatchString(name) }

// The names that the platform gives to the settings it is known to have.
var knownLabels = map[string]string{
	"licenseUpload":       "Licence file",
	"updateToLatestPatch": "Update to the latest patch as well",
	"volumesConfig":       "Storage of persistent volumes",
}

func label(input adminapi.UserInput, key string) string {
	if known, ok := knownLabels[input.ID]; ok {
		return known
	}
	return plain.Clip(inWords(cmp.Or(strings.TrimSpace(input.Name), strings.TrimSpace(key))), 80)
}

// prose returns a description that is one: a name of a text in the server's own
// catalogue says nothing to anybody.
func prose(description string) string {
	description = strings.TrimSpace(plain.Text(description))
	if !strings.ContainsAny(description, " \n") {
		return ""
	}
	return description
}

var (
	wordStart = regexp.MustCompile(`([\p{Ll}\d])(\p{Lu})`)
	wordGap   = regexp.MustCompile(`[_\-\s]+`)
)

// inWords makes "Storage class name" of storageClassName.
func inWords(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	name = wordGap.ReplaceAllString(wordStart.ReplaceAllString(name, "$1 $2"), " ")
	words := strings.Fields(name)
	for i, word := range words {
		if word != strings.ToUpper(word) || len(word) == 1 {
			words[i] = strings.ToLower(word)
		}
	}
	if len(words) > 0 {
		first := []rune(words[0])
		words[0] = strings.ToUpper(string(first[:1])) + string(first[1:])
	}
	return strings.Join(words, " ")
}

var errNoSettings = errors.New("this is no settings object: it has no userInputs")

// input is where one user input stands in a settings object.
type input struct {
	key    string
	value  jsontext.Value // nil where it has none; the last one counts
	spans  [][2]int       // of its values
	end    int            // of the object, before its closing brace
	object bool
	empty  bool // without any member
}

// scan finds the user inputs of a settings object and where their values stand. A
// single input is taken for a list.
func scan(raw jsontext.Value) (inputs []input, err error) {
	if at, ok := isObject(raw); !ok {
		return nil, fmt.Errorf("the settings are no JSON object at %s", position(raw, at))
	}
	err = errNoSettings
	for member := range jsonx.Children(raw) {
		if !strings.EqualFold(member.Name, "userInputs") {
			continue
		}
		inputs, err = nil, nil // named twice: the last one is what was read
		var keys keyMaker
		switch member.Value.Kind() {
		case jsontext.KindBeginObject:
			inputs = append(inputs, inputAt(member.Value, member.At, &keys))
		case jsontext.KindBeginArray:
			for element := range jsonx.Children(member.Value) {
				inputs = append(inputs, inputAt(element.Value, member.At+element.At, &keys))
			}
		}
	}
	return inputs, err
}

// isObject reports whether raw is one JSON object, and where it stops to be one.
func isObject(raw jsontext.Value) (at int64, ok bool) {
	dec := jsonx.NewDecoder(raw)
	token, err := dec.ReadToken()
	if err != nil || token.Kind() != jsontext.KindBeginObject {
		return dec.InputOffset(), false
	}
	for err == nil {
		_, err = dec.ReadToken()
	}
	return dec.InputOffset(), err == io.EOF
}

// inputAt reads an input that stands at an offset of the settings.
func inputAt(value jsontext.Value, at int, keys *keyMaker) input {
	if value.Kind() != jsontext.KindBeginObject {
		return input{key: keys.next("", "")}
	}
	in := input{object: true, empty: true, end: at + len(value) - 1}
	var id, name string
	for member := range jsonx.Children(value) {
		in.empty = false
		switch {
		case strings.EqualFold(member.Name, "id"):
			id = jsonx.Text(member.Value)
		case strings.EqualFold(member.Name, "name"):
			name = jsonx.Text(member.Value)
		case strings.EqualFold(member.Name, "value"):
			in.value = bytes.Clone(member.Value)
			in.spans = append(in.spans, [2]int{at + member.At, at + member.End()})
		}
	}
	in.key = keys.next(id, name)
	return in
}
