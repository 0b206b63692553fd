package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Asking is a command that explains something, from before it begins: what the site has then is kept.
type Asking struct {
	day           *Day
	form          string
	args          []string
	before, after whyTruth
}

// whyTruth is what the site has that an explanation may name.
type whyTruth struct {
	state    string // of the upgrades
	messages []message
	readOnly bool
	version  string
	reports  []checked // the newest first, each with all of its tests
	service  string    // the state of the service that it is about, as a table says it
	short    bool      // it lacks pods
}

func (d *Day) whyTruth(args []string) (t whyTruth) {
	t.state, t.messages = statusTold(d.Ask("/system/upgrades"))
	t.readOnly, t.version = takesNone.MatchString(d.Ask("/mode")), d.version()
	switch args[0] {
	case "health", "upgrade":
		for _, r := range d.reports() {
			text := d.Ask("/healthCheck/reports/" + r.ID)
			_ = json.Unmarshal([]byte(text), &r)
			r.raw = text
			t.reports = append(t.reports, r)
		}
	case "service":
		t.service, t.short = d.stateOf(args[2]).text(), d.podsOf(args[2]).codes[0] != 0
	}
	return t
}

// StateOf is the state of a service, as a table says it.
func (d *Day) StateOf(service string) string { return d.stateOf(service).text() }

// TestsOf are the names of the tests of a report that have one of their own.
func (d *Day) TestsOf(id string) (names []string) {
	var r checked
	d.into("/healthCheck/reports/"+id, &r)
	tests := r.tests()
	for _, t := range tests {
		if t.Name != "" {
			names = append(names, t.Name)
		}
	}
	return names
}

// Asks begins to look at such a command.
func (d *Day) Asks(form string, args ...string) *Asking {
	return &Asking{day: d, form: form, args: args, before: d.whyTruth(args)}
}

// Printed judges what it has printed.
func (a *Asking) Printed(p Printed) {
	a.after = a.day.whyTruth(a.args)
	e := explained{Asking: a, Printed: p}
	if e.read() {
		judge(a.day, atExplaining, e)
	}
}

// explained is an explanation, as it is printed.
type explained struct {
	*Asking
	Printed
	Title    string
	Fault    bool
	Cause    struct{ ID, Sentence string }
	Evidence []evidence
	State    []string
	Avoid    []string
	Next     struct{ Text, Command string }
}

// evidence is a fact of one. A table has no places.
type evidence struct {
	Text string
	At   struct{ Kind, ID, In string }
}

var atExplaining = []rule[explained]{
	{"an explanation has the fault that is there", faultIsSo},
	{"an explanation names what the site has", namesWhatIsThere},
	{"an explanation says how the site is", siteIsAsSaid},
	{"an explanation of a test has all that is known of it", testIsExplained},
	{"an explanation advises what fits", adviceFits},
}

// fieldOf are the columns of a table.
var fieldOf = regexp.MustCompile(`^(Why|Next|Do not|Then|Evidence|Site now|Check|Run|) {2,}(.+)$`)

// read reads what was printed, and reports whether it is an explanation.
func (e *explained) read() bool {
	if e.form == "json" {
		return json.Unmarshal([]byte(e.Out), e) == nil && e.Title != ""
	}
	column := ""
	for i, line := range strings.Split(e.Out, "\n") {
		cell := fieldOf.FindStringSubmatch(line)
		if i == 0 {
			e.Title = line
		}
		if cell == nil {
			continue
		}
		switch column = cmp.Or(cell[1], column); column {
		case "Why":
			e.Cause.Sentence = cell[2]
		case "Next":
			if _, command, is := strings.Cut(cell[2], "geodeck "); is && cell[1] == "" {
				e.Next.Command, _, _ = strings.Cut(command, " --url ")
			} else {
				e.Next.Text = cell[2]
			}
		case "Evidence":
			e.Evidence = append(e.Evidence, evidence{Text: cell[2]})
		case "Site now":
			e.State = append(e.State, cell[2])
		}
	}
	e.Fault = e.Code != 0
	return e.Title != ""
}

