package simulator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/lists"
)

// The types of an update.
const (
	typeRelease = "release"
	typePatch   = "patch"
)

// update is a release or a patch as a version manifest describes it.
type update struct {
	ID                   string          `json:"id"`
	Name                 string          `json:"name"`
	Type                 string          `json:"type"`
	Description          string          `json:"description"`
	ReleaseNotes         string          `json:"releaseNotes"`
	Version              string          `json:"version"`
	PreviousVersion      string          `json:"previousVersion"`
	Build                build           `json:"build"`
	PreviousBuild        build           `json:"previousBuild,omitzero"`
	ReleaseBuild         build           `json:"releaseBuild,omitzero"`
	PreviousReleaseBuild build           `json:"previousReleaseBuild,omitzero"`
	NewLicensesRequired  bool            `json:"newLicensesRequired"`
	MinKubernetes        string          `json:"minKubernetesVersion,omitempty"` // releases from 12.1
	MaxKubernetes        string          `json:"maxKubernetesVersion,omitempty"`
	Mandatory            *bool           `json:"ismandatoryUpdate,omitempty"` // patches
	URL                  string          `json:"url"`
	Released             int64           `json:"released"`
	Containers           []container     `json:"containers"`
	UserForm             json.RawMessage `json:"userForm,omitempty"` // of imported manifests

	form []string // ids of the settings that it asks for
}

type container struct {
	Name     string `json:"name"`
	Image    string `json:"image"`
	Checksum string `json:"checksum"`
}

// build is a build number, which manifests write as a number or as a string.
type build struct {
	number int
	quoted bool
}

// UnmarshalJSON reads both forms.
func (b *build) UnmarshalJSON(text []byte) error {
	var s string
	b.quoted = json.Unmarshal(text, &s) == nil
	if !b.quoted {
		s = string(text)
	}
	if s == "" {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("a build is a number, not %.40q", s)
	}
	b.number = n
	return nil
}

// MarshalJSON writes the form that was read.
func (b build) MarshalJSON() ([]byte, error) {
	if !b.quoted {
		return strconv.AppendInt(nil, int64(b.number), 10), nil
	}
	return strconv.AppendQuote(nil, strconv.Itoa(b.number)), nil
}

func (u *update) isRelease() bool { return u.Type == typeRelease }

func (u *update) required() bool { return u.Mandatory != nil && *u.Mandatory }

// full is the version that a site has after the update.
func (u *update) full() version {
	v, _ := parseVersion(u.Version)
	v[3] = u.Build.number
	return v
}

// oldStyle reports whether the licence travels as a file of the request: the
// target's version decides.
func (u *update) oldStyle() bool { return u.full().before("11.0") }

// updateCatalogue returns what was ever released, oldest first. Callers may
// change the updates that they get, but not their containers.
func updateCatalogue() []*update {
	return lists.Each(allUpdates(), func(u update) *update { return &u })
}

// updateEntry is an update as data/updates.json describes it.
type updateEntry struct {
	update
	Form       []string // ids of settings
	Containers []string `json:"containers"` // names
}

var (
	updateEntries = embedded[[]updateEntry]("updates.json")
	images        = embedded[[]container]("containers.json") // of each container by its name, without a tag
)

var allUpdates = sync.OnceValue(func() []update {
	imageOf := map[string]string{}
	for _, c := range images() {
		imageOf[c.Name] = c.Image
	}
	var list []update
	for _, entry := range updateEntries() {
		u := entry.update
		u.form = entry.Form
		for n, name := range entry.Containers {
			u.Containers = append(u.Containers, newContainer(name, imageOf[name]+":"+u.full().String(), n))
		}
		list = append(list, u)
	}
	return list
})

// newContainer gives two of three containers a digest; real manifests often
// have none.
func newContainer(name, image string, n int) container {
	c := container{Name: name, Image: image, Checksum: "N/A"}
	if n%3 != 1 {
		sum := sha256.Sum256([]byte(image))
		c.Checksum = "sha256:" + hex.EncodeToString(sum[:])
	}
	return c
}

