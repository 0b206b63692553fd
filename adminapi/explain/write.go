package explain

import (
	"cmp"
	"errors"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// WriteFacts is what is known of a write that did not end well, or of a failed read, whose
// Outcome is done: nothing of a write is said then.
type WriteFacts struct {
	What    string // what was to be done, such as "edit the definition of X"; after "cannot"
	Title   string // the fault in one line; empty is made from What
	Err     error  // of the client or of an operation
	Outcome adminapi.Outcome
	Job     *adminapi.Job // of the write, where one is known
	// Here names why this program did not send it, or what it found when it read back; empty
	// for another reason. See the Here constants.
	Here CauseID
	// Found is what a search at the site showed, a sentence without its end; empty for none.
	Found string
	// Stored is what the site has after it, a sentence; empty where that is not known. Of an
	// unknown outcome it means that nothing has arrived so far.
	Stored string
	Kept   bool // Stored says that the site still has what it had
	// From is from what time on another one may be sent, empty where one may be now.
	From string
	// Running says that something runs at the site that may be this write.
	Running bool
	Upload  bool     // it failed at the upload of a file, before an upgrade was sent
	Service string   // path of the service that it is about; empty for none
	Look    ActionID // that looks for an unknown outcome; empty for the one of every screen
	Site    SiteFacts
}

// Write explains why a write was refused, failed, or has an unknown outcome.
func Write(f WriteFacts) Explanation {
	x := Explanation{Title: "Cannot " + plain.Line(f.What), Fault: true}
	f.Site.describe(&x)
	e, _ := errors.AsType[*adminapi.Error](f.Err) // of the client
	switch {
	case here[f.Here].says != "":
		x.cause(f.Here, here[f.Here].says, Step{Text: here[f.Here].next})
		if f.Service != "" && f.Here != HereBusy && f.Here != HereRecord { // which are not mended there
			x.Next.Action = OpenService.To(f.Service)
		}
		x.add(Place{Kind: ServiceAt, ID: f.Service}, plain.Capital(said(f.Err.Error())))
	case f.Outcome == adminapi.OutcomeUnknown:
		f.unknown(&x, e)
	case f.Job != nil && f.Job.Failed():
		x.Title = "It failed: " + plain.Line(f.What)
		explainJob(&x, *f.Job)
		if f.Stored != "" {
			x.Cause.Sentence += " " + f.Stored
			x.site(f.Stored)
		}
		if f.Service != "" {
			x.Next.Action = OpenStatus.To(f.Service, f.Job.ID)
		}
		if f.Stored != "" && !f.Kept {
			x.Next.restores()
		}
	case f.Job != nil && !f.Job.Ended():
		x.Title = "Not ended yet: " + plain.Line(f.What)
		f.runs(&x, "")
	case e != nil:
		f.refused(&x, e)
	case f.Err != nil:
		x.noCause(said(f.Err.Error()), Step{Text: "Read the message, then try again."})
	default:
		x.noCause("No error was given.", LookAtSite.step("Check what the site shows now."))
	}
	if f.Title != "" {
		x.Title = plain.Line(f.Title)
	}
	switch f.Outcome {
	case adminapi.OutcomeRefused:
		x.site("The site refused it: nothing was changed.")
	case adminapi.OutcomeNotSent:
		nothing := "Nothing was sent."
		if f.Upload {
			nothing = "The upgrade itself was not sent."
		}
		x.site(nothing)
	}
	x.checks("")
	f.Site.more(&x)
	return x
}

// Why this program did not send a write, or was not content with what it read back.
const (
	HereDrift    CauseID = "drift"
	HereBlocked  CauseID = "definition"
	HereOpen     CauseID = "not-accepted"
	HereBusy     CauseID = "busy-here"
	HereStored   CauseID = "not-stored"
	HereKept     CauseID = "stored-otherwise"
	HereSettings CauseID = "settings-changed"
	HereRecord   CauseID = "not-recorded"
	HereUpload   CauseID = "upload-incomplete"
)

// here are the sentences of these.
var here = map[CauseID]struct{ says, next string }{
	HereDrift:    {"Someone else changed it since you fetched it.", "Merge with the site's version, then send."},
	HereBlocked:  {"Your change breaks a rule of the definition.", "Correct the named value."},
	HereOpen:     {"Your change has findings that nobody has accepted.", "Accept each one in the review, or correct the change."},
	HereBusy:     {"Another program on this machine is changing it.", "Wait for that program, or end it."},
	HereStored:   {"The site accepted the change, but did not keep all of it.", "What was left out is still your change."},
	HereKept:     {"The site kept your change, but changed more than that.", "Check what else the site changed."},
	HereSettings: {"The site's settings have changed since the review.", "Open the settings again and fill in the new ones."},
	HereUpload:   {"The site took the file, but did not complete the upload.", "Read the site's logs about the upload: trying again seldom helps."},
	HereRecord:   {"This machine cannot record the request, so nothing was sent.", "Make the state folder writable, or name another with --state-dir."},
}

// access is where a sign-in or a connection stands.
var access = Place{Kind: Access}

// unknown explains a write whose answer was lost.
func (f WriteFacts) unknown(x *Explanation, e *adminapi.Error) {
	x.Title = "Outcome unknown: " + plain.Line(f.What)
	x.avoid("Do not send it again before its outcome is known.")
	x.Next = Step{Text: "Look for it; this sends nothing.", Action: cmp.Or(f.Look, LookForWrite).To()}
	if f.Err != nil {
		x.add(access, plain.Capital(said(f.Err.Error())))
	}
	switch {
	case f.Job != nil && !f.Job.Ended():
		f.runs(x, "The answer was lost. ")
	case f.Running:
		x.Cause = known("answer-lost-running", "The answer was lost. A running operation at the site may be this one.")
		x.Next.Text, x.Next.Later = "Wait until it has ended.", "look for it"
	case f.Stored != "":
		x.Cause = known("not-arrived", "No answer came. "+f.Stored)
		x.Avoid = []string{"Do not send it again at once: it may still arrive."}
		x.Next.Text = "Look for it once more; then send it again."
		if f.From != "" {
			x.Next.Text = "From " + f.From + " on, look for it once more; then send it again."
		}
	case e != nil && e.Explicit:
		x.Cause = known("answered-with-error", "The site answered with an error but may have begun anyway.")
	case e != nil && e.Kind == adminapi.KindNotJSON && !adminapi.IsCut(e):
		x.Cause = known("answer-lost", "The answer was lost: something other than the site answered.")
	default:
		x.Cause = known("answer-lost", "The answer was lost: the connection ended before it came.")
	}
	if f.Found != "" {
		x.add(Place{Kind: Record}, "Seen since: "+said(f.Found))
	}
}

// runs explains a write whose job goes on.
func (f WriteFacts) runs(x *Explanation, before string) {
	x.Cause = known("answer-lost-running", before+"Job "+plain.Clip(f.Job.ID, 60)+" is still running.")
	x.add(Place{Kind: Job, ID: f.Job.ID}, "Job "+f.Job.ID+": "+words(f.Job.Status)+".")
	x.Next = Step{Text: "Wait for the job to end.", Action: cmp.Or(f.Look, LookForWrite).To(), Later: "look for it"}
}

// refused explains an error of the client.
func (f WriteFacts) refused(x *Explanation, e *adminapi.Error) {
	text := strings.Join(append([]string{e.Message}, e.Details...), " ")
	x.add(access, plain.Capital(said(cmp.Or(e.Message, e.Kind.String()))))
	for _, d := range e.Details {
		x.add(access, said(d))
	}
	again := Step{Text: "Try again."}
	switch e.Kind {
	case adminapi.KindSignIn:
		x.cause("sign-in", adminapi.SignInText(e), SignIn.step("Sign in, then try again."))
	case adminapi.KindPrivilege:
		x.Cause = known("privilege", "You lack the privilege for this.")
		if e.Privilege != "" {
			x.Cause.Sentence = "You lack the privilege " + plain.Line(e.Privilege) + "."
		}
		x.Next = SignIn.step("Sign in as someone who has it.")
	case adminapi.KindReadOnly:
		f.readOnly(x, e)
	case adminapi.KindBusy:
		f.busy(x, text)
	case adminapi.KindNotFound:
		x.cause("not-found", "The site has nothing of that name.", f.list(e))
	case adminapi.KindInvalid:
		f.invalid(x, e, text)
	case adminapi.KindTooLarge:
		x.cause("too-large", "The answer is too large.", again)
	case adminapi.KindVersionTooOld:
		x.cause("version", "This site's version is too old for this.", ListUpdates.step("Upgrade the site first."))
	case adminapi.KindNotRecorded:
		x.cause("not-recorded", "This machine cannot record the request, so nothing was sent.",
			Step{Text: "Make the state folder writable, or name another with --state-dir."})
	case adminapi.KindLocked:
		x.cause("locked", "This site is read-only until it is unlocked.",
			Unlock.step("Unlock it with its name, then send it."))
	case adminapi.KindCancelled:
		x.cause("cancelled-here", "You cancelled it.", again)
	case adminapi.KindUnreachable:
		if e.Err != nil {
			text += " " + plain.Clip(plain.Line(e.Err.Error()), maxText)
		}
		f.unreachable(x, text)
	case adminapi.KindNotJSON:
		if adminapi.IsCut(e) {
			x.cause("answer-cut", "Half an answer came.", Step{Text: "Try again; check the proxy in between."})
			return
		}
		x.cause("not-the-api", "Something other than the API answers at this address.",
			Step{Text: "Check the address, and the proxy or login page in between."})
	default:
		x.noCause("The site answered with an error: "+said(cmp.Or(e.Message, e.Kind.String())),
			Step{Text: "Try again; the site's logs may give the reason."})
		if c := clueIn(text); c != nil {
			x.Cause, x.Next.Text = known(c.id, c.says), c.next
		}
	}
}

// lists show what there is instead of something that was not found, by the part of the API that
// it was asked of.
var lists = []struct {
	in string // a part of the request's path
	id ActionID
}{{"/healthCheck/", ListReports}, {"/upgrades/", RefreshUpdates}, {"/services/", ListServices}}

// list is the step where something was not found.
func (f WriteFacts) list(e *adminapi.Error) Step {
	for _, l := range lists {
		if strings.Contains(e.Path, l.in) || f.Service != "" && l.in == "/services/" {
			return Step{Text: "Refresh the list; check the name.", Action: l.id.To()}
		}
	}
	return Step{Text: "Check the name."}
}

// readOnly explains a refusal in read-only mode: of the site, or of this client.
func (f WriteFacts) readOnly(x *Explanation, e *adminapi.Error) {
	if !e.Explicit && e.Status == 0 { // nothing answered, as nothing was sent
		x.cause("read-only-client", "geodeck was started with --read-only.", Step{Text: "Restart it without --read-only."})
		return
	}
	x.ReadOnly = Yes
	switch {
	case f.Site.runs():
		x.cause("read-only-upgrade", "The site is read-only while an upgrade runs.",
			WatchUpgrade.step("Wait until the upgrade has ended."))
	case f.Site.failed() && f.Upload:
		x.cause("read-only-left", "The failed upgrade has left the site read-only; it takes no files.",
			ExplainUpgrade.step("Save the evidence of the failed upgrade. Call Esri support with it."))
		x.avoid("Do not lift read-only mode by hand: stores may be between releases.")
	case f.Site.failed():
		x.cause("read-only-left", "A failed upgrade has left the site read-only.",
			ExplainUpgrade.step("Find out why the upgrade failed."))
	default:
		x.cause("read-only", "The site is in read-only mode.", Step{Text: "Ask who switched it on, then try again."})
	}
}

// busy explains a refusal because something else runs.
func (f WriteFacts) busy(x *Explanation, text string) {
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "on this service"):
		x.cause("service-busy", "Another operation on this service is running.",
			ListJobs.step("Wait until it has ended, then try again."))
	case f.Site.runs(), strings.Contains(lower, "upgrade") || strings.Contains(lower, "rollback"):
		x.cause("upgrade-runs", "An upgrade is running.", WatchUpgrade.step("Wait until the upgrade has ended."))
		x.avoid("Do not start another upgrade.")
	default:
		x.cause("busy", "Another operation is running.", ListJobs.step("Wait until it has ended, then try again."))
	}
}

