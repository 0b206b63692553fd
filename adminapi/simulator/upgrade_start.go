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

type settingsBody struct {
	UserInputs []userInput `json:"userInputs"`
}

// The settings that updates ask for.
const (
	settingLatestPatch = "updateToLatestPatch"
	settingLicence     = "licenseUpload"
	settingVolumes     = "volumesConfig"
)

// The types of a setting.
const (
	inputBoolean = "Boolean"
	inputFile    = "File"
	inputJSON    = "JSON"
)

// newInput makes a setting as the site first shows it.
func newInput(id string) userInput {
	hidden := true
	switch id {
	case settingLatestPatch:
		return userInput{ID: id, Name: id, Description: id, Type: inputBoolean, Value: json.RawMessage("true"),
			DefaultValue: json.RawMessage("false"), Required: true, Hidden: &hidden}
	case settingLicence:
		return userInput{ID: id, Name: id, Description: "licenseFieldDescToken", Type: inputFile, Value: json.RawMessage(`""`),
			Required: true, Extensions: []string{"json"}}
	default:
		return userInput{ID: id, Name: id, Description: "Storage of the volumes that the upgrade needs for a while.", Type: inputJSON,
			Value: json.RawMessage(`{"stagingVolumeConfig":{"provisioningType":"DYNAMIC","storageClass":"default","size":"64Gi"}}`), Required: true}
	}
}

func (a *upgrades) showSettings(q *request) (answer, error) {
	u, err := a.world.updates.named(q, "upgradeId", a.world.updates.offered)
	if err != nil {
		return answer{}, err
	}
	if err := a.world.updates.checkFits(u); err != nil {
		return answer{}, err
	}
	form := a.settingsOf(u)
	a.settingsReads++
	a.startOtherAt(otherAfterSettings, q.now)
	return answer{body: form}, nil
}

// settingsOf is the form of an update as it stands now: where the scenario lets
// it change, it asks for one setting more, which has no value yet.
func (a *upgrades) settingsOf(u *update) settingsBody {
	form := settingsBody{UserInputs: u.importedForm()}
	ids := u.form
	if len(ids)+len(form.UserInputs) == 0 && u.NewLicensesRequired && !u.oldStyle() {
		ids = []string{settingLatestPatch, settingLicence}
	}
	for _, id := range ids {
		form.UserInputs = append(form.UserInputs, newInput(id))
	}
	if after := a.world.scenario.Upgrades.SettingsChangeAfter; after > 0 && a.settingsReads >= after && !u.oldStyle() {
		more := newInput(settingVolumes)
		more.Value = json.RawMessage(`""`)
		form.UserInputs = append(form.UserInputs, more)
	}
	for i := range form.UserInputs {
		form.UserInputs[i].SeqNum = i
	}
	return form
}

// importedForm is the form that an imported manifest brings in groups.
func (u *update) importedForm() []userInput {
	inputs := []userInput{}
	var groups []struct {
		Inputs []userInput `json:"groupInputs"`
	}
	if len(u.form) == 0 && json.Unmarshal(u.UserForm, &groups) == nil {
		for _, g := range groups {
			inputs = append(inputs, g.Inputs...)
		}
	}
	return inputs
}

