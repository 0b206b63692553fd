package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/lists"

	"github.com/go-json-experiment/json/jsontext"
)

// Check returns what keeps the answers from being sent: a required setting without a
// value, invalid JSON (with line and column), an answer of the wrong kind, an answer to a
// setting that does not exist. Files are checked by [CheckFile].
func Check(fields []Field, answers Answers) []finding.Finding {
	var problems []finding.Finding
	known := make(map[string]bool, len(fields))
	for _, f := range fields {
		known[f.ID] = true
		if text := f.problem(answers[f.ID]); text != "" {
			text = f.Label + " " + text
			if _, licence := LicenceSetting([]Field{f}); licence && answers[f.ID].isZero() {
				text = "A licence file is required."
			}
			problems = append(problems, problem(f.ID, text))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if !known[id] && !answers[id].isZero() {
			problems = append(problems, problem(id, notASetting(id)+"."))
		}
	}
	return problems
}

func notASetting(id string) string { return short(id) + " is not a setting that the site asks for" }

// problem returns what is wrong with an answer, to follow the label of the field.
func (f Field) problem(a Answer) string {
	missing := f.Required && f.Empty()
	text := strings.TrimSpace(a.JSON)
	switch f.Kind {
	case Boolean:
		switch {
		case a.Path != "" || a.Upload != "" || a.JSON != "":
			return "takes yes or no."
		case a.Bool == nil && missing:
			return "is required: say yes or no."
		}
	case File:
		switch {
		case a.Bool != nil || a.JSON != "":
			return "takes a file."
		case a.isZero() && missing:
			return "is required: name a file."
		}
	default:
		switch {
		case a.Bool != nil || a.Path != "" || a.Upload != "":
			return "takes JSON."
		case text == "" && missing:
			return "is required: give it as JSON."
		case text == "":
			return ""
		}
		if err := checkJSON([]byte(a.JSON)); err != nil {
			return "is " + err.Error() + "."
		}
		if f.Required && textOf(jsontext.Value(text)) == "" {
			return "is required and must not be empty."
		}
	}
	return ""
}

// checkJSON checks that data is one JSON value. The error says where it is invalid, and
// quotes nothing of it.
func checkJSON(data []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	err := decoder.SkipValue()
	if err == nil {
		if _, err = decoder.ReadToken(); err == io.EOF {
			return nil
		}
		if err == nil {
			return fmt.Errorf("not JSON: text after its end at %s", position(data, decoder.InputOffset()))
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("empty")
	}
	at := decoder.InputOffset()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("not usable: duplicate key at %s", position(data, at))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || at >= int64(len(data)) {
		return fmt.Errorf("not JSON: it ends too early at %s", position(data, int64(len(data))))
	}
	return fmt.Errorf("not JSON at %s", position(data, at))
}

// position counts from 1, columns in characters.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// AnswersFrom returns the answers in a settings object that was filled in, such as an
// edited output of `upgrade settings`: every value that differs from the current one.
// Inputs that the site does not ask for are problems. The string of a File setting is
// taken for an upload id. The error says where filled is not JSON, or not a settings object.
func AnswersFrom(settings adminapi.UpgradeSettings, filled []byte) (Answers, []finding.Finding, error) {
	if err := checkJSON(filled); err != nil {
		return nil, nil, fmt.Errorf("the settings are %w", err)
	}
	given, err := scan(filled)
	if err != nil {
		return nil, nil, err
	}
	fields := fieldsByID(settings)
	answers := Answers{}
	var problems []finding.Finding
	for _, input := range given {
		f, known := fields[input.key]
		switch {
		case !known:
			problems = append(problems, problem(input.key, notASetting(input.key)+"."))
		case input.value == nil || sameJSON(input.value, f.Value):
		default:
			answer, text := f.read(input.value)
			if text != "" {
				problems = append(problems, problem(f.ID, f.Label+" "+text))
				continue
			}
			answers[f.ID] = answer
		}
	}
	return answers, problems, nil
}

// read returns the answer that a value stands for, or what is wrong with it.
func (f Field) read(value jsontext.Value) (Answer, string) {
	text := textOf(value)
	switch f.Kind {
	case Boolean:
		if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
			return Answer{}, "takes true or false."
		}
		on := isTrue(value)
		return Answer{Bool: &on}, ""
	case File:
		switch {
		case value.Kind() != jsontext.KindString:
			return Answer{}, "takes the id of an upload as a string."
		case text == "":
			return Answer{}, "has a file already and cannot be emptied."
		}
		return Answer{Upload: text}, ""
	}
	return Answer{JSON: string(value)}, ""
}

// sameJSON reports whether two values have the same tokens: 1.0 is not 1.
func sameJSON(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	a, b = bytes.Clone(a), bytes.Clone(b)
	if a.Compact(jsonx.AsWritten) != nil || b.Compact(jsonx.AsWritten) != nil {
		return false
	}
	return bytes.Equal(a, b)
}

// MaxLicence is the size of the largest licence file that is accepted, in bytes. Real ones
// have some kilobytes.
const MaxLicence = 10 << 20

// CheckFile checks a file before it is used for a setting: its extension, its size in
// bytes by the file system (content may be empty where the file is too large to be read),
// and that a .json file is one JSON value. The error says what to do and never quotes the
// content.
func CheckFile(name string, size int64, content []byte, f Field) error {
	name = short(name[strings.LastIndexAny(name, `/\`)+1:])
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch {
	case name == "":
		return errors.New("no file is named")
	}
	name = "the file " + name // which a sentence does not begin with: its first letter is its own
	switch {
	case len(f.Extensions) > 0 && !slices.Contains(f.Extensions, extension):
		return fmt.Errorf("%s must end in .%s", name, short(strings.Join(f.Extensions, " or .")))
	case size == int64(len(content)) && len(bytes.TrimSpace(content)) == 0:
		return fmt.Errorf("%s is empty", name)
	case size > MaxLicence:
		return fmt.Errorf("%s has %.1f MiB; the limit is %d MiB", name, float64(size)/(1<<20), MaxLicence>>20)
	case size != int64(len(content)):
		return fmt.Errorf("%s changed while it was read; try again", name)
	}
	if extension == "json" {
		if err := checkJSON(content); err != nil {
			return fmt.Errorf("%s is %w", name, err)
		}
	}
	return nil
}

// LicenceField returns the field that a licence which goes with the request is checked with.
func LicenceField() Field {
	return Field{ID: "licenseFile", Label: "Licence file", Kind: File, Extensions: []string{"json"}}
}

// Fill returns the object to submit: what the server gave, byte for byte, with the changed
// values replaced. uploads holds the upload ids of the answered files by Field.ID; a
// missing one is an error. See [PendingUploads] for a dry run.
func Fill(settings adminapi.UpgradeSettings, answers Answers, uploads map[string]string) (jsontext.Value, error) {
	raw := settings.Raw
	if len(raw) == 0 {
		if len(settings.Inputs) > 0 {
			return nil, errors.New("the settings were not read from a site")
		}
		raw = jsontext.Value("{}")
	}
	inputs, err := scan(raw)
	if err != nil && !errors.Is(err, errNoSettings) {
		return nil, err
	}
	fields := fieldsByID(settings)
	var edits []edit
	left := maps.Clone(answers)
	for _, input := range inputs {
		answer := left[input.key]
		delete(left, input.key)
		if answer.isZero() {
			continue
		}
		value, err := fields[input.key].fill(answer, input.value, uploads[input.key])
		if err != nil {
			return nil, err
		}
		edits = append(edits, input.edits(value)...)
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		if !left[id].isZero() {
			return nil, errors.New(notASetting(id))
		}
	}
	return apply(raw, edits), nil
}

// BesideLicence returns the settings that are sent beside a licence in the request, and their answers: none,
// as in the example of the contract, unless more than the latest patch is asked for, or that was answered.
func BesideLicence(settings adminapi.UpgradeSettings, answers Answers) (adminapi.UpgradeSettings, Answers) {
	left, fields := maps.Clone(answers), Form(settings)
	licence, asked := LicenceSetting(fields)
	delete(left, licence.ID)
	if asked && !slices.ContainsFunc(fields, func(f Field) bool {
		return f.ID != licence.ID && (f.ID != LatestPatchSetting || !left[f.ID].isZero())
	}) {
		return adminapi.UpgradeSettings{}, left
	}
	return settings, left
}

// fill returns the new value, nil where the answer changes nothing.
func (f Field) fill(a Answer, now jsontext.Value, upload string) (jsontext.Value, error) {
	if problem := f.problem(a); problem != "" {
		return nil, errors.New(f.Label + " " + strings.TrimSuffix(problem, "."))
	}
	var value jsontext.Value
	switch f.Kind {
	case Boolean:
		if textOf(now) != "" && isTrue(now) == *a.Bool {
			return nil, nil // a text such as "true" stays a text
		}
		value = jsontext.Value(fmt.Sprint(*a.Bool))
	case File:
		if a.Path == "" {
			upload = a.Upload
		}
		if upload == "" {
			return nil, fmt.Errorf("%s is not uploaded", f.Label)
		}
		quoted, err := jsontext.AppendQuote(nil, upload)
		if err != nil {
			return nil, fmt.Errorf("%s: the upload id is not a string", f.Label)
		}
		value = quoted
	default:
		if value = jsontext.Value(strings.TrimSpace(a.JSON)); len(value) == 0 {
			return nil, nil
		}
	}
	if sameJSON(value, now) {
		return nil, nil
	}
	return value, nil
}

// UploadPending takes the place of an upload id that does not exist yet.
const UploadPending = "(its upload id is filled in automatically)"

// PendingUploads returns UploadPending for every answered file.
func PendingUploads(answers Answers) map[string]string {
	uploads := map[string]string{}
	for id, answer := range answers {
		if answer.Path != "" {
			uploads[id] = UploadPending
		}
	}
	return uploads
}

// SettingsChanged returns the ids of the inputs that differ between two snapshots of the
// settings: added, removed, or of another type, value or requirement.
func SettingsChanged(before, now adminapi.UpgradeSettings) []string {
	old := fieldsByID(before)
	var ids []string
	for _, f := range Form(now) {
		was, found := old[f.ID]
		delete(old, f.ID)
		if !found || was.Type != f.Type || was.Required != f.Required || !sameJSON(was.Value, f.Value) ||
			!slices.Equal(was.Extensions, f.Extensions) {
			ids = append(ids, f.ID)
		}
	}
	return append(ids, slices.Sorted(maps.Keys(old))...)
}

// edit replaces a part of a text, or inserts where from is to.
type edit struct {
	from, to int
	text     string
}

// edits sets the value of the input wherever the object names it.
func (in input) edits(value jsontext.Value) []edit {
	if value == nil || !in.object {
		return nil
	}
	if len(in.spans) == 0 {
		text := `,"value":` + string(value)
		if in.empty {
			text = text[1:]
		}
		return []edit{{in.end, in.end, text}}
	}
	return lists.Each(in.spans, func(span [2]int) edit { return edit{span[0], span[1], string(value)} })
}

// apply makes the edits, which are in the order of the text and do not overlap.
func apply(raw jsontext.Value, edits []edit) jsontext.Value {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, raw[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, raw[at:]...)
}

// LatestPatchSetting is the id of the setting that decides whether an upgrade includes the
// latest patch.
const LatestPatchSetting = "updateToLatestPatch"

// LatestPatch reports whether an upgrade includes the latest patch: as answered, else as
// the site proposes.
func LatestPatch(settings adminapi.UpgradeSettings, answers Answers) bool {
	field, found := fieldByID(settings, LatestPatchSetting)
	if answer := answers[LatestPatchSetting]; found && answer.Bool != nil {
		return *answer.Bool
	}
	return found && field.On()
}
