package upgrade

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func checkRunning(f Facts) finding.Finding {
	if !f.Status.Known() {
		return f.unread("state of upgrades not known", "The state of upgrades could not be read", f.Status.Err, retryAdvice)
	}
	switch state := plain.Clip(f.Status.Value.State, 40); progress.StateOf(f.Status.Value) {
	case progress.StateIdle:
		return ok("The site shows no log of an upgrade.")
	case progress.StateSucceeded:
		return ok("No upgrade is running; the last one succeeded.")
	case progress.StateRunning:
		return f.finds("an upgrade runs", "Watch it, and come back when it has ended.", "An upgrade is running.")
	case progress.StateFailed:
		return checkFailed(f)
	default:
		return f.unread("state of upgrades not known", fmt.Sprintf("Unknown upgrade state: %q, code %d", state, f.Status.Value.Code), nil, retryAdvice)
	}
}

// checkFailed is about a run that has failed. Where it has left stores between two releases, only the
// same release can follow, as the panel What now says.
func checkFailed(f Facts) finding.Finding {
	const again = "What has failed once fails again while its cause stays."
	last, left := progress.LastRun(f.Status.Value), progress.LeftBetween(f.Status.Value)
	check := f.finds("last upgrade failed", "Find out why before you start another one.", "No upgrade is running; the last one failed.")
	_, blocks := OnlyAfter(f.Status.Value, f.Target)
	switch to := short(last.To); {
	case len(f.Status.Value.Messages) == 0:
		check = f.unread("state of upgrades not known", "The last upgrade failed, and the site does not tell how far it came", nil, "Find out what it has left.")
	case left && f.Rollback != nil, blocks:
		check = f.finds("failed between releases", "Fix the cause, then start the same release again.", "The upgrade%s failed between releases. Only that release can follow.", toVersion(to))
		check.Why = "Stores may be between releases. Anything else can lose data."
		return check
	case left:
		check.Text = "The upgrade" + toVersion(to) + " failed between releases."
	}
	check.Why = again
	return check
}

// OnlyAfter returns the version that alone can follow the last run where that has failed between
// releases, and whether it keeps an update from being started.
func OnlyAfter(status adminapi.UpgradeStatus, target adminapi.Update) (version string, blocks bool) {
	last := progress.LastRun(status)
	return short(last.To), len(status.Messages) > 0 && progress.LeftBetween(status) && !last.MayBe(target.FullVersion(), false)
}

// toVersion names the version that a run leads to, where it is known.
func toVersion(version string) string {
	if version == "" {
		return ""
	}
	return " to " + version
}

func checkMode(f Facts) finding.Finding {
	switch {
	case f.SendsNone:
		check := f.finds("geodeck only reads", "Start it without --read-only.", "geodeck was started with --read-only.")
		check.Why = "Nothing is sent."
		return check
	case !f.Mode.Known():
		return f.unread("mode not known", "The mode of the site could not be read", f.Mode.Err, retryAdvice)
	case f.Mode.Value.ReadOnly:
		return checkReadOnly(f)
	case f.Locked:
		return f.notes("site is locked", "Read-only mode is off. This site asks for its name before its first change.")
	}
	return ok("Read-only mode is off.")
}

// checkReadOnly blocks nothing: no page of the platform says that a start is refused, and that of
// the operation recommends the mode for upgrades
// (https://developers.arcgis.com/rest/enterprise-administration/enterprise/update-mode).
func checkReadOnly(f Facts) finding.Finding {
	text, do, same := "Read-only mode is on", "Find out who switched it on, and why.", ""
	if message := plain.Clip(strings.TrimSpace(f.Mode.Value.Message), 200); message != "" {
		text += ": " + strings.TrimSuffix(message, ".")
	}
	ended, left := progress.LeftReadOnly(f.Status.Value)
	if left {
		text = "Left on by the upgrade that failed" // whatever the site still says of it
		same = text
		do = "Do not lift it by hand. Fix the cause first."
		if ended = max(ended, f.FailedBy); !f.Now.IsZero() && !ended.IsZero() {
			text += " " + adminapi.FormatCoarse(max(time.Duration(f.Now-ended)*time.Millisecond, 0)) + " ago"
		}
	} else if progress.StateOf(f.Status.Value) == progress.StateFailed {
		do = "Do not switch it off. Read why it failed and what ends it."
	}
	gate := "read-only mode"
	if left {
		gate = "left read-only"
	}
	check := f.finds(gate, do, "%s.", text)
	check.Same, check.Why = same, "The site decides whether it takes a start. Success ends the mode."
	if f.Target.NeedsLicence() { // files of a request are uploads
		check.Why = "The site decides whether it takes a start, and may refuse the licence file. Success ends the mode."
	}
	return check
}

