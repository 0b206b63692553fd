package upgrade

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const retryAdvice = "Check again, or look at the site itself."

func checkRunning(f Facts) PreflightCheck {
	if !f.Status.Known {
		return unknown("The state of upgrades could not be read", f.Status.Err, retryAdvice)
	}
	switch state := plain.Clip(f.Status.Value.State, 40); progress.StateOf(f.Status.Value) {
	case progress.StateIdle:
		return ok("The site shows no log of an upgrade.")
	case progress.StateSucceeded:
		return ok("No upgrade is running; the last one succeeded.")
	case progress.StateRunning:
		return blocking("Watch it, and come back when it has ended.", "An upgrade is running.")
	case progress.StateFailed:
		return warning("Find out why before you start another one.", "No upgrade is running; the last one failed.")
	default:
		return unknown(fmt.Sprintf("Unknown upgrade state: %q, code %d", state, f.Status.Value.Code), nil, retryAdvice)
	}
}

func checkMode(f Facts) PreflightCheck {
	switch {
	case f.SendsNone:
		check := blocking("Start it without --read-only.", "geodeck was started with --read-only.")
		check.Why = "Nothing is sent."
		return check
	case !f.Mode.Known:
		return unknown("The mode of the site could not be read", f.Mode.Err, retryAdvice)
	case f.Mode.Value.ReadOnly:
		return checkReadOnly(f)
	}
	return ok("Read-only mode is off.")
}

// checkReadOnly blocks nothing: no page of the platform says that a start is refused, and that of
// the operation recommends the mode for upgrades
// (https://developers.arcgis.com/rest/enterprise-administration/enterprise/update-mode).
func checkReadOnly(f Facts) PreflightCheck {
	finding, do := "Read-only mode is on", "Find out who switched it on, and why."
	if message := plain.Clip(strings.TrimSpace(f.Mode.Value.Message), 200); message != "" {
		finding += ": " + strings.TrimSuffix(message, ".")
	}
	if ended, left := progress.LeftReadOnly(f.Status.Value); left {
		finding = "Left on by the upgrade that failed" // whatever the site still says of it
		do = "Do not lift it by hand. Fix the cause first."
		if ended = max(ended, f.FailedBy); !f.Now.IsZero() && !ended.IsZero() {
			finding += " " + adminapi.FormatCoarse(max(time.Duration(f.Now-ended)*time.Millisecond, 0)) + " ago"
		}
	} else if progress.StateOf(f.Status.Value) == progress.StateFailed {
		do = "Do not switch it off. Read why it failed and what ends it."
	}
	check := warning(do, "%s.", finding)
	check.Why = "The site decides whether it takes a start. Success ends the mode."
	return check
}

func (f Facts) entry() (Entry, bool) { return f.Chain.Value.Find(f.Target.ID) }

func checkOrder(f Facts) PreflightCheck {
	if f.Rollback {
		return checkRollback(f)
	}
	if !f.Chain.Known {
		return unknown("What the site offers could not be read", f.Chain.Err, retryAdvice)
	}
	entry, offered := f.entry()
	if !offered {
		return blocking("Choose an offered update, or import the manifest that holds it.", "%s is not offered.", displayName(f.Target))
	}
	switch entry.State {
	case Applicable:
		return ok("%s", entry.Reason)
	case RequiredFirst:
		return ok("It fits after the required updates.")
	case NotKnown:
		return unknown(strings.TrimSuffix(entry.Reason, "."), nil, "Find out which build is installed.")
	case Broken:
		return blocking("Refresh, or import a complete manifest.", "%s", entry.Reason)
	}
	return blocking("Choose another update.", "%s", entry.Reason)
}

func checkRollback(f Facts) PreflightCheck {
	switch {
	case !f.Rollbacks.Known:
		return unknown("What can be rolled back could not be read", f.Rollbacks.Err, retryAdvice)
	case !slices.ContainsFunc(f.Rollbacks.Value, func(u adminapi.Update) bool { return u.ID == f.Target.ID }):
		return blocking("Choose a patch that it offers.", "The site does not offer to roll back %s.", displayName(f.Target))
	case len(f.Later) > 0:
		return warning("", "Also rolled back: %s.", plain.Clip(strings.Join(f.Later, ", "), 400))
	}
	return ok("No later patch goes with it.")
}

func checkRequired(f Facts) PreflightCheck {
	entry, offered := f.entry()
	switch {
	case !f.Chain.Known:
		return unknown("What the site offers could not be read", f.Chain.Err, retryAdvice)
	case !offered || entry.State == NotKnown:
		return unknown("The required updates are unknown", nil, "")
	case entry.State == RequiredFirst:
		var names []string
		for _, id := range entry.Requires {
			names = append(names, short(id))
		}
		if len(names) < 2 { // the reason names it
			return blocking("Install that one, then come back.", "%s", entry.Reason)
		}
		return blocking("Install first: "+plain.Clip(strings.Join(names, ", "), 400)+".", "%s", entry.Reason)
	}
	return ok("No update is required first.")
}

