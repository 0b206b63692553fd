package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

const retryAdvice = "Check again, or look at the site itself."

func (f Facts) entry() (Entry, bool) { return f.Chain.Value.Find(f.Target.ID) }

func checkOrder(f Facts) finding.Finding {
	if f.Rollback != nil {
		return checkRollback(f)
	}
	if !f.Chain.Known() {
		return f.unread("offer not known", "What the site offers could not be read", f.Chain.Err, retryAdvice)
	}
	entry, offered := f.entry()
	if !offered {
		return f.finds("update does not fit", "Choose an offered update, or import the manifest that holds it.", "%s is not offered.", displayName(f.Target))
	}
	switch entry.State {
	case Applicable:
		return ok("%s", entry.Reason)
	case RequiredFirst:
		return ok("It fits after the required updates.")
	case NotKnown:
		return f.unread("offer not known", strings.TrimSuffix(entry.Reason, "."), nil, "Find out which build is installed.")
	case Broken:
		return f.finds("update does not fit", "Refresh, or import a complete manifest.", "%s", entry.Reason)
	}
	return f.finds("update does not fit", "Choose another update.", "%s", entry.Reason)
}

func checkRollback(f Facts) finding.Finding {
	now, offered := RollbackOf(f.Rollbacks.Value, f.Rollback.Listed.ID)
	switch {
	case !f.Rollbacks.Known():
		return f.unread("rollback not known", "What can be rolled back could not be read", f.Rollbacks.Err, retryAdvice)
	case !offered:
		return f.finds("update does not fit", "Choose one that it offers.", "The site does not offer to roll back to %s.", cmp.Or(f.Rollback.To, displayName(f.Target)))
	case now.Unsure != "":
		return f.finds("update does not fit", "Choose another version, or use the site's own manager.", "%s", now.Unsure)
	case !now.Same(*f.Rollback):
		return f.finds("update does not fit", "Choose it again.", "The site has changed. %s", now.Sentence())
	case len(now.Removes) > 1:
		return f.finds("several patches go", "", "Removes %s.", now.removed())
	}
	return ok("Removes %s.", now.removed())
}

func checkRequired(f Facts) finding.Finding {
	entry, offered := f.entry()
	switch {
	case !f.Chain.Known():
		return f.unread("required updates not known", "What the site offers could not be read", f.Chain.Err, retryAdvice)
	case !offered || entry.State == NotKnown:
		return f.unread("required updates not known", "The required updates are unknown", nil, "")
	case entry.State == RequiredFirst:
		names := lists.Each(entry.Requires, short)
		if len(names) < 2 { // the reason names it
			return f.finds("required update first", "Install that one, then come back.", "%s", entry.Reason)
		}
		return f.finds("required update first", "Install first: "+plain.Clip(strings.Join(names, ", "), 400)+".", "%s", entry.Reason)
	}
	return ok("No update is required first.")
}

func checkLicence(f Facts) finding.Finding {
	field, asked := LicenceSetting(Form(f.Settings.Value))
	part, withRequest := f.Files[LicenceField().ID]
	switch style := StyleOf(f.Target); {
	case part.Err != nil:
		return f.finds("licence missing or unusable", "Choose another file.", "%s.", sentence(part.Err))
	case withRequest && style == Old:
		return f.GivenLicence(part.Licence)
	case withRequest && !f.Settings.Known():
		return f.licenceInRequest(part.Licence, "the settings are not known")
	case withRequest:
		return f.licenceInRequest(part.Licence, "no setting asks for it")
	case style == Old && f.Target.NeedsLicence():
		return f.missing("licence missing or unusable", "Choose the licence file (JSON).", "A new licence is needed.")
	case style == Old:
		return f.noLicence()
	case !f.Settings.Known() && !f.Target.NeedsLicence():
		return f.unread("licence not known", "The settings could not be read", f.Settings.Err, retryAdvice)
	case !f.Settings.Known():
		return f.unread("licence not known", "A new licence is needed; the settings could not be read", f.Settings.Err, "Give its file: it goes with the request.")
	case !asked && f.Target.NeedsLicence():
		return f.missing("licence not asked for", "Give its file: it goes with the request.", "A new licence is needed, but no setting asks for it.")
	case !asked:
		return f.noLicence()
	}
	answer := f.Answers[field.ID]
	switch given := answer.Path != "" || answer.Upload != "" || !field.Empty(); {
	case f.Files[field.ID].Err != nil:
		return f.finds("licence missing or unusable", "Choose another file.", "%s.", sentence(f.Files[field.ID].Err))
	case !answer.isZero() && field.problem(answer) != "":
		return f.finds("licence missing or unusable", "Choose the licence file (JSON).", "%s %s", field.Label, field.problem(answer))
	case !given && !field.Required && !f.Target.NeedsLicence():
		return ok("No new licence is needed.")
	case !given:
		return f.missing("licence missing or unusable", "Choose the licence file (JSON).", "A new licence is needed.")
	case f.NoUploads && answer.Path != "":
		return f.licenceInRequest(f.Files[field.ID].Licence, "the site takes no uploaded one")
	}
	return f.GivenLicence(f.Files[field.ID].Licence)
}

