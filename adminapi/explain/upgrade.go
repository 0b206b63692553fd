package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// UpgradeFacts is what was read about an upgrade that runs, or about the last one.
type UpgradeFacts struct {
	Status   adminapi.UpgradeStatus // its messages are in the log
	Log      progress.Log
	Progress progress.Progress
	Stall    *progress.Stall // nil where it does not stall
	Now      adminapi.Millis // by the server's clock
	Left     string          // how long it still takes, and how that was found out; empty where it is not known

	Unreachable      error           // why the last read had no answer; nil where it had one
	UnreachableSince adminapi.Millis // by the server's clock
	Refused          error           // why the site answered without a state; nil where it gave one
	RefusedSince     adminapi.Millis // by the server's clock
	MayPass          bool            // the refusal may pass by itself
	At               adminapi.Millis // of the last answer with a state, by the server's clock; zero for none
	Doubt            string          // why the last answer is not believed; empty where it is
	Undecided        bool            // how it ended is not known
	Elsewhere        string          // that it leads to another version than was confirmed; empty where it does not

	After  *adminapi.Report // the first health report since its end; nil where none is known
	Good   *adminapi.Report // the last good one before that; nil where none is known
	Pods   []Pods           // deployments of the site, as far as they were read
	Policy placement.Policy // of the pods of the upgrade; the zero policy where it is not known
	Nodes  []placement.Node // none where they are not known
	Site   SiteFacts
}

// step is what failed or waits in a phase.
type step struct {
	id     CauseID
	failed string   // where a run has failed in it
	runs   string   // what goes on in it
	look   []string // what to look at
}

var steps = map[string]step{
	progress.PhaseLaunch: {"launch", "The upgrader did not start.", "The upgrader is starting.",
		[]string{"Upgrade pods: free nodes, image pulls.", "Quota of the namespace."}},
	progress.PhaseDiagnostics: {"diagnostics", "The diagnostics before the upgrade did not pass.", "Diagnostics are running.",
		[]string{"The newest health report, and the upgrader's log."}},
	progress.PhasePlan: {"plan", "The upgrade plan was not carried out.", "The upgrade is being planned.",
		[]string{"The upgrader's log; quota of the namespace."}},
	progress.PhasePostgreSQL: {"database", "PostgreSQL did not finish upgrading.", "PostgreSQL is being upgraded.",
		[]string{"Pods of the relational store: restarts, logs, replication.", "Volumes of the relational store: free space for a second copy.", "Limits: memory of its pods; container timeout 30 min."}},
	progress.PhaseComponents: {"component", "A deployment did not reach the new version.", "Deployments are being upgraded.",
		[]string{"Pods of the deployment: events, restarts, image pulls.", "Limits: container timeout 30 min; quota and free capacity."}},
	progress.PhaseContent: {"content", "The portal content update did not finish.", "Content is being updated.",
		[]string{"Pods and logs of the sharing API and system services."}},
	progress.PhaseSearch: {"search", "The search indices were not refreshed.", "Search indices are being refreshed.",
		[]string{"Pods and volumes of the index store; the portal's indexer."}},
	progress.PhaseFinish: {"finish", "The upgrade did not finish its last step.", "The upgrade is finishing.",
		[]string{"The upgrader's log."}},
}

// Upgrade explains an upgrade that failed, stalls, or has an unknown state. Fault is false
// where it goes on, has succeeded, or where there was none.
func Upgrade(f UpgradeFacts) Explanation {
	x := f.explain()
	if f.Progress.Kind == progress.RollbackRun {
		x.Title, x.Cause.Sentence, x.Next.Text = ofRollback.Replace(x.Title), ofRollback.Replace(x.Cause.Sentence), ofRollback.Replace(x.Next.Text)
	}
	return x
}

// ofRollback makes the sentences about an upgrade some about a rollback.
var ofRollback = strings.NewReplacer("The upgrader", "The upgrader", "the upgrader", "the upgrader", "The upgrade", "The rollback", "the upgrade", "the rollback",
	"being upgraded", "being rolled back", "is upgraded", "is rolled back", "did not reach the new version", "was not rolled back")