// updates is the area of what can be installed: every update there is, and those
// that the site offers.
type updates struct {
	*world
	catalogue []*update // all known updates, oldest first
	offered   []*update // those in the site's manifest
	own       []*update // the same of the manifest that came with the site
	imported  time.Time // when the manifest was imported; zero: it came with the site
}

func newUpdates(w *world) *updates {
	a := &updates{world: w, catalogue: updateCatalogue()}
	plan := w.scenario.Upgrades
	a.extend(w.version, plan.Patches)
	for i, item := range a.catalogue {
		if item.required() || slices.Contains(plan.Mandatory, item.ID) {
			yes := true
			item.Mandatory = &yes
		}
		if w.scenario.HostileText {
			item.Name, item.Description = hostile(item.Name, i), hostile(item.Description, i+1)
		}
	}
	if plan.Offer != offerNone {
		a.offered = a.catalogue
	}
	a.own = a.offered
	return a
}

func (a *updates) routes() []*route {
	return a.upgrades.children(
		query("/system/upgrades/available", "Available updates", a.showAvailable),
		get("/system/upgrades/available", "Available updates", a.showAvailable),
		get("/system/upgrades/currentVersion", "Current version", a.showCurrentVersion),
		get("/system/upgrades/installed", "Installed updates", a.showInstalled),
		query("/system/upgrades/installed", "Installed updates", a.showInstalled),
		post("/system/upgrades/importManifest", "Import manifest", a.importManifest).from("10.9.1"),
		post("/system/upgrades/deleteImportedManifest", "Delete imported manifest", a.deleteManifest).from("11.4"),
		get("/system/upgrades/manifestStatus", "Manifest status", a.showManifestStatus).from("11.4"),
	)
}

// extend adds patches to the chain of the site's release.
func (a *updates) extend(site version, more int) {
	at := slices.IndexFunc(a.catalogue, func(o *update) bool { return o.Version == site.release() })
	if more == 0 || at < 0 {
		return
	}
	release := a.catalogue[at]
	for at+1 < len(a.catalogue) && a.catalogue[at+1].Version == release.Version {
		at++
	}
	last, list := a.catalogue[at], make([]*update, more)
	for i := range list {
		list[i] = last.nextPatch(release)
		last = list[i]
	}
	a.catalogue = slices.Insert(a.catalogue, at+1, list...)
}

// nextPatch is a patch on top of another one, five builds and a day later.
func (u *update) nextPatch(release *update) *update {
	released := time.UnixMilli(u.Released).UTC().AddDate(0, 0, 1)
	number, required := u.Build.number+5, false
	p := &update{
		ID: fmt.Sprintf("pat_%s_%d", released.Format("02012006"), number), Name: fmt.Sprintf("%s update %d", release.Version, number),
		Type: typePatch, Version: release.Version, PreviousVersion: release.Version, Build: build{number, true},
		PreviousBuild: build{u.Build.number, true}, ReleaseBuild: build{release.Build.number, true}, Mandatory: &required,
		URL: fmt.Sprintf("https://releases.example.org/%s/%d", release.Version, number), Released: released.UnixMilli(),
	}
	// Few containers: a manifest of thousands of patches is long enough.
	tag := p.full().String()
	for _, c := range release.Containers[:4] {
		name, _, _ := strings.Cut(c.Image, ":")
		p.Containers = append(p.Containers, container{c.Name, name + ":" + tag, c.Checksum})
	}
	return p
}

// What a scenario lets the site offer of the catalogue.
const (
	offerFitting = "fitting" // what can be installed, and what builds on it
	offerNone    = "none"    // a site that has no manifest
	offerAll     = "all"     // everything newer too, whether it fits or not
)

// releaseOf finds the release that a version belongs to, nil where it is not known.
func (a *updates) releaseOf(v version) *update {
	return find(a.catalogue, func(u *update) bool { return u.isRelease() && u.Version == v.release() })
}

