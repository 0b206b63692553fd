package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// object is one of JSON.
type object = map[string]any

// rewritten is a site some of whose reports are other ones, each by its path: reports that no platform should make.
func (s *site) rewritten(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reports, where := s.reports.Load(), below(r.URL.Path)
		if reports == nil || r.Method != http.MethodGet || !strings.HasPrefix(where, "/healthCheck/reports/") {
			direct.ServeHTTP(w, r)
			return
		}
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		var list object
		if text := (*reports)[where]; text != nil && !refused(answered.Body.Bytes()) {
			answered.Body = bytes.NewBuffer(text)
		} else if json.Unmarshal(answered.Body.Bytes(), &list) == nil && list["runs"] != nil {
			for _, run := range list["runs"].([]any) {
				var report object
				if json.Unmarshal((*reports)["/healthCheck/reports/"+fmt.Sprint(run.(object)["id"])], &report) != nil {
					continue
				}
				for member := range run.(object) {
					run.(object)[member] = report[member]
				}
			}
			text, _ := json.Marshal(list)
			answered.Body = bytes.NewBuffer(text)
		}
		hand(w, answered)
	})
}

// handsReportsOn has reports printed, compared and written as files at the end of some days, also reports that
// contradict themselves.
func (m *machine) handsReportsOn() {
	r := m.day.random("reports")
	if m.day.oracle.Stale || m.day.plan.scenario.HostileText || len(m.fleet) > 0 || m.day.Want == severalSites || r.IntN(3) > 0 {
		return
	}
	if r.IntN(2) == 0 {
		m.site.checks()
		time.Sleep(4 * time.Minute) // until its report is there
	}
	ids := m.rewrites(r)
	if len(ids) < 2 {
		return
	}
	first, second := pick(r, ids[:len(ids)-1]), pick(r, ids)
	judged := func(args ...string) []string {
		if r.IntN(2) == 0 {
			args = append(args, "--fail-on", pick(r, []string{"any", "failed", "critical"}))
		}
		if r.IntN(3) == 0 {
			args = append(args, "--baseline", pick(r, ids))
		}
		return args
	}
	m.handsOn(judged("health", "export", first, "--format", pick(r, []string{"csv", "md", "html", "junit", "json"}))...)
	if r.IntN(3) == 0 {
		m.handsOn("health", "report", pick(r, ids), "-o", "table")
	} else {
		m.handsOn("health", "compare", second, first, "-o", pick(r, []string{"json", "table"}))
	}
}

// handsOn runs such a command, and has what it prints judged.
func (m *machine) handsOn(args ...string) {
	r := m.begin()
	defer r.end()
	r.lists = true
	handing := m.day.oracle.Hands(args...)
	p := r.command("", args...)
	if r.dead.Load() {
		return
	}
	m.day.meet("a report is handed on: " + args[1])
	handing.Printed(oracle.Printed{Code: p.code, Out: p.out, Err: p.err, Calm: m.day.calm(), Unread: m.site.unread()})
}

// rewrites makes other reports of the newest ones of the site, and returns their ids, the newest first.
func (m *machine) rewrites(r *rand.Rand) (ids []string) {
	others := map[string][]byte{}
	for _, one := range m.reports() {
		if len(ids) == 4 {
			break
		}
		where := "/healthCheck/reports/" + one.ID
		var report object
		m.asks(&report, where, nil)
		for range r.IntN(7) {
			spoils(r, report)
		}
		ids = append(ids, one.ID)
		others[where], _ = json.Marshal(report)
	}
	m.site.reports.Store(&others)
	return ids
}

// Words of results and states that a site may say.
var (
	results = []string{"pass", "pass", "fail", "warning", "skipped", "", "shrug", "PASSED", "failed: timeout", "passed_with_errors", "not run", "Success.", "unknown"}
	stages  = []string{"completed", "", "in_progress", "FAILED", "paused", "Queued"}
)

// spoils changes something of a report.
func spoils(r *rand.Rand, report object) {
	one, list := report, []any(nil)
	suites, _ := report["suiteStatus"].([]any)
	suite := object(nil)
	if len(suites) > 0 {
		suite = pick(r, suites).(object)
	}
	switch kind := r.IntN(8); {
	case kind == 0 || suite == nil:
	case kind == 1:
		one = suite
	default:
		member := pick(r, []string{"criticalTestStatus", "generalTestStatus"})
		if list, _ = suite[member].([]any); len(list) == 0 {
			return
		}
		at := r.IntN(len(list))
		one = list[at].(object)
		switch r.IntN(16) {
		case 0:
			suite[member] = slices.Delete(slices.Clone(list), at, at+1)
			return
		case 1:
			suite[member] = append(slices.Clone(list), one)
			return
		case 2:
			suite["criticalTestStatus"], suite["generalTestStatus"] = suite["generalTestStatus"], suite["criticalTestStatus"]
			return
		case 3:
			suite[member] = []any{}
			return
		case 4:
			one["message"], one["node"], one["attempts"] = `no <b>room</b> | "left"`, "node-3", 3
		case 5:
			one["details"], one["description"] = []any{"first", " ", "second"}, "=cmd() & more"
		case 6:
			one["name"] = list[0].(object)["name"]
		case 7:
			one["name"] = ""
		case 8:
			one["severity"] = pick(r, []string{"critical", "general", "GENERAL", "minor"})
		case 9:
			one["id"] = list[0].(object)["id"]
		}
	}
	begins, _ := one["startTime"].(float64)
	ends, _ := one["endTime"].(float64)
	timed := begins > 0 && ends >= begins
	switch kind := r.IntN(9); {
	case !timed && (kind == 5 || kind == 6):
	case kind <= 2:
		one["result"] = pick(r, results)
	case kind == 3:
		one["state"] = pick(r, stages)
	case kind == 4:
		one["result"], one["state"] = pick(r, results), pick(r, stages)
	case kind == 5:
		one["endTime"] = begins + 3*(ends-begins) + 2000
	case kind == 6:
		one["endTime"] = begins - 1
	case kind == 7:
		if one["endTime"] = 0; list != nil {
			one["startTime"] = 0
		}
	case kind == 8:
		switch r.IntN(4) {
		case 0:
			report["suiteStatus"] = append(slices.Clone(suites), suites...)
		case 1:
			report["suiteStatus"] = []any{}
		case 2:
			report["name"] = `nightly <b> | "check"`
		}
	}
}
