package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/uitest/sweep/oracle"
)

// filling is what an administrator fills in for a release: whether its latest patch is installed as well, its licence, and the
// storage that the site wants to know of on some days, from when the settings were read first.
type filling struct {
	latest  bool
	flag    bool   // commands are told so by a flag, not in a file of settings
	licence string // the path of its file
	folder  string // of the files that commands are given; empty for none yet
}

// The settings that a site asks for before a release.
const (
	latestPatch = "updateToLatestPatch"
	licenceFile = "licenseUpload"
	volumes     = "volumesConfig"
)

// storage is what is filled in for the volumes: others than a site has, with what is often sent as something else.
const storage = `{"stagingVolumeConfig":{"provisioningType":"DYNAMIC","storageClass":"fast <&>","size":"128Gi","iops":1.50,"labels":[]}}`

// fillsIn chooses what is filled in on this day.
func (m *machine) fillsIn() {
	r := m.day.random("settings")
	m.filling = &filling{latest: r.IntN(2) == 0, flag: r.IntN(3) == 0, licence: "/home/ada/" + releaseVersion + ".json"}
}

// asksForMore is a site that asks for one more setting once it was asked for them.
var asksForMore = oddity{"it asks for one more setting from the second time on", func(p *plan) { p.scenario.Upgrades.SettingsChangeAfter = 1 }}

// intent is the wish to have that filled in.
func (f *filling) intent() *oracle.Intent {
	if f == nil {
		return nil
	}
	content, _ := papers{}.Open(f.licence)
	text, _ := io.ReadAll(content)
	return &oracle.Intent{Filled: map[string]string{latestPatch: strconv.FormatBool(f.latest), volumes: storage}, Licence: string(text)}
}

// answers fills the settings of a request in.
func (f *filling) answers(request operation.UpgradeRequest) {
	for _, field := range upgrade.Form(request.Settings) {
		switch field.ID {
		case latestPatch:
			request.Answers[field.ID] = upgrade.Answer{Bool: &f.latest}
		case licenceFile:
			request.Answers[field.ID] = upgrade.Answer{Path: f.licence}
		case volumes:
			request.Answers[field.ID] = upgrade.Answer{JSON: storage}
		}
	}
}

// byFlags fills them in as commands take them: each time anew from what the site asks for then.
func (f *filling) byFlags(r *run) ([]string, error) {
	licence, err := f.write("licence", f.intent().Licence)
	if err != nil {
		return nil, err
	}
	given := []string{"--license", licence}
	p := r.command("", "upgrade", "settings", release)
	if p.code != codeDone {
		return nil, fmt.Errorf("the settings cannot be read: exit %d", p.code)
	}
	text, asked := f.fill(p.out)
	if !asked[latestPatch] || !asked[licenceFile] {
		r.machine.day.fail("the settings of %s are printed without what the site asks for: %.300s", release, p.out)
	}
	if f.flag {
		given = append(given, "--latest-patch="+strconv.FormatBool(f.latest))
	}
	if f.flag && !asked[volumes] {
		return given, nil // nothing else is to be filled in
	}
	settings, err := f.write("settings", text)
	return append(given, "--settings", settings), err
}

// fill is a printed form with what is filled in there, and which settings it has.
func (f *filling) fill(printed string) (text string, asked map[string]bool) {
	form := map[string]json.RawMessage{}
	var inputs []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(printed), &form); err == nil {
		_ = json.Unmarshal(form["userInputs"], &inputs)
	}
	asked = map[string]bool{}
	wants := f.intent().Filled
	for _, input := range inputs {
		var id string
		_ = json.Unmarshal(input["id"], &id)
		if want, found := wants[id]; found && !(id == latestPatch && f.flag) {
			input["value"] = json.RawMessage(want)
		}
		asked[id] = true
	}
	form["userInputs"] = asWritten(inputs)
	return string(asWritten(form)), asked
}

// write writes a file for a command. The site is told its name.
func (f *filling) write(name, text string) (path string, err error) {
	if f.folder == "" {
		if f.folder, err = realFolder("release"); err != nil {
			return "", err
		}
	}
	path = filepath.Join(f.folder, name+".json")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// remove removes what was written.
func (f *filling) remove() {
	if f != nil && f.folder != "" {
		_ = os.RemoveAll(f.folder)
	}
}

// keepUpload keeps what was uploaded, by the id that the site has given it.
func (s *site) keepUpload(p *post, files map[string]string) {
	var answer struct {
		Item struct {
			ItemID string `json:"itemID"`
		} `json:"item"`
	}
	if p.path == "/uploads/upload" && json.Unmarshal([]byte(p.answer), &answer) == nil {
		s.day.oracle.Uploaded(answer.Item.ItemID, files["itemFile"])
	}
}

// asWritten is a value as JSON that leaves what is in it as it was written.
func asWritten(v any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return text.Bytes()
}
