package explain

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// ServiceFacts is what was read about a service.
type ServiceFacts struct {
	Service   adminapi.ServiceRef
	Status    adminapi.ServiceStatus
	StatusErr error
	Pods      []Pods           // of its deployments
	Policy    placement.Policy // of its deployments; the zero policy where it is not known
	Nodes     []placement.Node // none where they are not known
	Jobs      []adminapi.Job   // of the service, newest first
	Changed   adminapi.Millis  // when this machine last edited it, or a service in its pods; zero for never
	Now       adminapi.Millis  // by the server's clock
	Site      SiteFacts
}

// restartTime is how long after an edit or a start a service may not be up yet.
const restartTime = adminapi.Millis(2 * time.Minute / time.Millisecond)

// Service explains why a service is not up, or why its pods wait.
func Service(f ServiceFacts) Explanation {
	path := plain.Line(f.Service.Path())
	at := Place{Kind: ServiceAt, ID: f.Service.Path()}
	if f.StatusErr != nil {
		x := Write(WriteFacts{What: "read the state of " + path, Err: f.StatusErr, Outcome: adminapi.OutcomeDone, Site: f.Site})
		x.Title, x.Err = "The state of "+path+" is unknown", f.StatusErr
		return x
	}
	x := Explanation{Title: path + " is " + state(f.Status), Fault: true}
	f.Site.describe(&x)
	if f.Status.RealTime != "" {
		x.add(at, "Configured "+words(f.Status.Configured)+", actually "+words(f.Status.RealTime)+".")
	}
	switch {
	case f.Site.unresolved(&x, adminapi.TargetService(f.Service)):
	case f.Status.Configured == adminapi.ServiceStopped && f.Status.RealTime == adminapi.ServiceStopped:
		f.explainStopped(&x)
	case f.Status.Configured == adminapi.ServiceStopped && f.Status.Running():
		f.explainRuns(&x)
	case f.Status.RealTime != adminapi.ServiceStarted && f.Status.RealTime != adminapi.ServiceStopped, f.Status.Configured != adminapi.ServiceStarted:
		x.noCause("The site gives a state without a published meaning.",
			f.step(RefreshService, "Refresh: it may be changing."))
	default:
		f.explainStarted(&x)
	}
	f.describePods(&x)
	x.checks(cmp.Or(resource(lacking(f.Pods)), resource(f.Pods)))
	f.more(&x)
	return x
}

// up reports whether the service runs, as it is configured to.
func (f ServiceFacts) up() bool { return f.Status.Running() && f.Status.Settled() }

// explainStopped explains a service that is to be stopped, and is.
func (f ServiceFacts) explainStopped(x *Explanation) {
	x.cause("stopped", "It is configured to be stopped.", f.step(StartService, "Start it, if it is meant to run."))
	if stop, has := f.job("/stop", "stop service"); has && stop.Completed() {
		x.Cause.Sentence = "It was stopped" + by(stop) + " at " + f.Site.time(stop.EndTime) + "."
		f.addJob(x, stop)
	}
}

// explainStarted explains a service that is to run.
func (f ServiceFacts) explainStarted(x *Explanation) {
	up, unready := f.up(), lacking(f.Pods)
	none, summaries := f.noNode()
	switch {
	case len(none) > 0 && (!up || len(unready) > 0):
		f.explainNoNode(x, none, summaries)
	case f.Site.runs() && !up:
		f.explainUpgrade(x)
	case f.explainChange(x):
	case up && len(unready) == 0:
		x.Fault = false
		x.cause("no-fault", "It runs as configured"+f.readyText()+".", nothingToDo)
	case len(unready) > 0:
		f.explainUnready(x)
	default:
		x.noCause("It is configured to run but does not.",
			f.step(StartService, "Start it again: the job says why it fails."))
	}
}

// explainUpgrade explains it by the upgrade that runs.
func (f ServiceFacts) explainUpgrade(x *Explanation) {
	x.cause("upgrade-runs", f.Site.Kind.One()+" is running; services restart during it.",
		WatchUpgrade.step("Watch the "+f.Site.Kind.Noun()+"; check the service when it has ended."))
}

