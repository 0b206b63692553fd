package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// sentAsFile wants a manifest to be sent as its file is, byte for byte.
func sentAsFile(a arrival) (int, []string) {
	if a.Path != "/system/upgrades/importManifest" {
		return 0, nil
	}
	if sent := a.Write.Files["manifestFile"]; a.Intent == nil || sent != a.Intent.Manifest {
		return 1, []string{fmt.Sprintf("POST %s sends %d bytes that are not those of the file: %.100q", a.Path, len(sent), sent)}
	}
	return 1, nil
}

// counted are the patches and the releases of a manifest.
func held(text string) (patches, releases []json.RawMessage) {
	var file struct{ Versions, Patches, Releases []json.RawMessage }
	_ = json.Unmarshal([]byte(text), &file)
	patches, releases = file.Patches, file.Releases
	for _, raw := range file.Versions {
		if offerOf(raw).release {
			releases = append(releases, raw)
		} else {
			patches = append(patches, raw)
		}
	}
	return patches, releases
}

func several(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

// ManifestHolds is what a question says of a manifest.
func ManifestHolds(text string) string {
	patches, releases := held(text)
	return "It holds " + several(len(patches), "patch", "patches") + " and " + several(len(releases), "release", "releases") + "."
}

// Importing is a command that imports a manifest, and what it has printed.
type Importing struct {
	Program, Form, Out string
	Code               int
	Text               string // of the file
	Dry                bool
	taken              bool
}

// Imports judges what such a command has printed.
func (d *Day) Imports(i Importing) {
	i.taken = slices.ContainsFunc(d.sent(func(w *Write) bool { return w.Program == i.Program && w.Changes() }), func(w *Write) bool { return w.Accepted })
	judge(d, atImporting, i)
}

var atImporting = []rule[Importing]{{"an import is told as it is", importIsSo}}

// importIsSo compares what is printed with the exit code, and with what is in the file.
func importIsSo(i Importing) (judged int, wrong []string) {
	patches, releases := held(i.Text)
	fails := func() {
		wrong = append(wrong, fmt.Sprintf("geodeck upgrade import-manifest -o %s ends with %d and prints %.300s", i.Form, i.Code, i.Out))
	}
	if i.Form == "table" && !i.Dry {
		said := "imported: " + several(len(releases), "release", "releases") + " and " + several(len(patches), "patch", "patches") + ";"
		if judged++; strings.HasPrefix(i.Out, said) != (i.Code == 0) || i.Code != 0 && i.Out != "" {
			fails()
		}
	}
	var told struct {
		Outcome                  string
		Verdict                  *string
		PatchCount, ReleaseCount *int
	}
	if i.Form == "table" || i.Dry || json.Unmarshal([]byte(i.Out), &told) != nil || told.Outcome == "" {
		return judged, wrong
	}
	outcome, known := map[int]string{0: "done", 4: "refused", 6: "unknown"}[i.Code]
	judged++
	switch {
	case known && told.Outcome != outcome && told.Outcome != "not sent", told.Outcome == "not sent" && i.taken, (told.Outcome == "done") != (told.Verdict != nil),
		told.Outcome == "done" && i.Code != 0, told.PatchCount == nil || told.ReleaseCount == nil, *told.PatchCount != len(patches) || *told.ReleaseCount != len(releases):
		fails()
	}
	return judged, wrong
}
