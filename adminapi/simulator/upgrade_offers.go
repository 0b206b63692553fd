package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// What of the catalogue a scenario lets the site offer.
const (
	offerFitting = "fitting" // what can be installed, and what builds on it
	offerNone    = "none"    // a site that has no manifest
	offerAll     = "all"     // everything newer too, whether it fits or not
)

func offerRoutes(w *world) []route {
	return []route{
		asking(post("/system/upgrades/available", "Available updates", w.showAvailable)),
		get("/system/upgrades/available", "Available updates", w.showAvailable),
		get("/system/upgrades/currentVersion", "Current version", w.showCurrentVersion),
		get("/system/upgrades/installed", "Installed updates", w.showInstalled),
		asking(post("/system/upgrades/installed", "Installed updates", w.showInstalled)),
		get("/system/upgrades/history", "History", w.showHistory),
	}
}

// asking makes a POST that changes nothing.
func asking(r route) route {
	r.write = false
	return r
}

// release is the version without the build.
func (v version) release() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// releaseOf finds the release that a version belongs to, nil where it is not known.
func (u *upgrades) releaseOf(v version) *update {
	i := slices.IndexFunc(u.catalogue, func(o *update) bool { return o.isRelease() && o.Version == v.release() })
	if i < 0 {
		return nil
	}
	return u.catalogue[i]
}

// buildOf is the build of a version; one that was told without a build is the
// release itself.
func (u *upgrades) buildOf(v version) int {
	if r := u.releaseOf(v); v[3] == 0 && r != nil {
		return r.Build.number
	}
	return v[3]
}

// find looks an update up among offers and catalogue.
func find(list []*update, id string) *update {
	i := slices.IndexFunc(list, func(u *update) bool { return u.ID == id })
	if i < 0 {
		return nil
	}
	return list[i]
}

// doesNotFit says why an update cannot be installed on the site as it is now,
// nil where it can.
func (w *world) doesNotFit(u *update) error {
	site, installed := w.version, w.upgrades.buildOf(w.version)
	switch r := w.upgrades.releaseOf(site); {
	case w.isInstalled(u):
		return invalid("The update is installed already.", "the site is "+site.String()+"; "+u.ID+" brings "+u.full().String())
	case u.isRelease():
		same := r == nil || u.PreviousReleaseBuild.number == 0 || u.PreviousReleaseBuild.number == r.Build.number
		if u.PreviousVersion == site.release() && same {
			return nil
		}
	case u.Version == site.release() && u.Build.number > installed:
		if r == nil || u.ReleaseBuild.number == 0 || u.ReleaseBuild.number == r.Build.number {
			return nil
		}
	}
	return invalid("The update does not apply to this deployment.",
		fmt.Sprintf("%s builds on %s; the site is %s", u.ID, u.buildsOn(), site))
}

func (u *update) buildsOn() string {
	n := u.PreviousBuild.number
	if u.isRelease() {
		n = u.PreviousReleaseBuild.number
	}
	return fmt.Sprintf("%s.%d", cmp.Or(u.PreviousVersion, "an unknown version"), n)
}

// isInstalled tells whether the site has the update or one that includes it.
func (w *world) isInstalled(u *update) bool {
	v := u.full()
	if v.release() != w.version.release() {
		return olderThan(v, w.version.release())
	}
	return v[3] <= w.upgrades.buildOf(w.version)
}

// offers are the updates that the site tells of, oldest first.
func (w *world) offers() []*update {
	var list []*update
	for _, u := range w.upgrades.offered {
		if w.isInstalled(u) || w.scenario.Upgrades.Offer != offerAll && w.doesNotFit(u) != nil {
			continue
		}
		list = append(list, u)
	}
	return list
}

// manifestBody holds updates, and what a scenario wants to be told as it stands.
type manifestBody struct {
	Patches  []any `json:"patches"`
	Releases []any `json:"releases"`
}

func (b *manifestBody) add(isRelease bool, entry any) {
	if isRelease {
		b.Releases = append(b.Releases, entry)
		return
	}
	b.Patches = append(b.Patches, entry)
}

func (w *world) showAvailable(*request) (answer, error) {
	body := manifestBody{[]any{}, []any{}}
	for _, u := range w.offers() {
		body.add(u.isRelease(), u)
	}
	for _, entry := range w.scenario.Upgrades.Entries {
		var told struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(entry, &told) // without a type it is told among the patches
		body.add(told.Type == typeRelease, entry)
	}
	return answer{body: body}, nil
}

// installed are the updates that made the site what it is, oldest first: its
// release and the patches up to its build.
func (w *world) installed() []*update {
	list := []*update{}
	for _, u := range w.upgrades.catalogue {
		if u.Version == w.version.release() && w.isInstalled(u) {
			list = append(list, u)
		}
	}
	return list
}

type updatesBody struct {
	Updates []*update `json:"updates"`
}

func (w *world) showInstalled(*request) (answer, error) {
	return answer{body: updatesBody{w.installed()}}, nil
}

type currentVersionBody struct {
	*update
	Messages written `json:"messages"`
}

// showCurrentVersion shows the newest installed update with what was recorded
// when it was installed. Between two known builds it is one without an id.
func (w *world) showCurrentVersion(q *request) (answer, error) {
	body := currentVersionBody{Messages: written{[]byte("[]")}}
	if list := w.installed(); len(list) > 0 {
		body.update = list[len(list)-1]
	}
	if number := w.upgrades.buildOf(w.version); body.update == nil || body.Build.number != number {
		body.update = &update{Name: w.version.String(), Type: typeRelease, Version: w.version.release(),
			Build: build{number, true}, Containers: []container{}}
	}
	if run := w.upgrades.run; run != nil {
		body.Messages = w.messagesOf(run, q.now)
	}
	return answer{body: body}, nil
}