// explainChange explains it by the last edit or start, and reports whether these tell why.
func (f ServiceFacts) explainChange(x *Explanation) bool {
	edit, hasEdit := f.job("/edit", "edit service")
	start, hasStart := f.job("/start", "start service")
	last, has := edit, hasEdit
	if !hasEdit || hasStart && start.StartTime > edit.StartTime {
		last, has = start, hasStart
	}
	refresh := f.step(AwaitService, "Refresh until it is up.")
	switch {
	case f.up() && hasEdit && edit.Failed() && len(lacking(f.Pods)) > 0:
		f.explainJob(x, edit)
	case f.up() && len(lacking(f.Pods)) == 0:
		return false
	case f.Changed > last.StartTime && f.Now < RestartAfter(f.Changed).Until: // its own edit has a job, if any, that began since
		x.Restart = RestartAfter(f.Changed)
		x.cause("restarting", "It restarts after your change of "+f.Site.time(f.Changed)+".", refresh)
	case !has, f.up() && last.Failed():
		return false
	case last.Failed():
		f.explainJob(x, last)
	case !last.Ended():
		x.cause("restarting", jobNoun(last)+" is not done yet.", refresh)
		x.Restart = Restart{last.StartTime, RestartAfter(f.Now).Until}
		f.addJob(x, last)
	case last.Completed() && last.EndTime > 0 && f.Now-last.EndTime < restartTime:
		x.Restart = RestartAfter(last.EndTime)
		x.cause("restarting", "It restarts: "+lowered(jobNoun(last))+" ended at "+f.Site.time(last.EndTime)+".", refresh)
		f.addJob(x, last)
	default:
		return false
	}
	return true
}

// explainUnready explains a service whose pods wait, and nothing tells why.
func (f ServiceFacts) explainUnready(x *Explanation) {
	if len(f.Nodes) == 0 {
		x.noCause("Its pods are not ready. Without a list of nodes, placement cannot be checked.",
			f.step(LoadNodes, "Load the nodes to check placement."))
		return
	}
	x.noCause("Its pods are not ready.", f.step(RefreshService, "Check the events and logs of its pods."))
	x.Next.Later = "refresh"
}

// mostSharing bounds the services that are named beside pods that they share.
const mostSharing = 5

// describePods adds how many pods are ready, and whose they are as far as that was read.
func (f ServiceFacts) describePods(x *Explanation) {
	shared, title := 0, ""
	var refused error
	for _, d := range f.Pods {
		if d.Err != nil {
			refused = cmp.Or(refused, d.Err)
			continue
		}
		x.add(d.place(), d.named())
		if n := len(d.Sharing); n > 1 && d.Ready < d.Total {
			names := strings.Join(d.Sharing[:min(n, mostSharing)], ", ")
			if n > mostSharing {
				names += " and more"
			}
			which := plain.Plural(n, "service")
			if d.Partly {
				which = "at least " + which
			}
			x.add(d.place(), plain.Capital(which)+" share these pods: "+names+".")
			if n > shared { // the title names one deployment
				shared, title = n, "; "+which+" share its pods"
			}
		}
	}
	x.Title += title
	if refused != nil {
		x.add(access, "The number of ready pods cannot be read: "+said(refused.Error()))
	}
	known := f.Status.Running() || f.Status.RealTime == adminapi.ServiceStopped
	if x.Fault && known && f.Status.Configured != adminapi.ServiceStopped && (!f.up() || len(lacking(f.Pods)) > 0) {
		x.site(reach(f.Status, f.Pods))
	}
}

// step is a step that an action on the service does.
func (f ServiceFacts) step(id ActionID, text string) Step { return id.step(text, f.Service.Path()) }

// explainRuns explains a service that runs and should not, with the newest job that was to stop
// it.
func (f ServiceFacts) explainRuns(x *Explanation) {
	stop, has := f.job("/stop", "stop service")
	if start, started := f.job("/start", "start service"); started && stop.StartTime < start.StartTime {
		has = false
	}
	x.Next = f.step(RefreshService, "Refresh until it is stopped.")
	switch {
	case has && !stop.Ended():
		x.Cause = known("stopping", "The stop is not done yet.")
	case has && stop.Failed():
		explainJob(x, stop)
		x.Next = f.step(StopService, "Stop it again, or start it if it is meant to run.")
	case has && stop.EndTime > 0 && f.Now-stop.EndTime < restartTime:
		x.Cause = known("stopping", "The stop ended at "+f.Site.time(stop.EndTime)+"; the service still answers.")
	case f.Site.runs():
		f.explainUpgrade(x)
	default:
		x.noCause("It is configured to be stopped, but runs.",
			f.step(StopService, "Stop it again, or start it if it is meant to run."))
	}
	if has {
		f.addJob(x, stop)
	}
	x.site("Users still get answers.")
}

