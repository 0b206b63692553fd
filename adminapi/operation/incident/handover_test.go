package incident_test

import (
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
)

// factOf returns the value of a fact.
func factOf(h health.Handover, name string) string {
	for _, fact := range h.Facts {
		if fact[0] == name {
			return fact[1]
		}
	}
	return ""
}

// A13: what is handed on with a report says where it comes from, what changed, and what to do.
func TestAReportIsHandedOnWithItsSiteWhatChangedAndWhatToDo(t *testing.T) {
	t.Parallel()
	p := &visit{Platform: operationtest.BuiltIn(t, "degraded")}
	report := p.checked(t)
	h := incident.HandOver(t.Context(), p.Site, incident.Handed{Report: report, SiteName: "production"})
	for name, want := range map[string]string{"Site": "production, http://127.0.0.1", "Version": "11.5.0.6745", "Exported": " UTC by admin of the site, "} {
		if got := factOf(h, name); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	line, tests := h.Changes(report)
	if h.Since != "the last good report" || !strings.Contains(line, "1 new failure, 1 new warning; compared with 2026-") || len(tests) != 2 {
		t.Errorf("%s: %s, %q", h.Since, line, tests)
	}
	todo, kubectl := h.Steps(report)
	if len(todo) != 2 || !strings.HasPrefix(todo[0], "healthcheck_objectStore, failed: Check the object store's pods and the free space") {
		t.Errorf("to do: %q", todo)
	}
	if len(kubectl) != 3 || kubectl[0] != "kubectl -n NAMESPACE describe pods arcgis-object-store" {
		t.Errorf("lines: %q", kubectl)
	}
	if n := p.Sent("GET status"); n > 2 {
		t.Errorf("%d states of deployments and upgrades were read", n)
	}
}

func TestAnOldReportIsHandedOnWithWhatHasPassedSince(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failed, err := p.Reports().First(t.Context(), all, func(r adminapi.ReportSummary) bool { return r.Result == "failed" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for e := range health.All(*failed) { // one whose pods would be checked
		if e.Test.Name == "healthcheck_objectStore" {
			e.Test.Result = "fail"
		}
	}
	h := incident.HandOver(t.Context(), p.Site, incident.Handed{Report: *failed})
	if todo, kubectl := h.Steps(*failed); len(todo) == 0 || !strings.Contains(todo[0], "It has passed since, last on 2026-") || len(kubectl) > 0 {
		t.Errorf("%q, %q", todo, kubectl)
	}
}

func TestWhatIsNotKnownOfAReportIsHandedOnAsNotKnown(t *testing.T) {
	t.Parallel()
	p := &visit{Platform: operationtest.BuiltIn(t, "degraded")}
	report := p.checked(t)
	h := incident.HandOver(t.Context(), operation.Site{Clock: p.Clock}, incident.Handed{Report: report, File: "saved.json"})
	todo, kubectl := h.Steps(report)
	if factOf(h, "Site") != "not known: the report was read from saved.json" || h.Since != "" || len(todo) != 2 || kubectl[0] != "kubectl -n NAMESPACE get pods" {
		t.Errorf("of a file: %q, %q, %q, %q", h.Facts, h.Since, todo, kubectl)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	h = incident.HandOver(t.Context(), p.Site, incident.Handed{Report: report})
	if line, _ := h.Changes(report); !strings.HasPrefix(line, "Not known: ") || factOf(h, "Version") != "not known" || !strings.HasPrefix(factOf(h, "Site"), "http://127.0.0.1") {
		t.Errorf("of a site that does not answer: %q, %q", line, h.Facts)
	}
	alone := operationtest.New(t, "{name: twelve, version: 12.0.0.7286, reports: 0}")
	v := &visit{Platform: alone}
	first := v.checked(t)
	h = incident.HandOver(t.Context(), alone.Site, incident.Handed{Report: first})
	if line, _ := h.Changes(first); line != "None of the same suites is before it" {
		t.Errorf("of a first report: %q", line)
	}
}
