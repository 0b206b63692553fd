package upgrade_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"geodeck/adminapi/upgrade"
)

// What is read from the file of --settings is what was answered, but for what holds a secret or is
// a file: those are named.
func TestAFileOfSettingsHasTheAnswersWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	settings := settingsOf(t, `{"userInputs": [
		{"id": "updateToLatestPatch", "type": "Boolean", "value": false},
		{"id": "licenseUpload", "type": "File", "value": "", "required": true},
		{"id": "otherUpload", "name": "Other file", "type": "File", "value": ""},
		{"id": "sent", "type": "File", "value": ""},
		{"id": "storagePassword", "type": "String", "value": ""},
		{"id": "connection", "type": "JSON", "value": {}},
		{"id": "fast", "type": "Boolean", "value": "true"},
		{"id": "size", "type": "JSON", "value": {"a": 1}},
		{"id": "left", "type": "JSON", "value": 1}]}`)
	yes, no := true, false
	answers := upgrade.Answers{
		"updateToLatestPatch": {Bool: &yes}, "licenseUpload": {Path: "/tmp/licence.json"}, "otherUpload": {Path: "/tmp/other"}, "sent": {Upload: "u17"},
		"storagePassword": {JSON: `"hunter2"`}, "connection": {JSON: `{"password": "hunter2"}`}, "fast": {Bool: &no}, "size": {JSON: ` {"a": 2} `},
	}
	file := upgrade.FileOf(settings, answers)
	text, err := json.Marshal(map[string]any{"userInputs": file.Inputs})
	if err != nil || strings.Contains(string(text), "hunter") {
		t.Fatal(err, string(text))
	}
	read, problems, err := upgrade.AnswersFrom(settings, text)
	if want := (upgrade.Answers{"sent": {Upload: "u17"}, "fast": {Bool: &no}, "size": {JSON: `{"a":2}`}}); err != nil || len(problems) > 0 || !reflect.DeepEqual(read, want) {
		t.Errorf("%s is read as %v %v %v", text, read, problems, err)
	}
	if file.Licence != "/tmp/licence.json" || file.Latest != &yes || len(file.Left) != 3 {
		t.Errorf("%+v", file)
	}
}
