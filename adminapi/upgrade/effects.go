package upgrade

import (
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// Effect is one line about what an upgrade or a rollback does. Texts are clean.
type Effect struct{ Name, Text string }

// The names of the effects that a screen says more about.
const (
	EffectLicence  = "Licence"
	EffectReadOnly = "Read-only"
)

// Effects says what an upgrade does: from which version to which, what it includes, and
// whether it can be undone. latest says whether the latest patch is installed too, nil
// where the site decides.
func Effects(target adminapi.Update, installed Installed, chain Chain, latest *bool) []Effect {
	entry, _ := chain.Find(target.ID)
	entry.Update = target // also where it is not in the chain
	effects := []Effect{{"From", installed.FullVersion()}, {"To", withName(target)}}
	if len(entry.Brings) > 0 {
		effects = append(effects, Effect{"Includes", plain.Plural(len(entry.Brings), "earlier update") + ": " + chain.named(entry.Brings)})
	}
	if n := chain.Containers(entry, installed); n.All > 0 {
		effects = append(effects, Effect{"Containers", strconv.Itoa(n.All) + " change."})
	}
	if IsRelease(target) {
		effects = append(effects, Effect{"Latest patch", latestPatch(target, entry, latest)})
	}
	licence, undo := "No new licence is needed.", "A patch can be rolled back where the site offers it."
	switch {
	case target.NewLicensesRequired == nil:
		licence = "Not said."
	case *target.NewLicensesRequired:
		licence = "A new licence is needed."
	}
	if IsRelease(target) {
		undo = "A release cannot be rolled back. Only a backup restores it."
	}
	return append(effects, Effect{EffectLicence, licence}, Effect{EffectReadOnly, "While it runs; how long is unknown."}, Effect{"Undo", undo})
}

// latestPatch says what becomes of the patches of a release, and of those that need not be
// installed before it.
func latestPatch(target adminapi.Update, entry Entry, latest *bool) string {
	skipped := plain.Plural(len(entry.Skips), "skipped update")
	switch {
	case latest == nil:
		return "The site decides."
	case !*latest && len(entry.Skips) > 0:
		return "Not installed, nor the " + skipped + "."
	case !*latest:
		return "Not installed."
	case len(entry.Skips) == 0:
		return "The latest " + mainVersion(target) + " patch is installed too."
	}
	return "The latest " + mainVersion(target) + " patch is installed too. It includes the " + skipped + "."
}

// mainVersion returns a version as releases are called: 12.0 for 12.0.0, but 10.9.1.
func mainVersion(u adminapi.Update) string {
	parts := strings.Split(strings.TrimSpace(u.Version), ".")
	if len(parts) == versionParts && parts[2] == "0" {
		parts = parts[:2]
	}
	return short(strings.Join(parts, "."))
}

// RollbackEffects says what a rollback does, or why that is not clear.
func RollbackEffects(r Rollback) []Effect {
	if r.Unsure != "" {
		return []Effect{{"Unclear", r.Unsure}}
	}
	to, undo := r.To, "Install the patch again."
	if typed(r.Listed.FullVersion()) == to {
		to = withName(r.Listed)
	}
	if n := len(r.Removes); n > 1 {
		undo = "Install the " + plain.Plural(n, "patch") + " again."
	}
	return []Effect{{"From", r.From}, {"Back to", to}, {"Removes", r.removed()}, {EffectReadOnly, "While it runs; how long is unknown."}, {"Undo", undo}}
}

// Sentence joins effects for one line.
func Sentence(effects []Effect) string {
	texts := lists.Each(effects, func(e Effect) string { return e.Name + ": " + strings.TrimSuffix(e.Text, ".") + "." })
	return strings.Join(texts, " ")
}

// withName returns the version of an update with its name.
func withName(u adminapi.Update) string {
	version := displayName(u)
	if name := plain.Clip(u.Name, 120); name != "" && name != version {
		return version + " (" + name + ")"
	}
	return version
}

// maxNamed bounds how many updates a sentence names.
const maxNamed = 10

// named returns the versions of entries.
func (c Chain) named(ids []string) string {
	var names []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		entry, found := c.Find(id)
		if !found {
			entry.ID = id
		}
		names = append(names, displayName(entry.Update))
	}
	if len(ids) > maxNamed {
		names = append(names, "and more")
	}
	return strings.Join(names, ", ")
}

// Recommend returns the id of the update to install next, and why: the one that a release
// requires, else the newest patch of the installed release, else the next release. It is
// empty where nothing applies.
func (c Chain) Recommend() (id, why string) {
	for _, e := range c.Entries {
		if e.State != RequiredFirst || !IsRelease(e.Update) {
			continue
		}
		if first, ok := c.FirstOf(e); ok && first.State == Applicable && !IsRelease(first.Update) {
			return first.ID, displayName(e.Update) + " requires it."
		}
		break // the next release is the first of them
	}
	applicable := func(release bool) func(Entry) bool {
		return func(e Entry) bool { return e.State == Applicable && e.ID != "" && IsRelease(e.Update) == release }
	}
	for _, e := range slices.Backward(c.Entries) {
		switch {
		case !applicable(false)(e):
		case len(e.Brings) == 0:
			return e.ID, "Newest patch of " + mainVersion(e.Update) + "."
		default:
			return e.ID, "Newest patch of " + mainVersion(e.Update) + ", with the " + strconv.Itoa(len(e.Brings)) + " before it."
		}
	}
	if at := slices.IndexFunc(c.Entries, applicable(true)); at >= 0 {
		return c.Entries[at].ID, "Next release."
	}
	return "", ""
}

// FirstOf returns the update to install before an entry that requires others: the last of
// them that applies, since it includes the others, else the first of them.
func (c Chain) FirstOf(e Entry) (first Entry, found bool) {
	ids := e.Requires
	if len(ids) > maxCounted { // a manifest may name thousands, and each is searched for
		ids = append(ids[:1:1], ids[len(ids)-maxCounted:]...)
	}
	for _, id := range slices.Backward(ids) {
		if entry, ok := c.Find(id); ok && (!found || entry.State == Applicable || first.State != Applicable) {
			first, found = entry, true
			if entry.State == Applicable {
				break
			}
		}
	}
	return first, found
}