// filledSettings is a settings object as the administrator filled it in.
type filledSettings struct {
	UserInputs []struct {
		ID    string          `json:"id"`
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"userInputs"`
}

// readSettings reads the parameter upgradeSettings.
func readSettings(text string) (filledSettings, error) {
	var s filledSettings
	if trimmed := bytes.TrimSpace([]byte(text)); len(trimmed) == 0 || trimmed[0] != '{' || json.Unmarshal(trimmed, &s) != nil {
		return s, invalid("a parameter has a value that is not allowed", "upgradeSettings is not a JSON object of settings (userInputs)")
	}
	return s, nil
}

// value finds what was filled in; nil where nothing was.
func (s filledSettings) value(id string) json.RawMessage {
	for _, input := range s.UserInputs {
		if text := string(input.Value); input.ID == id && text != `""` && text != "null" {
			return input.Value
		}
	}
	return nil
}

// checkSettings holds what was filled in against the form.
func (a *upgrades) checkSettings(form settingsBody, s filledSettings, u *update) error {
	for _, input := range s.UserInputs {
		i := slices.IndexFunc(form.UserInputs, func(f userInput) bool { return f.ID == input.ID })
		if i < 0 {
			return badSetting(input.ID, "is not asked for by "+u.ID)
		}
		if want := form.UserInputs[i].Type; input.Type != "" && input.Type != want {
			return badSetting(input.ID, "is of the type "+want+", not "+input.Type)
		}
	}
	for _, field := range form.UserInputs {
		value := s.value(field.ID)
		if value == nil && field.Required {
			return &refusal{code: 400, message: "A required setting is missing.", details: []string{"setting " + field.ID + " is required and has no value"}}
		}
		if value == nil {
			continue
		}
		if err := a.checkValue(field, value, u); err != nil {
			return err
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

// checkUploaded looks at the item behind a file setting.
func (a *upgrades) checkUploaded(field userInput, id string, u *update) error {
	item := a.world.uploads.byID[id]
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

// submit starts an upgrade, or says why not; it answers at once with the first message.
func (a *upgrades) submit(q *request) (answer, error) {
	if err := q.multipart(); err != nil {
		return answer{}, err
	}
	if a.startOtherAt(otherAtSubmit, q.now) {
		return answer{}, a.checkIdle(q.now)
	}
	u, err := a.requestedUpdate(q)
	if err != nil {
		return answer{}, err
	}
	latest, err := a.checkSubmitted(q, u)
	if err != nil {
		return answer{}, err
	}
	run := a.start(u, latest, q.user.Username, q.now)
	return answer{body: a.statusOf(run, q.now)}, nil
}

// requestedUpdate finds the target and checks that it may come now. The manifest
// file of the request, where one is given, counts before the site's own.
func (a *upgrades) requestedUpdate(q *request) (*update, error) {
	known := a.world.updates.offered
	content, err := q.filePart("versionManifestFile")
	if err != nil {
		return nil, err
	}
	if len(content) > 0 {
		if known, err = readManifest(content); err != nil {
			return nil, err
		}
	}
	u, err := a.world.updates.named(q, "versionManifest", known)
	if err != nil {
		return nil, err
	}
	if err := a.world.updates.checkFits(u); err != nil {
		return nil, err
	}
	for _, other := range known {
		if u.isRelease() && !other.isRelease() && other.required() && a.world.updates.checkFits(other) == nil {
			return nil, invalid("A required update has to be installed first.", "install "+other.ID+" ("+other.full().String()+") before "+u.ID)
		}
	}
	return u, nil
}

// named finds the update that a parameter names as {"id": ...}.
func (a *updates) named(q *request, name string, among []*update) (*update, error) {
	text, err := q.required(name)
	if err != nil {
		return nil, err
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &named); err != nil {
		return nil, invalid("a parameter has a value that is not allowed", name+` is not a JSON object such as {"id": "..."}`)
	}
	if named.ID == "" {
		return nil, invalid("a required parameter is missing", name+" names no id")
	}
	u := find(among, named.ID)
	if u == nil {
		u = find(a.catalogue, named.ID)
	}
	if u == nil || !a.knows(u, among) {
		return nil, invalid("unknown release or patch", "there is no release or patch with the id "+strconv.Quote(named.ID))
	}
	return u, nil
}

// knows reports whether an update is offered or was installed: a site without a
// manifest knows no others.
func (a *updates) knows(u *update, among []*update) bool {
	return slices.Contains(among, u) || a.isInstalled(u)
}

// checkSubmitted checks settings and licence by the style of the target, and
// reports whether the latest patch is installed as well.
func (a *upgrades) checkSubmitted(q *request, u *update) (latest bool, err error) {
	latest, err = q.boolean("updateToLatestPatch", false)
	if err != nil {
		return false, err
	}
	licence, err := q.filePart("licenseFile")
	if err != nil {
		return false, err
	}
	text, err := q.textPart("upgradeSettings")
	if err != nil {
		return false, err
	}
	if u.oldStyle() {
		return latest, a.checkOldStyle(u, text, licence)
	}
	if strings.TrimSpace(text) == "" {
		return false, invalid("a required parameter is missing", "parameter upgradeSettings is required for version "+u.Version)
	}
	settings, err := readSettings(text)
	if err != nil {
		return false, err
	}
	// An empty object beside a licence file was good before there were forms,
	// and still is.
	if len(settings.UserInputs) == 0 && len(licence) > 0 {
		return latest, a.checkLicence(licence, u)
	}
	latest = latest || string(settings.value(settingLatestPatch)) == "true"
	return latest, a.checkSettings(a.settingsOf(u), settings, u)
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
		return invalid("a required parameter is missing", "parameter licenseFile is required for "+u.ID+" and must not be empty")
	}
	return a.checkLicence(licence, u)
}

// start begins the upgrade to u, or past it to the latest patch of its
// release.
func (a *upgrades) start(u *update, latest bool, user string, at time.Time) *upgradeRun {
	run := &upgradeRun{operation: operationUpgrade, update: u, from: a.world.updates.siteVersion(), to: u.full(), user: user, start: at}
	if latest && u.isRelease() {
		for _, patch := range a.world.updates.offered {
			if !patch.isRelease() && patch.Version == u.Version && patch.Build.number > run.to[3] {
				run.to[3] = patch.Build.number
			}
		}
	}
	a.world.updates.add(u)
	name := typePatch
	if u.isRelease() {
		name = typeRelease
	}
	a.begin(run, upgradeScripts()[name])
	return run
}

// Licence returns a licence file that the simulated site takes for an upgrade
// to a version such as 12.0 or 12.0.0.7286.
func Licence(version string) []byte {
	text, _ := json.Marshal(map[string]string{"product": "geodeck simulator", "version": version})
	return text
}

// checkLicence takes a JSON object whose version has the same first two
// numbers as the target's, or as the one that the scenario wants. That is all:
// there is nothing here to protect.
func (a *upgrades) checkLicence(content []byte, u *update) error {
	var licence struct {
		Version string `json:"version"`
	}
	if len(content) == 0 {
		return invalid("The license file is empty.")
	}
	if json.Unmarshal(content, &licence) != nil || licence.Version == "" {
		return invalid("The license file is not valid.", `a license for the simulator is a JSON file such as {"version": "12.0"}`)
	}
	wanted := u.full()
	if text := a.world.scenario.Upgrades.Licence; text != "" {
		wanted, _ = parseVersion(text)
	}
	have, err := parseVersion(licence.Version)
	if err != nil || have[0] != wanted[0] || have[1] != wanted[1] {
		return invalid("The license file is for another version.", fmt.Sprintf("a license for %d.%d is needed", wanted[0], wanted[1]))
	}
	return nil
}
