package operation_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

const (
	patchID     = "pat_12082025_6805"
	nextPatchID = "pat_11092025_6815"
	releaseID   = "rel_11122025_7286"
)

// request reads the offers and returns what is needed to ask for one of them, with a
// licence where one is wanted.
func (p *platform) request(t *testing.T, id string) operation.UpgradeRequest {
	t.Helper()
	offer, err := p.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entry, found := offer.Chain.Find(id)
	if !found {
		t.Fatalf("%s is not offered", id)
	}
	request := operation.UpgradeRequest{Target: entry.Update, Answers: upgrade.Answers{}}
	if request.Settings, err = p.UpgradeSettings(t.Context(), entry.Update); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "licence.json")
	if err := os.WriteFile(path, simtest.Licence(entry.Version), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, field := range upgrade.Form(request.Settings) {
		if field.Kind == upgrade.File {
			request.Answers[field.ID] = upgrade.Answer{Path: path}
		}
	}
	if upgrade.StyleOf(entry.Update) == upgrade.Old {
		request.LicencePath = path
	}
	return request
}

func builtIn(t *testing.T, name string) *platform {
	t.Helper()
	script, found := simulator.BuiltIn(name)
	if !found {
		t.Fatalf("no scenario %s", name)
	}
	return newPlatformOf(t, script)
}

func TestAnUpgradeIsStartedOnceAndWatchedToItsEnd(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	end := follow(t, p, watching.NewWatch(p.Site, p.startUpgrade(t, patchID)))
	if end.Meaning != progress.StateSucceeded || end.Log.Len() < 10 {
		t.Errorf("ended as %v with %d messages", end.Meaning, end.Log.Len())
	}
	p.wantSent(t, "POST upgrade", 1)
}

// startUpgrade starts an upgrade that the site accepts.
func (p *platform) startUpgrade(t *testing.T, id string) *operation.UpgradeRun {
	t.Helper()
	var steps []operation.UpgradeStep
	run, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, id), func(u operation.UpgradeProgress) {
		if len(steps) == 0 || steps[len(steps)-1] != u.Step {
			steps = append(steps, u.Step)
		}
	}))
	if err != nil || outcome != adminapi.OutcomeDone || run.First.State != adminapi.UpgradeInProgress {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if steps[len(steps)-1] != operation.StepSend || steps[len(steps)-2] != operation.StepCheckRunning {
		t.Errorf("steps %q: the last look must come right before the post", steps)
	}
	return run
}

// follow polls to the end.
func follow[T any](t *testing.T, p *platform, poller polling.Poller[T]) T {
	t.Helper()
	for limit := p.clock.Now().Add(4 * time.Hour); p.clock.Now().Before(limit); {
		step, err := poller.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if step.Done {
			return step.Value
		}
		if err := p.clock.Sleep(t.Context(), 3*step.Wait); err != nil { // fewer fetches than a user has: each reads the whole log
			t.Fatal(err)
		}
	}
	t.Fatal("no end within four hours")
	panic("not reached")
}

func TestALostAnswerOfAnUpgradeIsFollowedByReadsOnlyAndTheUpgradeAdopted(t *testing.T) {
	t.Parallel()
	lost := map[string]func(w http.ResponseWriter, r *http.Request, site http.Handler){"the gateway's time is over": timeOut}
	for _, how := range []string{"before-headers", "after-headers", "mid-body", "502"} {
		lost[how] = nil // a scenario
	}
	for how, lose := range lost {
		t.Run(how, func(t *testing.T) {
			p := builtIn(t, "healthy")
			if lose == nil {
				p = builtIn(t, "answer-lost-"+how)
			} else {
				p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
					if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
						lose(w, r, p.direct)
						return
					}
					pass()
				})
			}
			run, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Fatalf("outcome %v, error %v", outcome, err)
			}
			before := p.posts()
			status, err := settleRun(t.Context(), p, run)
			if err != nil || status.State != adminapi.UpgradeInProgress {
				t.Errorf("state %q, error %v", status.State, err)
			}
			p.wantSent(t, "POST upgrade", 1)
			if now := p.posts(); now != before {
				t.Errorf("%d posts after the answer was lost", now-before)
			}
		})
	}
}

// timeOut is a gateway that does not wait for the site's answer.
func timeOut(w http.ResponseWriter, r *http.Request, site http.Handler) {
	site.ServeHTTP(httptest.NewRecorder(), r)
	http.Error(w, "<html>Gateway Timeout</html>", http.StatusGatewayTimeout)
}

// Nothing is looked for afterwards, and nothing is in the way of another attempt.
func TestAnUpgradeOverARefusedConnectionIsNotSentAndMayBeStartedAgain(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	p := editingSite(t, "healthy")
	request := p.request(t, patchID)
	before := 0
	_, outcome, err := apart(p.StartUpgrade(t.Context(), request, func(u operation.UpgradeProgress) {
		if u.Step == operation.StepSend {
			before = p.requests()
			p.dialed.Store(closed)
		}
	}))
	if outcome != adminapi.OutcomeNotSent || !errors.Is(err, adminapi.KindUnreachable) {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	if now := p.requests(); before == 0 || now != before {
		t.Errorf("%d requests after the connection was refused", now-before)
	}
	p.dialed.Store("")
	wantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), request, nil))
	p.wantSent(t, "POST upgrade", 1)
}