func (f UpgradeFacts) explain() Explanation {
	p := f.Progress
	running, succeeded := p.Meaning == progress.StateRunning, p.Meaning == progress.StateSucceeded
	x := Explanation{Title: f.title()}
	switch {
	case f.Refused != nil:
		return f.refused()
	case f.Unreachable != nil:
		f.unreachable(&x)
	case !running && p.Meaning != progress.StateFailed && f.Site.unresolved(&x, adminapi.TargetSite):
	case f.Undecided, f.Doubt != "":
		x.cause("end-not-seen", cmp.Or(said(plain.Capital(f.Doubt)), "The outcome of the upgrade is unknown."),
			RefreshUpgrade.step("Compare the installed version with the target."))
		x.avoid("Do not start it again until the outcome is known.")
	case p.Meaning == progress.StateFailed:
		f.failed(&x)
	case p.Meaning == progress.StateUnknown:
		f.stateUnknown(&x)
	case f.Stall != nil:
		f.stalled(&x)
	case running && p.RolledBack:
		f.failed(&x)
		x.Next = KeepWatching.step("Wait until the rollback has ended.")
	case f.Elsewhere != "":
		x.cause("elsewhere", said(f.Elsewhere), KeepWatching.step("Let it end. Then compare what is installed."))
		if first, found := f.Log.Start(); found {
			f.message(&x, first.When, first.UpgradeMessage.Message)
		}
		if succeeded {
			x.Next = ListInstalled.step("Compare what is installed with what you need.")
		}
		x.avoid("Do not send another change before that.")
	case succeeded && f.Site.Mode != nil && f.Site.Mode.ReadOnly:
		x.cause("read-only-left", "The upgrade has ended, and the site is still read-only.",
			Step{Text: "Ask who switched it on; the upgrade no longer needs it."})
	case running && !f.At.IsZero() && f.Now-f.At > oldAfter:
		x.cause("no-fault", "As of "+f.Site.time(f.At)+": "+cmp.Or(steps[p.Current].runs, "The upgrade is running."),
			RefreshUpgrade.step("Refresh: nothing newer was seen."))
	case running:
		x.cause("no-fault", cmp.Or(steps[p.Current].runs, "The upgrade is running."),
			KeepWatching.step("Keep watching; nothing needs to be done."))
	case succeeded:
		x.cause("no-fault", "The upgrade succeeded.", checkHealth)
		f.checked(&x)
	case f.Site.Mode != nil && f.Site.Mode.ReadOnly:
		x.Title = "The site is read-only, and no upgrade runs"
		x.cause("read-only", "Read-only mode is on; the site shows no log of an upgrade.",
			Step{Text: "Ask who switched it on. Start the upgrade once it is off."})
		x.avoid("Do not switch it off before you know why it is on.")
	default:
		x.cause("no-fault", "The site shows no log of an upgrade.", nothingToDo)
	}
	x.Fault = x.Cause.ID != "no-fault"
	f.describe(&x)
	if f.Elsewhere != "" && x.Cause.ID != "elsewhere" {
		x.site(said(f.Elsewhere))
	}
	f.more(&x)
	return f.Site.checkedReadOnly(x)
}

// stateUnknown explains a state that is not published.
func (f UpgradeFacts) stateUnknown(x *Explanation) {
	p := f.Progress
	x.Cause = known("unknown-state", "The state "+quoted(f.Status.State)+" has no published meaning.")
	if s := (adminapi.UpgradeStatus{State: f.Status.State}); progress.StateOf(s) != progress.StateUnknown {
		x.Cause.Sentence = "The state " + quoted(f.Status.State) + " and its code " + strconv.Itoa(f.Status.Code) + " contradict each other."
	}
	x.Next = KeepWatching.step("Keep watching: the upgrade may continue.")
	x.avoid("Do not start another upgrade: this one may still run.")
	if at, ended := f.Log.EndedSince(p.Began); ended { // the log has the last word on that
		x.Cause.Sentence = "Its log says that it ended at " + f.Site.time(at) + ". " + x.Cause.Sentence
		x.Next = checkHealth
		x.Avoid = []string{"Do not start another upgrade before a health check passes."}
		if version := f.Site.Version; version != "" && version == p.To {
			x.Cause.Sentence += " The site runs " + plain.Line(version) + "."
		}
	}
	if n := f.Log.Len(); n > 0 {
		f.messageAt(x, n-1)
	}
}