// MaxAge is how old a health report or a backup may be.
const MaxAge = 24 * time.Hour

func checkHealth(f Facts) finding.Finding {
	run := "Run a health check now."
	if f.Mode.Value.ReadOnly {
		run = "Run a health check; a read-only site may refuse it."
	}
	switch r := f.Report.Value; {
	case !f.Report.Known() && errors.Is(f.Report.Err, adminapi.KindVersionTooOld):
		return f.unread("no fresh good report", "This site has no health checks", nil, "Check the site itself.")
	case !f.Report.Known():
		return f.unread("health not known", "The last health report could not be read", f.Report.Err, run)
	case !r.Found:
		return f.finds("no fresh good report", run, "There is no health report.")
	case !r.Good:
		ended := "is " + strconv.Quote(cmp.Or(short(r.Verdict), "unknown"))
		if r.Verdict == "failed" {
			ended = "failed"
		}
		gate := "no fresh good report"
		if r.Bad {
			gate = "failed health"
		}
		check := f.finds(gate, "Read the report and fix what failed, or run it again.", "The last report %s%s: %s.%s", ended, failedOf(r), nameOrID(r.Name, r.ID), failedTests(r))
		check.Same = r.ID + " " + check.Text // in another one other tests may have failed
		return check
	case progress.StateOf(f.Status.Value) == progress.StateFailed && !r.Ended.IsZero() && r.Ended < max(progress.LastRun(f.Status.Value).Last, f.FailedBy):
		if r.Ended >= progress.LastRun(f.Status.Value).Last { // the upgrade failed in silence, before or after it
			return f.finds("no fresh good report", run, "No health report since the upgrade was seen to have failed.")
		}
		return f.finds("no fresh good report", run, "No health report since the failed upgrade.")
	default:
		return f.checkAge("no fresh good report", "The last report passed", nameOrID(r.Name, r.ID), r.Ended, run)
	}
}

// failedOf counts the tests of a report that failed, where there are any.
func failedOf(r LastReport) string {
	if len(r.Failed) == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %s", len(r.Failed), plain.Plural(r.Tests, "test"))
}

// failedTests names the first of them.
func failedTests(r LastReport) string {
	var names []string
	for _, name := range r.Failed {
		names = append(names, short(name))
	}
	if len(names) == 0 {
		return ""
	}
	return " Failed: " + plain.Listed(names, 2, ", ", " and ") + "."
}

func checkBackup(f Facts) finding.Finding {
	const back, none = "Make a backup first.", "no backup of this release"
	b, began := f.Backup.Value, adminapi.Millis(0)
	if progress.StateOf(f.Status.Value) == progress.StateFailed {
		began = progress.LastRun(f.Status.Value).Began
	}
	what := "The last backup is complete"
	switch {
	case !f.Backup.Known():
		return f.unread(none, "Backups could not be read", f.Backup.Err, "Make sure that there is one.")
	case !b.Found:
		return f.finds(none, back, "The site reports no completed backup.")
	case began.IsZero():
		if ended := f.installed(); !b.Ended.IsZero() && b.Ended < ended {
			return f.finds(none, back, "No backup of the installed release: %s is from before it was installed.", nameOrID(b.Name, b.Store))
		}
	case b.Ended > began:
		return f.finds(none, "Find one that ended before the upgrade began.", "No backup from before the failed upgrade: %s ended after it began.", nameOrID(b.Name, b.Store))
	default:
		what = "The last backup before the failed upgrade is complete"
	}
	return f.checkAge("old backup", what, nameOrID(b.Name, b.Store), b.Ended, back)
}

