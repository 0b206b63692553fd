package adminapi

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/secrets"
)

// The operations of this file, with the privilege and the version that they require.
var (
	opAvailable       = upgradeOperation("read the updates that are available", VersionUpgrades).inContract()
	opUpgradeSettings = upgradeOperation("read the settings of an upgrade", VersionUpgrades).inContract()
)

// Manifest lists what a site offers to install. Both lists are empty if it offers nothing.
type Manifest struct {
	Patches  []Update `json:"patches"`
	Releases []Update `json:"releases"`
	Unknown  Unknown  `json:",embed"`
}

// The known types of an update.
const (
	TypePatch   = "patch"
	TypeRelease = "release"
)

// Update is one release or patch: a version object of the manifest. Builds are numbers in
// some and strings in others; here they are texts as written. Order updates by build: the
// version string stays the same along a chain of patches.
type Update struct {
	ID                   string         `json:"id"`
	Name                 string         `json:"name"`
	Type                 string         `json:"type"` // release or patch
	Description          string         `json:"description"`
	ReleaseNotes         string         `json:"releaseNotes"`
	Version              string         `json:"version"`         // of the site after the update
	PreviousVersion      string         `json:"previousVersion"` // that it is installed on
	Build                string         `json:"build"`
	PreviousBuild        string         `json:"previousBuild"`        // patches
	ReleaseBuild         string         `json:"releaseBuild"`         // patches: of the release they belong to
	PreviousReleaseBuild string         `json:"previousReleaseBuild"` // releases
	NewLicensesRequired  *bool          `json:"newLicensesRequired"`  // nil where it is not said, as of patches in older manifests
	Mandatory            bool           `json:"ismandatoryUpdate"`    // a required update: blocks a release until it is in
	URL                  string         `json:"url"`                  // not valid for releases, and never opened
	Released             Millis         `json:"released"`
	Containers           []Container    `json:"containers"`    // with the new ones
	NewContainers        []Container    `json:"newContainers"` // of releases in older manifests: named here alone
	UserForm             jsontext.Value `json:"userForm"`      // on some releases of manifest files
	Unknown              Unknown        `json:",embed"`

	// Raw is the update as the server or a file wrote it.
	Raw jsontext.Value `json:"-"`
}

// Container is a component that an update changes.
type Container struct {
	Name     string  `json:"name"`     // component, such as PORTAL_APPS
	Image    string  `json:"image"`    // image reference
	Checksum string  `json:"checksum"` // digest; "N/A" in real manifests
	Unknown  Unknown `json:",embed"`
}

// UnmarshalJSONFrom reads an update and keeps its bytes in Raw.
func (u *Update) UnmarshalJSONFrom(dec *jsontext.Decoder) (err error) {
	type fields Update
	u.Raw, err = decodeKept(dec, (*fields)(u))
	u.Containers = append(u.Containers, u.NewContainers...)
	return err
}

// NeedsLicence reports whether the update says that it needs a new licence.
func (u Update) NeedsLicence() bool { return u.NewLicensesRequired != nil && *u.NewLicensesRequired }

// FullVersion returns version.build, such as 11.5.0.6835, or the version alone if no
// build is given.
func (u Update) FullVersion() string {
	if u.Build == "" {
		return u.Version
	}
	return u.Version + "." + u.Build
}

// UpgradeSettings are the settings that a site requires for an upgrade. Package upgrade
// fills them in and leaves what it does not know unchanged.
type UpgradeSettings struct {
	Inputs  []UserInput `json:"userInputs"`
	Unknown Unknown     `json:",embed"`

	// Raw is the object as the server wrote it, without white space.
	Raw    jsontext.Value `json:"-"`
	OfFile bool           `json:"-"` // of a manifest file, not of the site
}

// Settings returns the settings that a manifest file says that the update asks for: none where it says
// nothing of them. They are in the form in which a site asks for them.
func (u Update) Settings() (UpgradeSettings, error) {
	var groups []struct {
		GroupInputs []jsontext.Value `json:"groupInputs"`
	}
	raw := jsontext.Value("{}")
	if len(u.UserForm) > 0 {
		if err := decode(u.UserForm, &groups); err != nil {
			return UpgradeSettings{}, notJSON("the settings in the manifest file cannot be read", err)
		}
		var inputs [][]byte
		for _, group := range groups {
			for _, input := range group.GroupInputs {
				inputs = append(inputs, input)
			}
		}
		raw = slices.Concat([]byte(`{"userInputs":[`), bytes.Join(inputs, []byte(",")), []byte("]}"))
	}
	settings := UpgradeSettings{Raw: raw, OfFile: true}
	if err := decode(raw, &settings); err != nil {
		return UpgradeSettings{}, notJSON("the settings in the manifest file cannot be read", err)
	}
	return settings, nil
}

