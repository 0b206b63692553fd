package operation_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

// synchronous is a run that the site answers at its end.
func synchronous(t *testing.T, p *operationtest.Platform) adminapi.HealthRun {
	t.Helper()
	return adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly", Sync: 15 * time.Minute}
}

// atRun does something else with the request that starts a run.
func atRun(p *operationtest.Platform, do http.HandlerFunc) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/healthCheck/run") {
			do(w, r)
			return
		}
		pass()
	})
}

func TestASynchronousRunIsAnsweredWithItsReport(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	var sent url.Values
	atRun(p, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent, _ = url.ParseQuery(string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.Direct.ServeHTTP(w, r)
	})
	before := p.Clock.Now()
	run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), synchronous(t, p)))
	if err != nil || outcome != adminapi.OutcomeDone || run.JobID() != "" || !p.Clock.Now().After(before) {
		t.Fatalf("outcome %v, job %q, error %v", outcome, run.JobID(), err)
	}
	report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
	if err != nil || report.Name != "nightly" || report.Result != "passed" {
		t.Errorf("report %q with result %q, %v", report.Name, report.Result, err)
	}
	if sent.Get("async") != "false" || p.Sent("POST run") != 1 || p.Sent("GET "+report.ID) != 1 {
		t.Errorf("sent %v, %d times", sent, p.Sent("POST run"))
	}
}

