package adminapi

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeManifest reads a version manifest as a site answers it (two lists) or as a
// file holds it: {"versions": [...], "signature": ...} with releases and patches
// mixed. Out of a mix, what is of type release goes to Releases and everything
// else to Patches; an element that cannot be read has nothing but Raw. Unknown
// members are kept. The error is of [KindNotJSON] where data is no manifest.
func DecodeManifest(data []byte) (Manifest, error) {
	manifest, e := decodeManifest(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
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
		return Manifest{}, notJSON("it is not the JSON of a version manifest, or cut off", err)
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

// readUpdates reads every element by itself, so that a bad one costs no other.
func readUpdates(values []jsontext.Value) []Update {
	updates := make([]Update, len(values))
	for i, value := range values {
		if value.Kind() != jsontext.KindBeginObject || decode(value, &updates[i]) != nil {
			updates[i] = Update{Raw: bytes.Clone(value)}
		}
	}
	return updates
}
