package simulator

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
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

func settingsRoutes(w *world) []route {
	return []route{asking(post("/system/upgrades/getUpgradeSettings", "Get upgrade settings", w.showSettings))}
}

func (w *world) showSettings(q *request) (answer, error) {
	u, err := w.namedUpdate(q, "upgradeId", w.upgrades.offered)
	if err != nil {
		return answer{}, err
	}
	if err := w.doesNotFit(u); err != nil {
		return answer{}, err
	}
	form := w.settingsOf(u)
	w.upgrades.asked++
	w.somebodyElse(elseAfterSettings, q.now)
	return answer{body: form}, nil
}

// settingsOf is the form of an update as it stands now: where the scenario lets
// it change, it asks for one setting more, which has no value yet.
func (w *world) settingsOf(u *update) settingsBody {
	form := settingsBody{UserInputs: u.importedForm()}
	ids := u.form
	if len(ids)+len(form.UserInputs) == 0 && u.NewLicensesRequired && !u.oldStyle() {
		ids = []string{settingLatestPatch, settingLicence}
	}
	for _, id := range ids {
		form.UserInputs = append(form.UserInputs, newInput(id))
	}
	if after := w.scenario.Upgrades.SettingsChangeAfter; after > 0 && w.upgrades.asked >= after && !u.oldStyle() {
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

// namedUpdate finds the update that a parameter names as {"id": ...}.
func (w *world) namedUpdate(q *request, name string, among []*update) (*update, error) {
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
		u = find(w.upgrades.catalogue, named.ID)
	}
	if u == nil || !w.knows(u, among) {
		return nil, invalid("unknown release or patch", "there is no release or patch with the id "+strconv.Quote(named.ID))
	}
	return u, nil
}

// knows tells whether an update is offered or was installed: a site without a
// manifest knows no others.
func (w *world) knows(u *update, among []*update) bool {
	return slices.Contains(among, u) || w.isInstalled(u)
}

// submitted is a settings object as somebody filled it in.
type submitted struct {
	UserInputs []struct {
		ID    string          `json:"id"`
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"userInputs"`
}

// readSettings reads the parameter upgradeSettings.
func readSettings(text string) (submitted, error) {
	var s submitted
	if trimmed := bytes.TrimSpace([]byte(text)); len(trimmed) == 0 || trimmed[0] != '{' || json.Unmarshal(trimmed, &s) != nil {
		return s, invalid("a parameter has a value that is not allowed", "upgradeSettings is not a JSON object of settings (userInputs)")
	}
	return s, nil
}

// value finds what was filled in; nil where nothing was.
func (s submitted) value(id string) json.RawMessage {
	for _, input := range s.UserInputs {
		if text := string(input.Value); input.ID == id && text != `""` && text != "null" {
			return input.Value
		}
	}
	return nil
}

// checkSettings holds what was filled in against the form.
func (w *world) checkSettings(form settingsBody, s submitted, u *update) error {
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
		if err := w.checkValue(field, value, u); err != nil {
			return err
		}
	}
	return nil
}

func badSetting(id, what string) *refusal {
	return invalid("A setting is not accepted.", "setting "+strconv.Quote(id)+" "+what)
}

func (w *world) checkValue(field userInput, value json.RawMessage, u *update) error {
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
		return w.checkUploaded(field, id, u)
	case inputJSON:
		if value[0] != '{' {
			return badSetting(field.ID, "takes a JSON object")
		}
	}
	return nil
}

// checkUploaded looks at the item behind a file setting.
func (w *world) checkUploaded(field userInput, id string, u *update) error {
	item := w.uploads.byID[id]
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
	return w.checkLicence(content, u)
}