// refusals are reasons of a site that names a value invalid.
var refusals = []struct {
	id    CauseID
	words []string // all of them
	says  string
	next  string
}{
	{"licence", []string{"licen", "another version"}, "The licence file is for another version.", "Get a licence file for the target version."},
	{"licence", []string{"licen"}, "The licence file is not accepted.", "Get a valid licence file for the target version."},
	{"required-update", []string{"required update"}, "A required update must be installed first.", "Install the required update first."},
	{"setting", []string{"setting"}, "A setting is missing or not accepted.", "Correct the setting."},
	{"upload-type", []string{"extension"}, "The site does not accept uploads of this type.", "Ask an administrator of the site to upload the file."},
	{"rollback", []string{"rolled back"}, "The site does not take this rollback.", "Choose a version that the site lists for it."},
	{"definition", []string{"definition"}, "The site does not accept the definition.", "Correct the value that the site names."},
	{"placement", []string{"placement"}, "The site does not accept the placement.", "Read what the site says; ask the cluster's operator."},
}

func (f WriteFacts) invalid(x *Explanation, e *adminapi.Error, text string) {
	lower := strings.ToLower(text)
	x.cause("invalid", "A value is not accepted: "+said(e.Message), Step{Text: "Correct the value."})
	if id, ok := strings.CutPrefix(e.Message, "the id "); ok && e.Status == 0 { // the user's, or what the site lists
		x.Cause.Sentence = "An id cannot be sent: it " + said(id)
		x.Next.Text = "Use another id. If the site lists this one, tell whoever runs it."
	}
	for _, r := range refusals {
		all := true
		for _, word := range r.words {
			all = all && strings.Contains(lower, word)
		}
		if all {
			x.Cause, x.Next.Text = known(r.id, r.says), r.next
			if r.id == "required-update" {
				x.Next.Action = ListUpdates.To()
			}
			return
		}
	}
}

