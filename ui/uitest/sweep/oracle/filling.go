package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// licenceSetting is the setting whose value is the id of an uploaded licence.
const licenceSetting = "licenseUpload"

// Uploaded says that the site has a file, by the id that it gave it.
func (d *Day) Uploaded(id, content string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.uploads == nil {
		d.uploads = map[string]string{}
	}
	d.uploads[id] = content
}

// filledIsSent wants each answer of a person in the settings of an upgrade, once and with its very value, and the content of
// the licence that they named.
func filledIsSent(a arrival) (judged int, wrong []string) {
	if a.Intent == nil || len(a.Intent.Filled) == 0 || !strings.HasSuffix(a.Path, "/upgrades/upgrade") {
		return 0, nil
	}
	var sent struct {
		UserInputs []struct {
			ID    string
			Value json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(a.Fields.Get("upgradeSettings")), &sent); err != nil {
		return 1, []string{fmt.Sprintf("the settings of %s are %v", a.Path, err)}
	}
	var ids []string
	for _, input := range sent.UserInputs {
		judged++
		if ids = append(ids, input.ID); slices.Contains(ids[:len(ids)-1], input.ID) {
			wrong = append(wrong, fmt.Sprintf("%s is sent twice in the settings", input.ID))
		}
		value := string(input.Value)
		if want, found := a.Intent.Filled[input.ID]; found && value != want {
			wrong = append(wrong, fmt.Sprintf("%s was filled in as %s, and %s was sent", input.ID, want, value))
		}
		if input.ID != licenceSetting {
			continue
		}
		var id string
		_ = json.Unmarshal(input.Value, &id)
		a.mu.Lock()
		content, found := a.uploads[id]
		a.mu.Unlock()
		if !found || content != a.Intent.Licence {
			wrong = append(wrong, fmt.Sprintf("the licence that was sent is %d bytes that the site has as %q, and the file has %d", len(content), id, len(a.Intent.Licence)))
		}
	}
	for _, id := range []string{"updateToLatestPatch", licenceSetting} {
		if !slices.Contains(ids, id) {
			wrong = append(wrong, id+" was filled in, and not sent")
		}
	}
	return judged, wrong
}
