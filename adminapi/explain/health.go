package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

// HealthFacts is what was read about a test of a health report.
type HealthFacts struct {
	Report adminapi.Report
	Entry  health.Entry
	Whole  bool            // the report is asked about, and Entry is its worst test
	Worst  []health.Entry  // tests of the report that did not pass, the worst first, or some of these
	Trend  health.Trend    // of the test, where earlier reports are known
	Later  *health.Point   // the test in the newest report after this one that has it; nil where none is known
	Pods   []Pods          // deployments of the site, as far as they were read
	Runs   bool            // the service that the test calls stopped, see [Stopped], runs by now
	Now    adminapi.Millis // by the server's clock; zero where it is not known
	Site   SiteFacts
}

// Pods is how many pods of a deployment are ready.
type Pods struct {
	ID       string
	Name     string
	Resource string   // kind and name in Kubernetes; may be empty
	Service  string   // path of a service that runs in it; empty where none is known
	Sharing  []string // paths of all services that are known to run in it; may be empty
	Partly   bool     // more services may run in it
	Ready    int
	Total    int
	Err      error // why it is not known
}

// part is a part of the platform that a known test of the basic suite looks at.
type part struct {
	id    CauseID
	name  string   // begins a sentence
	names []string // of its deployment, in lower case, as the platform calls it
}

var parts = map[string]part{
	"sharing_availability":                 {"sharing-api", "The portal's sharing API", []string{"sharing"}},
	"healthcheck_relationalDatastore":      {"relational-store", "The relational store", []string{"postgres"}},
	"healthcheck_objectStore":              {"object-store", "The object store", []string{"object-store", "minio"}},
	"home_app_availability":                {"home-app", "The portal's home page", []string{"apps"}},
	"manager_availability":                 {"manager", "Enterprise Manager", []string{"manager"}},
	"healthcheck_spatioTemporalIndexStore": {"index-store", "The spatiotemporal and index store", []string{"elasticsearch"}},
	"healthcheck_ingress":                  {"ingress", "The ingress", []string{"ingress-controller"}},
	"healthcheck_publishingService":        {"publishing-tools", "The publishing tools", []string{"gp-server", "shared-gpserver"}},
	"healthcheck_sharedMapService":         {"shared-map-services", "The shared map services", []string{"shared-mapserver"}},
	"healthcheck_spatialanalysis":          {"spatial-analysis", "The spatial analysis tools", []string{"spatial-analysis"}},
	"healthcheck_geometryService":          {"geometry-service", "The geometry service", []string{"geometry-server", "shared-geometryserver"}},
	"query_logs_availability":              {"log-collection", "Log collection", []string{"logging"}},
	"healthcheck_index_synced":             {"search-index", "The portal's search index", []string{"indexer"}},
	"certificate_expiry":                   {"certificate", "A certificate", nil},
	"persistent_volume_usage":              {"volumes", "A persistent volume", nil},
	"backup_age":                           {"backup", "The backup", nil},
}

// about is what a clue says of a part, to follow its name.
var about = map[CauseID]string{
	"no-answer": "does not answer.", "errors": "answers with errors.", "not-ready": "has pods that are not ready.",
	"memory": "is short of memory.", "lag": "lags behind.", "out-of-memory": "ran out of memory.", "disk-full": "has a full volume.",
	"image-pull": "cannot start: a container image cannot be pulled.", "crash": "has a container that keeps restarting.",
	"certificate": "has a certificate that is not valid.", "certificate-ends": "expires soon.", "volume-fills": "is nearly full.",
	"index-lacks": "lacks items.", "replication": "does not replicate.", "backup-old": "is old.", "capacity": "has pods for which no node has room.",
}

// HealthTest explains why a test of a report did not pass.
func HealthTest(f HealthFacts) Explanation {
	x := f.Site.checkedReadOnly(f.explain())
	f.more(&x)
	return x
}