// MaxAge is how old a health report or a backup may be.
const MaxAge = 24 * time.Hour

func checkHealth(f Facts) PreflightCheck {
	run := "Run a health check now."
	if f.Mode.Value.ReadOnly { // in which the site refuses it
		run = "A health check is not possible now: the site is read-only."
		if progress.StateOf(f.Status.Value) == progress.StateFailed {
			run = "Deal with the failed upgrade first, then run a health check."
		}
	}
	switch r := f.Report.Value; {
	case !f.Report.Known && errors.Is(f.Report.Err, adminapi.KindVersionTooOld):
		return unknown("This site has no health checks", nil, "Check the site itself.")
	case !f.Report.Known:
		return unknown("The last health report could not be read", f.Report.Err, run)
	case !r.Found:
		return warning(run, "There is no health report.")
	case !r.Good:
		ended := "is " + strconv.Quote(cmp.Or(short(r.Verdict), "unknown"))
		if r.Verdict == "failed" {
			ended = "failed"
		}
		check := warning("Read the report and fix what failed, or run it again.", "The last report %s%s: %s.", ended, failedOf(r), nameOrID(r.Name, r.ID))
		if r.Bad {
			check.Accept = AcceptFailedHealth
		}
		return check
	case progress.StateOf(f.Status.Value) == progress.StateFailed && !r.Ended.IsZero() && r.Ended < progress.LastRun(f.Status.Value).Last:
		return warning(run, "No health report since the failed upgrade.")
	default:
		return f.checkAge("The last report passed", nameOrID(r.Name, r.ID), r.Ended, run)
	}
}

// failedOf counts the tests of a report that did not pass, where there are any.
func failedOf(r LastReport) string {
	if r.Failed == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %s", r.Failed, plain.Plural(r.Tests, "test"))
}

func checkBackup(f Facts) PreflightCheck {
	const back = "Make a backup first."
	b, began := f.Backup.Value, adminapi.Millis(0)
	if progress.StateOf(f.Status.Value) == progress.StateFailed {
		began = progress.LastRun(f.Status.Value).Began
	}
	what := "The last backup is complete"
	switch {
	case !f.Backup.Known:
		return unknown("Backups could not be read", f.Backup.Err, "Make sure that there is one.")
	case !b.Found:
		return warning(back, "The site reports no completed backup.")
	case began.IsZero():
	case b.Ended > began:
		return warning("Find one that ended before the upgrade began.", "No backup from before the failed upgrade: %s ended after it began.", nameOrID(b.Name, b.Store))
	default:
		what = "The last backup before the failed upgrade is complete"
	}
	return f.checkAge(what, nameOrID(b.Name, b.Store), b.Ended, back)
}

// checkAge returns a warning where something good is too old.
func (f Facts) checkAge(what, name string, ended adminapi.Millis, do string) PreflightCheck {
	if f.Now.IsZero() || ended.IsZero() {
		return unknown(what+", but its age is unknown: "+name, nil, do)
	}
	// Clocks that differ may place it in the future.
	age := max(time.Duration(f.Now-ended)*time.Millisecond, 0)
	if age > MaxAge {
		return warning(do, "%s, but is %s old: %s.", what, adminapi.FormatCoarse(age), name)
	}
	return ok("%s, %s old: %s.", what, adminapi.FormatCoarse(age), name)
}

func nameOrID(name, id string) string { return cmp.Or(short(name), short(id), "without a name") }

// licenceGiven promises no more than is known: only the site can check a licence.
const licenceGiven = "Licence given. The site checks it when the upgrade starts."