// named says how many pods are ready, by the name that the screens of services have for the
// deployment, and by that which kubectl takes.
func (d Pods) named() string {
	text := cmp.Or(plain.Line(adminapi.DeploymentName(d.Name, d.ID)), "A deployment") + ": " + podsReady(d.Ready, d.Total)
	if d.Resource != "" {
		text = strings.TrimSuffix(text, ".") + "; in Kubernetes " + plain.Line(d.Resource) + "."
	}
	return text
}

// reach says what users of the service have.
func reach(s adminapi.ServiceStatus, pods []Pods) string {
	ready := 0
	for _, d := range pods {
		if d.Err == nil {
			ready += d.Ready
		}
	}
	switch {
	case !s.Running():
		return "Users get no answer until it runs."
	case ready == 0 && len(pods) > 0:
		return "None of its pods is ready."
	}
	return "It still answers, with fewer pods."
}

func state(s adminapi.ServiceStatus) string {
	switch {
	case s.Running() && s.Settled():
		return "started"
	case s.Configured == adminapi.ServiceStopped && s.RealTime == adminapi.ServiceStopped:
		return "stopped"
	case s.Configured == adminapi.ServiceStarted:
		return "not up"
	case s.Configured == adminapi.ServiceStopped && s.Running():
		return "still running"
	}
	return "in an unknown state"
}

func words(state string) string {
	if state = strings.ToLower(plain.Line(state)); state != "" {
		return plain.Clip(state, 40)
	}
	return "(not given)"
}

func (f ServiceFacts) readyText() string {
	ready, total := 0, 0
	for _, d := range f.Pods {
		if d.Err != nil {
			return ""
		}
		ready, total = ready+d.Ready, total+d.Total
	}
	if total == 0 {
		return ""
	}
	of := plain.Plural(total, "pod")
	if n := len(f.Pods); n > 1 {
		of += " in " + plain.Plural(n, "deployment")
	}
	return ", and " + strconv.Itoa(ready) + " of " + of + map[bool]string{true: " is", false: " are"}[total == 1] + " ready"
}

// noNode returns the deployments whose pods no known node takes.
func (f ServiceFacts) noNode() (items []placement.Item, summaries []placement.Summary) {
	if len(f.Nodes) == 0 {
		return nil, nil
	}
	for _, item := range f.Policy.Items() {
		if s := placement.Summarize(placement.Explain(item, f.Nodes)); s.None() && !f.allReady(item.DeploymentID) {
			items, summaries = append(items, item), append(summaries, s)
		}
	}
	return items, summaries
}

// allReady reports whether a deployment has all its pods: rules that no node fits matter
// only to the next pod.
func (f ServiceFacts) allReady(id string) bool {
	for _, d := range f.Pods {
		if d.ID == id && d.Err == nil && d.Total > 0 && d.Ready >= d.Total {
			return true
		}
	}
	return false
}

// maxFindings bounds the evidence that comes before the nodes.
const maxFindings = 6