// nothingToDo is the step where all is well, checkHealth that after an end.
var nothingToDo, checkHealth = Step{Text: "Nothing needs to be done."}, RunHealth.step("Run a health check.")

// checked says how the site was after the run, where a report tells.
func (f UpgradeFacts) checked(x *Explanation) {
	r := f.After
	if r == nil {
		return
	}
	count := health.CountReport(*r)
	at := Place{Kind: Report, ID: r.ID}
	if count.Total() == 0 {
		x.add(at, "The health check after it has no results.")
		return
	}
	x.add(at, fmt.Sprintf("Health check after it: %d of %s passed.", count[health.Passed], plain.Plural(count.Total(), "test")))
	switch {
	case !health.Overall(*r).Good():
		x.Next = ReadReport.step("Read why tests did not pass.", r.ID)
		if good := f.Good; good != nil {
			x.add(Place{Kind: Report, ID: good.ID}, "Last good report: "+cmp.Or(good.Name, good.ID)+", "+f.Site.time(good.EndTime)+".")
		}
	case count[health.Passed] > 0:
		x.Next = nothingToDo
	}
}

func (f UpgradeFacts) title() string {
	p := f.Progress
	what := plain.Capital(p.Kind.Noun())
	between := " to "
	if p.Kind == progress.PatchRun {
		what, between = "Patch", " "
	}
	if p.To != "" {
		what += between + plain.Clip(plain.Line(p.To), 40)
	}
	switch {
	case f.Unreachable != nil:
		return what + ": the API is unreachable"
	case f.Undecided || f.Doubt != "":
		return what + ": how it ended is unknown"
	case p.Meaning == progress.StateRunning && p.RolledBack:
		return what + " failed: rolling back"
	case f.Elsewhere != "" && f.Stall == nil && p.Meaning == progress.StateRunning:
		return what + ": not what was confirmed"
	case p.Meaning == progress.StateFailed:
		if in := p.StoppedIn(); in != "" {
			return what + " failed in " + in
		}
		return what + " failed"
	case p.Meaning == progress.StateUnknown:
		return what + ": state unknown"
	case f.Stall != nil:
		return what + ": silent " + f.silence()
	case p.Meaning == progress.StateRunning:
		return what + " is running"
	case p.Meaning == progress.StateSucceeded:
		return what + " succeeded"
	}
	return "No upgrade"
}

func quoted(state string) string { return `"` + plain.Clip(plain.Line(state), 60) + `"` }

// refused explains a watch that the site does not let read.
func (f UpgradeFacts) refused() Explanation {
	x := Write(WriteFacts{What: "read the upgrade", Err: f.Refused, Outcome: adminapi.OutcomeDone, Site: f.Site})
	if x.Cause.ID == "sign-in" {
		x.Cause.Sentence = "Session expired."
		if !f.At.IsZero() && f.Progress.Meaning == progress.StateRunning {
			x.Cause.Sentence += " As of " + f.Site.time(f.At) + " the upgrade was running."
		}
		if !f.RefusedSince.IsZero() {
			x.Cause.Sentence = "Signed out since " + f.Site.time(f.RefusedSince) + "; last seen " + f.Site.time(f.At) + "."
		}
		x.Next = ResumeWatch.step("Sign in to keep watching.")
		if f.MayPass {
			x.Next.Text = "Sign in if this lasts; it is tried again by itself."
		}
	}
	f.lastSeen(&x)
	x.Title = "The upgrade cannot be watched"
	return x
}

// gateways are components without which the API cannot be reached.
var gateways = pattern.New(`(?i)ENTERPRISE_ADMIN_API|INGRESS_CONTROLLER|WEB_PROXY|PORTAL_SHARING_API|admin-api|ingress-controller|web-proxy|arcgis-sharing`)