func TestAnUpgradeThatNeverArrivedIsNotClaimed(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "answer-lost-not-performed")
	run, outcome, _ := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	p.wantSent(t, "POST upgrade", 1)
}

func TestNothingIsSentWhileSomebodyElsesUpgradeRuns(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "elses-upgrade-soon")
	request := p.request(t, releaseID)
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(p.StartUpgrade(t.Context(), request, nil))
	p.wantSent(t, "POST upgrade", 0)
}

func TestAnUpgradeThatTheSiteRefusesLeavesNoLicenceBehind(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "wrong-licence")
	_, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, releaseID), nil))
	if outcome != adminapi.OutcomeRefused || err == nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if p.sent("POST upload") != 1 || p.sent("POST delete") != 1 {
		t.Errorf("%d uploads, %d taken back", p.sent("POST upload"), p.sent("POST delete"))
	}
}

func TestSettingsThatChangedSinceTheReviewStopTheUpgrade(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "refused-settings")
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrSettingsChanged)(p.StartUpgrade(t.Context(), p.request(t, releaseID), nil))
	if p.sent("POST upload") != 0 || p.sent("POST upgrade") != 0 {
		t.Error("something was sent")
	}
}

func TestWhileAnUpgradeRunsNothingBelowItIsFetched(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "elses-upgrade")
	offer, err := p.Offers(t.Context())
	if err != nil || !offer.Running() {
		t.Fatalf("running %v, error %v", offer.Running(), err)
	}
	for _, child := range []string{"POST available", "GET currentVersion", "GET installed"} {
		if p.sent(child) != 0 {
			t.Errorf("%s was asked", child)
		}
	}
}

func TestAWatchSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := watching.NewWatch(p.Site, run)
	if _, _, err := stepped(watch.Next(t.Context())); err != nil {
		t.Fatal(err)
	}
	p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { hangUp(w) })
	since := p.clock.Now()
	var waits []time.Duration
	for range 8 {
		snapshot, wait, err := stepped(watch.Next(t.Context()))
		if err != nil || snapshot.Unreachable == nil || snapshot.Ended || snapshot.Log.Len() == 0 {
			t.Fatalf("snapshot %+v, error %v", snapshot, err)
		}
		if snapshot.UnreachableSince.Before(since) {
			t.Errorf("away since %v, want after %v", snapshot.UnreachableSince, since)
		}
		waits = append(waits, wait)
		_ = p.clock.Sleep(t.Context(), wait)
	}
	if waits[0] > 3*time.Second || waits[7] < 15*time.Second || waits[7] > 36*time.Second {
		t.Errorf("pauses %v do not grow from 2 s to 30 s", waits)
	}
	p.intercept(nil)
	snapshot := follow(t, p, watch)
	if snapshot.Unreachable != nil || snapshot.Meaning != progress.StateSucceeded {
		t.Errorf("snapshot %+v", snapshot)
	}
	// The absence is known to the watch, and to its record.
	replay, err := watching.Replay(p.Site, snapshot.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	for who, absences := range map[string][]progress.Span{"the watch": snapshot.Absences, "the record": replay.Absences} {
		if len(absences) != 1 || absences[0].Lasted(0) < time.Minute || absences[0].Lasted(0) > 5*time.Minute || absences[0].From < adminapi.MillisOf(since)-1000 {
			t.Errorf("%s knows of %+v since %v", who, absences, since)
		}
	}
}

func TestAnEndThatWasThereAlreadyIsHistory(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "upgraded")
	snapshot, wait, err := stepped(watching.NewWatch(p.Site, nil).Next(t.Context()))
	if err != nil || snapshot.Meaning != progress.StateSucceeded || snapshot.Ended || wait == 0 {
		t.Errorf("snapshot %+v after %v, error %v", snapshot, wait, err)
	}
}

func TestTheFactsBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	offer, err := p.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	facts := p.UpgradeFacts(t.Context(), offer, p.request(t, releaseID))
	if !facts.Status.Known() || !facts.Mode.Known() || !facts.Report.Known() || !facts.Backup.Known() || !facts.Caller.Known() {
		t.Errorf("not all was read: %+v", facts)
	}
	if checks := upgrade.Preflight(facts); finding.Blocked(checks) {
		t.Errorf("blocked: %+v", checks)
	}
	p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { hangUp(w) })
	facts = p.UpgradeFacts(context.Background(), offer, operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update})
	for _, check := range upgrade.Preflight(facts) {
		if check.ID == upgrade.CheckRunning || check.ID == upgrade.CheckMode || check.ID == upgrade.CheckHealth || check.ID == upgrade.CheckBackup {
			if check.Strength != finding.NotKnown {
				t.Errorf("%s is %v although nothing could be read", check.ID, check.Strength)
			}
		}
	}
}

func TestFilesThatCannotAnswerASetting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := filepath.Join(folder, "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 200<<20); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"key": "canary-licence"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "missing.json"), large, broken} {
		_, err := operation.ReadAnswerFile(path, upgrade.LicenceField())
		if err == nil {
			t.Errorf("%s was taken", path)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error shows content: %v", err)
		}
	}
}
