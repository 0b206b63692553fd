package simulator

import (
	"encoding/json"
	"slices"
	"strings"
)

func importRoutes(w *world) []route {
	return []route{
		post("/system/upgrades/importManifest", "Import manifest", w.importManifest),
		get("/system/upgrades/manifestStatus", "Manifest status", w.showManifestStatus).from("11.4"),
	}
}

type manifestStatusBody struct {
	Source   string `json:"versionManifestSource"`
	Imported int64  `json:"lastImportedTimestamp"`
}

func (w *world) showManifestStatus(*request) (answer, error) {
	body := manifestStatusBody{Source: "Esri provided", Imported: millis(w.upgrades.imported)}
	if body.Imported != 0 {
		body.Source = "User provided"
	}
	return answer{body: body}, nil
}

// importManifest lets the site offer what a file tells of.
func (w *world) importManifest(q *request) (answer, error) {
	if err := w.multipart(q); err != nil {
		return answer{}, err
	}
	content, err := q.filePart("manifestFile")
	if err != nil {
		return answer{}, err
	}
	if len(content) == 0 {
		return answer{}, invalid("a required parameter is missing", "parameter manifestFile is required and must not be empty")
	}
	if name := q.http.MultipartForm.File["manifestFile"][0].Filename; !slices.Contains([]string{"dat", "json"}, fileExtension(name)) {
		return answer{}, invalid("The manifest file is not accepted.", "the name of the file ends in .dat or .json")
	}
	list, err := readManifest(content)
	if err != nil {
		return answer{}, err
	}
	w.upgrades.offered, w.upgrades.imported = list, q.now
	for _, u := range list {
		w.upgrades.learn(u)
	}
	return answer{body: statusBody{"success"}}, nil
}

// learn puts an update among those that are known to exist, in order of version
// and build.
func (u *upgrades) learn(item *update) {
	u.catalogue = slices.DeleteFunc(slices.Clone(u.catalogue), func(o *update) bool { return o.ID == item.ID })
	u.catalogue = append(u.catalogue, item)
	slices.SortStableFunc(u.catalogue, func(a, b *update) int {
		va, vb := a.full(), b.full()
		return slices.Compare(va[:], vb[:])
	})
}

// readManifest reads a version manifest as files hold it.
func readManifest(content []byte) ([]*update, error) {
	var file struct {
		Versions  []*update `json:"versions"`
		Signature string    `json:"signature"`
	}
	bad := func(why string) error { return invalid("The manifest file is not valid.", why) }
	switch {
	case json.Unmarshal(content, &file) != nil:
		return nil, bad("it is not a JSON object with versions and a signature")
	case len(file.Versions) == 0:
		return nil, bad("it holds no versions")
	case strings.TrimSpace(file.Signature) == "":
		return nil, bad("it is not signed")
	}
	for i, u := range file.Versions {
		if u == nil || u.ID == "" || u.Type != typeRelease && u.Type != typePatch {
			return nil, bad("an entry has no id, or is neither a release nor a patch")
		}
		if v, err := parseVersion(u.Version); err != nil || v[3] != 0 || u.Build.number == 0 {
			return nil, bad("an entry has no version such as 12.0.0, or no build")
		}
		if find(file.Versions[:i], u.ID) != nil {
			return nil, bad("two entries have the same id")
		}
		if u.Containers == nil {
			u.Containers = []container{}
		}
	}
	return file.Versions, nil
}
