package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// held is a site whose answer to the start of an upgrade a test holds back.
type held struct {
	env   []string
	start []string // the command that starts a patch
	state string
	posts atomic.Int32
	seen  chan struct{} // one for each post that has arrived
	goOn  chan struct{} // closed where the posts may go on to the site
}

func holdUpgrades(t *testing.T) *held {
	t.Helper()
	server := clitest.NewSite(t, simulator.Options{})
	target, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	h := &held{state: t.TempDir(), seen: make(chan struct{}, 10), goOn: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			h.posts.Add(1)
			body, _ := io.ReadAll(r.Body) // so that the end of the caller is noticed
			h.seen <- struct{}{}
			select {
			case <-h.goOn:
			case <-r.Context().Done():
				return
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(line.Close)
	h.env = []string{"GEODECK_URL=" + line.URL + target.Path, "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "XDG_STATE_HOME=" + h.state}
	h.start = []string{"upgrade", "start", "pat_12082025_6805", "--accept", "health,placement", "--confirm", "11.5.0.6805"}
	return h
}

// ends runs a command to its end and returns what it says.
func (h *held) ends(t *testing.T, want int, args ...string) string {
	t.Helper()
	run := clitest.Start(t, h.env, args...)
	said, _ := io.ReadAll(run.Err)
	run.WantCode(want)
	return string(said)
}

func TestAStartThatWasKilledIsNotPostedAgain(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	first := clitest.Start(t, h.env, h.start...)
	<-h.seen
	first.Signal(syscall.SIGKILL)
	_ = first.Cmd.Wait()
	for range 2 { // a pipeline that retries
		said := h.ends(t, 6, h.start...)
		if !strings.Contains(said, "an earlier request to start the upgrade (11.5.0.6805) was sent at ") || !strings.Contains(said, "process ") ||
			!strings.Contains(said, "nothing was sent") || !strings.Contains(said, "--again 11.5.0.6805, from ") {
			t.Errorf("it says\n%s", said)
		}
	}
	if said := h.ends(t, 6, append(h.start, "--again", "11.5.0.6805")...); !strings.Contains(said, "nothing was sent") {
		t.Errorf("too soon, it says\n%s", said)
	}
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

func TestTwoStartsAtOncePostOnce(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	first := clitest.Start(t, h.env, h.start...)
	<-h.seen
	said := h.ends(t, 6, h.start...)
	if !strings.Contains(said, "that program is still waiting for the answer") {
		t.Errorf("it says\n%s", said)
	}
	close(h.goOn)
	_, _ = io.Copy(io.Discard, first.Err)
	first.WantCode(0)
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

func TestADashboardThatWasKilledWhileItSentOpensOnThatAndTheCommandWaits(t *testing.T) {
	t.Parallel()
	h := holdUpgrades(t)
	screen := clitest.OpenTerminal(t, 120, h.env, "--plain")
	for _, step := range []struct{ sees, presses string }{
		{"1 of 12", "2"}, {"recommended", "g"}, {"13 containers change", "\r"}, {"2 cautions to accept", " "}, {"If no node fits", " "},
		{"nothing else is in the way", "\r"}, {"Nothing has been sent yet", "\r"}, {"To start, type 11.5.0.6805:", ""},
	} {
		screen.Shows(step.sees)
		screen.Press(step.presses)
	}
	for i, key := range "11.5.0.6805" { // one by one: what comes in one go is not typed
		screen.Press(string(key))
		screen.Shows("type 11.5.0.6805: " + "11.5.0.6805"[:i+1])
	}
	screen.Press("\r")
	<-h.seen
	screen.Signal(syscall.SIGKILL)
	screen.End()
	h.ends(t, 6, h.start...)
	again := clitest.OpenTerminal(t, 120, h.env, "--plain")
	again.Shows("Outcome unknown: start the upgrade (11.5.0.6805)")
	if n := h.posts.Load(); n != 1 {
		t.Errorf("%d posts of the upgrade, want 1", n)
	}
}

// An error that leaves open whether the site has begun is a refusal only once that was read.
func TestAnErrorThatIsReadBackAsARefusalSaysSo(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	site, err := url.Parse(u.Wire.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: site.Scheme, Host: site.Host})
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"Timed out waiting","details":[]}}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(line.Close)
	u.Env["GEODECK_URL"] = line.URL + site.Path
	r := u.Run(t.Context(), "upgrade", "start", clitest.Release12, "--license", u.Licence, "--accept", "health,placement", "--confirm", "12.0.0.7286")
	if r.Code != 4 || !strings.Contains(r.Err, "Timed out waiting") || !strings.Contains(r.Err, "nothing has begun in the 30 s since") || strings.Contains(r.Err, "not known") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

func TestARefusalWithoutAWordSaysWhatIsKnownAndWhatToDo(t *testing.T) {
	t.Parallel()
	clock, env := clitest.SiteToEdit(t, "healthy")
	real := env["GEODECK_URL"]
	runs := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/healthCheck/run"):
			runs++
			fallthrough
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = io.WriteString(w, `{"success":false}`)
		default:
			clitest.Forward(w, r, real)
		}
	}))
	t.Cleanup(site.Close)
	env["GEODECK_URL"] = site.URL + "/geodeck/admin"
	const noReason = ": the site reports a failure and gives no reason"
	r := clitest.RunInProcess(t, clock, env, "job", "get", "j1")
	if r.Code != 1 || !strings.Contains(r.Err, "cannot read a job"+noReason) || !strings.Contains(r.Err, "Try again. The site's logs may give the reason.") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "health", "run")
	if r.Code != 4 || runs != 1 || !strings.Contains(r.Err, "cannot run a health check"+noReason+"; nothing has begun in the 30 s since") || !strings.Contains(r.Err, "Check the site before you send it again.") {
		t.Errorf("exit code %d after %d runs, it says\n%s", r.Code, runs, r.Err)
	}
}