// wrong is what is not so in it.
func (e explained) wrong(format string, args ...any) []string {
	return []string{fmt.Sprintf("geodeck %s: %s\n%.2500s", strings.Join(e.args, " "), fmt.Sprintf(format, args...), e.Out)}
}

// report is the one that is explained, as long as it stays so; nil for none.
func (e explained) report() *checked {
	if e.args[0] != "health" || len(e.before.reports) == 0 || len(e.after.reports) == 0 {
		return nil
	}
	id := e.before.reports[0].ID
	if len(e.args) > 2 {
		id = e.args[2]
	} else if e.after.reports[0].ID != id {
		return nil
	}
	was, is := reportOf(e.before.reports, id), reportOf(e.after.reports, id)
	if was == nil || is == nil || was.raw != is.raw {
		return nil
	}
	return is
}

// test is the test of it that is explained; nil for none.
func (e explained) test() (*checked, *tested) {
	r := e.report()
	if r == nil {
		return nil, nil
	}
	for _, t := range r.byWorst() {
		if len(e.args) < 4 || strings.EqualFold(t.ID, e.args[3]) || strings.EqualFold(t.Name, e.args[3]) {
			return r, &t
		}
	}
	return nil, nil
}

// isOpen reports whether the record of the machine has a request of unknown outcome to the service, or to upgrade the site.
func (e explained) isOpen() bool {
	about := "/system/upgrades/"
	if e.args[0] == "service" {
		about = "/services/" + e.args[2] + "/"
	}
	return slices.ContainsFunc(RecordsIn(e.Files), func(r *Record) bool {
		return r.Outcome == "unknown" && !r.Overridden && strings.Contains(r.Path, about)
	})
}

// faultIsSo judges the title, whether there is a fault, and the exit code.
func faultIsSo(e explained) (int, []string) {
	if !e.Calm && e.Code != 0 && e.Code != 1 { // its answer says why, see [misread]
		return 0, nil
	}
	if e.Fault && e.Code == 1 && e.args[0] == "service" && e.Title == "The state of "+e.args[2]+" is unknown" { // the error says why
		return 0, nil
	}
	if e.Fault != (e.Code == 1) || e.Fault && !strings.Contains(e.Err, strings.TrimSuffix(e.Title, ".")) {
		return 1, e.wrong("exit %d, and fault %v: %s", e.Code, e.Fault, e.Err)
	}
	if strings.HasPrefix(e.Title, "Outcome unknown: ") {
		if !e.isOpen() || !e.Fault {
			return 1, e.wrong("the record has no request of unknown outcome that it is about, or it is no fault")
		}
		return 1, nil
	}
	var titles []string // of the moments of which it may be
	faults := map[bool]bool{}
	switch e.args[0] {
	case "health":
		r, t := e.test()
		if t == nil {
			return 0, nil
		}
		count, failing := countOf(r.tests()), !good(t.is) && t.is != "running"
		titles = []string{t.called() + ": " + t.is, "a test without a name: " + t.is}
		if len(e.args) < 4 && !failing {
			titles[0] = fmt.Sprintf("%d of %s passed", count["passed"], many(len(r.tests()), "test"))
		}
		faults[failing] = true
	case "service":
		for _, t := range []whyTruth{e.before, e.after} {
			titles = append(titles, e.args[2]+" is "+map[string]string{"stopped, should run": "not up", "runs, should not": "still running"}[t.service]+map[bool]string{true: t.service}[t.service == "started" || t.service == "stopped"])
			faults[t.service != "started" || t.short] = true
		}
	case "upgrade":
		for _, t := range []whyTruth{e.before, e.after} {
			if len(t.messages) > 0 && runOf(t.messages, t.state).to == "" { // it does not tell where it leads
				return 0, nil
			}
			more, fault := t.upgradeTitles()
			titles = append(titles, more...)
			faults[fault] = true
			faults[true] = faults[true] || t.state == inProgress
		}
	}
	if !e.Calm && (strings.HasPrefix(e.Title, "The state of ") || strings.HasSuffix(e.Title, "is unreachable") || strings.HasSuffix(e.Title, "cannot be watched") ||
		strings.HasSuffix(e.Title, ": state unknown")) { // an answer may contradict itself
		return 0, nil
	}
	if strings.HasSuffix(e.Title, ": state unknown") && e.day.told(failed) && e.day.upgrade() == running { // it was told so, against its code
		return 1, nil
	}
	if !slices.Contains(titles, e.Title) {
		return 1, e.wrong("the title is none of %q", titles)
	}
	if !faults[e.Fault] {
		return 1, e.wrong("fault is %v", e.Fault)
	}
	return 1, nil
}

