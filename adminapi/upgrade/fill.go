package upgrade

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Fill returns the object to submit: exactly what the server gave, with the
// changed values replaced and nothing else. uploads holds the upload ids of the
// answered files by Field.ID; one that is missing is an error. See
// [PendingUploads] for a dry run.
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
	fields := map[string]Field{}
	for _, f := range Form(settings) {
		fields[f.ID] = f
	}
	var edits []edit
	left := maps.Clone(answers)
	for _, input := range inputs {
		answer, given := left[input.key]
		delete(left, input.key)
		if !given || answer.isZero() {
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
			return nil, fmt.Errorf("%s is not a setting that the site asks for", short(id))
		}
	}
	return apply(raw, edits), nil
}

// fill returns the new value, nil where the answer changes nothing.
func (f Field) fill(a Answer, now jsontext.Value, upload string) (jsontext.Value, error) {
	if f.wrong(a) != "" {
		return nil, errors.New(strings.TrimSuffix(f.Label+" "+f.wrong(a), "."))
	}
	var value jsontext.Value
	switch f.Kind {
	case Boolean:
		if textOf(now) != "" && isTrue(now) == *a.Bool {
			return nil, nil // "true" stays the text that it was
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
			return nil, fmt.Errorf("%s: the upload id is no text", f.Label)
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

// UploadPending stands for an upload id that does not exist yet.
const UploadPending = "(id after upload)"

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

// SettingsChanged returns the ids of the inputs that differ between two readings
// of the settings: added, removed, or of another type, value or requirement.
func SettingsChanged(before, now adminapi.UpgradeSettings) []string {
	old := map[string]Field{}
	for _, f := range Form(before) {
		old[f.ID] = f
	}
	var ids []string
	for _, f := range Form(now) {
		was, there := old[f.ID]
		delete(old, f.ID)
		if !there || was.Type != f.Type || was.Required != f.Required || !sameJSON(was.Value, f.Value) ||
			!slices.Equal(was.Extensions, f.Extensions) {
			ids = append(ids, f.ID)
		}
	}
	return append(ids, slices.Sorted(maps.Keys(old))...)
}

// edit replaces a part of a text; nothing is replaced where from is to.
type edit struct {
	from, to int
	text     string
}

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
	edits := make([]edit, len(in.spans))
	for i, span := range in.spans {
		edits[i] = edit{span[0], span[1], string(value)}
	}
	return edits
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