func TestALostAnswerEndsAsUnknownNotAsFailed(t *testing.T) {
	t.Parallel()
	scenario, err := simulator.ReadScenario([]byte("name: lost\nfaults:\n  - {path: admin/healthCheck/run, what: close}\n"))
	if err != nil {
		t.Fatal(err)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0)}

	r := clitest.RunInProcess(t, clock, env, "health", "run")
	if r.Code != 6 || !strings.Contains(r.Err, "the outcome is unknown") || !strings.Contains(r.Err, "geodeck health reports") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "health", "run", "-o", "json")
	if r.Code != 6 || !strings.Contains(r.Err, `"kind":"outcome unknown"`) {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// A site may answer a run with the path of its report, without a job.
func TestAnInterruptedRunThatTheSiteAcceptedIsNotCalledUnknown(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	ctx, interrupt := context.WithCancel(t.Context())
	u.Through(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/healthCheck/run"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"status":"SUCCEEDED","statusURL":"/admin/healthCheck/reports/abc"}`)
		case strings.HasSuffix(r.URL.Path, "/reports/abc"):
			interrupt()
			<-r.Context().Done()
		default:
			return false
		}
		return true
	})
	r := u.Run(ctx, "health", "run", "--name", "accepted")
	if r.Code == 0 || r.Code == 6 || ctx.Err() == nil || strings.Contains(r.Err, "not known") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// interruptedAtTheJob is a context that ends, as by ctrl+c, once a job is asked for, which no answer comes about.
func interruptedAtTheJob(t *testing.T, u *clitest.Upgrading) context.Context {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	u.Through(func(_ http.ResponseWriter, r *http.Request) bool {
		job := strings.Contains(r.URL.Path, "/jobs/")
		if job {
			interrupt()
			<-r.Context().Done()
		}
		return job
	})
	return ctx
}

