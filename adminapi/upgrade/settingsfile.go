package upgrade

import (
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/secrets"

	"github.com/go-json-experiment/json/jsontext"
)

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
