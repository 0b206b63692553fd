package explain

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