// What was replaced is saved, and only its id leads back to it.
func TestAnInterruptedEditThatTheSiteAcceptedIsPrintedWithItsBackup(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	ctx := interruptedAtTheJob(t, u)
	got := u.Run(t.Context(), "service", "get", clitest.Cities)
	file := filepath.Join(t.TempDir(), "edited.json")
	if err := os.WriteFile(file, []byte(strings.Replace(got.Out, `"maxIdleTime":1800`, `"maxIdleTime":900`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := u.Run(ctx, "service", "apply", clitest.Cities, "-f", file, "-o", "json")
	if r.Code != 130 || !strings.Contains(r.Out, `"sent": true`) || !strings.Contains(r.Out, `"kept": false`) || !strings.Contains(r.Out, `"backup"`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

func TestAnInterruptedStopThatTheSiteAcceptedSaysSo(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	ctx := interruptedAtTheJob(t, u)
	r := u.Run(ctx, "service", "stop", clitest.Cities, "--confirm", "SampleWorldCities")
	if r.Code != 130 || !strings.Contains(r.Err, "the site accepted it, but its end was not seen") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

func TestALostAnswerToARunThatHappenedIsFoundAgain(t *testing.T) {
	t.Parallel()
	scenario, err := simulator.ReadScenario([]byte("name: lost\nfaults:\n  - {path: admin/healthCheck/run, what: close, performed: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0)}
	r := clitest.RunInProcess(t, clock, env, "health", "run", "--name", "once only")
	if r.Code != 0 || !strings.Contains(r.Err, "the answer was lost") || !strings.Contains(r.Out, "once only") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	r = clitest.RunInProcess(t, clock, env, "health", "reports", "-o", "jsonl")
	if n := strings.Count(r.Out, `"name":"once only","owner":"admin","createdBy":"admin","result":"passed","state":"completed","startTime":"`); n != 1 {
		t.Errorf("%d runs of the name, want 1:\n%s", n, r.Out)
	}
}

func TestATokenFileThatWasWrittenAgainIsRead(t *testing.T) {
	t.Parallel()
	server := clitest.NewSite(t, simulator.Options{})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("outdated"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := clitest.TokenOf(t, server, 0)
	refresh := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Whoever looks after the file writes it while the first request is under way.
		if err := os.WriteFile(file, []byte(fresh), 0o600); err != nil {
			t.Error(err)
		}
		clitest.Forward(w, r, server.URL())
	}))
	t.Cleanup(refresh.Close)
	r := clitest.RunInProcess(t, nil, nil, "health", "reports", "--url", refresh.URL+"/geodeck/admin", "--token-file", file, "-o", "jsonl")
	if r.Code != 0 || !strings.Contains(r.Out, `"id"`) {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// badJobs stands before a site and names every job of an accepted write by id. Where it
// swallows, the site never hears of the write.
func badJobs(t *testing.T, site, id string, swallows bool) string {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	jobID := regexp.MustCompile(`"job(id|ID)" *: *"[^"]*"`)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host}) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method != http.MethodPost {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = jobID.ReplaceAll(body, fmt.Appendf(nil, `"job$1":%q`, id))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Del("Content-Length")
			return nil
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !swallows || r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, to.Path) {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jobid":%q,"status":"SUBMITTED"}`, id)
	}))
	t.Cleanup(front.Close)
	return front.URL + to.Path
}

func TestAJobWithAnIDThatIsNoneIsNoMistakeOfTheUser(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "edited.json")
	now := clitest.NewUpgrading(t, "healthy").Run(t.Context(), "service", "get", "SampleWorldCities.MapServer")
	edited := regexp.MustCompile(`"maxIdleTime": *[0-9]+`).ReplaceAllString(now.Out, `"maxIdleTime":901`)
	if now.Code != 0 || edited == now.Out {
		t.Fatalf("exit code %d, %s", now.Code, now.Out)
	}
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{
		"a health check": {"health", "run", "--name", "nightly"},
		"an edit":        {"service", "apply", "SampleWorldCities.MapServer", "-f", file},
		"a stop":         {"service", "stop", "SampleWorldCities.MapServer", "--confirm", "SampleWorldCities"},
	}
	for name, args := range commands {
		for _, id := range []string{"..", "a/b"} {
			t.Run(name+"/"+id, func(t *testing.T) {
				u := clitest.NewUpgrading(t, "healthy")
				u.Env["GEODECK_URL"] = badJobs(t, u.Wire.URL, id, false)
				r := u.Run(t.Context(), args...)
				if r.Code != 0 || !strings.Contains(r.Err, "its job cannot be followed") {
					t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
				}
			})
			t.Run(name+"/"+id+", in vain", func(t *testing.T) {
				u := clitest.NewUpgrading(t, "healthy")
				u.Env["GEODECK_URL"] = badJobs(t, u.Wire.URL, id, true)
				r := u.Run(t.Context(), args...)
				if r.Code != 6 || !strings.Contains(r.Err, "its job cannot be followed") || !strings.Contains(r.Err, "the outcome is unknown") {
					t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
				}
			})
		}
	}
}

func TestAJobIDThatIsTypedWrongIsUsage(t *testing.T) {
	t.Parallel()
	u := clitest.NewUpgrading(t, "healthy")
	for _, command := range []string{"get", "wait"} {
		if r := u.Run(t.Context(), "job", command, ".."); r.Code != 2 {
			t.Errorf("job %s: exit code %d, it says\n%s", command, r.Code, r.Err)
		}
	}
	if u.Wire.Count("/jobs") != 0 {
		t.Error("something was asked for")
	}
}

func TestAListOfJobsShowsAJobThatCannotBeRead(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"jobs":["j1","..","a\u001b/b"]}`
		if strings.HasSuffix(r.URL.Path, "/jobs/j1") {
			answer = `{"jobid":"..","status":"COMPLETED","name":"first"}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(site.Close)
	u := clitest.NewUpgrading(t, "healthy")
	u.Env["GEODECK_URL"] = site.URL + "/x/admin"
	r := u.Run(t.Context(), "job", "list")
	if r.Code != 0 || !strings.Contains(r.Out, "j1") || !strings.Contains(r.Out, "first") || !strings.Contains(r.Out, "\n..") || strings.Contains(r.Out, "\x1b") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

func TestAJobIsShownWithItsRequestAndWhenItWasUpdated(t *testing.T) {
	t.Parallel()
	const running = `{"updatedtime":1635961542589,"jobid":"j1","endtime":0,"starttime":1635961542583,"operationURI":"/context/admin/services/A.MapServer/edit","status":"EXECUTING","username":"admin"}`
	const failed = `{"jobid":"j2","name":"Edit service","status":"FAILED","requestID":"r-2","resource":{"name":"A"},"starttime":1635961542583,"endtime":1635961602583,"updatedtime":1635961602583,"messages":["no room"]}`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch filepath.Base(r.URL.Path) {
		case "jobs":
			_, _ = io.WriteString(w, `{"jobs":["j1","j2"]}`)
		case "j1":
			_, _ = io.WriteString(w, running)
		case "j2":
			_, _ = io.WriteString(w, failed)
		case "j3":
			_, _ = io.WriteString(w, `{"jobid":"j3","status":"COMPLETED","result":{"status":"error","messages":["no room"],"code":500}}`)
		}
	}))
	t.Cleanup(site.Close)
	env := map[string]string{"GEODECK_URL": site.URL + "/context/admin", "GEODECK_TOKEN": "t"}
	for _, c := range []struct{ args, want string }{
		{"job get j1", `Request +-\n.*Started +2021-11-03 17:45:42Z\n.*Updated +2021-11-03 17:45:42Z\n.*Ended +-\n.*Took +-\n`},
		{"job get j2", `Resource +A\n.*Operation +-\n.*Request +r-2\n.*Started .*\n.*Updated +2021-11-03 17:46:42Z\n.*Ended +2021-11-03 17:46:42Z\n`},
		{"job get j2 -o json", `"requestID": "r-2",(?s:.*)"updatedtime": 1635961602583`},
		{"job list", `ID .*UPDATED .*REQUEST\s+j1 .* - +admin +services/A.MapServer/edit +2021-11-03 17:45:42Z +-\s+j2 .* Edit service +2021-11-03 17:46:42Z +r-2\s`},
		{"job wait j2", `job j2 ended as FAILED \(request r-2\): no room`},
		{"job wait j3", `job j3 ended as COMPLETED, with an error as its result: no room`},
	} {
		r := clitest.RunInProcess(t, nil, env, strings.Fields(c.args)...)
		if !regexp.MustCompile(c.want).MatchString(r.Out+r.Err) || strings.Contains(r.Out, "1970") {
			t.Errorf("%s prints\n%s%s", c.args, r.Out, r.Err)
		}
	}
}
