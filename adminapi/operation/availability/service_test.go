package availability_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/operationtest"
)

// What a site says of a service and of its pods; away is no answer at all.
const (
	away       = ""
	up         = `{"configuredState":"STARTED","realTimeState":"STARTED"}`
	stopped    = `{"configuredState":"STOPPED","realTimeState":"STOPPED"}`
	starting   = `{"configuredState":"STARTED","realTimeState":"STOPPED"}`
	allReady   = `{"id":"d","currentState":"STARTED","totalReplicas":3,"readyReplicas":3}`
	oneReady   = `{"id":"d","currentState":"STARTED","totalReplicas":3,"readyReplicas":1}`
	noPods     = `{"id":"d","currentState":"STOPPED","totalReplicas":0}`
	notAllowed = `{"error":{"code":403,"message":"no","details":[]}}`
	signedOut  = `{"error":{"code":498,"message":"Invalid token.","details":[]}}`
)

// told makes the site tell of any service, and of any pods, one after the other, and the last from then on.
func told(p *operationtest.Platform, service, pods []string) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		next := &pods
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/status"):
			next = &service
		case !strings.HasSuffix(r.URL.Path, "/status"):
			pass()
			return
		}
		answer := (*next)[0]
		if len(*next) > 1 {
			*next = (*next)[1:]
		}
		if answer == away {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		_, _ = w.Write([]byte(answer))
	})
}

func TestAServiceAnswersOnlyWhereThatIsKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service, pods string
		want          availability.Answer
		text          string
	}{
		"as configured, all ready":     {up, allReady, availability.AnswerRunning, "started"},
		"pods that nobody may see":     {up, notAllowed, availability.AnswerRunning, "started"},
		"pods of which nothing came":   {up, away, availability.AnswerRunning, "started"},
		"some pods":                    {up, oneReady, availability.AnswerWaiting, "1 of 3 pods ready"},
		"stopped, as it should be":     {stopped, noPods, availability.AnswerStopped, "stopped, as configured"},
		"down":                         {starting, noPods, availability.AnswerWaiting, "stopped, should run"},
		"on, though it should be off":  {`{"configuredState":"STOPPED","realTimeState":"STARTED"}`, allReady, availability.AnswerWaiting, "runs, should not"},
		"on, and no more said":         {`{"realTimeState":"STARTED"}`, allReady, availability.AnswerWaiting, "started"},
		"a word of the site":           {`{"configuredState":"STARTED","realTimeState":"RESTARTING"}`, allReady, availability.AnswerWaiting, "restarting"},
		"an outage, whatever pods say": {away, allReady, availability.AnswerUnknown, "state not known"},
		"a refusal":                    {notAllowed, allReady, availability.AnswerUnknown, "state not known"},
		"configured, and no more said": {`{"configuredState":"STARTED"}`, allReady, availability.AnswerUnknown, "state not known"},
	} {
		p := operationtest.WithJournal(t, "healthy")
		told(p, []string{c.service}, []string{c.pods})
		now := p.Availability().Read(t.Context(), operationtest.Cities, []string{"d"})
		if now.Answer() != c.want || now.Text() != c.text {
			t.Errorf("%s: %v, %q; want %v, %q", name, now.Answer(), now.Text(), c.want, c.text)
		}
		if state := now.Service.Text(); state == "started" && c.want == availability.AnswerUnknown {
			t.Errorf("%s: its state is said to be %q", name, state)
		}
	}
}

// What was seen before an outage is no answer of the service by now.
func TestAServiceThatAnsweredBeforeAnOutageIsNotKnownToAnswerDuringIt(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	poller := p.Availability().Poll(operationtest.Cities, []string{"d"})
	for i, says := range []string{up, away, up} {
		told(p, []string{says}, []string{allReady})
		step, err := poller.Next(t.Context())
		if answers := step.Value.Answer() == availability.AnswerRunning; err != nil || answers != (says == up) || step.Value.Unchanged != 1 {
			t.Errorf("look %d: %v, the same for %d, %v", i, step.Value.Answer(), step.Value.Unchanged, err)
		}
	}
}

