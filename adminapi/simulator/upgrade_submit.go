package simulator

import (
	"io"
	"strings"
	"time"
)

func submitRoutes(w *world) []route {
	return []route{post("/system/upgrades/upgrade", "Upgrade", w.upgrade)}
}

// upgrade starts an upgrade, or says why not; it answers at once with the first message.
func (w *world) upgrade(q *request) (answer, error) {
	if err := w.multipart(q); err != nil {
		return answer{}, err
	}
	if w.somebodyElse(elseAtSubmit, q.now) {
		return answer{}, w.busyUpgrading(q.now)
	}
	u, err := w.askedUpdate(q)
	if err != nil {
		return answer{}, err
	}
	latest, err := w.checkSubmitted(q, u)
	if err != nil {
		return answer{}, err
	}
	run := w.startUpgrade(u, latest, q.user.Username, q.now)
	return answer{body: w.statusOf(run, q.now)}, nil
}

func (w *world) multipart(q *request) error {
	if q.http.MultipartForm == nil {
		return invalid("The request is of the wrong kind.", "this operation takes multipart/form-data")
	}
	return nil
}

// askedUpdate finds the target and checks that it may come now. The manifest
// file of the request, where one is given, counts before the site's own.
func (w *world) askedUpdate(q *request) (*update, error) {
	known := w.upgrades.offered
	content, err := q.filePart("versionManifestFile")
	if err != nil {
		return nil, err
	}
	if len(content) > 0 {
		if known, err = readManifest(content); err != nil {
			return nil, err
		}
	}
	u, err := w.namedUpdate(q, "versionManifest", known)
	if err != nil {
		return nil, err
	}
	if err := w.doesNotFit(u); err != nil {
		return nil, err
	}
	for _, other := range known {
		if u.isRelease() && !other.isRelease() && other.required() && w.doesNotFit(other) == nil {
			return nil, invalid("A required update has to be installed first.", "install "+other.ID+" ("+other.full().String()+") before "+u.ID)
		}
	}
	return u, nil
}

// checkSubmitted checks settings and licence by the style of the target, and
// tells whether the latest patch shall come along.
func (w *world) checkSubmitted(q *request, u *update) (latest bool, err error) {
	latest, err = q.boolean("updateToLatestPatch", false)
	if err != nil {
		return false, err
	}
	licence, err := q.filePart("licenseFile")
	if err != nil {
		return false, err
	}
	text, err := q.textPart("upgradeSettings")
	if err != nil {
		return false, err
	}
	if u.oldStyle() {
		return latest, w.checkOldStyle(u, text, licence)
	}
	if strings.TrimSpace(text) == "" {
		return false, invalid("a required parameter is missing", "parameter upgradeSettings is required for version "+u.Version)
	}
	settings, err := readSettings(text)
	if err != nil {
		return false, err
	}
	// An empty object beside a licence file was good before there were forms,
	// and still is.
	if len(settings.UserInputs) == 0 && len(licence) > 0 {
		return latest, w.checkLicence(licence, u)
	}
	latest = latest || string(settings.value(settingLatestPatch)) == "true"
	return latest, w.checkSettings(w.settingsOf(u), settings, u)
}

func (w *world) checkOldStyle(u *update, settings string, licence []byte) error {
	if settings != "" {
		filled, err := readSettings(settings)
		if err != nil {
			return err
		}
		if len(filled.UserInputs) > 0 {
			return badSetting(filled.UserInputs[0].ID, "is not asked for by "+u.ID)
		}
	}
	if !u.NewLicensesRequired && len(licence) == 0 {
		return nil
	}
	if len(licence) == 0 {
		return invalid("a required parameter is missing", "parameter licenseFile is required for "+u.ID+" and must not be empty")
	}
	return w.checkLicence(licence, u)
}

// filePart reads a file of the form; an absent or empty one is nil, also where
// it was sent as a plain field without a value.
func (q *request) filePart(name string) ([]byte, error) {
	files := q.http.MultipartForm.File[name]
	if len(files) == 0 {
		if strings.TrimSpace(q.params.Get(name)) != "" {
			return nil, invalid("a parameter has a value that is not allowed", name+" has to be sent as a file")
		}
		return nil, nil
	}
	f, err := files[0].Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// textPart reads a plain field.
func (q *request) textPart(name string) (string, error) {
	if len(q.http.MultipartForm.File[name]) > 0 {
		return "", invalid("a parameter has a value that is not allowed", name+" has to be sent as a field, not as a file")
	}
	return q.params.Get(name), nil
}

// startUpgrade begins the upgrade to u, or past it to the latest patch of its
// release.
func (w *world) startUpgrade(u *update, latest bool, user string, at time.Time) *upgradeRun {
	run := &upgradeRun{operation: operationUpgrade, update: u, from: w.fullVersion(), to: u.full(), user: user, start: at}
	if latest && u.isRelease() {
		for _, patch := range w.upgrades.offered {
			if !patch.isRelease() && patch.Version == u.Version && patch.Build.number > run.to[3] {
				run.to[3] = patch.Build.number
			}
		}
	}
	w.upgrades.learn(u)
	name := typePatch
	if u.isRelease() {
		name = typeRelease
	}
	w.begin(run, upgradeScripts()[name])
	return run
}

// fullVersion is the site's version with its build, also where the scenario
// told none.
func (w *world) fullVersion() version {
	v := w.version
	v[3] = w.upgrades.buildOf(v)
	return v
}
