package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// Rollback is what rolling back to an update does that the site lists for it. The list holds the
// versions to go back to (https://developers.arcgis.com/rest/enterprise-administration/enterprise/rollback),
// unless it holds the newest patch, which can only be removed. Texts are clean.
type Rollback struct {
	Listed  adminapi.Update   // its id is sent
	From    string            // the version that the site has
	To      string            // the version that it will have, which a person types
	Removes []adminapi.Update // the installed patches that are removed, newest first
	Unsure  string            // why it is not clear what it does, with both readings; empty where it is
}

// Rollbacks reads all that a site lists to be rolled back, by what is installed and the version
// that the site has.
func Rollbacks(listed, installed []adminapi.Update, now Installed) []Rollback {
	r := rollbackReading{listed: listed, now: now, site: adminapi.Update{Version: now.Version, Build: now.Build}}
	for _, u := range installed {
		if IsRelease(u) {
			r.releases = append(r.releases, u)
		} else {
			r.patches = append(r.patches, u)
		}
	}
	if now.Known && !slices.ContainsFunc(installed, r.isSite) {
		r.patches = append(r.patches, r.site) // a list that lacks it
	}
	slices.SortStableFunc(r.patches, func(a, b adminapi.Update) int {
		order, _ := compareUpdates(b, a)
		return order
	})
	r.patches = slices.CompactFunc(r.patches, isSame) // a list may hold one twice
	return lists.Each(listed, r.read)
}

// RollbackOf returns the rollback that sends an id.
func RollbackOf(all []Rollback, id string) (Rollback, bool) {
	at := slices.IndexFunc(all, func(r Rollback) bool { return r.Listed.ID == id })
	if at < 0 {
		return Rollback{}, false
	}
	return all[at], true
}

// Same reports whether two rollbacks do the same.
func (r Rollback) Same(other Rollback) bool {
	return r.Listed.ID == other.Listed.ID && r.From == other.From && r.Sentence() == other.Sentence()
}

// Sentence says what it does, or why that is not clear.
func (r Rollback) Sentence() string {
	return cmp.Or(r.Unsure, "Back to "+r.To+"; removes "+r.removed()+".")
}

// Removed returns the versions of what is removed, newest first.
func (r Rollback) Removed() []string {
	return lists.Each(r.Removes, func(u adminapi.Update) string { return typed(u.FullVersion()) })
}

// Containers returns the containers of what is removed, each of the newest.
func (r Rollback) Containers() (list []adminapi.Container) {
	known := map[string]bool{}
	for _, u := range r.Removes {
		for _, c := range u.Containers {
			if !known[c.Name] {
				list = append(list, c)
			}
			known[c.Name] = true
		}
	}
	return list
}

// removed names what is removed; of several also how many.
func (r Rollback) removed() string {
	all := r.Removed()
	names := strings.Join(all[:min(len(all), maxNamed)], ", ")
	if len(all) > maxNamed {
		names += ", and more"
	}
	if len(r.Removes) == 1 {
		return names
	}
	return plain.Plural(len(r.Removes), "patch") + ": " + names
}

// rollbackReading is what a list of rollbacks is read by.
type rollbackReading struct {
	listed            []adminapi.Update
	now               Installed
	site              adminapi.Update   // the version that the site has
	patches, releases []adminapi.Update // installed; patches newest first
}

// isSite reports whether an update is the version that the site has.
func (r rollbackReading) isSite(u adminapi.Update) bool { return isSame(u, r.site) }

// isNewest reports whether an update is the newest installed patch.
func (r rollbackReading) isNewest(u adminapi.Update) bool { return !r.isBase(u) && r.isSite(u) }

// isDoubtful reports whether an installed patch is newer than the site, or cannot be compared with it.
func (r rollbackReading) isDoubtful(patch adminapi.Update) bool {
	order, comparable := compareUpdates(patch, r.site)
	return !comparable || order > 0
}

// isBase reports whether an update is the release that the site's patches belong to, or another one.
func (r rollbackReading) isBase(u adminapi.Update) bool {
	order, comparable := CompareBuilds(u.Build, r.now.ReleaseBuild)
	return IsRelease(u) || comparable && order == 0
}