// unreachable explains a site that does not answer while an upgrade runs.
func (f UpgradeFacts) unreachable(x *Explanation) {
	ago := max(time.Duration(f.Now-f.UnreachableSince)*time.Millisecond, 0)
	since := ""
	if !f.UnreachableSince.IsZero() {
		since = " since " + f.Site.time(f.UnreachableSince)
		if ago >= time.Minute {
			since += ", " + adminapi.FormatDuration(ago.Round(time.Minute))
		}
	}
	x.Cause = notKnown("The API has not answered" + since + ".")
	for _, s := range f.Progress.Open {
		if name := gateways().FindString(s.Text); name != "" {
			x.Cause = known("api-restarts", "The API has been unreachable"+since+", while "+name+" is upgraded.")
			f.message(x, s.Since, s.Text)
			break
		}
	}
	f.lastSeen(x)
	x.add(access, "No answer: "+said(f.Unreachable.Error()))
	x.Next = KeepWatching.step("Wait: watching resumes automatically.")
	if ago >= longAway {
		x.Next.Text = "Check the network, then the pods of the ingress and admin API. Watching resumes automatically."
		x.Look = []string{"From another machine: does the site answer?", "Pods of ingress-controller and enterprise-admin-api: events, restarts."}
		x.checks("")
	}
	x.avoid("Do not restart anything because of this alone.")
}

// lastSeen adds where the run was when it was last seen.
func (f UpgradeFacts) lastSeen(x *Explanation) {
	if p, n := f.Progress, f.Log.Len(); p.Current != "" && n > 0 {
		x.add(Place{Kind: Message, Number: n - 1}, "Last seen at "+f.Site.time(max(p.Last, f.At))+" in "+p.Current+".")
	}
}

// oldAfter is from which age on what was seen of a run no longer stands for the present.
const oldAfter = adminapi.Millis(time.Minute / time.Millisecond)

// longAway is how long the API is usually away at most while it is upgraded.
const longAway = 10 * time.Minute

// describe adds the state that the run has left the site in.
func (f UpgradeFacts) describe(x *Explanation) {
	p, site := f.Progress, f.Site
	running, failed := p.Meaning == progress.StateRunning, p.Meaning == progress.StateFailed
	if site.runs() && site.Mode != nil { // what it says is that an upgrade runs
		site.Mode = &adminapi.Mode{ReadOnly: site.Mode.ReadOnly}
	}
	if site.runs() && p.Total > 0 || p.RolledBack && failed && site.Version == p.From { // what runs which is told instead
		site.Version = ""
	}
	if site.describe(x); site.runs() { // the title says so
		x.Site = x.Site[:len(x.Site)-1]
		if x.ReadOnly == Yes {
			x.site("Parts of the site restart.")
		}
	}
	if x.ReadOnly == NotKnown && !p.ReadOnly.From.IsZero() {
		if p.ReadOnly.To.IsZero() && p.Meaning != progress.StateSucceeded {
			x.ReadOnly = Yes
			x.Site[0] = "Read-only since " + f.Site.time(p.ReadOnly.From) + ", according to its log."
		} else {
			x.ReadOnly = No
			x.Site[0] = "No longer read-only, according to its log."
		}
	} else if x.ReadOnly == Yes && failed && p.ReadOnly.Lasts() {
		x.Site[0] = "Read-only since " + f.Site.time(p.ReadOnly.From) + ", never lifted: the site accepts no changes."
	}
	if x.ReadOnly == Yes && running && p.ReadOnly.Lasts() && site.Mode != nil {
		x.Site[0] = "Read-only since " + f.Site.time(p.ReadOnly.From) + ": the site accepts no changes."
	}
	switch {
	case !running:
	case f.Left != "" && f.Stall == nil:
		x.site(said(plain.Capital(f.Left)))
	default:
		x.site("Time left: not known.")
	}
	switch {
	case !x.Fault && !running:
	case p.RolledBack && failed:
		x.site("The patch was rolled back: the site is at " + cmp.Or(plain.Line(p.From), "its earlier version") + ".")
	case p.RolledBack:
		x.site("The patch is being rolled back.")
	case failed && p.ReadOnly.From.IsZero() && p.Total == 0 && p.Messages > 0:
		x.site("It stopped before the site went read-only: nothing was changed.")
	case p.Total > 0:
		x.site(counts(p))
	}
}

func counts(p progress.Progress) string {
	on := " on the new version."
	if p.Kind == progress.RollbackRun {
		on = " back on " + cmp.Or(plain.Line(p.To), "the earlier version") + "."
	}
	return strconv.Itoa(p.Done) + " of " + plain.Plural(p.Total, "deployment") + on
}
