package upgrade

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"

	"github.com/go-json-experiment/json/jsontext"
)

// The parts of the request, by their names on the wire.
const (
	PartManifest     = "versionManifest"
	PartManifestFile = "versionManifestFile"
	PartLicence      = "licenseFile"
	PartSettings     = "upgradeSettings"
	PartLatestPatch  = "updateToLatestPatch"
)

// Request is everything that an upgrade request is made of.
type Request struct {
	Target       adminapi.Update
	Manifest     []byte         // content of a manifest file; nil sends the part empty
	ManifestName string         // its file name
	Settings     jsontext.Value // new style: from Fill
	Licence      []byte         // content of the licence file; nil sends no such part
	LicenceName  string         // its file name
	LatestPatch  *bool          // old style: updateToLatestPatch, nil sends no such part
}

// Parts returns the parts of the request in the order they are sent, without f and
// token. The error names what is missing or belongs to the other style.
func Parts(r Request) ([]adminapi.Part, error) {
	style := StyleOf(r.Target)
	if err := r.fits(style); err != nil {
		return nil, err
	}
	id, err := manifestID(r.Target)
	if err != nil {
		return nil, err
	}
	file := adminapi.Part{Name: PartManifestFile, File: true}
	if r.Manifest != nil {
		file.FileName, file.Content = fileName(r.ManifestName, "manifest.dat"), r.Manifest
	}
	parts := []adminapi.Part{{Name: PartManifest, Content: id}, file}
	if r.Licence != nil {
		name := fileName(r.LicenceName, "license.json")
		parts = append(parts, adminapi.Part{Name: PartLicence, FileName: name, File: true, Content: r.Licence, Secret: true})
	}
	if style == New {
		_, found := secrets.Settings(r.Settings)
		return append(parts, adminapi.Part{Name: PartSettings, Content: r.Settings, Secrets: found}), nil
	}
	parts = append(parts, adminapi.Part{Name: PartSettings, Content: []byte("{}")})
	if r.LatestPatch != nil {
		parts = append(parts, adminapi.Part{Name: PartLatestPatch, Content: fmt.Append(nil, *r.LatestPatch)})
	}
	return parts, nil
}

// fits refuses what belongs to the other style, which the platform ignores without a word.
func (r Request) fits(style Style) error {
	target := displayName(r.Target)
	switch {
	case style == New && r.LatestPatch != nil:
		return fmt.Errorf("an upgrade to %s takes updateToLatestPatch in its settings", target)
	case style == New && len(bytes.TrimSpace(r.Settings)) == 0:
		return fmt.Errorf("an upgrade to %s needs its settings", target)
	case style == New && (r.Settings.Kind() != jsontext.KindBeginObject || !r.Settings.IsValid(jsonx.AsWritten)):
		return errors.New("the settings are not a JSON object")
	case style == Old && len(r.Settings) > 0 && !sameJSON(r.Settings, jsontext.Value("{}")):
		return fmt.Errorf("an upgrade to %s takes a licence file, and no settings", target)
	}
	return nil
}

// manifestID returns the JSON object that names an update to the platform: for its
// settings (upgradeId), its installation and its removal (versionManifest). The error says that the
// update has no id, or none that is text.
func manifestID(u adminapi.Update) (jsontext.Value, error) {
	if strings.TrimSpace(u.ID) == "" {
		return nil, errors.New("the update has no id and cannot be requested")
	}
	quoted, err := jsontext.AppendQuote(nil, u.ID)
	if err != nil {
		return nil, errors.New("the id of the update is not a string")
	}
	return fmt.Appendf(nil, `{"id":%s}`, quoted), nil
}

// fileName returns the name of a file without its folders, which the server must not see.
func fileName(path, otherwise string) string {
	return cmp.Or(typed(path[strings.LastIndexAny(path, `/\`)+1:]), otherwise)
}

// DescribedPart is one part as it is recorded.
type DescribedPart struct {
	Name     string `json:"name"`
	FileName string `json:"fileName,omitempty"`
	Size     int    `json:"size"` // bytes of the content
	Text     string `json:"text"` // clean; of a file a description instead of the content
}

// Describe returns parts with every secret masked: no content of a licence, no value
// of a setting that looks like a password. Upload ids are shown.
func Describe(parts []adminapi.Part) []DescribedPart {
	shown := make([]DescribedPart, len(parts))
	for i, part := range parts {
		var text string
		switch {
		case part.File && len(part.Content) == 0:
			text = "sent empty"
		case part.Secret:
			text = "the content is not shown"
		case part.File:
			text = "the content of the file"
		case part.Name == PartSettings:
			masked, _ := secrets.Settings(part.Content)
			text = plain.Text(string(masked))
		default:
			text = plain.Text(string(part.Content))
		}
		shown[i] = DescribedPart{Name: plain.Line(part.Name), FileName: plain.Line(part.FileName), Size: len(part.Content), Text: text}
	}
	return shown
}

// Style is the format in which an upgrade takes its settings.
type Style int

// The styles.
const (
	New Style = iota // from 11.0 on: upgradeSettings, with the licence as an upload where the site takes one
	Old              // below 11.0: licenseFile and updateToLatestPatch
)

// StyleOf returns the style of an upgrade to target: its own version decides, not the
// site's. A version that cannot be parsed counts as new.
func StyleOf(target adminapi.Update) Style {
	version, ok := adminapi.ParseVersion(strings.TrimSpace(target.Version))
	if ok && !version.AtLeast(adminapi.Version{11, 0}) {
		return Old
	}
	return New
}

// ConfirmWords returns what may be typed to start an upgrade, the longest first:
// version.build; the version alone where it differs from the installed one and no other
// offered update has it; the id where there is no version.
func ConfirmWords(target adminapi.Update, installed Installed, all adminapi.Manifest) []string {
	version, build, id := typed(target.Version), typed(target.Build), typed(target.ID)
	switch {
	case version == "" && id == "":
		return nil
	case version == "":
		return []string{id}
	case build == "":
		return []string{version}
	}
	words := []string{version + "." + build}
	if installed.Version != "" && !keyOf(version).same(keyOf(installed.Version)) && onlyOne(version, target, all) {
		words = append(words, version)
	}
	return words
}

// ConfirmWords returns what may be typed to roll back: the full version that the site will have,
// since all of a release share the plain one. There is nothing where that is not clear.
func (r Rollback) ConfirmWords() []string {
	if r.Unsure != "" || r.To == "" {
		return nil
	}
	return []string{r.To}
}

// Confirms reports whether typed is one of these words, apart from blanks around it.
func Confirms(typed string, words []string) bool {
	return slices.Contains(words, strings.TrimSpace(typed))
}

// typed returns a text of the server as a person sees and types it.
func typed(text string) string { return strings.TrimSpace(plain.Line(text)) }

// onlyOne reports whether no other offered update leads to the version.
func onlyOne(version string, target adminapi.Update, all adminapi.Manifest) bool {
	key, found := keyOf(version), 0
	for _, list := range [][]adminapi.Update{all.Releases, all.Patches} {
		for _, u := range list {
			if !keyOf(u.Version).same(key) {
				continue
			}
			if found++; u.ID != target.ID {
				return false
			}
		}
	}
	return found <= 1
}