// siteVersion is the site's version with its build; where the scenario gives none it is
// that of the release.
func (a *updates) siteVersion() version {
	v := a.version
	if v[3] == 0 {
		if r := a.releaseOf(v); r != nil {
			v[3] = r.Build.number
		}
	}
	return v
}

// updateOf finds an update by its id, nil where there is none.
func updateOf(list []*update, id string) *update {
	return find(list, func(u *update) bool { return u.ID == id })
}

// paramUpgradeID names an update also by its id alone: so the vendor's Python package sends
// it. What starts something takes the object only.
const paramUpgradeID = "upgradeId"

// named finds the update that a parameter names as {"id": ...}: one of a list, or one
// that was installed.
func (a *updates) named(q *request, name string, among []*update) (*update, error) {
	text := q.required(name)
	if q.err != nil {
		return nil, q.err
	}
	var named struct{ ID string }
	if text = strings.TrimSpace(text); name == paramUpgradeID && !strings.ContainsRune(`{["`, rune(text[0])) {
		named.ID = text
	} else if err := json.Unmarshal([]byte(text), &named); err != nil {
		return nil, notAllowed(name + ` is not a JSON object such as {"id": "..."}`)
	}
	if named.ID == "" {
		return nil, missing(name + " names no id")
	}
	if u := updateOf(among, named.ID); u != nil {
		return u, nil
	}
	if u := updateOf(a.catalogue, named.ID); u != nil && a.isInstalled(u) {
		return u, nil
	}
	return nil, invalid("unknown release or patch", "there is no release or patch with the id "+strconv.Quote(named.ID))
}

// checkFits returns why an update cannot be installed on the site as it is now,
// nil where it can.
func (a *updates) checkFits(u *update) error {
	site := a.siteVersion()
	// sameRelease reports whether a build is that of the site's release, or either is not known.
	sameRelease := func(b build) bool {
		r := a.releaseOf(site)
		return r == nil || b.number == 0 || b.number == r.Build.number
	}
	switch {
	case a.isInstalled(u):
		return invalid("The update is installed already.", "the site is "+a.version.String()+"; "+u.ID+" brings "+u.full().String())
	case u.isRelease() && u.PreviousVersion == site.release() && sameRelease(u.PreviousReleaseBuild),
		!u.isRelease() && u.Version == site.release() && u.Build.number > site[3] && sameRelease(u.ReleaseBuild):
		return nil
	}
	return invalid("The update does not apply to this deployment.",
		fmt.Sprintf("%s builds on %s; the site is %s", u.ID, u.buildsOn(), a.version))
}

func (u *update) buildsOn() string {
	n := u.PreviousBuild.number
	if u.isRelease() {
		n = u.PreviousReleaseBuild.number
	}
	return fmt.Sprintf("%s.%d", cmp.Or(u.PreviousVersion, "an unknown version"), n)
}

// isInstalled reports whether the site has the update or one that includes it.
func (a *updates) isInstalled(u *update) bool {
	v, site := u.full(), a.siteVersion()
	if v.release() != site.release() {
		return v.before(site.release())
	}
	return v[3] <= site[3]
}

// offers are the updates that the site offers, oldest first.
func (a *updates) offers() []*update {
	all := a.scenario.Upgrades.Offer == offerAll
	return only(a.offered, func(u *update) bool { return !a.isInstalled(u) && (all || a.checkFits(u) == nil) })
}

// showAvailable shows the offers, and the entries that a scenario adds unchanged.
func (a *updates) showAvailable(*request) any {
	body := map[string][]any{"patches": {}, "releases": {}}
	add := func(kind string, entry any) {
		list := "patches" // also for an entry without a type
		if kind == typeRelease {
			list = "releases"
		}
		body[list] = append(body[list], entry)
	}
	for _, u := range a.offers() {
		add(u.Type, u)
	}
	for _, entry := range a.scenario.Upgrades.Entries {
		var named struct{ Type string }
		_ = json.Unmarshal(entry, &named)
		add(named.Type, entry)
	}
	return body
}