// installed is when the installed release was installed, zero where the site does not tell.
func (f Facts) installed() adminapi.Millis {
	if last := progress.LastRun(f.Status.Value); progress.StateOf(f.Status.Value) == progress.StateSucceeded && last.Kind() == progress.ReleaseRun {
		return last.Last
	}
	return 0
}

// checkAge returns a warning where something good is too old.
func (f Facts) checkAge(gate, what, name string, ended adminapi.Millis, do string) finding.Finding {
	if f.Now.IsZero() || ended.IsZero() {
		return f.unread(gate, what+", but its age is unknown: "+name, nil, do)
	}
	// Clocks that differ may place it in the future.
	age := max(time.Duration(f.Now-ended)*time.Millisecond, 0)
	if age > MaxAge {
		check := f.finds(gate, do, "%s, but is %s old: %s.", what, adminapi.FormatCoarse(age), name)
		check.Same = what + name
		return check
	}
	return ok("%s, %s old: %s.", what, adminapi.FormatCoarse(age), name)
}

func nameOrID(name, id string) string { return cmp.Or(short(name), short(id), "without a name") }

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

func checkPlacement(f Facts) finding.Finding {
	switch {
	case errors.Is(f.Placement.Err, adminapi.KindVersionTooOld):
		return f.unread("upgrade pods", "This version does not report where upgrade pods run", nil, "")
	case !f.Placement.Known():
		return f.unread("upgrade pods", "The placement of upgrade pods could not be read", f.Placement.Err, "")
	}
	var p podPlacement
	if len(f.Placement.Value) > 0 {
		if err := json.Unmarshal(f.Placement.Value, &p, jsonx.AnyCase); err != nil {
			return f.unread("upgrade pods", "The placement of upgrade pods is malformed", nil, retryAdvice)
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
		return f.finds("upgrade pods", "Make sure that such a node is there and has room.", "Upgrade pods need a node %s.%s", labels(p.NodeAffinity.Required), tolerates)
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

func checkPrivileges(f Facts) finding.Finding {
	caller := f.Caller.Value
	switch {
	case !f.Caller.Known():
		return f.unread("privileges", "Your privileges could not be read", f.Caller.Err, "The site checks them when the upgrade is sent.")
	case caller.Role == adminapi.RoleAdministrator:
		return ok("You are an administrator.")
	case len(caller.Privileges) == 0:
		return f.unread("privileges", "The portal does not report your privileges", nil, "The site checks them when the upgrade is sent.")
	case !caller.May(adminapi.ToUpgrade):
		return f.finds("privileges", "Sign in as someone who has it.", "You may lack the privilege %s.", adminapi.ToUpgrade)
	case f.uploads() && !caller.May(adminapi.ToUpload):
		return f.finds("privileges", "Sign in as a publisher or administrator, or give an upload id.",
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
		if f.NoUploads && IsLicence(field) {
			continue
		}
		if field.Kind == File && (answer.Path != "" || f.ToAnswer && field.Required && field.Empty() && answer.Upload == "") {
			return true
		}
	}
	return false
}

// maxClockDifference is larger than any delay of an answer.
const maxClockDifference = 2 * time.Minute

func checkClock(f Facts) finding.Finding {
	if !f.ClockAhead.Known() {
		return f.unread("clocks", "The site's clock could not be read", f.ClockAhead.Err, "")
	}
	ahead, way := f.ClockAhead.Value, "ahead of"
	if ahead < 0 {
		ahead, way = -ahead, "behind"
	}
	if ahead > maxClockDifference {
		check := f.finds("clocks", "Allow for it when reading times, or correct the clock.", "The site's clock is %s %s this machine's.", adminapi.FormatSeconds(ahead), way)
		check.Same = way + strconv.Itoa(bits.Len(uint(ahead/maxClockDifference))) // another one where it is twice as far off
		return check
	}
	return ok("The site's clock and this machine's agree.")
}