// read finds out what an id of the list means.
func (r rollbackReading) read(u adminapi.Update) Rollback {
	back := Rollback{Listed: u, From: r.now.FullVersion()}
	order, comparable := compareUpdates(u, r.site)
	switch {
	case strings.TrimSpace(r.now.Version) == "" || strings.TrimSpace(r.now.Build) == "":
		back.Unsure = "The installed version is unknown."
	case strings.TrimSpace(u.ID) == "":
		back.Unsure = "It has no id."
	case slices.ContainsFunc(slices.Concat(r.listed, r.patches, r.releases), func(other adminapi.Update) bool { return other.ID == u.ID && !isSame(other, u) }):
		back.Unsure = "The site lists its id for two versions."
	case !comparable:
		back.Unsure = "Its version cannot be compared with the installed one."
	case order > 0:
		back.Unsure = "It is newer than the installed version."
	case !keyOf(u.Version).same(keyOf(r.now.Version)), slices.ContainsFunc(r.releases, func(release adminapi.Update) bool { return newer(release.Build, u.Build) }):
		back.Unsure = "It belongs to an earlier release."
	case slices.ContainsFunc(r.patches, r.isDoubtful):
		back.Unsure = "The site's lists differ on what is installed."
	case r.isBase(u) && order == 0:
		back.Unsure = "The site has this version."
	case r.isBase(u):
		return r.toward(back)
	case order == 0:
		if before, known := r.before(u); known {
			back.To, back.Removes = typed(before.FullVersion()), []adminapi.Update{u}
			return back
		}
		back.Unsure = "The version before it is unknown."
	case slices.ContainsFunc(r.listed, r.isNewest):
		back.Unsure = "The list also holds the newest patch."
	default:
		return r.toward(back)
	}
	back.Unsure += r.readings(u)
	return back
}

// toward goes back to what is listed: all later patches are removed.
func (r rollbackReading) toward(back Rollback) Rollback {
	back.To = typed(back.Listed.FullVersion())
	for _, patch := range r.patches {
		if order, _ := compareUpdates(patch, back.Listed); order > 0 {
			back.Removes = append(back.Removes, patch)
		}
	}
	return back
}

// readings says what an id may mean that is not clear; a release is never removed.
func (r rollbackReading) readings(u adminapi.Update) string {
	if r.isBase(u) {
		return ""
	}
	name := displayName(u)
	text := " This leads to " + name + ", or removes " + name
	if before, known := r.before(u); known {
		text += " and leads to " + displayName(before)
	}
	return text + "."
}

// before returns the version that an update was installed on: the one that it names, unless a later
// one is installed, else the next lower one that is.
func (r rollbackReading) before(u adminapi.Update) (before adminapi.Update, known bool) {
	lower := func(a, b adminapi.Update) bool {
		order, _ := compareUpdates(a, b)
		return order < 0 && keyOf(a.Version).same(keyOf(b.Version))
	}
	all := slices.Concat(r.patches, r.releases)
	at := slices.IndexFunc(all, func(other adminapi.Update) bool { return lower(other, u) })
	before = adminapi.Update{Version: cmp.Or(strings.TrimSpace(u.PreviousVersion), u.Version), Build: u.PreviousBuild}
	switch {
	case strings.TrimSpace(before.Build) != "":
		return before, lower(before, u) && (at < 0 || !lower(before, all[at]))
	case at < 0:
		return before, false
	}
	return all[at], true
}

// isSame reports whether two updates are of the same version.
func isSame(a, b adminapi.Update) bool {
	order, comparable := compareUpdates(a, b)
	return comparable && order == 0
}

// compareUpdates orders updates by their versions, then by their builds: 0 where they cannot be compared.
func compareUpdates(a, b adminapi.Update) (order int, comparable bool) {
	x, y := keyOf(a.Version), keyOf(b.Version)
	if !x.comparable(y) {
		return 0, false
	}
	builds, comparable := CompareBuilds(a.Build, b.Build)
	if order = x.order(y); order != 0 {
		return order, true
	}
	return builds, comparable
}
