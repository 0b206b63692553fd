package reporting_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/operationtest"
)

// ran runs the suites, all without any, and returns the report.
func ran(t *testing.T, p *operationtest.Platform, name string, suites ...string) adminapi.Report {
	t.Helper()
	if len(suites) == 0 {
		suites = p.SuiteIDs(t)
	}
	run, _, err := operationtest.Apart(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suites, Name: name}))
	if err != nil {
		t.Fatal(err)
	}
	report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// judged judges a report by its new failures, and returns how many reports were fetched for it.
func judged(t *testing.T, p *operationtest.Platform, r adminapi.Report) (j health.Judgement, fetched int) {
	t.Helper()
	before := p.Counted("GET ") - p.Sent("GET query")
	j, err := p.Reports().Judge(t.Context(), r, health.Standard{On: health.FailOnNew})
	if err != nil {
		t.Fatal(err)
	}
	return j, p.Counted("GET ") - p.Sent("GET query") - before
}

func has(lines []string, words ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
	})
}

// pause lets days pass. A sign-in ends before.
func pause(t *testing.T, p *operationtest.Platform, d time.Duration) {
	t.Helper()
	p.Clock.Advance(d)
	p.SignInAgain(t)
}

const day = 24 * time.Hour

func TestAFailureIsNewEachNightWhoeverSawItFailInBetween(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "degraded")
	for night := range 3 {
		j, fetched := judged(t, p, ran(t, p, "nightly"))
		if !j.Failed || !has(j.New, "healthcheck_objectStore passed last on 2026-11-1", "(scheduled-") || len(j.Known) > 0 {
			t.Fatalf("night %d: %+v", night, j)
		}
		if most := 1 + 4*night; fetched == 0 || fetched > most {
			t.Errorf("night %d: %d reports were fetched, want at most %d", night, fetched, most)
		}
		pause(t, p, day/2)
		ran(t, p, "by a colleague")
		pause(t, p, day/2)
	}
	pause(t, p, 30*day)
	if j, _ := judged(t, p, ran(t, p, "nightly")); !j.Failed || !has(j.New, "healthcheck_objectStore is in no report of the last 30 days") {
		t.Errorf("after a month without a report: %+v", j)
	}
	pause(t, p, day)
	if j, _ := judged(t, p, ran(t, p, "nightly")); j.Failed || len(j.New) > 0 || !has(j.Known, "healthcheck_objectStore (failed), since 2026-12-2", "(nightly) or longer") {
		t.Errorf("the night after: %+v", j)
	}
}

func TestWhatNeverPassedIsNewOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "{name: twelve, version: 12.0.0.7286}")
	first, second := ran(t, p, "first", "OPHC-001"), ran(t, p, "second", "OPHC-001")
	if j, _ := judged(t, p, first); !j.Failed || !has(j.New, "persistent_volume_usage is in no report of the last 30 days") {
		t.Errorf("first: %+v", j)
	}
	if j, _ := judged(t, p, second); j.Failed || j.Why != "" || !has(j.Known, "persistent_volume_usage (warning), since 2026-11-20 22:0", "(first) or longer") {
		t.Errorf("second: %+v", j)
	}
}

func TestAReportThatPassedNeedsNoOther(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	report, before := ran(t, p, "nightly"), 0
	before = p.Requests()
	if j, _ := judged(t, p, report); j.Failed || p.Requests() != before {
		t.Errorf("%+v after %d requests", j, p.Requests()-before)
	}
}

func TestWhatCannotBeReadHidesNoFailure(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "{name: twelve, version: 12.0.0.7286}")
	first, second := ran(t, p, "first", "OPHC-001"), ran(t, p, "second", "OPHC-001")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		path   string
		answer func(w http.ResponseWriter)
		words  string
		more   bool // older reports are read, too
	}{
		"one report": {all[4].ID, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"no such file"}}`)
		}, "may have passed in the report of " + all[4].StartTime.Time().UTC().Format(time.DateTime), true},
		"a report that is gone": {all[4].ID, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":404,"message":"There is no such report"}}`)
		}, "may have passed in the report of " + all[4].StartTime.Time().UTC().Format(time.DateTime), true},
		"an empty report": {all[4].ID, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"id":"`+all[4].ID+`","result":"failed","suiteStatus":[]}`)
		}, "which contradicts itself: the report is empty", true},
		"the newest, from a proxy": {first.ID, func(w http.ResponseWriter) {
			http.Error(w, "<html>away</html>", http.StatusBadGateway)
		}, "may have passed in the report of 2026-11-20 22:0", false},
		"the newest, without a sign-in": {first.ID, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":498,"message":"Invalid token.","details":[]}}`)
		}, "may have passed in the report of 2026-11-20 22:0", false},
		"the list": {"query", operationtest.HangUp, "may have passed before: ", false},
	} {
		t.Run(name, func(t *testing.T) {
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/"+tt.path) {
					tt.answer(w)
					return
				}
				pass()
			})
			oldest := "GET " + all[len(all)-1].ID
			before := p.Sent(oldest)
			j, _ := judged(t, p, second)
			if !j.Failed || len(j.Known) > 0 || !has(j.New, "persistent_volume_usage", tt.words) {
				t.Errorf("%+v", j)
			}
			if more := p.Sent(oldest) > before; more != tt.more {
				t.Errorf("older reports were fetched: %v", more)
			}
		})
	}
	p.Intercept(nil)
	if j, _ := judged(t, p, second); j.Failed {
		t.Errorf("once all can be read: %+v", j)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Time{})
	defer cancel()
	if j, err := p.Reports().Judge(late, second, health.Standard{On: health.FailOnNew}); err != nil || !j.Failed || !has(j.New, "may have passed before: ") {
		t.Errorf("without time to read: %+v, %v", j, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Reports().Judge(ctx, second, health.Standard{On: health.FailOnNew}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOfVeryManyReportsTheNewestAreReadAndTheRestHideNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "{name: twelve, version: 12.0.0.7286, reports: 0}")
	var last adminapi.Report
	for range 102 {
		last = ran(t, p, "often", "OPHC-001")
	}
	if j, fetched := judged(t, p, last); !j.Failed || fetched != 100 || !has(j.New, "may have passed before: of the 101 reports of 30 days only the newest 100 were read") {
		t.Errorf("%d reports were fetched: %+v", fetched, j)
	}
}
