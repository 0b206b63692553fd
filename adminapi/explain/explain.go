// Package explain says what is behind a fault, from what was read of a site: the cause as
// far as it can be told, the evidence for it, the state of the site, what not to do, and
// the next step. It is pure: no I/O, no clock.
//
// Start at [Explanation]. [Upgrade], [HealthTest], [Service] and [Write] make one, each from
// its own facts; clues.go has the texts that name a cause, site.go what all of them say of
// the site. A cause is named only where something that was read supports it; otherwise it
// is not known.
package explain

import (
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Explanation explains one fault. Its texts are clean, one line each.
type Explanation struct {
	Service  string     `json:"service,omitempty"` // that it is about; empty for none
	Title    string     `json:"title"`             // the fault in one line
	Fault    bool       `json:"fault"`             // false where nothing is wrong
	Cause    Cause      `json:"cause"`
	Evidence []Evidence `json:"evidence"`
	ReadOnly Answer     `json:"readOnly"`
	Site     []string   `json:"state"`          // of the site, a sentence each
	Avoid    []string   `json:"avoid"`          // what not to do, a sentence each
	Then     []string   `json:"then,omitempty"` // what follows the next step, a sentence each
	Look     []string   `json:"look"`           // pods, logs and limits to look at, a sentence each
	Next     Step       `json:"next"`
	Kubectl  []string   `json:"kubectl,omitempty"` // lines that do so, see [Kubectl]
	More     []Part     `json:"-"`                 // what else was read
	Restart  Restart    `json:"-"`                 // that it explains; zero for none
	Err      error      `json:"-"`                 // why it is not known whether anything is wrong; nil where it is
}

// Restart is the restart of a service after an edit or a start, by the server's clock. That the
// service does not run is no fault until its end.
type Restart struct{ Since, Until adminapi.Millis }

// RestartAfter is the restart after an edit or a start that ended then.
func RestartAfter(end adminapi.Millis) Restart {
	return Restart{end, end + restartTime}
}

// Cause is why something went wrong.
type Cause struct {
	ID       CauseID `json:"id"`       // for scripts; it does not change between versions
	Known    bool    `json:"known"`    // false: the sentence says only what is missing
	Sentence string  `json:"sentence"` // what happened, and why as far as that is known
	Tells    bool    `json:"-"`        // the sentence says more than the site's text that it was found in
}

// CauseID names a kind of cause, such as "image-pull".
type CauseID string

// Evidence is one fact that supports an explanation, and where it stands.
type Evidence struct {
	Text string `json:"text"`
	At   Place  `json:"at"`
}

// Kind is the kind of a [Place].
type Kind string

// The kinds. ID names what the place is in.
const (
	Message    Kind = "message"    // Number is its index in the log of the upgrade
	Report     Kind = "report"     // ID of a health report
	Test       Kind = "test"       // ID of a test; In is the id of its report
	ServiceAt  Kind = "service"    // path of a service
	Rule       Kind = "rule"       // placement policy of a service; ID is its path
	Deployment Kind = "deployment" // ID; In is the path of a service that runs in it, where one is known
	Node       Kind = "node"       // ID is its name; In is the path of a service
	Job        Kind = "job"        // ID
	Record     Kind = "record"     // a write that this machine has recorded
	Access     Kind = "access"     // the sign-in, or the connection
)

// Place is where something stands that was read. The zero place is nowhere.
type Place struct {
	Kind   Kind   `json:"kind"`
	ID     string `json:"id,omitempty"`
	In     string `json:"in,omitempty"`
	Number int    `json:"number,omitempty"`
}

// Answer is yes, no, or not known.
type Answer string

// The answers.
const (
	Yes      Answer = "yes"
	No       Answer = "no"
	NotKnown Answer = "not known"
)

// Step is what to do next.
type Step struct {
	Text   string `json:"text"` // one or two sentences
	Action Action `json:"-"`    // that does it; none where it is done elsewhere
	// Later is what the action does once the text is done, such as "check again"; empty where it
	// does what the text says.
	Later string `json:"later,omitempty"`
}

// restores leads the step to the versions of the service that it is about.
func (s *Step) restores() {
	s.Text += " History has the version before."
	if s.Action.ID == OpenStatus {
		s.Action.ID = OpenHistory
	}
}

// notKnown is the cause where nothing supports any.
func notKnown(sentence string) Cause { return Cause{ID: "not-known", Sentence: sentence} }

func known(id CauseID, sentence string) Cause { return Cause{ID: id, Known: true, Sentence: sentence} }

// cause is the cause that is known, and what to do about it.
func (x *Explanation) cause(id CauseID, sentence string, next Step) {
	x.Cause, x.Next = known(id, sentence), next
}

// noCause says what is missing to know the cause, and what to do.
func (x *Explanation) noCause(sentence string, next Step) {
	x.Cause, x.Next = notKnown(sentence), next
}

// avoid adds what not to do.
func (x *Explanation) avoid(sentence string) { x.Avoid = append(x.Avoid, sentence) }

// site adds to the state of the site.
func (x *Explanation) site(sentence string) { x.Site = append(x.Site, sentence) }

// add adds a fact; an empty text is none.
func (x *Explanation) add(at Place, text string) {
	if text = plain.Clip(plain.Line(text), maxText); text != "" {
		x.Evidence = append(x.Evidence, Evidence{text, at})
	}
}

// maxText bounds a fact, in cells: what is longer is read where it stands.
const maxText = 400

// Short returns the two lines that a view shows in place: the cause, and the next step.
// Both are empty where nothing is wrong.
func (x Explanation) Short() (why, next string) {
	if !x.Fault {
		return "", ""
	}
	return x.Why(), x.Next.Text
}

// Forbidden returns what not to do, to follow "Do not".
func (x Explanation) Forbidden() []string {
	var list []string
	for _, sentence := range x.Avoid {
		list = append(list, strings.TrimPrefix(sentence, "Do not "))
	}
	return list
}

// Why returns the cause, and says so where it is not known.
func (x Explanation) Why() string {
	if x.Fault && !x.Cause.Known && x.Cause.Sentence != "" {
		return "Not known. " + x.Cause.Sentence
	}
	return x.Cause.Sentence
}

// Action is something that an administrator can do next. It knows neither keys nor the words of a
// shell: the screen has a row for it, and operation.CommandOfAction its command.
type Action struct {
	ID   ActionID
	Args []string // what it is about, as the comment of its ID lists; the screen takes the first
}

// ActionID names an action; empty for none.
type ActionID string

// Actions without an argument.
const (
	RunHealth      ActionID = "run a health check"
	ListReports    ActionID = "list the reports"
	ListServices   ActionID = "list the services"
	WatchUpgrade   ActionID = "watch the upgrade" // where something else is on the screen
	KeepWatching   ActionID = "keep watching"     // where it goes on by itself
	RefreshUpgrade ActionID = "refresh the upgrade"
	ResumeWatch    ActionID = "resume the watch" // by a sign-in
	ExplainUpgrade ActionID = "explain the upgrade"
	OpenUpgrade    ActionID = "open the upgrade" // that was explained
	SaveEvidence   ActionID = "save the evidence"
	ListInstalled  ActionID = "list what is installed"
	ListUpdates    ActionID = "list the updates"
	RefreshUpdates ActionID = "refresh the updates"
	ListJobs       ActionID = "list the jobs"
	LookForEdit    ActionID = "look for the edit"  // that was just sent
	LookForStart   ActionID = "look for the start" // of the upgrade that was just sent
	LookAtSite     ActionID = "look at the site"
	SignIn         ActionID = "sign in"
	Unlock         ActionID = "unlock the site"
)

// Actions on a service, by its path.
const (
	OpenService    ActionID = "open the service"
	OpenStopped    ActionID = "open the service to start it"
	OpenStatus     ActionID = "open the status"   // and the id of a job that says more
	OpenHistory    ActionID = "open the versions" // and the id of a job that says more
	StartService   ActionID = "start the service"
	StopService    ActionID = "stop the service"
	RefreshService ActionID = "refresh the service"
	AwaitService   ActionID = "wait for the service"
	LoadNodes      ActionID = "load the nodes"
	CorrectRules   ActionID = "correct the placement rules"
)

// Actions on something else.
const (
	ReadReport      ActionID = "read the report"                 // its id
	ReadTest        ActionID = "read the test"                   // its id or name; then, where it is known, the id of the report, and its name
	ReadJob         ActionID = "read the job"                    // its id
	LookForWrite    ActionID = "look for the write"              // the words of the command that shows what it changes, where they are known
	LookForSwitched ActionID = "look for the write to a service" // the same
)

// To returns an action on what args say.
func (id ActionID) To(args ...string) Action { return Action{id, args} }

// step is a step that an action does, on what args say.
func (id ActionID) step(text string, args ...string) Step {
	return Step{Text: text, Action: id.To(args...)}
}