// connections are reasons why there is no answer.
var connections = []struct {
	id    CauseID
	words []string // one of them
	says  string
	next  string
}{
	{"certificate", []string{"certificate", "x509", "tls handshake"}, "The site's certificate is not trusted, or not valid.", "Check the certificate, or trust its authority with --ca FILE."},
	{"dns", []string{"no such host", "the host name"}, "The site's host name cannot be resolved.", "Check the address and the DNS."},
	{"refused-connection", []string{"connection refused", "connection was refused"}, "Nothing listens at that address.", "Check the address and the port; the ingress may be down."},
	{"timeout", []string{"no answer within", "no answer in the time", "timed out"}, "The site did not answer in time.", "Check the network and the ingress."},
	{"connection-ended", []string{"connection reset", "connection broke"}, "The connection ended before an answer came.", "Try again; a proxy or the site may be restarting."},
}

func (f WriteFacts) unreachable(x *Explanation, text string) {
	lower := strings.ToLower(text)
	x.cause("unreachable", "The site does not answer.", Step{Text: "Check the address, the network and HTTPS_PROXY."})
	for _, c := range connections {
		for _, word := range c.words {
			if strings.Contains(lower, word) {
				x.Cause, x.Next.Text = known(c.id, c.says), c.next
				return
			}
		}
	}
}