func (f ServiceFacts) explainNoNode(x *Explanation, items []placement.Item, sums []placement.Summary) {
	rule := Place{Kind: Rule, ID: f.Service.Path()}
	s := sums[0]
	nodes := plain.Plural(s.Total, "node")
	x.cause("no-node", "None of "+nodes+" takes its pods: no label fits.",
		f.step(CorrectRules, "Correct the placement rules, or label a node."))
	switch {
	case s.Makeable:
		x.Cause = known("no-node", "None of "+nodes+" takes its pods, and no pool has made one.")
		x.Next.Text = "Check that a pool makes such a node, or correct the rules."
	case s.Unmatched == 0:
		x.Cause = known("taint", "None of "+nodes+" takes its pods: taints keep them away.")
		x.Next.Text = "Tolerate the taint, or remove it from a node."
	case s.Repelled > 0:
		x.Cause = known("taint", "None of "+nodes+" takes its pods; "+plain.Plural(s.Repelled, "node")+" would, but for a taint.")
		x.Next.Text = "Tolerate the taint, or correct the labels in the rules."
	}
	for _, item := range items {
		x.add(rule, "Rules: "+placement.Sentence(item))
	}
	for _, f := range placement.Check(f.Policy, f.Nodes) {
		if f.Strength >= finding.Caution && f.ID != placement.NoNode && len(x.Evidence) < maxFindings {
			x.add(rule, plain.Capital(said(f.Text)))
		}
		if s.Unmatched > 0 && f.ID == placement.Misspelt && f.In.Kind == placement.Required {
			x.Next.Text = "Correct the rules: " + f.Text
		}
	}
	const most = 3
	var near []placement.Verdict // the nearest to taking them first
	for _, group := range placement.Groups(placement.Explain(items[0], f.Nodes)) {
		near = append(near, group.Verdicts...)
	}
	for i, v := range near {
		if i == most {
			x.add(rule, plain.Plural(s.Total-most, "more node")+" "+map[bool]string{true: "does", false: "do"}[s.Total-most == 1]+" not take them either.")
			break
		}
		x.add(Place{Kind: Node, ID: v.Node.Name, In: f.Service.Path()}, plain.Clip(plain.Line(v.Node.Name), 60)+": "+v.Reason())
	}
	x.avoid("Do not restart the service: new pods stay Pending too.")
}

// job returns the newest job of a kind, by the end of its operation or by its name.
func (f ServiceFacts) job(operation, name string) (adminapi.Job, bool) {
	for _, j := range f.Jobs {
		if strings.HasSuffix(j.OperationURI, operation) || strings.EqualFold(j.Name, name) {
			return j, true
		}
	}
	return adminapi.Job{}, false
}

func by(j adminapi.Job) string {
	if user := plain.Clip(plain.Line(j.Username), 60); user != "" {
		return " by " + user
	}
	return ""
}

func jobNoun(j adminapi.Job) string {
	switch {
	case strings.HasSuffix(j.OperationURI, "placementPolicy/edit"):
		return "The placement change"
	case strings.HasSuffix(j.OperationURI, "/edit"), strings.EqualFold(j.Name, "edit service"):
		return "The edit"
	case strings.HasSuffix(j.OperationURI, "/stop"):
		return "The stop"
	case strings.HasSuffix(j.OperationURI, "/start"), strings.EqualFold(j.Name, "start service"):
		return "The start"
	}
	return "The job"
}

func (f ServiceFacts) addJob(x *Explanation, j adminapi.Job) {
	x.add(Place{Kind: Job, ID: j.ID}, f.jobText(j))
}

func (f ServiceFacts) jobText(j adminapi.Job) string {
	return jobNoun(j) + by(j) + ": " + words(j.Status) + " at " + f.Site.time(cmp.Or(j.EndTime, j.StartTime)) + "."
}

func (f ServiceFacts) explainJob(x *Explanation, j adminapi.Job) {
	explainJob(x, j)
	f.addJob(x, j)
	if strings.HasSuffix(j.OperationURI, "/start") || strings.EqualFold(j.Name, "start service") {
		x.Next = f.step(StartService, x.Next.Text+" Then start it again.")
		return
	}
	x.Next.Action = OpenStatus.To(f.Service.Path(), j.ID)
	x.Next.restores()
}

// explainJob explains a job that failed, by what it says.
func explainJob(x *Explanation, j adminapi.Job) {
	reasons := j.Reasons()
	at := Place{Kind: Job, ID: j.ID}
	noun := jobNoun(j)
	found, _ := clueOf(reasons)
	switch {
	case found != nil:
		x.cause(found.id, noun+" failed: "+strings.Replace(lowered(found.says), " are not ready", " were not ready", 1),
			Step{Text: found.next})
	case len(reasons) > 0:
		x.noCause(noun+" failed. The site says: "+said(reasons[0]), Step{Text: "Read the site's logs from that time."})
	case j.Status == adminapi.JobCancelled:
		x.cause("cancelled", noun+" was cancelled by the site.", Step{Text: "Send it again when the site is idle."})
	default:
		x.noCause(noun+" failed and gives no reason.", Step{Text: "Read the site's logs from that time."})
	}
	x.Next.Action = ReadJob.To(j.ID)
	for _, reason := range reasons {
		x.add(at, said(reason))
	}
}