func (f HealthFacts) explain() Explanation {
	e := f.Entry
	name := called(e.Test)
	test := Place{Kind: Test, ID: e.Test.ID, In: f.Report.ID}
	x := Explanation{Title: name + ": " + e.Verdict.String(), Fault: !e.Verdict.Good() && e.Verdict != health.Running}
	f.Site.describe(&x)
	if !x.Fault && f.Whole {
		count := health.CountReport(f.Report)
		x.Title = fmt.Sprintf("%d of %s passed", count[health.Passed], plain.Plural(count.Total(), "test"))
		x.Cause = known("no-fault", "No test failed.")
		f.current(&x)
		return x
	}
	if !x.Fault {
		x.Cause = known("no-fault", "The test "+did(e.Verdict)+".")
		f.current(&x)
		return x
	}
	p := parts[e.Test.Name]
	hint, _ := health.HintFor(e.Test.Name)
	reasons := health.Reasons(*e.Test)
	x.noCause("The report gives no reason.",
		Step{Text: cmp.Or(check(hint.Next), "Read the test's answer and the component's logs."), Action: RunHealth.To(), Later: "check again"})
	found, at := clueOf(reasons)
	own := f.own(p)
	waiting := lacking(own)
	switch {
	case e.Verdict == health.Unknown:
		x.Cause = notKnown("Unknown result: " + plain.Clip(plain.Line(e.Test.Result), 60) + ".")
	case found != nil:
		x.Cause = p.cause(found)
		if !found.weak || hint.Next == "" {
			x.Next.Text = found.next
		}
	case len(waiting) > 0:
		x.Cause = known(p.id+".not-ready", p.sentence(about["not-ready"]))
	case len(reasons) > 0:
		x.Cause = notKnown("The report says: " + said(reasons[0]))
	}
	if path := stopped(found, reasons, at); path != "" {
		x.Next = OpenStopped.step("Start "+path+".", path)
		says := "The test calls " + path + "."
		if f.Runs {
			x.Cause.Sentence, x.Next, says = path+" was not running then.", checkHealth, path+" runs by now."
		}
		x.add(Place{Kind: ServiceAt, ID: path}, says)
	}
	for i, reason := range reasons {
		if i == 0 && strings.HasSuffix(x.Cause.Sentence, said(reason)) {
			reason = "The whole answer of the test." // the cause has it already
		}
		x.add(test, said(reason))
	}
	if len(reasons) == 0 {
		x.add(test, "The test "+did(e.Verdict)+"; its answer gives no reason.")
	}
	for _, d := range waiting {
		x.add(d.place(), d.sentence())
	}
	f.others(&x)
	f.since(&x)
	f.storeFirst(&x)
	if later := f.Later; later != nil && later.Verdict.Good() {
		x.add(Place{Kind: Report, ID: later.ReportID}, "Report of "+f.Site.time(later.When)+": passed.")
		x.Then = nil
		x.Next = Step{Text: "It has passed since, last on " + f.Site.time(later.When) + ". Nothing needs to be done."}
		return x
	}
	x.checks(cmp.Or(resource(waiting), resource(own)))
	x.avoid("Do not start an upgrade before this test passes.")
	return x
}

// current says of a good result which report has it and how old that is. One that is too old
// for an upgrade says nothing about now.
func (f HealthFacts) current(x *Explanation) {
	x.Next = nothingToDo
	ended := cmp.Or(f.Report.EndTime, f.Report.StartTime)
	if f.Now.IsZero() || ended.IsZero() {
		return
	}
	age := max(time.Duration(f.Now-ended)*time.Millisecond, 0)
	name := plain.Clip(cmp.Or(plain.Line(f.Report.Name), plain.Line(f.Report.ID)), 80)
	x.add(Place{Kind: Report, ID: f.Report.ID}, "Report "+name+", "+adminapi.FormatCoarse(age)+" old.")
	if age > upgrade.MaxAge {
		x.Cause.Sentence = strings.TrimSuffix(x.Cause.Sentence, ".") + ", but the report is " + adminapi.FormatCoarse(age) + " old."
		x.Next = checkHealth
	}
}

// check returns the first sentence of what to check.
func check(look string) string {
	first, _, more := strings.Cut(look, ". ")
	if more {
		first += "."
	}
	return first
}

// cause is what a clue says of the part, as far as it is known which that is.
func (p part) cause(c *clue) Cause {
	id, sentence := c.id, c.says
	if p.id != "" {
		id = p.id + "." + c.id
	}
	if says := about[c.id]; says != "" && p.name != "" {
		sentence = p.sentence(says)
	}
	return Cause{ID: id, Known: true, Sentence: sentence, Tells: c.tells()}
}

// several are the verbs of what is more than one.
var several = strings.NewReplacer("does ", "do ", "answers", "answer", "lags", "lag", "has ", "have ", "is ", "are ", "ends", "end")

func (p part) sentence(says string) string {
	if strings.HasSuffix(p.name, "tools") || strings.HasSuffix(p.name, "services") {
		verb, rest, _ := strings.Cut(says, " ")
		return p.name + " " + several.Replace(verb+" ") + rest
	}
	return p.name + " " + says
}

var servicePath = pattern.New(`\b(?:[A-Za-z0-9_-]+/)?[A-Za-z0-9_-]+\.[A-Z][A-Za-z]*Server\b`)

// pathIn returns the path of a service in a text, such as Utilities/Geometry.GeometryServer.
func pathIn(text string) string {
	path := servicePath().FindString(text)
	if _, err := adminapi.ParseServicePath(path); path == "" || err != nil {
		return ""
	}
	return path
}

// Stopped returns the path of a service that does not run, as a test says; empty where it says no such thing.
func Stopped(test adminapi.TestResult) string {
	reasons := health.Reasons(test)
	found, at := clueOf(reasons)
	return stopped(found, reasons, at)
}

func stopped(found *clue, reasons []string, at int) string {
	if found == nil || found.id != "stopped" {
		return ""
	}
	return pathIn(reasons[at])
}

