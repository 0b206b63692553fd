package sweep

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// instead is what a program gets in place of the answer to each read at a path.
type instead struct {
	oracle.Instead
	path string
	came bool // it was asked for, and is locked by the site
}

// webPage is one.
func webPage(title string) string {
	return "<!DOCTYPE html><html><head><title>" + title + "</title></head></html>"
}

// insteads are those that are drawn.
var insteads = []oracle.Instead{
	{Line: "refused"}, {Line: "reset"}, {Line: "silent"}, {Line: "cut"},
	{Status: 200, Body: webPage("Sign in &amp; go on")}, {Status: 401, Body: webPage("Who are you?")}, {Status: 502, Body: webPage("502 Bad Gateway")}, {Status: 404, Body: webPage("Not found")},
	{Status: 302, To: "https://login.example.org/start"}, {Status: 308, To: "https://login.example.org/start"}, {Status: 301, To: "https://login.example.org/start"}, {Status: 200}, {Status: 200, Body: `[1]`}, {Status: 200, Body: `{"other":1}`},
	{Status: 401}, {Status: 407}, {Status: 410}, {Status: 413}, {Status: 423}, {Status: 498}, {Status: 503, Body: "nobody is behind this"}, {Status: 500, Body: `{"cut`},
	{Status: 200, Body: `{"error":{"code":498,"message":"Invalid token.","details":[]}}`},
	{Status: 200, Body: `{"error":{"code":499,"message":"Token Required","messageCode":"GWM_0003","details":[]}}`},
	{Status: 403, Body: `{"error":{"code":403,"message":"You do not have permissions.","messageCode":"GWM_0003","details":[]}}`},
	{Status: 200, Body: `{"error":{"code":403,"message":"You do not have permissions.","details":["Ask for a role."]}}`},
	{Status: 200, Body: `{"error":{"code":404,"message":"Not found.","details":["No such thing."," ","Look elsewhere."]}}`},
	{Status: 200, Body: `{"error":{"code":500,"message":"Failed.","messageCode":"GWM_0001","details":["The store is away."]}}`},
	{Status: 500, Body: `{"code":1001,"message":"It did not work.","details":null}`}, {Status: 200, Body: `{"error":{"code":409,"message":"Somebody is at it."}}`},
	{Status: 200, Body: `{"error":{"code":500,"message":"Another operation is in progress."}}`}, {Status: 200, Body: `{"error":{"code":500,"message":"The site is in read-only mode.","details":[]}}`},
	{Status: 200, Body: `{"success":false}`}, {Status: 200, Body: `{"status":"error","messages":["first","second"],"code":400}`}, {Status: 200, Body: `{"error":"It is broken"}`},
	{Status: 503, Body: `{"error":{"code":503,"message":"Soon back."}}`}, {Status: 429, Body: `{"error":{"message":"Too many."}}`},
}

// misreads are commands that read something alone.
var misreads = []struct {
	command, path, operation string
}{
	{"job list", "/jobs", "read the list of jobs"},
	{"job get j11111111-1111-4111-8111-111111111111", "/jobs/j11111111-1111-4111-8111-111111111111", "read a job"},
	{"service get " + cities.Path(), "/services/" + cities.Path(), "read the definition of a service"},
	{"service status " + cities.Path(), "/services/" + cities.Path() + "/status", "read the state of a service"},
}

// failsToRead lets a read fail at the end of some days, and has judged what is said of it.
func (m *machine) failsToRead() {
	r := m.day.random("misread")
	if q := m.day.plan; q.quotes != nil || q.echo != nil || len(m.fleet) > 0 || m.day.Want == severalSites || r.IntN(4) > 0 {
		return
	}
	for range 2 {
		of, in := pick(r, misreads), &instead{Instead: pick(r, insteads)}
		if m.day.inTheWay(of.path) {
			continue
		}
		args := append(strings.Fields(of.command), "-o", pick(r, []string{"json", "table"}))
		in.path = of.path
		one := m.begin()
		m.site.instead.Store(in)
		p := one.command("", args...)
		m.site.instead.Store(nil)
		one.end()
		m.site.mu.Lock()
		came := in.came
		m.site.mu.Unlock()
		if one.dead.Load() || !came || in.Status == http.StatusNotFound && !m.day.calm() { // who reads more then is in other ways
			continue
		}
		m.day.meet("a read fails")
		m.day.oracle.Misreads(oracle.Misread{Command: "geodeck " + strings.Join(args, " "), Operation: of.operation, Named: args[0] == "service", Path: "/geodeck/admin" + of.path, Form: args[len(args)-1],
			Instead: in.Instead, Code: p.code, Out: p.out, Err: p.err})
	}
}

// inTheWay reports whether reads at a path may fail in another way, too.
func (d *Day) inTheWay(where string) bool {
	request := requestOf(http.MethodGet, "/geodeck/admin"+where)
	return d.plan.mute[where] || slices.ContainsFunc(d.plan.faults, func(f lineFault) bool { return f.request == request }) ||
		slices.ContainsFunc(d.plan.scenario.Faults, func(f simulator.Fault) bool {
			before, _, _ := strings.Cut(f.Path, "*")
			return f.Method != http.MethodPost && strings.HasPrefix("admin"+where, strings.TrimSuffix(before, "/"))
		}) ||
		slices.ContainsFunc(d.Troubles, func(t Trouble) bool {
			_, is := t.(outage)
			return is
		})
}

// answersInstead answers a read with what is there in place of its answer.
func (s *site) answersInstead(w http.ResponseWriter, r *http.Request) bool {
	in := s.instead.Load()
	if in == nil || below(r.URL.Path) != in.path {
		return false
	}
	s.mu.Lock()
	in.came = true
	s.mu.Unlock()
	switch in.Line {
	case "silent":
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case "cut":
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"jobs":[`)
		panic(http.ErrAbortHandler)
	case "reset":
		panic(http.ErrAbortHandler)
	}
	if in.To != "" {
		w.Header().Set("Location", strings.Replace(in.To, "//", "//ada:word@", 1)+"?token=word")
	}
	w.WriteHeader(in.Status)
	_, _ = io.WriteString(w, in.Body)
	return true
}

// refuses reports whether nobody is at the address of the site for a read.
func (s *site) refuses() bool {
	in := s.instead.Load()
	if in == nil || in.Line != "refused" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in.came = true
	return true
}