// UserInput is one setting.
type UserInput struct {
	SeqNum              int            `json:"seqNum"`
	ID                  string         `json:"id"`
	Name                string         `json:"name"`
	Description         string         `json:"description"`
	Type                string         `json:"type"` // Boolean, File; others exist
	Value               jsontext.Value `json:"value"`
	DefaultValue        jsontext.Value `json:"defaultValue"`
	Required            bool           `json:"required"`
	Hidden              bool           `json:"isManagerInvisibleField"`
	ValidFileExtensions []string       `json:"validFileExtensions"`
	Unknown             Unknown        `json:",embed"`
}

// Part is one part of a multipart request.
type Part struct {
	Name     string // of the field
	FileName string // with Content as a file; empty for a plain field
	File     bool   // sent as a file, even if it is empty
	Content  []byte
	Secret   bool             // the content is neither shown nor recorded
	Secrets  []secrets.Secret // values within Content that are masked in every text once it is sent
}

// DecodeManifest reads a version manifest in the form of an answer (two lists) or of a
// file: {"versions": [...], "signature": ...} with releases and patches in one list. Of
// that list, elements of type release become Releases, all others Patches; an element
// that cannot be read has only Raw. Unknown members are kept. The error is of
// [KindNotJSON] if data is not a manifest.
func DecodeManifest(data []byte) (Manifest, error) {
	manifest, e := decodeManifest(trimmed(data))
	if e != nil {
		e.Operation = "read this version manifest"
		return Manifest{}, e
	}
	return manifest, nil
}

func decodeManifest(data []byte) (Manifest, *Error) {
	var file struct {
		Versions []jsontext.Value `json:"versions"`
		Patches  []jsontext.Value `json:"patches"`
		Releases []jsontext.Value `json:"releases"`
		Unknown  Unknown          `json:",embed"`
	}
	if err := decode(data, &file); err != nil {
		return Manifest{}, notJSON("not the JSON of a version manifest, or cut off", err)
	}
	if file.Versions == nil && file.Patches == nil && file.Releases == nil {
		return Manifest{}, notJSON("this is JSON, but not a version manifest", nil)
	}
	m := Manifest{Patches: readUpdates(file.Patches), Releases: readUpdates(file.Releases), Unknown: file.Unknown}
	for _, update := range readUpdates(file.Versions) {
		if strings.EqualFold(strings.TrimSpace(update.Type), TypeRelease) {
			m.Releases = append(m.Releases, update)
		} else {
			m.Patches = append(m.Patches, update)
		}
	}
	return m, nil
}

// readUpdates reads each element separately, so that a bad one does not affect the others.
func readUpdates(values []jsontext.Value) []Update {
	updates := make([]Update, len(values))
	for i, value := range values {
		if value.Kind() != jsontext.KindBeginObject || decode(value, &updates[i]) != nil {
			updates[i] = Update{Raw: bytes.Clone(value)}
		}
	}
	return updates
}

// Available fetches the updates that the site offers. The error is of [KindBusy] while
// an upgrade runs.
func (u Upgrades) Available(ctx context.Context) (Manifest, error) {
	k := Call{operation: opAvailable, method: http.MethodPost, path: []string{"system", "upgrades", "available"}}
	return read(ctx, u.client, k, func(a answer) (Manifest, *Error) { return decodeManifest(a.body) })
}

// Settings fetches the settings that the site requires to install an update. There
// are no inputs if it requires none.
func (u Upgrades) Settings(ctx context.Context, updateID string) (UpgradeSettings, error) {
	object, e := idObject(updateID)
	if e != nil {
		e.Operation = opUpgradeSettings.name
		return UpgradeSettings{}, e
	}
	k := Call{
		operation: opUpgradeSettings, method: http.MethodPost,
		path: []string{"system", "upgrades", "getUpgradeSettings"}, fields: url.Values{"upgradeId": {object}},
	}
	settings, raw, err := readRaw(ctx, u.client, k, "userInputs", func(s *UpgradeSettings) bool { return s.Inputs != nil || len(s.Unknown) == 0 })
	_ = raw.Compact(jsonx.AsWritten) // it is sent back without the white space of pjson
	settings.Raw = raw
	return settings, err
}

// idObject returns the parameter that names an update: {"id": ...}.
func idObject(id string) (string, *Error) {
	if e := checkSegment(id); e != nil {
		return "", e
	}
	object, err := jsontext.AppendQuote([]byte(`{"id":`), id)
	if err != nil {
		return "", invalid("the id is not a string")
	}
	return string(object) + "}", nil
}