// own returns the deployments of a part.
func (f HealthFacts) own(p part) []Pods {
	return slices.DeleteFunc(slices.Clone(f.Pods), func(d Pods) bool {
		return !slices.Contains(p.names, strings.TrimPrefix(strings.ToLower(d.Name), "arcgis-"))
	})
}

// lacking returns the deployments whose pods are known not to be ready.
func lacking(all []Pods) []Pods {
	return slices.DeleteFunc(slices.Clone(all), func(d Pods) bool { return !d.lacksPods() })
}

// lacksPods reports whether some are known not to be ready.
func (d Pods) lacksPods() bool { return d.Err == nil && d.Ready < d.Total }

// resource is that of the first, empty for none.
func resource(of []Pods) string {
	if len(of) == 0 {
		return ""
	}
	return of[0].Resource
}

func (d Pods) place() Place { return Place{Kind: Deployment, ID: d.ID, In: d.Service} }

func (d Pods) sentence() string {
	return cmp.Or(d.Resource, d.Name, "Deployment "+d.ID) + ": " + podsReady(d.Ready, d.Total)
}

// stores are tests of what others depend on.
var stores = []string{"healthcheck_relationalDatastore", "healthcheck_objectStore", "healthcheck_spatioTemporalIndexStore", "healthcheck_ingress"}

// others adds the failing tests of the same report that this one may follow from.
func (f HealthFacts) others(x *Explanation) {
	const most = 4
	n := 0
	for _, e := range f.Worst {
		if !e.Verdict.Bad() || e.Test.ID == f.Entry.Test.ID && e.Test.Name == f.Entry.Test.Name {
			continue
		}
		if n++; n <= most {
			text := called(e.Test) + " " + did(e.Verdict) + " too."
			if slices.Contains(stores, e.Test.Name) && e.Test.Name != f.Entry.Test.Name {
				text += " Other parts depend on it."
			}
			x.add(Place{Kind: Test, ID: e.Test.ID, In: f.Report.ID}, text)
		}
	}
	if n > most {
		x.add(Place{Kind: Report, ID: f.Report.ID}, plain.Plural(n-most, "more test")+" did not pass.")
	}
}

// storeFirst leads to a test of what others depend on that failed too: what this one asks for
// comes after it.
func (f HealthFacts) storeFirst(x *Explanation) {
	if slices.Contains(stores, f.Entry.Test.Name) {
		return
	}
	for _, e := range f.Worst {
		if e.Verdict.Bad() && slices.Contains(stores, e.Test.Name) {
			x.Then = []string{x.Next.Text, "Run a health check again."}
			x.Next = ReadTest.step("Fix "+e.Test.Name+" first: other parts depend on it.", cmp.Or(e.Test.ID, e.Test.Name))
			if f.Report.ID != "" {
				x.Next.Action.Args = append(x.Next.Action.Args, f.Report.ID, e.Test.Name)
			}
			return
		}
	}
}

// since adds since when the test has not passed.
func (f HealthFacts) since(x *Explanation) {
	points := f.Trend.Points
	bad := 0
	for i := len(points) - 1; i >= 0 && points[i].Known && points[i].Verdict.Bad(); i-- {
		bad++
	}
	switch {
	case bad == 0 || len(points) < 2:
	case bad == 1:
		if previous := points[len(points)-2]; previous.Known { // else that report may not have it
			x.add(Place{Kind: Report, ID: previous.ReportID}, "It "+did(previous.Verdict)+" in the previous report.")
		}
	case bad == len(points):
		x.add(Place{Kind: Report, ID: points[0].ReportID}, "It did not pass in any of the last "+plain.Plural(len(points), "report")+".")
	default:
		at := points[len(points)-bad]
		x.add(Place{Kind: Report, ID: at.ReportID}, "It has not passed since "+f.Site.time(at.When)+".")
	}
}

// called is the name of a test, or what else tells it apart.
func called(t *adminapi.TestResult) string {
	return cmp.Or(plain.Line(t.Name), plain.Line(t.ID), "a test without a name")
}

// did is a verdict as the verb of a sentence about a test.
func did(v health.Verdict) string {
	switch v {
	case health.Unknown:
		return "had an unknown result"
	case health.Warning:
		return "warned"
	case health.Running:
		return "is running"
	}
	return v.String()
}

// RunsIn reports whether what a test looks at runs in a deployment of that name.
func RunsIn(test, deployment string) bool {
	return slices.Contains(parts[test].names, strings.TrimPrefix(strings.ToLower(deployment), "arcgis-"))
}

// Whole returns the next step about a test: with all that is advised for what it looks at, where the
// step begins with that.
func (x Explanation) Whole(test string) string {
	hint, known := health.HintFor(test)
	if known && (!x.Fault || strings.HasPrefix(x.Next.Text, strings.TrimSuffix(check(hint.Next), "."))) {
		return hint.Next
	}
	return x.Next.Text
}
