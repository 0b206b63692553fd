package upgrade

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Kind is what a setting takes.
type Kind string

// The kinds.
const (
	Boolean Kind = "boolean"
	File    Kind = "file" // the path of a file here; its upload id is what is sent
	JSON    Kind = "json" // any type that is not known
)

// Field is one setting as a form shows it. Texts are clean; ids are not.
type Field struct {
	ID         string // key of its answer: the setting's id, its name where it has none
	Label      string
	Help       string // prose only, else empty
	Kind       Kind
	Type       string // as the server wrote it
	Required   bool
	Hidden     bool           // not meant for everybody: shown on request
	Secret     bool           // the value is masked wherever it is shown
	Default    jsontext.Value // shown, never sent by itself
	Value      jsontext.Value // what the server gave, sent unless it is changed
	Extensions []string       // of files, in lower case without dot; empty for any

	seq int // its place among the others, as the server counts
}

// On reports whether the value of a Boolean field is true or "true".
func (f Field) On() bool { return isTrue(f.Value) }

func isTrue(v jsontext.Value) bool { return strings.EqualFold(textOf(v), "true") }

// Empty reports whether the server gave no value: nothing, null or "".
func (f Field) Empty() bool { return textOf(f.Value) == "" }

// textOf returns the content of a JSON string, "" for null, and any other value as it is
// written.
func textOf(v jsontext.Value) string {
	return strings.TrimSpace(jsonx.Text(bytes.TrimSpace(v)))
}

// Answer changes one setting. The zero value changes nothing.
type Answer struct {
	Bool   *bool  `json:"bool,omitempty"`
	Path   string `json:"path,omitempty"`   // File: a file on this machine
	Upload string `json:"upload,omitempty"` // File: id of an upload; ignored beside a Path
	JSON   string `json:"json,omitempty"`   // JSON: the text as typed
}

func (a Answer) isZero() bool { return a == Answer{} }

// Answers holds answers by Field.ID.
type Answers map[string]Answer

// Form returns the settings in the order of seqNum, and in the server's order where that
// is equal.
func Form(settings adminapi.UpgradeSettings) []Field {
	fields := make([]Field, len(settings.Inputs))
	var keys keyMaker
	for i, input := range settings.Inputs {
		fields[i] = fieldOf(input, keys.next(input.ID, input.Name))
	}
	slices.SortStableFunc(fields, func(a, b Field) int { return cmp.Compare(a.seq, b.seq) })
	return fields
}

func fieldsByID(settings adminapi.UpgradeSettings) map[string]Field {
	fields := map[string]Field{}
	for _, f := range Form(settings) {
		fields[f.ID] = f
	}
	return fields
}

// fieldByID returns one field of the form, without making the others, and reports whether there is one.
func fieldByID(settings adminapi.UpgradeSettings, id string) (Field, bool) {
	var keys keyMaker
	for _, input := range settings.Inputs {
		if key := keys.next(input.ID, input.Name); key == id {
			return fieldOf(input, key), true
		}
	}
	return Field{}, false
}

// keyMaker gives every input a unique key, in the server's order.
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
		ID: key, Kind: JSON, Type: input.Type, Required: input.Required, Hidden: input.Hidden,
		Secret:  secrets.IsName(input.ID) || secrets.IsName(input.Name) || secrets.IsName(input.Type),
		Default: input.DefaultValue, Value: input.Value, seq: input.SeqNum,
	}
	switch strings.ToLower(strings.TrimSpace(input.Type)) {
	case "boolean", "bool":
		f.Kind = Boolean
	case "file":
		f.Kind = File
	}
	f.Label = knownLabels[input.ID]
	if f.Label == "" {
		f.Label = plain.Clip(inWords(cmp.Or(strings.TrimSpace(input.Name), strings.TrimSpace(key))), 80)
	}
	f.Help = strings.TrimSpace(plain.Text(input.Description))
	if !strings.ContainsAny(f.Help, " \n") {
		f.Help = "" // the name of a text in the server's catalogue
	}
	for _, extension := range input.ValidFileExtensions {
		if extension = strings.ToLower(strings.Trim(strings.TrimSpace(extension), "*.")); extension != "" {
			f.Extensions = append(f.Extensions, extension)
		}
	}
	return f
}

// knownLabels are the labels of settings that the platform is known to have.
var knownLabels = map[string]string{
	"licenseUpload":       "Licence file",
	"updateToLatestPatch": "Install the latest patch too",
	"volumesConfig":       "Storage of persistent volumes",
}