// installed are the updates that made the site what it is, oldest first: its
// release and the patches up to its build.
func (a *updates) installed() []*update {
	return only(a.catalogue, func(u *update) bool { return u.Version == a.version.release() && a.isInstalled(u) })
}

func (a *updates) showInstalled(*request) any {
	return object{"updates": a.installed()}
}

type currentVersionBody struct {
	*update
	Messages json.RawMessage `json:"messages"`
}

// showCurrentVersion shows the newest installed update with the messages of its
// installation. A site between two known builds shows one without an id.
func (a *updates) showCurrentVersion(q *request) any {
	body := currentVersionBody{Messages: []byte("[]")}
	if list := a.installed(); len(list) > 0 {
		body.update = list[len(list)-1]
	}
	if site := a.siteVersion(); body.update == nil || body.Build.number != site[3] {
		body.update = &update{Name: a.version.String(), Type: typeRelease, Version: site.release(),
			Build: build{site[3], true}, Containers: []container{}}
	}
	if run := a.upgrades.run; run != nil {
		body.Messages = bytes.Join([][]byte{[]byte("["), a.upgrades.messages(run, q.now), []byte("]")}, nil)
	}
	return body
}

func (a *updates) showManifestStatus(*request) any {
	source := "User provided"
	if a.imported.IsZero() {
		source = "Esri provided"
	}
	return object{"versionManifestSource": source, "lastImportedTimestamp": millis(a.imported)}
}

// importManifest lets the site offer what a file holds.
func (a *updates) importManifest(q *request) any {
	content := q.filePart("manifestFile")
	switch {
	case q.err != nil:
		return q.err
	case len(content) == 0:
		return missing("parameter manifestFile is required and must not be empty")
	case !slices.Contains([]string{"dat", "json"}, fileExtension(q.files("manifestFile")[0].Filename)):
		return invalid("The manifest file is not accepted.", "the name of the file ends in .dat or .json")
	}
	list, err := readManifest(content)
	if err != nil {
		return err
	}
	a.offered, a.imported = list, q.now
	for _, u := range list {
		a.add(u)
	}
	return success
}

// deleteManifest lets the site offer what its own manifest holds.
func (a *updates) deleteManifest(*request) any {
	if a.imported.IsZero() {
		return invalid("There is nothing to delete.", "no manifest was imported")
	}
	a.offered, a.imported = a.own, time.Time{}
	return success
}

// add adds an update to the known ones, in order of version and build.
func (a *updates) add(item *update) {
	a.catalogue = slices.DeleteFunc(slices.Clone(a.catalogue), func(o *update) bool { return o.ID == item.ID })
	at, _ := slices.BinarySearchFunc(a.catalogue, item.full(), func(o *update, wanted version) int {
		v := o.full()
		return cmp.Or(slices.Compare(v[:], wanted[:]), -1) // behind those of the same version
	})
	a.catalogue = slices.Insert(a.catalogue, at, item)
}

// readManifest reads a version manifest as files hold it.
func readManifest(content []byte) ([]*update, error) {
	var file struct {
		Versions  []*update `json:"versions"`
		Signature string    `json:"signature"`
	}
	bad := func(why string) ([]*update, error) { return nil, invalid("The manifest file is not valid.", why) }
	switch {
	case json.Unmarshal(content, &file) != nil:
		return bad("it is not a JSON object with versions and a signature")
	case len(file.Versions) == 0:
		return bad("it holds no versions")
	case strings.TrimSpace(file.Signature) == "":
		return bad("it is not signed")
	}
	for i, u := range file.Versions {
		if u == nil || u.ID == "" || u.Type != typeRelease && u.Type != typePatch {
			return bad("an entry has no id, or is neither a release nor a patch")
		}
		if v, err := parseVersion(u.Version); err != nil || v[3] != 0 || u.Build.number == 0 {
			return bad("an entry has no version such as 12.0.0, or no build")
		}
		if updateOf(file.Versions[:i], u.ID) != nil {
			return bad("two entries have the same id")
		}
		if u.Containers == nil {
			u.Containers = []container{}
		}
	}
	return file.Versions, nil
}