func TestASynchronousRunWhoseAnswerWasLostIsFoundByItsNameAndNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"cut": func(w http.ResponseWriter, _ *http.Request) { operationtest.HangUp(w) },
		"502 page": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
		},
		"504":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) },
		"a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Sign in</html>") },
		"no report":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"success"}`) },
		"other place": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"statusURL":"/ctx/admin/mode"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.New(t, "name: healthy")
			atRun(p, func(w http.ResponseWriter, r *http.Request) {
				p.Direct.ServeHTTP(httptest.NewRecorder(), r)
				answer(w, r)
			})
			run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), synchronous(t, p)))
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Fatalf("outcome %v, error %v", outcome, err)
			}
			report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
			if err != nil || report.Name != "nightly" {
				t.Errorf("report %q, %v", report.Name, err)
			}
			p.WantSent(t, "POST run", 1)
		})
	}
}

func TestASynchronousRunIsSearchedForAsLongAsItsAnswerWouldHaveBeenAwaited(t *testing.T) {
	t.Parallel()
	for name, listed := range map[string]time.Duration{"at last": 14 * time.Minute, "too late": 16 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.New(t, "name: healthy")
			wanted := synchronous(t, p)
			sent := p.Clock.Now()
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/healthCheck/run"):
					operationtest.LoseAnswer(w, r, p.Direct)
				case strings.HasSuffix(r.URL.Path, "/reports/query") && p.Clock.Now().Sub(sent) < listed:
					_, _ = io.WriteString(w, `{"total":0,"num":1000,"start":1,"nextStart":-1,"runs":[]}`)
				default:
					pass()
				}
			})
			run, _ := p.StartHealthRun(t.Context(), wanted)
			report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
			if found := name == "at last"; (report.Name == "nightly") != found || errors.Is(err, operation.ErrOutcomeUnknown) == found {
				t.Errorf("report %q after %v, %v", report.Name, p.Clock.Now().Sub(sent), err)
			}
			if looked := p.Sent("GET query"); looked > 110 {
				t.Errorf("looked %d times", looked)
			}
			p.WantSent(t, "POST run", 1)
		})
	}
}

func TestASynchronousRunThatIsNotAnsweredInTimeIsFound(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	arrived := make(chan struct{})
	atRun(p, func(_ http.ResponseWriter, r *http.Request) {
		p.Direct.ServeHTTP(httptest.NewRecorder(), r)
		close(arrived)
		<-r.Context().Done()
	})
	wanted := synchronous(t, p)
	client, err := adminapi.New(adminapi.Config{
		Base: p.Client.Base().String(), Clock: p.Clock, Token: p.Client.Session.Token(),
		AfterFunc: func(d time.Duration, f func()) adminapi.Timer {
			if d != wanted.Sync {
				return time.AfterFunc(d, f)
			}
			go func() {
				<-arrived
				f()
			}()
			return time.NewTimer(d)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	p.Client = client
	run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), wanted))
	if outcome != adminapi.OutcomeUnknown || !strings.Contains(err.Error(), "no answer within 15 min") {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); err != nil || report.Name != "nightly" {
		t.Errorf("report %q, %v", report.Name, err)
	}
	p.WantSent(t, "POST run", 1)
}

func TestASynchronousRunThatNeverArrivedStaysUnknown(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy").Remembering(t, t.TempDir())
	atRun(p, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		operationtest.HangUp(w)
	})
	wanted := synchronous(t, p)
	run, _ := p.StartHealthRun(t.Context(), wanted)
	if _, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); !errors.Is(err, operation.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "no run of that name; checked for 15 min") {
		t.Errorf("error %v", err)
	}
	if _, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), wanted)); outcome != adminapi.OutcomeNotSent || !errors.Is(err, operation.ErrUnresolved) {
		t.Errorf("a second run: %v, %v", outcome, err)
	}
	p.WantSent(t, "POST run", 1)
}

func TestAReportThatIsNotWhereTheAnswerSaysIsFoundByTheNameOfTheRun(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	atRun(p, func(w http.ResponseWriter, r *http.Request) {
		p.Direct.ServeHTTP(httptest.NewRecorder(), r)
		_, _ = io.WriteString(w, `{"statusURL":"/ctx/admin/healthCheck/reports/nosuchidxx"}`)
	})
	run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), synchronous(t, p)))
	if outcome != adminapi.OutcomeDone || err != nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); err != nil || report.Name != "nightly" {
		t.Errorf("report %q, %v", report.Name, err)
	}
	p.WantSent(t, "POST run", 1)
}

// A run without a job shows only at its end, so that a site that gives up its own answer
// says nothing about it: it is no refusal, and may not be sent again soon.
func TestASynchronousRunThatTheSiteAnswersWithAnErrorStaysUnknownUntilItShows(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy").Remembering(t, t.TempDir())
	sent, ends := p.Clock.Now(), 10*time.Minute
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/healthCheck/run"):
			p.Direct.ServeHTTP(httptest.NewRecorder(), r)
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"the request took too long"}}`)
		case strings.HasSuffix(r.URL.Path, "/reports/query") && p.Clock.Now().Sub(sent) < ends:
			_, _ = io.WriteString(w, `{"total":0,"num":1000,"start":1,"nextStart":-1,"runs":[]}`)
		default:
			pass()
		}
	})
	wanted := synchronous(t, p)
	run, outcome, _ := operationtest.Apart(p.StartHealthRun(t.Context(), wanted))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	if _, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	_ = p.Clock.Sleep(t.Context(), sent.Add(5*time.Minute).Sub(p.Clock.Now()))
	again := operation.WithOverride(t.Context(), wanted.Name)
	if _, outcome, err := operationtest.Apart(p.StartHealthRun(again, wanted)); outcome != adminapi.OutcomeNotSent || !errors.Is(err, operation.ErrUnresolved) {
		t.Errorf("a second run, before the first can show: %v, %v", outcome, err)
	}
	_ = p.Clock.Sleep(t.Context(), ends)
	if _, err := p.ResolveWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
	p.WantSent(t, "POST run", 1)
}

// The report of the answer may be written still, and the line may fail: neither ends the wait, and neither is its end.
func TestTheReportOfASynchronousRunIsAwaited(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), synchronous(t, p)))
	if outcome != adminapi.OutcomeDone || err != nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	reads, away, partial := 0, 0, 0
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch reads++; {
		case !strings.Contains(r.URL.Path, "/healthCheck/reports/"):
			pass()
		case p.Clock.Now().Sub(operationtest.Start) < 10*time.Minute:
			http.Error(w, "<html>busy</html>", http.StatusServiceUnavailable)
		case p.Clock.Now().Sub(operationtest.Start) < 20*time.Minute:
			_, _ = io.WriteString(w, `{"id":"rabcdefghi","name":"nightly","state":"in_progress","suiteStatus":[]}`)
		default:
			pass()
		}
	})
	report, err := operationtest.WaitHealthRun(t.Context(), p, run, func(s polling.Step[operation.HealthSnapshot]) {
		if s.Unreachable != nil {
			away++
		} else if !s.Done {
			partial++
		}
	})
	if err != nil || report.State != "completed" || away == 0 || partial == 0 {
		t.Errorf("report of state %q, away %d times, partial %d times, %v", report.State, away, partial, err)
	}
}