// licenceInRequest is about a sound licence that goes as a part of a request of the new style.
func (f Facts) licenceInRequest(l Licence, why string) finding.Finding {
	if check := f.GivenLicence(l); check.Open() {
		return check
	}
	return f.finds("licence in the request", "", "The licence goes with the request: %s.", why)
}

// noLicence is about an update that asks for no licence.
func (f Facts) noLicence() finding.Finding {
	if f.Target.NewLicensesRequired == nil {
		return f.notes("licence not known", "The update does not say whether it needs a new licence.")
	}
	return ok("No new licence is needed.")
}

// missing blocks, unless a later step asks for what is missing.
func (f Facts) missing(gate, do, text string) finding.Finding {
	if f.ToAnswer {
		return finding.Finding{Strength: finding.Later, Text: text, Do: do}
	}
	return f.finds(gate, do, "%s", text)
}

func sentence(err error) string { return strings.TrimSuffix(plain.Clip(err.Error(), 300), ".") }

func checkSettings(f Facts) finding.Finding {
	if StyleOf(f.Target) == Old {
		return ok("This upgrade has no settings.")
	}
	if !f.Settings.Known() {
		return f.unread("settings not known", "The settings could not be read", f.Settings.Err, retryAdvice)
	}
	fields := Form(f.Settings.Value)
	problems := f.problems(fields)
	switch {
	case len(fields) == 0:
		return ok("This upgrade has no settings.")
	case len(problems) > 0:
		text := problems[0].Text
		if more := len(problems) - 1; more > 0 {
			text += fmt.Sprintf(" (and %s)", plain.Plural(more, "other problem"))
		}
		return f.missing("settings incomplete", "Fill in the settings.", text)
	case checkLicence(f).Strength == finding.Later, checkLicence(f).Blocks():
		return finding.Finding{Strength: finding.Later, Text: "Complete except for the licence."}
	}
	return ok("All settings are complete.")
}

// problems returns what is wrong with the settings, without the licence, which has its own
// check.
func (f Facts) problems(fields []Field) []finding.Finding {
	problems := Check(fields, f.Answers)
	for _, id := range slices.Sorted(maps.Keys(f.Files)) {
		if err := f.Files[id].Err; err != nil {
			problems = append(problems, problem(id, sentence(err)+"."))
		}
	}
	licence, found := LicenceSetting(fields)
	return slices.DeleteFunc(problems, func(p finding.Finding) bool { return found && p.ID == licence.ID })
}

// LicenceSetting returns the setting that takes the licence, and false where none does.
func LicenceSetting(fields []Field) (Field, bool) {
	if at := slices.IndexFunc(fields, IsLicence); at >= 0 {
		return fields[at], true
	}
	return Field{}, false
}

// IsLicence reports whether a setting takes the licence.
func IsLicence(f Field) bool {
	name := strings.ToLower(f.ID)
	return f.Kind == File && (strings.Contains(name, "license") || strings.Contains(name, "licence"))
}

// checkImages is no warning about images without a checksum, as platforms may have none at all.
func checkImages(f Facts) finding.Finding {
	entry, offered := f.entry()
	if !offered {
		return f.unread("image checksums", "The images of the update are unknown", nil, "")
	}
	n := f.Chain.Value.Containers(entry, f.Installed)
	unread := ""
	if n.Unread > 0 {
		unread = " Not counted: " + plain.Plural(n.Unread, "included update") + "."
	}
	switch {
	case n.Total == 0 && n.Unread == 0:
		return ok("The update names no images.")
	case n.Malformed > 0:
		return f.finds("image checksums", "Refresh, or import the manifest again.", "%d of %d images have a malformed checksum.%s", n.Malformed, n.Total, unread)
	case n.Missing > 0:
		included := ""
		if n.Total > len(f.Target.Containers) {
			included = ", included updates counted"
		}
		return f.notes("image checksums", "%d of %d images have no checksum to compare%s.%s", n.Missing, n.Total, included, unread)
	case n.Unread > 0:
		return ok("%d images have a checksum.%s", n.Total, unread)
	default:
		return ok("All %d images have a checksum.", n.Total)
	}
}