func checkLicence(f Facts) PreflightCheck {
	if StyleOf(f.Target) == Old {
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
	if !f.Settings.Known {
		if !f.Target.NewLicensesRequired {
			return unknown("The settings could not be read", f.Settings.Err, retryAdvice)
		}
		return unknown("A new licence is needed; the settings could not be read", f.Settings.Err, retryAdvice)
	}
	field, found := LicenceSetting(Form(f.Settings.Value))
	switch {
	case !found && f.Target.NewLicensesRequired:
		return warning("Find out how the site takes its licence.", "A new licence is needed, but no setting asks for it.")
	case !found:
		return ok("No new licence is needed.")
	}
	answer := f.Answers[field.ID]
	switch given := answer.Path != "" || answer.Upload != "" || !field.Empty(); {
	case f.Files[field.ID] != nil:
		return blocking("Choose another file.", "%s.", sentence(f.Files[field.ID]))
	case !answer.isZero() && field.problem(answer) != "":
		return blocking("Choose the licence file (JSON).", "%s %s", field.Label, field.problem(answer))
	case !given && !field.Required && !f.Target.NewLicensesRequired:
		return ok("No new licence is needed.")
	case !given:
		return f.missing("Choose the licence file (JSON).", "A new licence is needed.")
	}
	return ok(licenceGiven)
}

// missing blocks, unless a later step asks for what is missing.
func (f Facts) missing(do, finding string) PreflightCheck {
	if f.ToAnswer {
		return PreflightCheck{State: CheckPending, Finding: finding, Do: do}
	}
	return blocking(do, "%s", finding)
}

func sentence(err error) string { return strings.TrimSuffix(plain.Clip(err.Error(), 300), ".") }

func checkSettings(f Facts) PreflightCheck {
	if StyleOf(f.Target) == Old {
		return ok("This upgrade has no settings.")
	}
	if !f.Settings.Known {
		return unknown("The settings could not be read", f.Settings.Err, retryAdvice)
	}
	fields := Form(f.Settings.Value)
	problems := f.problems(fields)
	switch {
	case len(fields) == 0:
		return ok("This upgrade has no settings.")
	case len(problems) > 0:
		finding := problems[0].Text
		if more := len(problems) - 1; more > 0 {
			finding += fmt.Sprintf(" (and %s)", plain.Plural(more, "other problem"))
		}
		return f.missing("Fill in the settings.", finding)
	case checkLicence(f).State != CheckOK:
		return PreflightCheck{State: CheckPending, Finding: "Complete except for the licence."}
	}
	return ok("All settings are complete.")
}

// problems returns what is wrong with the settings, without the licence, which has its own
// check.
func (f Facts) problems(fields []Field) []Problem {
	problems := Check(fields, f.Answers)
	for _, id := range slices.Sorted(maps.Keys(f.Files)) {
		if err := f.Files[id]; err != nil {
			problems = append(problems, Problem{ID: id, Text: sentence(err) + "."})
		}
	}
	licence, found := LicenceSetting(fields)
	return slices.DeleteFunc(problems, func(p Problem) bool { return found && p.ID == licence.ID })
}

// LicenceSetting returns the setting that takes the licence, and false where none does.
func LicenceSetting(fields []Field) (Field, bool) {
	for _, f := range fields {
		name := strings.ToLower(f.ID)
		if f.Kind == File && (strings.Contains(name, "license") || strings.Contains(name, "licence")) {
			return f, true
		}
	}
	return Field{}, false
}

// checkImages is no warning about images without a checksum, as platforms may have none at all.
func checkImages(f Facts) PreflightCheck {
	entry, offered := f.entry()
	if !offered {
		return unknown("The images of the update are unknown", nil, "")
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
		return warning("Refresh, or import the manifest again.", "%d of %d images have a malformed checksum.%s", n.Malformed, n.Total, unread)
	case n.Missing > 0:
		included := ""
		if n.Total > len(f.Target.Containers) {
			included = ", included updates counted"
		}
		return PreflightCheck{State: CheckNote, Finding: fmt.Sprintf("%d of %d images have no checksum to compare%s.%s", n.Missing, n.Total, included, unread)}
	case n.Unread > 0:
		return ok("%d images have a checksum.%s", n.Total, unread)
	default:
		return ok("All %d images have a checksum.", n.Total)
	}
}

// podPlacement is what the finding needs of a placement policy.
type podPlacement struct {
	NodeAffinity struct {
		Required  jsontext.Value `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		Preferred jsontext.Value `json:"preferredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
	Tolerations []struct {
		Key, Operator, Value, Effect string
	} `json:"tolerations"`
}

func checkPlacement(f Facts) PreflightCheck {
	switch {
	case errors.Is(f.Placement.Err, adminapi.KindVersionTooOld):
		return unknown("This version does not report where upgrade pods run", nil, "")
	case !f.Placement.Known:
		return unknown("The placement of upgrade pods could not be read", f.Placement.Err, "")
	}
	var p podPlacement
	if len(f.Placement.Value) > 0 {
		if err := json.Unmarshal(f.Placement.Value, &p, jsonx.AnyCase); err != nil {
			return unknown("The placement of upgrade pods is malformed", nil, retryAdvice)
		}
	}
	var taints []string
	tolerates := ""
	for _, t := range p.Tolerations {
		if t.Key == "" {
			tolerates = " They tolerate every taint."
			break
		}
		taints = append(taints, short(t.Key))
		tolerates = " They tolerate its " + plain.Clip(strings.Join(taints, ", "), 120) + " taint."
	}
	switch {
	case isGiven(p.NodeAffinity.Required):
		return warning("Make sure that such a node is there and has room.", "Upgrade pods need a node %s.%s", labels(p.NodeAffinity.Required), tolerates)
	case isGiven(p.NodeAffinity.Preferred):
		return ok("Upgrade pods prefer a node %s.%s", labels(p.NodeAffinity.Preferred), tolerates)
	}
	return ok("Upgrade pods run on any node.%s", strings.Replace(tolerates, " its ", " the ", 1))
}

func isGiven(v jsontext.Value) bool {
	text := strings.TrimSpace(string(v))
	return text != "" && text != "null" && text != "{}" && text != "[]"
}

// labels names the labels that an affinity asks for, whatever its form.
func labels(affinity jsontext.Value) string {
	var tree any
	_ = json.Unmarshal(affinity, &tree, jsonx.AnyCase) // it was parsed before
	var found []string
	collectLabels(tree, &found)
	return cmp.Or(plain.Clip(strings.Join(found, "; "), 200), "with labels that could not be read")
}

func collectLabels(tree any, found *[]string) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			collectLabels(element, found)
		}
	case map[string]any:
		if key, ok := node["key"].(string); ok {
			var values []string
			list, _ := node["values"].([]any)
			for _, value := range list {
				values = append(values, fmt.Sprint(value))
			}
			*found = append(*found, labelText(key, fmt.Sprint(node["operator"]), strings.Join(values, " or ")))
			return
		}
		for _, name := range []string{"nodeSelectorTerms", "preference", "matchExpressions", "matchFields"} {
			collectLabels(node[name], found)
		}
	}
}