var (
	wordStart = pattern.New(`([\p{Ll}\d])(\p{Lu})`)
	wordGap   = pattern.New(`[_\-\s]+`)
)

// inWords returns "Storage class name" for storageClassName.
func inWords(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	name = wordGap().ReplaceAllString(wordStart().ReplaceAllString(name, "$1 $2"), " ")
	words := strings.Fields(name)
	for i, word := range words {
		if word != strings.ToUpper(word) || len(word) == 1 {
			words[i] = strings.ToLower(word)
		}
	}
	if len(words) > 0 {
		words[0] = plain.Capital(words[0])
	}
	return strings.Join(words, " ")
}

var errNoSettings = errors.New("not a settings object: userInputs is missing")

// input is a user input of a settings object, with the offsets that an edit needs.
type input struct {
	key    string
	value  jsontext.Value // the last one where there are several, nil where there is none
	spans  [][2]int       // of the values
	end    int            // of the object, before its closing brace
	object bool
	empty  bool // without any member
}

// scan finds the user inputs of a settings object. A single input is taken for a list.
func scan(raw jsontext.Value) (inputs []input, err error) {
	if at, ok := isObject(raw); !ok {
		return nil, fmt.Errorf("the settings are not a JSON object at %s", position(raw, at))
	}
	err = errNoSettings
	for member := range jsonx.Children(raw) {
		if !strings.EqualFold(member.Name, "userInputs") {
			continue
		}
		inputs, err = nil, nil // where the name is there twice, the last one counts
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

// isObject reports whether raw is one JSON object, and up to which offset it is.
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

// inputAt reads the input at an offset of the settings.
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

// SettingsFile is how the answers of a person are given to upgrade start: the licence and the latest
// patch by flags, the others by a file.
type SettingsFile struct {
	Licence string // path of the licence; empty for none
	Latest  *bool  // whether the latest patch is included; nil leaves it to the site
	Inputs  []FileInput
	Left    []string // labels of settings that are not in it: they hold a secret, or a file to upload
}

// FileInput is an answer in the file of --settings, see [AnswersFrom].
type FileInput struct {
	ID    string         `json:"id"`
	Value jsontext.Value `json:"value"`
}

// WithoutSecrets returns the answers that may be stored: without those to secret settings,
// and without those whose JSON, finished or not, looks like it holds a secret.
func WithoutSecrets(settings adminapi.UpgradeSettings, answers Answers) Answers {
	fields := fieldsByID(settings)
	stored := Answers{}
	for id, answer := range answers {
		if !fields[id].Secret && !holdsSecret(strings.TrimSpace(answer.JSON)) {
			stored[id] = answer
		}
	}
	return stored
}

func holdsSecret(answer string) bool {
	if !jsontext.Value(answer).IsValid(jsonx.AsWritten) { // still being typed
		return secrets.IsName(answer) || new(secrets.ByName).Text(answer) != answer
	}
	masked, _ := secrets.Settings([]byte(answer))
	return !sameJSON(masked, jsontext.Value(answer))
}

// FileOf returns how the answers are given to upgrade start. No secret is among them.
func FileOf(settings adminapi.UpgradeSettings, answers Answers) (file SettingsFile) {
	fields, public := Form(settings), WithoutSecrets(settings, answers)
	licence, _ := LicenceSetting(fields)
	for _, f := range fields {
		a, known := public[f.ID]
		input := FileInput{ID: f.ID}
		switch {
		case answers[f.ID].isZero():
			continue
		case !known:
			file.Left = append(file.Left, f.Label)
			continue
		case f.ID == licence.ID && a.Path != "":
			file.Licence = a.Path
			continue
		case f.ID == LatestPatchSetting && a.Bool != nil:
			file.Latest = a.Bool
			continue
		case a.Path != "":
			file.Left = append(file.Left, f.Label)
			continue
		case a.Upload != "":
			input.Value, _ = jsontext.AppendQuote(nil, a.Upload)
		case a.Bool != nil:
			input.Value = jsontext.Value(strconv.FormatBool(*a.Bool))
		default:
			input.Value = jsontext.Value(strings.TrimSpace(a.JSON))
		}
		if len(input.Value) > 0 {
			file.Inputs = append(file.Inputs, input)
		}
	}
	return file
}