// upgradeTitles are the titles that fit, and whether something is wrong.
func (t whyTruth) upgradeTitles() (titles []string, fault bool) {
	switch {
	case len(t.messages) == 0 && t.readOnly:
		return []string{"The site is read-only, and no upgrade runs"}, true
	case len(t.messages) == 0:
		return []string{"No upgrade"}, false
	}
	r := runOf(t.messages, t.state)
	name := map[string]string{"patch": "Patch " + r.to, "release": "Upgrade to " + r.to, "rollback": "Rollback to " + r.to}[r.kind]
	_, last := r.ends()
	switch {
	case t.state == "succeeded":
		return []string{name + " succeeded"}, t.readOnly
	case t.state == "failed" && r.stopped >= 0:
		return []string{name + " failed in " + phaseNames[r.stopped]}, true
	case t.state == inProgress:
		return []string{name + " is running", name + " failed: rolling back", name + ": not what was confirmed", name + ": silent since " + millis(last).cell()}, false
	}
	return []string{name + " failed", name + ": state unknown", "No upgrade"}, true
}

// quoted is a message of an upgrade in quotes.
var quoted = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)  "(.*)"$`)

// passedSaid are the tests of the check after an upgrade.
var passedSaid = regexp.MustCompile(`^Health check after it: (\d+) of (.+) passed[.]$`)

// namesWhatIsThere judges that each place is one of the site, and each message one that it has told.
func namesWhatIsThere(e explained) (judged int, wrong []string) {
	messages := slices.Concat(e.before.messages, e.after.messages)
	for _, one := range e.Evidence {
		judged++
		there, at := true, one.At
		switch at.Kind {
		case "report":
			r := reportOf(e.after.reports, at.ID)
			there = r != nil
			if passed := passedSaid.FindStringSubmatch(one.Text); there && passed != nil {
				there = passed[1] == fmt.Sprint(countOf(r.tests())["passed"]) && passed[2] == many(len(r.tests()), "test")
			}
			if good := strings.HasPrefix(one.Text, "Last good report: "); there && good {
				there = slices.Contains([]string{"passed", "warning"}, r.overall()) && strings.Contains(one.Text, r.Name)
			}
		case "test":
			r := reportOf(e.after.reports, at.In)
			there = r != nil && slices.ContainsFunc(r.tests(), func(t tested) bool { return t.ID == at.ID })
		case "job":
			there = e.day.jobOf(at.ID) != ""
		case "deployment":
			var p pods
			e.day.into("/system/deployments/"+at.ID+"/status", &p)
			there = p.TotalReplicas > 0 || strings.Contains(one.Text, " 0 of 0 ")
			if e.steady() && !strings.Contains(one.Text, fmt.Sprintf("%d of %s ready", p.ReadyReplicas, many(p.TotalReplicas, "pod"))) {
				there = false
			}
		case "service":
			there = at.ID == "" || e.day.stateOf(at.ID).RealTimeState != ""
		}
		if said := quoted.FindStringSubmatch(one.Text); said != nil {
			text, cut := strings.CutSuffix(said[2], "…")
			there = there && slices.ContainsFunc(messages, func(m message) bool {
				full := strings.Join(strings.Fields(m.Message), " ")
				return millis(m.When).cell() == said[1] && (full == text || cut && strings.HasPrefix(full, text))
			})
		}
		if !there {
			wrong = append(wrong, e.wrong("the site has nothing as %q at %v", one.Text, at)...)
		}
	}
	return judged, wrong
}

// reportOf is one of some reports, nil for none.
func reportOf(reports []checked, id string) *checked {
	if at := slices.IndexFunc(reports, func(r checked) bool { return r.ID == id }); at >= 0 {
		return &reports[at]
	}
	return nil
}

// steady reports whether the site was the same before and after.
func (e explained) steady() bool {
	return e.before.state == e.after.state && e.before.state != inProgress && e.before.service == e.after.service && e.before.short == e.after.short
}

// siteIsAsSaid judges what it says of the site: whether that takes writes, what it runs, and that an upgrade goes on.
func siteIsAsSaid(e explained) (judged int, wrong []string) {
	for _, text := range e.State {
		claims := map[string]func(whyTruth) bool{
			"The site accepts changes.": func(t whyTruth) bool { return !t.readOnly }, "Read-only": func(t whyTruth) bool { return t.readOnly },
			"Installed: ":           func(t whyTruth) bool { return text == "Installed: "+t.version+"." },
			"An upgrade is running": func(t whyTruth) bool { return t.state == inProgress }, "A rollback is running": func(t whyTruth) bool { return t.state == inProgress },
			"The patch was rolled back: ": func(t whyTruth) bool { return strings.HasSuffix(text, " at "+t.version+".") },
		}
		for begin, is := range claims {
			if strings.HasPrefix(text, begin) {
				if judged++; !is(e.before) && !is(e.after) {
					wrong = append(wrong, e.wrong("it says %q, and that is not so", text)...)
				}
			}
		}
	}
	if e.Calm && len(e.Evidence) > 0 && !slices.ContainsFunc(e.State, func(text string) bool {
		return strings.Contains(text, "nly") || strings.HasPrefix(text, "The site accepts")
	}) &&
		(e.Fault || e.form == "json" || e.args[0] != "service") {
		wrong = append(wrong, e.wrong("it does not say whether the site takes writes")...)
	}
	return judged, wrong
}

// testIsExplained judges what it says of a test that did not pass: all reasons of the report, the other tests that failed with it, how the test was before,
// and what has become of it since.
func testIsExplained(e explained) (int, []string) {
	r, t := e.test()
	if t == nil || !e.Calm || !e.Fault || t.ID == "" {
		return 0, nil
	}
	says := func(text string) bool {
		return strings.HasPrefix(e.Next.Text, text) || slices.ContainsFunc(e.Evidence, func(one evidence) bool { return strings.HasPrefix(one.Text, text) })
	}
	var wants []string
	for _, reason := range t.reasons() {
		if reason = strings.Join(strings.Fields(reason), " "); !strings.Contains(e.Cause.Sentence, reason[:min(len(reason), 40)]) {
			wants = append(wants, reason[:min(len(reason), 40)])
		}
	}
	n := 0
	for _, other := range r.byWorst() {
		if !bad(other.is) || other.ID == t.ID && other.Name == t.Name {
			continue
		}
		if n++; n <= 4 {
			wants = append(wants, cmp.Or(other.Name, other.ID, "a test without a name")+" "+didAs(other.is)+" too.")
		}
	}
	if n > 4 {
		wants = append(wants, many(n-4, "more test")+" did not pass.")
	}
	later, earlier := e.sameIn(r, *t, true), e.sameIn(r, *t, false)
	if slices.ContainsFunc(e.after.reports, func(r checked) bool { return r.hasTwice(*t) }) { // which one it is cannot be told
		later, earlier, t.EndTime = nil, nil, 0
	}
	if later != nil && good(later.is) {
		wants = append(wants, "It has passed since, last on "+later.when.cell()+".", "Report of "+later.when.cell()+": passed.")
	} else if t.timed() && says("It has passed since") {
		return 1, e.wrong("no later report has it as passed")
	}
	switch {
	case !bad(t.is) || !t.timed():
	case earlier == nil || !earlier.timed:
		if said := previousSaid.FindString(e.Out); said != "" {
			return 1, e.wrong("no earlier report of these suites has it with its times, and it says %q", said)
		}
	case earlier != nil && bad(earlier.is):
		wants = append(wants, "It did not pass in any of the last 2 reports.")
	case earlier != nil:
		wants = append(wants, "It "+didAs(earlier.is)+" in the previous report.")
	}
	for _, want := range wants {
		if !says(want) {
			return 1, e.wrong("it does not say %q", want)
		}
	}
	return 1, nil
}

// pastTest is a test in another report.
type pastTest struct {
	is    string
	when  millis
	timed bool
}

// hasTwice reports whether a report has several tests of one name.
func (r *checked) hasTwice(t tested) bool {
	n := 0
	for _, o := range r.tests() {
		if o.sameTest() == t.sameTest() {
			n++
		}
	}
	return n > 1
}

// didAs is a verdict as the verb of a sentence.
func didAs(verdict string) string {
	return cmp.Or(map[string]string{"unknown": "had an unknown result", "warning": "warned", "running": "is running"}[verdict], verdict)
}

// timed reports whether it is known how long it took.
func (r checked) timed() bool {
	_, known := r.span()
	return known
}

// previousSaid is how a test was before.
var previousSaid = regexp.MustCompile(`It [\w ]+ in the previous report|It did not pass in any of the last`)

// sameIn is a test in the newest ended report after one that has it, or in the newest before one of the same suites; nil where there is none.
func (e explained) sameIn(r *checked, t tested, later bool) *pastTest {
	for i := range e.after.reports {
		other := &e.after.reports[i]
		if other.ID == r.ID || later && (other.StartTime <= r.StartTime || other.EndTime == 0) || !later && other.StartTime >= r.StartTime {
			continue
		}
		if e.Unread["/healthCheck/reports/"+other.ID] { // whether it would be that one is not known
			return nil
		}
		if !later && !slices.Equal(other.suites(), r.suites()) {
			continue
		}
		for _, o := range other.tests() {
			if o.sameTest() == t.sameTest() {
				return &pastTest{o.is, other.StartTime, o.timed()}
			}
		}
		if !later {
			return nil
		}
	}
	return nil
}

// writesOf are the commands that change a site.
var writesOf = regexp.MustCompile(`^(?:service (?:start|stop|apply|edit|restore)|placement (?:apply|edit)|upgrade (?:start|rollback)|health run)\b`)

// adviceFits judges the command of the next step: it changes something only where that is what is missing, and is none that repeats a write whose
// outcome is open.
func adviceFits(e explained) (int, []string) {
	command := e.Next.Command
	if command == "" {
		return 0, nil
	}
	switch {
	case !writesOf.MatchString(command):
	case strings.HasPrefix(command, "service start"):
		if path := serviceIn.FindString(command); e.steady() && e.day.stateOf(path).text() == "started" {
			return 1, e.wrong("%s runs, and the advice is to start it", path)
		}
	case strings.HasPrefix(command, "service stop"):
		if path := serviceIn.FindString(command); e.steady() && e.day.stateOf(path).text() == "stopped" {
			return 1, e.wrong("%s is stopped, and the advice is to stop it", path)
		}
	case command == "health run":
		if e.before.state == inProgress && e.after.state == inProgress && strings.HasPrefix(e.Next.Text, "Run ") { // else it is for later
			return 1, e.wrong("an upgrade runs, and the advice is to run a health check")
		}
	default:
		return 1, e.wrong("the advice is to send something: %s", command)
	}
	if age := ageSaid.FindStringSubmatch(e.Cause.Sentence); e.args[0] == "health" && !e.Fault && age != nil && command != "health run" &&
		!(strings.HasPrefix(command, "upgrade watch") && (e.before.state == inProgress || e.after.state == inProgress)) {
		return 1, e.wrong("the report is old, and the advice is %q", command)
	}
	return 1, nil
}

// ageSaid is how old a report is, as an explanation has it.
var ageSaid = regexp.MustCompile(`the report is (\d+ \w+) old`)