// labelText says which values of a label are asked for, to follow "a node".
func labelText(key, operator, values string) string {
	switch operator {
	case "In":
		return "labelled " + key + "=" + values
	case "Exists":
		return "labelled " + key
	case "DoesNotExist":
		return "without the label " + key
	}
	if word := map[string]string{"NotIn": "other than", "Gt": "above", "Lt": "below"}[operator]; word != "" {
		operator = word
	}
	return strings.TrimSpace("with " + key + " " + operator + " " + values)
}

// The privileges to upgrade and to upload, by the names of the portal and of the API's
// table.
var (
	mayUpgrade = []string{"portal:admin:manageSecurity", "portal:admin:manageServers", "Security and infrastructure", "Servers"}
	mayUpload  = []string{"portal:publisher:", "Publisher"}
)

// administrator is the role that may do everything.
const administrator = "org_admin"

func checkPrivileges(f Facts) PreflightCheck {
	caller := f.Caller.Value
	switch {
	case !f.Caller.Known:
		return unknown("Your privileges could not be read", f.Caller.Err, "The site checks them when the upgrade is sent.")
	case caller.Role == administrator:
		return ok("You are an administrator.")
	case len(caller.Privileges) == 0:
		return unknown("The portal does not report your privileges", nil, "The site checks them when the upgrade is sent.")
	case !has(caller.Privileges, mayUpgrade):
		return warning("Sign in as someone who has it.", "You may lack the privilege %q or %q.", mayUpgrade[2], mayUpgrade[3])
	case f.uploads() && !has(caller.Privileges, mayUpload):
		return warning("Sign in as a publisher or administrator, or give an upload id.",
			"You may upgrade, but probably not upload the file of a setting.")
	case f.uploads():
		return ok("You may upgrade, and upload files.")
	}
	return ok("You may upgrade.")
}

// uploads reports whether a file has to be uploaded, or will have to be.
func (f Facts) uploads() bool {
	if StyleOf(f.Target) == Old {
		return false
	}
	for _, field := range Form(f.Settings.Value) {
		answer := f.Answers[field.ID]
		if field.Kind == File && (answer.Path != "" || f.ToAnswer && field.Required && field.Empty() && answer.Upload == "") {
			return true
		}
	}
	return false
}

// has reports whether one of the privileges is among the names. A name that ends in a
// colon matches all that begin with it.
func has(privileges, names []string) bool {
	return slices.ContainsFunc(privileges, func(p string) bool {
		p = strings.TrimSpace(p)
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(p, name) || strings.HasSuffix(name, ":") && strings.HasPrefix(p, name)
		})
	})
}

// maxClockDifference is larger than any delay of an answer.
const maxClockDifference = 2 * time.Minute

func checkClock(f Facts) PreflightCheck {
	if !f.ClockAhead.Known {
		return unknown("The site's clock could not be read", f.ClockAhead.Err, "")
	}
	switch ahead := f.ClockAhead.Value; {
	case ahead > maxClockDifference:
		return warning("Allow for it when reading times, or correct the clock.", "The site's clock is %s ahead of this machine's.", adminapi.FormatSeconds(ahead))
	case ahead < -maxClockDifference:
		return warning("Allow for it when reading times, or correct the clock.", "The site's clock is %s behind this machine's.", adminapi.FormatSeconds(-ahead))
	}
	return ok("The site's clock and this machine's agree.")
}