// A service need not have pods that a site tells of: its own state is what counts then.
func TestAServiceWithoutKnownPodsSettlesOnceItIsAsConfigured(t *testing.T) {
	t.Parallel()
	for says, settles := range map[string]bool{up: true, stopped: true, starting: false, notAllowed: true} {
		p := operationtest.WithJournal(t, "healthy")
		told(p, []string{says}, []string{notAllowed})
		poller, done := p.Availability().Poll(operationtest.Cities, nil), false
		for range 2 * availability.SettledAfter {
			step, err := poller.Next(t.Context())
			if err != nil || step.Unreachable != nil {
				t.Fatal(step, err)
			}
			if done = step.Done; done {
				break
			}
		}
		if done != settles {
			t.Errorf("%s: settled %v", says, done)
		}
	}
}

func TestAServiceIsWaitedForUntilItIsAsConfiguredWithAllItsPods(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service, pods []string
		want          availability.Answer
		reported      int // how often
		atLeast, most time.Duration
	}{
		"it is so":          {[]string{up}, []string{allReady}, availability.AnswerRunning, 1, 0, 0},
		"it starts":         {[]string{starting, starting, up}, []string{noPods, oneReady, oneReady, oneReady, allReady}, availability.AnswerRunning, 5, 8 * time.Second, 10 * time.Second},
		"it stops":          {[]string{up, stopped}, []string{oneReady, oneReady, noPods}, availability.AnswerStopped, 3, 2 * time.Second, 3 * time.Second},
		"it never starts":   {[]string{starting}, []string{noPods}, availability.AnswerWaiting, 28, 2 * time.Minute, 2*time.Minute + 5*time.Second},
		"after an outage":   {[]string{away, away, away, up}, []string{away, away, away, allReady}, availability.AnswerRunning, 1, 3 * time.Second, 20 * time.Second},
		"none comes back":   {[]string{starting, away}, []string{noPods, away}, availability.AnswerUnknown, 1, 2 * time.Minute, 2*time.Minute + 30*time.Second},
		"nobody may see it": {[]string{notAllowed}, []string{notAllowed}, availability.AnswerUnknown, 1, 0, 0},
		"only its pods":     {[]string{notAllowed}, []string{oneReady, allReady}, availability.AnswerUnknown, 2, time.Second, time.Second},
		"signed out":        {[]string{starting, signedOut}, []string{noPods}, availability.AnswerUnknown, 1, time.Second, time.Second},
	} {
		p := operationtest.WithJournal(t, "healthy")
		told(p, c.service, c.pods)
		began, reported := p.Clock.Now(), 0
		end := p.Availability().Wait(t.Context(), operationtest.Cities, []string{"d"}, func(availability.Snapshot) { reported++ })
		took := p.Clock.Now().Sub(began)
		if end.Answer() != c.want || reported != c.reported || took < c.atLeast || took > c.most {
			t.Errorf("%s: %v after %v, reported %d times", name, end.Answer(), took, reported)
		}
	}
}

// setClock is a clock that somebody sets.
type setClock struct {
	adminapi.Clock
	by time.Duration
}

func (c *setClock) Now() time.Time { return c.Clock.Now().Add(c.by) }

func TestAServiceIsWaitedForAsLongWhereTheClockIsSetMeanwhile(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{6 * time.Hour, -6 * time.Hour} {
		p := operationtest.WithJournal(t, "healthy")
		told(p, []string{starting}, []string{noPods})
		began, reader, reported := p.Clock.Now(), p.Availability(), 0
		clock := &setClock{Clock: reader.Clock}
		reader.Clock = clock
		end := reader.Wait(t.Context(), operationtest.Cities, []string{"d"}, func(availability.Snapshot) {
			if reported++; reported == 3 {
				clock.by = by
			}
		})
		if took := p.Clock.Now().Sub(began); end.Answer() != availability.AnswerWaiting || took < 90*time.Second || took > 2*time.Minute+5*time.Second {
			t.Errorf("set by %v: %v after %v", by, end.Answer(), took)
		}
	}
}

func TestAWaitForAServiceEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	told(p, []string{starting}, []string{noPods})
	ctx, cancel := context.WithCancel(t.Context())
	reported := 0
	end := p.Availability().Wait(ctx, operationtest.Cities, []string{"d"}, func(availability.Snapshot) {
		if reported++; reported == 2 {
			cancel()
		}
	})
	if reported != 2 || end.Answer() != availability.AnswerWaiting {
		t.Errorf("%v after %d reports", end.Answer(), reported)
	}
	p.WantSent(t, "GET status", 2*2)
	if end := p.Availability().Wait(ctx, operationtest.Cities, []string{"d"}, nil); end.Answer() != availability.AnswerUnknown || !errors.Is(end.Service.Err, adminapi.KindCancelled) {
		t.Errorf("begun after the end: %v, %v", end.Answer(), end.Service.Err)
	}
}

// While an upgrade replaces the API nobody can tell: the pods that were seen before count as settled only once
// they were seen again.
func TestAServiceIsFollowedThroughTheOutageOfAnUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "api-away-long")
	poller := p.Availability().Poll(operationtest.Cities, p.Availability().DeploymentIDs(t.Context(), operationtest.Cities))
	before, away, after := 0, 0, 0
	for limit := p.Clock.Now().Add(4 * time.Hour); ; {
		step, err := poller.Next(t.Context())
		switch {
		case errors.Is(err, adminapi.KindSignIn):
			p.SignInAgain(t)
			continue
		case err != nil || p.Clock.Now().After(limit):
			t.Fatalf("away for %d looks, then %+v, %v", away, step.Value, err)
		case step.Unreachable != nil:
			if away++; step.Done || step.Value.Settled() {
				t.Fatalf("settled while the API is away: %+v", step.Value)
			}
		case away == 0:
			before++
		default:
			after++
		}
		if after > 0 && step.Done {
			break
		}
		_ = p.Clock.Sleep(t.Context(), step.Wait)
	}
	if before == 0 || away == 0 || after < availability.SettledAfter {
		t.Errorf("seen %d times, away %d times, then seen %d times", before, away, after)
	}
}

func TestStatesOfServicesStandBesideWhyOthersAreNotKnown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	services := []adminapi.ServiceRef{operationtest.Cities, {Name: "None", Type: "MapServer"}}
	states := p.Availability().States(t.Context(), services)
	if !states[0].Running() || states[0].Err != nil || !errors.Is(states[1].Err, adminapi.KindNotFound) {
		t.Errorf("states %+v", states)
	}
	scalings := p.Availability().Scalings(t.Context(), services)
	if len(scalings[0].Deployments) == 0 || scalings[0].Err != nil || !errors.Is(scalings[1].Err, adminapi.KindNotFound) {
		t.Errorf("scalings %+v", scalings)
	}
	ids := p.Availability().DeploymentIDs(t.Context(), operationtest.Cities)
	if len(ids) == 0 || ids[0] != scalings[0].Deployments[0].DeploymentID || len(p.Availability().DeploymentIDs(t.Context(), services[1])) > 0 {
		t.Errorf("deployments %q", ids)
	}
	pods := p.Availability().Pods(t.Context(), slices.Concat([]string{"none"}, ids))
	if !errors.Is(pods[0].Err, adminapi.KindNotFound) || pods[0].ID != "none" || !pods[1].AllReady() || pods[1].ID != ids[0] {
		t.Errorf("pods %+v", pods)
	}
}

// What is still to be made has no id, and nothing to be fetched.
func TestADeploymentWithoutAnIDIsNotFetched(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/scaling") {
			pass()
			return
		}
		_, _ = w.Write([]byte(`{"scalingSpec":[{"deploymentType":"MapServer"},{"deploymentId":"d2","deploymentType":"FeatureServer"}]}`))
	})
	if ids := p.Availability().DeploymentIDs(t.Context(), operationtest.Cities); !slices.Equal(ids, []string{"d2"}) {
		t.Errorf("%q", ids)
	}
}

func TestHowManyPodsAServiceMayHaveIsSaidInWords(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]adminapi.Range{
		"1 pod, fixed": {Min: 1, Max: 1, Mode: "auto"}, "2 to 5 pods": {Min: 2, Max: 5, Mode: "manual"},
		"0 to 1 pod, automatically": {Max: 1, Mode: "auto"},
	} {
		if got := availability.ScalesText(r); got != want {
			t.Errorf("%+v is %q, want %q", r, got, want)
		}
	}
}
