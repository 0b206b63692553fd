package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

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

// Request is everything that one upgrade is asked with.
type Request struct {
	Target       adminapi.Update
	Manifest     []byte         // content of a manifest file; nil sends the part empty
	ManifestName string         // its file name
	Settings     jsontext.Value // new style: from Fill
	Licence      []byte         // old style: content of the licence file; nil sends no such part
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
	id, err := manifestID(r.Target.ID)
	if err != nil {
		return nil, err
	}
	parts := []adminapi.Part{{Name: PartManifest, Content: id}, r.manifestFile()}
	if style == New {
		return append(parts, adminapi.Part{Name: PartSettings, Content: r.Settings, Secrets: secretsIn(r.Settings)}), nil
	}
	if r.Licence != nil {
		name := fileName(r.LicenceName, "license.json")
		parts = append(parts, adminapi.Part{Name: PartLicence, FileName: name, File: true, Content: r.Licence, Secret: true})
	}
	parts = append(parts, adminapi.Part{Name: PartSettings, Content: []byte("{}")})
	if r.LatestPatch != nil {
		parts = append(parts, adminapi.Part{Name: PartLatestPatch, Content: fmt.Append(nil, *r.LatestPatch)})
	}
	return parts, nil
}

// fits refuses what would be sent in vain: the platform does not say that it
// leaves out what belongs to the other style.
func (r Request) fits(style Style) error {
	target := displayName(r.Target)
	switch {
	case style == New && r.Licence != nil:
		return fmt.Errorf("an upgrade to %s takes the licence as an upload in its settings, not as a file", target)
	case style == New && r.LatestPatch != nil:
		return fmt.Errorf("an upgrade to %s takes updateToLatestPatch in its settings", target)
	case style == New && len(bytes.TrimSpace(r.Settings)) == 0:
		return fmt.Errorf("an upgrade to %s needs its settings", target)
	case style == New && (r.Settings.Kind() != jsontext.KindBeginObject || !r.Settings.IsValid(jsonx.AsWritten)):
		return errors.New("the settings are no JSON object")
	case style == Old && len(r.Settings) > 0 && !sameJSON(r.Settings, jsontext.Value("{}")):
		return fmt.Errorf("an upgrade to %s takes a licence file, and no settings", target)
	}
	return nil
}

func manifestID(id string) ([]byte, error) {
	if strings.TrimSpace(id) == "" {
		return nil, errors.New("the update has no id, so it cannot be asked for")
	}
	quoted, err := jsontext.AppendQuote(nil, id)
	if err != nil {
		return nil, errors.New("the id of the update is no text")
	}
	return fmt.Appendf(nil, `{"id":%s}`, quoted), nil
}

// ManifestID returns the JSON object by which the platform is asked for an update:
// its settings (upgradeId), its installation and its removal (versionManifest).
func ManifestID(u adminapi.Update) (jsontext.Value, error) { return manifestID(u.ID) }

func (r Request) manifestFile() adminapi.Part {
	part := adminapi.Part{Name: PartManifestFile, File: true}
	if r.Manifest != nil {
		part.FileName, part.Content = fileName(r.ManifestName, "manifest.dat"), r.Manifest
	}
	return part
}

// fileName is what the server is told of a path here: nothing of its folders.
func fileName(path, otherwise string) string {
	name := typed(path[strings.LastIndexAny(path, `/\`)+1:])
	if name == "" {
		return otherwise
	}
	return name
}

// Shown is one part as a review shows it.
type Shown struct {
	Name     string `json:"name"`
	FileName string `json:"fileName,omitempty"`
	Size     int    `json:"size"` // bytes of the content
	Text     string `json:"text"` // clean; of a file only what it is
}

// Describe shows parts with every secret masked: no content of a licence, no value
// of a setting that looks like a password. Upload ids are shown.
func Describe(parts []adminapi.Part) []Shown {
	shown := make([]Shown, len(parts))
	for i, part := range parts {
		shown[i] = Shown{Name: plain.Line(part.Name), FileName: plain.Line(part.FileName), Size: len(part.Content), Text: describe(part)}
	}
	return shown
}

func describe(part adminapi.Part) string {
	switch {
	case part.File && len(part.Content) == 0:
		return "sent empty"
	case part.Secret:
		return "the content is not shown"
	case part.File:
		return "the content of the file"
	case part.Name == PartSettings:
		return plain.Text(string(MaskSettings(part.Content)))
	}
	return plain.Text(string(part.Content))
}

// Sentence says in one sentence what the upgrade will do: from which version to
// which, what comes along, and whether it can be undone.
func Sentence(target adminapi.Update, installed Installed, chain Chain) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It takes this site from %s to %s", installed.FullVersion(), displayName(target))
	if name := plain.Clip(target.Name, 120); name != "" {
		fmt.Fprintf(&b, " (%s)", name)
	}
	if entry, ok := chain.Find(target.ID); ok && len(entry.Brings) > 0 {
		fmt.Fprintf(&b, " and brings %s along", plain.Plural(len(entry.Brings), "earlier update"))
	}
	if target.NewLicensesRequired {
		b.WriteString(", with new licences")
	}
	if IsRelease(target) {
		b.WriteString("; the site is read-only meanwhile, and a release cannot be rolled back.")
	} else {
		b.WriteString("; the site is read-only meanwhile, and a patch can be rolled back where the site offers that.")
	}
	return b.String()
}

// Style is how an upgrade wants its settings.
type Style int

// The styles.
const (
	New Style = iota // from 11.0 on: upgradeSettings, with the licence as an upload
	Old              // below 11.0: licenseFile and updateToLatestPatch
)

// newStyleSince is the first version whose upgrade takes the settings object.
var newStyleSince = adminapi.Version{11, 0}

// StyleOf returns the style of an upgrade to target: its own version decides, not
// the one of the site. A version that cannot be read counts as new.
func StyleOf(target adminapi.Update) Style {
	version, ok := adminapi.ParseVersion(strings.TrimSpace(target.Version))
	if ok && !version.AtLeast(newStyleSince) {
		return Old
	}
	return New
}

// ConfirmWords returns what may be typed to start an upgrade, the fullest first:
// version.build always; the plain version only where it differs from the
// installed one and no other offered update has it; the id where there is no version.
func ConfirmWords(target adminapi.Update, installed Installed, all adminapi.Manifest) []string {
	word := confirmWord(target)
	if word == "" {
		return nil
	}
	words := []string{word}
	version := typed(target.Version)
	if version != "" && version != word && installed.Version != "" &&
		!keyOf(version).same(keyOf(installed.Version)) && onlyOne(version, target, all) {
		words = append(words, version)
	}
	return words
}

// Confirms reports whether typed is one of [ConfirmWords], blanks around it aside.
func Confirms(typed string, target adminapi.Update, installed Installed, all adminapi.Manifest) bool {
	return slices.Contains(ConfirmWords(target, installed, all), strings.TrimSpace(typed))
}

func confirmWord(u adminapi.Update) string {
	if version := typed(u.Version); version != "" {
		if build := typed(u.Build); build != "" {
			return version + "." + build
		}
		return version
	}
	return typed(u.ID)
}

// typed is a text of the server as somebody reads it and types it again.
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
