package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// userInput is one setting that an upgrade asks for.
type userInput struct {
	SeqNum       int             `json:"seqNum"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Type         string          `json:"type"`
	Value        json.RawMessage `json:"value"`
	DefaultValue json.RawMessage `json:"defaultValue,omitempty"`
	Required     bool            `json:"required"`
	Hidden       *bool           `json:"isManagerInvisibleField,omitempty"`
	Extensions   []string        `json:"validFileExtensions,omitempty"`
	NewField     string          `json:"newfield"`
}

// The settings that updates ask for; data/settings.json has them as the site first
// shows them.
const (
	settingLatestPatch = "updateToLatestPatch"
	settingLicence     = "licenseUpload"
	settingVolumes     = "volumesConfig"
)

var allSettings = embedded[map[string]userInput]("settings.json")

// The types of a setting.
const (
	inputBoolean = "Boolean"
	inputFile    = "File"
	inputJSON    = "JSON"
)

func (a *upgrades) showSettings(q *request) any {
	u, err := a.updates.named(q, paramUpgradeID, a.updates.offered)
	if err != nil {
		return err
	}
	if err := a.updates.checkFits(u); err != nil {
		return err
	}
	form := a.settingsOf(u)
	a.settingsReads++
	a.startOtherAt(otherAfterSettings, q.now)
	return object{"userInputs": form}
}

// settingsOf is the form of an update as it is now: the one of the catalogue, or the one
// that an imported manifest brings in groups. Where the scenario lets it change, it asks
// for one more setting, which has no value yet.
func (a *upgrades) settingsOf(u *update) []userInput {
	form, ids := []userInput{}, u.form
	var groups []struct{ GroupInputs []userInput }
	if len(ids) == 0 && json.Unmarshal(u.UserForm, &groups) == nil {
		for _, g := range groups {
			form = append(form, g.GroupInputs...)
		}
	}
	if len(ids)+len(form) == 0 && u.NewLicensesRequired && !u.oldStyle() {
		ids = []string{settingLatestPatch, settingLicence}
	}
	for _, id := range ids {
		form = append(form, allSettings()[id])
	}
	if after := a.scenario.Upgrades.SettingsChangeAfter; after > 0 && a.settingsReads >= after && !u.oldStyle() {
		more := allSettings()[settingVolumes]
		more.Value = json.RawMessage(`""`)
		form = append(form, more)
	}
	for i := range form {
		form[i].SeqNum = i
	}
	return form
}

// filledSettings is a settings object as the administrator filled it in.
type filledSettings struct {
	UserInputs []struct {
		ID, Type string
		Value    json.RawMessage
	}
}

// readSettings reads the parameter upgradeSettings.
func readSettings(text string) (filledSettings, error) {
	var s filledSettings
	if trimmed := bytes.TrimSpace([]byte(text)); len(trimmed) == 0 || trimmed[0] != '{' || json.Unmarshal(trimmed, &s) != nil {
		return s, notAllowed("upgradeSettings is not a JSON object of settings (userInputs)")
	}
	return s, nil
}

// value returns what was filled in; nil where nothing was.
func (s filledSettings) value(id string) json.RawMessage {
	for _, input := range s.UserInputs {
		if text := string(input.Value); input.ID == id && text != `""` && text != "null" {
			return input.Value
		}
	}
	return nil
}

// checkSettings checks what was filled in against the form.
func (a *upgrades) checkSettings(s filledSettings, u *update) error {
	form := a.settingsOf(u)
	for _, input := range s.UserInputs {
		i := slices.IndexFunc(form, func(f userInput) bool { return f.ID == input.ID })
		if i < 0 {
			return badSetting(input.ID, "is not asked for by "+u.ID)
		}
		if want := form[i].Type; input.Type != "" && input.Type != want {
			return badSetting(input.ID, "is of the type "+want+", not "+input.Type)
		}
	}
	for _, field := range form {
		if value := s.value(field.ID); value != nil {
			if err := a.checkValue(field, value, u); err != nil {
				return err
			}
		} else if field.Required {
			return invalid("A required setting is missing.", "setting "+field.ID+" is required and has no value")
		}
	}
	return nil
}

func badSetting(id, what string) *refusal {
	return invalid("A setting is not accepted.", "setting "+strconv.Quote(id)+" "+what)
}

func (a *upgrades) checkValue(field userInput, value json.RawMessage, u *update) error {
	switch field.Type {
	case inputBoolean:
		if text := string(value); text != "true" && text != "false" {
			return badSetting(field.ID, "takes true or false")
		}
	case inputFile:
		var id string
		if json.Unmarshal(value, &id) != nil {
			return badSetting(field.ID, "takes the id of an uploaded item")
		}
		return a.checkUploaded(field, id, u)
	case inputJSON:
		if value[0] != '{' {
			return badSetting(field.ID, "takes a JSON object")
		}
	}
	return nil
}

// checkUploaded checks the uploaded item that a file setting names.
func (a *upgrades) checkUploaded(field userInput, id string, u *update) error {
	item := a.uploads.byID[id]
	switch {
	case item == nil:
		return badSetting(field.ID, "names no uploaded item: "+strconv.Quote(id))
	case !item.committed:
		return badSetting(field.ID, "names an item that is not committed")
	case len(field.Extensions) > 0 && !slices.Contains(field.Extensions, fileExtension(item.name)):
		return badSetting(field.ID, "names an item of another kind than "+field.Extensions[0])
	case field.ID != settingLicence:
		return nil
	}
	content, err := item.content()
	if err != nil {
		return err
	}
	return a.checkLicence(content, u)
}

// submit starts an upgrade or refuses it; it answers at once with the first message.
func (a *upgrades) submit(q *request) any {
	if a.startOtherAt(otherAtSubmit, q.now) {
		return a.checkIdle(q.now)
	}
	manifest, licence := q.upgradeFiles()
	u, err := a.requestedUpdate(q, manifest)
	if err != nil {
		return err
	}
	latest, err := a.checkSubmitted(q, u, licence)
	if err != nil {
		return err
	}
	run := a.start(u, latest, q.user.Username, q.now)
	return a.statusOf(run, q.now)
}

// upgradeFiles returns the files of a request. The vendor's Python package sends either of
// them, and names it licenseUpload.
func (q *request) upgradeFiles() (manifest, licence []byte) {
	manifest, licence = q.filePart("versionManifestFile"), q.filePart("licenseFile")
	file, either := &licence, q.filePart("licenseUpload")
	var versions struct{ Versions []json.RawMessage }
	if json.Unmarshal(either, &versions) == nil && versions.Versions != nil {
		file = &manifest
	}
	switch {
	case len(either) > 0 && len(*file) == 0:
		*file = either
	case len(either) > 0 && !bytes.Equal(*file, either):
		q.refuse(notAllowed("licenseUpload is another file than the one of its other name; one is wanted"))
	}
	return manifest, licence
}

// requestedUpdate finds the target and checks that it may be installed now. The manifest
// file of the request, where there is one, replaces the site's own.
func (a *upgrades) requestedUpdate(q *request, manifest []byte) (*update, error) {
	updates := a.updates
	known := updates.offered
	if q.err != nil {
		return nil, q.err
	}
	var err error
	if len(manifest) > 0 {
		if known, err = readManifest(manifest); err != nil {
			return nil, err
		}
	}
	u, err := updates.named(q, "versionManifest", known)
	if err != nil {
		return nil, err
	}
	if err := updates.checkFits(u); err != nil {
		return nil, err
	}
	for _, other := range known {
		if u.isRelease() && !other.isRelease() && other.required() && updates.checkFits(other) == nil {
			return nil, invalid("A required update has to be installed first.", "install "+other.ID+" ("+other.full().String()+") before "+u.ID)
		}
	}
	return u, nil
}

// checkSubmitted checks settings and licence by the style of the target, and
// reports whether the latest patch is installed as well.
func (a *upgrades) checkSubmitted(q *request, u *update, licence []byte) (latest bool, err error) {
	latest = q.boolean("updateToLatestPatch")
	text := q.textPart("upgradeSettings")
	switch {
	case q.err != nil:
		return false, q.err
	case u.oldStyle():
		return latest, a.checkOldStyle(u, text, licence)
	case strings.TrimSpace(text) == "":
		return false, missing("parameter upgradeSettings is required for version " + u.Version)
	}
	settings, err := readSettings(text)
	if err != nil {
		return false, err
	}
	// Before there were forms, a request had an empty object and a licence file. That is
	// still valid.
	if len(settings.UserInputs) == 0 && len(licence) > 0 {
		return latest, a.checkLicence(licence, u)
	}
	latest = latest || string(settings.value(settingLatestPatch)) == "true"
	return latest, a.checkSettings(settings, u)
}

func (a *upgrades) checkOldStyle(u *update, settings string, licence []byte) error {
	if settings != "" {
		filled, err := readSettings(settings)
		if err != nil {
			return err
		}
		if len(filled.UserInputs) > 0 {
			return badSetting(filled.UserInputs[0].ID, "is not asked for by "+u.ID)
		}
	}
	if !u.NewLicensesRequired && len(licence) == 0 {
		return nil
	}
	if len(licence) == 0 {
		return missing("parameter licenseFile is required for " + u.ID + " and must not be empty")
	}
	return a.checkLicence(licence, u)
}

// start starts the upgrade to u, or to the latest patch of its release.
func (a *upgrades) start(u *update, latest bool, user string, at time.Time) *upgradeRun {
	run := &upgradeRun{operation: operationUpgrade, update: u, from: a.updates.siteVersion(), to: u.full(), user: user, start: at}
	if latest && u.isRelease() {
		for _, patch := range a.updates.offered {
			if !patch.isRelease() && patch.Version == u.Version && patch.Build.number > run.to[3] {
				run.to[3] = patch.Build.number
			}
		}
	}
	a.updates.add(u)
	a.begin(run, u.Type)
	return run
}

// checkLicence accepts a JSON object whose version has the same first two
// numbers as the target's, or as the one that the scenario wants.
func (a *upgrades) checkLicence(content []byte, u *update) error {
	var licence struct{ Version string }
	if len(content) == 0 {
		return invalid("The license file is empty.")
	}
	if json.Unmarshal(content, &licence) != nil || licence.Version == "" {
		return invalid("The license file is not valid.", `a license for the simulator is a JSON file such as {"version": "12.0"}`)
	}
	wanted := u.full()
	if text := a.scenario.Upgrades.Licence; text != "" {
		wanted, _ = parseVersion(text)
	}
	have, err := parseVersion(licence.Version)
	if err != nil || have[0] != wanted[0] || have[1] != wanted[1] {
		return invalid("The license file is for another version.", fmt.Sprintf("a license for %d.%d is needed", wanted[0], wanted[1]))
	}
	return nil
}
