package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi/plain"
)

// licenceGiven promises no more than is known: only the site can read a licence.
const licenceGiven = "The licence is given; the site checks it when the upgrade starts."

func checkLicence(f Facts) result {
	if StyleOf(f.Target) == Old {
		return checkLicenceFile(f)
	}
	if !f.Settings.Known {
		if !f.Target.NewLicensesRequired {
			return unknown("Whether a licence is asked for could not be read", f.Settings.Err, askTheSite)
		}
		return unknown("The update needs a new licence; how it is asked for could not be read", f.Settings.Err, askTheSite)
	}
	field, asked := LicenceSetting(Form(f.Settings.Value))
	switch {
	case !asked && f.Target.NewLicensesRequired:
		return warning("Find out how the site takes its licence.", "The update needs a new licence, but no setting asks for it.")
	case !asked:
		return ok("No licence is asked for.")
	}
	answer := f.Answers[field.ID]
	switch given := answer.Path != "" || answer.Upload != "" || !field.Empty(); {
	case f.Files[field.ID] != nil:
		return blocking("Choose another file.", "%s.", sentence(f.Files[field.ID]))
	case !answer.isZero() && field.wrong(answer) != "":
		return blocking("Choose the licence file (JSON).", "%s %s", field.Label, field.wrong(answer))
	case !given && !field.Required && !f.Target.NewLicensesRequired:
		return ok("No new licence is needed.")
	case !given:
		return f.missing("Choose the licence file (JSON).", "A new licence is needed.")
	}
	return ok(licenceGiven)
}

func checkLicenceFile(f Facts) result {
	switch {
	case f.LicenceErr != nil:
		return blocking("Choose another file.", "%s.", sentence(f.LicenceErr))
	case f.Licence:
		return ok(licenceGiven)
	case f.Target.NewLicensesRequired:
		return f.missing("Choose the licence file (JSON).", "A new licence is needed.")
	}
	return ok("No new licence is needed.")
}

// missing blocks, unless the question is still to be asked.
func (f Facts) missing(do, finding string) result {
	if f.ToAnswer {
		return result{state: CheckToCome, finding: finding, do: do}
	}
	return blocking(do, "%s", finding)
}

func sentence(err error) string { return strings.TrimSuffix(plain.Clip(err.Error(), 300), ".") }

func checkSettings(f Facts) result {
	if StyleOf(f.Target) == Old {
		return ok("An upgrade to %s asks for no settings.", called(f.Target))
	}
	if !f.Settings.Known {
		return unknown("The settings could not be read", f.Settings.Err, askTheSite)
	}
	fields := Form(f.Settings.Value)
	problems := f.problems(fields)
	switch {
	case len(fields) == 0:
		return ok("It asks for no settings.")
	case len(problems) == 0:
		return ok("Every setting has what it needs, the licence aside.")
	}
	finding := problems[0].Text
	if more := len(problems) - 1; more > 0 {
		finding += fmt.Sprintf(" (and %s)", counted(more, "other problem"))
	}
	return f.missing("Fill in the settings.", finding)
}

// problems returns what is wrong with the settings but the licence, which has a
// check of its own.
func (f Facts) problems(fields []Field) []Problem {
	problems := Check(fields, f.Answers)
	for _, id := range slices.Sorted(maps.Keys(f.Files)) {
		if err := f.Files[id]; err != nil {
			problems = append(problems, Problem{ID: id, Text: sentence(err) + "."})
		}
	}
	licence, asked := LicenceSetting(fields)
	return slices.DeleteFunc(problems, func(p Problem) bool { return asked && p.ID == licence.ID })
}

// LicenceSetting finds the setting that takes the licence, and false where none does.
func LicenceSetting(fields []Field) (Field, bool) {
	for _, f := range fields {
		name := strings.ToLower(f.ID)
		if f.Kind == File && (strings.Contains(name, "license") || strings.Contains(name, "licence")) {
			return f, true
		}
	}
	return Field{}, false
}
