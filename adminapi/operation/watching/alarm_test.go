package watching_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

func TestTheEndOfAnUpgradeIsAlarmedOnce(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch, before := watching.NewWatch(p.Site, run), watching.Snapshot{}
	var alarms []watching.Alarm
	for afterEnd := 0; afterEnd < 20; {
		snapshot := operationtest.Polled(t, p, watch, 1)
		if snapshot.Ended {
			afterEnd++
		}
		if alarm, due := watching.AlarmOf(p.Site, before, snapshot); due {
			alarms = append(alarms, alarm)
		}
		before = snapshot
	}
	if len(alarms) != 1 || alarms[0].Kind != watching.AlarmSucceeded || alarms[0].To != "11.5.0.6805" ||
		!strings.Contains(alarms[0].Text, "the upgrade to 11.5.0.6805 has succeeded") {
		t.Fatalf("%+v", alarms)
	}
	a, progress := alarms[0], before.Progress
	if a.Site != p.Client.Base().Host || a.From != progress.From || a.From == "" || a.Began != progress.Began || a.Began.IsZero() ||
		a.At.Before(progress.Last.Time().Add(-time.Minute)) || a.At.After(p.Clock.Now()) {
		t.Errorf("a hook would get %+v of a run from %s that began at %s", a, progress.From, progress.Began.Time())
	}
}

func TestAnAlarmNamesARollbackAsSuch(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	back := strings.Replace(p.FirstMessage(0), "from 11.5.0.6745 to 11.5.0.6805", "from 11.5.0.6805 to 11.5.0.6745", 1)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + back + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	before := operationtest.Polled(t, p, watch, 1)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + back + `,` + p.EndMessage() + `]}`)
	alarm, due := watching.AlarmOf(p.Site, before, operationtest.Polled(t, p, watch, 1))
	if !due || !strings.Contains(alarm.Text, "the rollback to 11.5.0.6745 has succeeded") {
		t.Errorf("%v, %q", due, alarm.Text)
	}
}

func TestAnEndThatIsHistoryIsNoAlarm(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "upgraded")
	snapshot := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
	if alarm, due := watching.AlarmOf(p.Site, watching.Snapshot{}, snapshot); due {
		t.Errorf("%+v at %v", alarm, p.Clock.Now().Sub(operationtest.Start))
	}
}

func TestASilenceIsAlarmedOnceAndAgainAfterAMessage(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	watch, before := watching.NewWatch(p.Site, nil), watching.Snapshot{}
	count := func(times int) (n int) {
		for range times {
			snapshot := operationtest.Polled(t, p, watch, 1)
			if alarm, due := watching.AlarmOf(p.Site, before, snapshot); due {
				n++
				if alarm.Kind != watching.AlarmStalled || alarm.Phase != "Launch" {
					t.Errorf("%+v at %v", alarm, p.Clock.Now().Sub(operationtest.Start))
				}
			}
			before = snapshot
		}
		return n
	}
	if n := count(100); n != 0 {
		t.Errorf("%d alarms within %v", n, p.Clock.Now().Sub(operationtest.Start))
	}
	_ = p.Clock.Sleep(t.Context(), 30*time.Minute)
	if n := count(20); n != 1 {
		t.Errorf("%d alarms of a silence", n)
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(-2*time.Hour) + `,` + p.FirstMessage(0) + `]}`)
	if n := count(3); n != 0 {
		t.Errorf("%d alarms after a message", n)
	}
}

// Nobody is called for what is not known now, or was told before.
func TestOnlyWhatAnAnswerTellsIsAlarmed(t *testing.T) {
	t.Parallel()
	site := operationtest.BuiltIn(t, "healthy").Site
	running := watching.Snapshot{
		At: operationtest.Start, Seen: true, Meaning: progress.StateRunning,
		Progress: progress.Progress{Meaning: progress.StateRunning, Run: progress.Run{Last: adminapi.MillisOf(operationtest.Start)}},
	}
	change := func(by func(*watching.Snapshot)) watching.Snapshot {
		changed := running
		by(&changed)
		return changed
	}
	unknown := change(func(s *watching.Snapshot) {
		s.Meaning, s.Status = progress.StateUnknown, adminapi.UpgradeStatus{Code: 7}
	})
	silent := change(func(s *watching.Snapshot) { s.Stalls, s.Quiet = 1, 2*time.Hour })
	code, _ := progress.CodeOf(2101)
	step := progress.Step{Code: code, Text: "arcgis-web-proxy"}
	busy := silent
	busy.Progress.Open, busy.Progress.Current = []progress.Step{step}, progress.PhaseComponents
	for name, c := range map[string]struct {
		before, now watching.Snapshot
		kind        watching.AlarmKind
		says        string
	}{
		"it goes on":                         {running, running, "", ""},
		"an unknown state":                   {running, unknown, watching.AlarmUnknown, "the upgrade has an unknown state: not given, code 7"},
		"the same state once more":           {unknown, unknown, "", ""},
		"an unknown state before it began":   {watching.Snapshot{Meaning: progress.StateIdle}, change(func(s *watching.Snapshot) { *s = unknown; s.Seen = false }), "", ""},
		"the last one, while it is away":     {running, change(func(s *watching.Snapshot) { *s = unknown; s.Unreachable = fs.ErrClosed }), "", ""},
		"a silence":                          {running, silent, watching.AlarmStalled, "the upgrade has been silent for 2 h"},
		"a silence, and what it was at":      {running, busy, watching.AlarmStalled, " in Components: " + step.Doing()},
		"the same silence":                   {silent, silent, "", ""},
		"the last silence, while it is away": {running, change(func(s *watching.Snapshot) { *s = silent; s.Unreachable = fs.ErrClosed }), "", ""},
		"a failure": {running, change(func(s *watching.Snapshot) {
			s.Ended, s.Meaning = true, progress.StateFailed
		}), watching.AlarmFailed, "the upgrade has failed"},
		"a success": {running, change(func(s *watching.Snapshot) {
			s.Ended, s.Meaning = true, progress.StateSucceeded
		}), watching.AlarmSucceeded, "the upgrade has succeeded"},
	} {
		alarm, due := watching.AlarmOf(site, c.before, c.now)
		if due != (c.kind != "") || alarm.Kind != c.kind || !strings.HasSuffix(alarm.Text, c.says) {
			t.Errorf("%s: %v, %s: %q", name, due, alarm.Kind, alarm.Text)
		}
	}
}

func TestAHookGetsTheAlarmAndNoSecret(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	program := simtest.Script(t, "hook", "exec >"+seen+"\ncat\necho\nenv")
	t.Setenv("GEODECK_TOKEN", "canary-of-a-token")
	alarm := watching.Alarm{Kind: watching.AlarmFailed, Site: "gis.example.org", Text: "it has failed", At: operationtest.Start}
	if err := (watching.Hook{Program: program}).Run(t.Context(), alarm); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"alarm":"failed","site":"gis.example.org"`, `"text":"it has failed"`, "GEODECK_ALARM=failed", "GEODECK_ALARM_TEXT=it has failed"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %s in\n%s", want, content)
		}
	}
	if strings.Contains(string(content), "canary") {
		t.Error("the token reached the hook")
	}
}

func TestAHookThatFailsIsAnError(t *testing.T) {
	program := simtest.Script(t, "hook", "exit 3")
	if err := (watching.Hook{Program: program}).Run(t.Context(), watching.Alarm{}); err == nil || err.Error() != "the hook "+program+" failed: exit status 3" {
		t.Errorf("error %v", err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if err := (watching.Hook{Program: missing}).Run(t.Context(), watching.Alarm{}); err == nil || err.Error() != "the hook "+missing+" could not be run: no such file or directory" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (watching.Hook{Program: program}).Run(ctx, watching.Alarm{}); !errors.Is(err, context.Canceled) {
		t.Errorf("of a watch that ends: %v", err)
	}
}

func TestAnUnknownStateIsAlarmedOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	watch, before := watching.NewWatch(p.Site, nil), watching.Snapshot{}
	var alarms []watching.Alarm
	for i := range 6 {
		if i == 2 {
			p.ReportsStatus(`{"state":"completed_with_warnings\u001b[2J","code":4,"messages":[]}`)
		}
		snapshot := operationtest.Polled(t, p, watch, 1)
		if alarm, due := watching.AlarmOf(p.Site, before, snapshot); due {
			alarms = append(alarms, alarm)
		}
		before = snapshot
	}
	if len(alarms) != 1 || alarms[0].Kind != watching.AlarmUnknown || !strings.Contains(alarms[0].Text, "an unknown state: completed_with_warnings") ||
		strings.Contains(alarms[0].Text, "\x1b") {
		t.Errorf("%+v", alarms)
	}
	if a := watching.SignInAlarm(p.Site, before); a.Kind != watching.AlarmSignIn || !strings.Contains(a.Text, "until someone signs in again") {
		t.Errorf("%+v", a)
	}
}

// Nobody is called again and again about an end that stays unknown.
func TestAnEndThatStaysUnknownIsAlarmedOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	watch, _ := running(t, p)
	reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, "11.5.0.6745")
	before := operationtest.Polled(t, p, watch, 1)
	var alarms []watching.Alarm
	for since := p.Clock.Now(); p.Clock.Now().Sub(since) < 10*time.Minute; {
		snapshot := operationtest.Polled(t, p, watch, 1)
		if alarm, due := watching.AlarmOf(p.Site, before, snapshot); due {
			alarms = append(alarms, alarm)
		}
		before = snapshot
	}
	if !before.Undecided || len(alarms) != 1 || alarms[0].Kind != watching.AlarmUnknown || !strings.Contains(alarms[0].Text, "how the upgrade to 11.5.0.6805 ended is unknown: ") {
		t.Errorf("undecided %v, %+v", before.Undecided, alarms)
	}
}

func TestAFailureIsAlarmedWithWhatHasFailedAndWhere(t *testing.T) {
	t.Parallel()
	for phase, more := range map[string]string{
		progress.PhaseLaunch:     "",
		progress.PhaseComponents: fmt.Sprintf(`,{"code":2101,"message":"arcgis-web-proxy-nny8f","when":%d}`, operationtest.Start.UnixMilli()),
	} {
		p := operationtest.BuiltIn(t, "healthy")
		watch, began := running(t, p)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + more + `]}`)
		before := operationtest.Polled(t, p, watch, 1)
		p.ReportsStatus(`{"state":"failed","code":2,"messages":[` + began + more + `]}`)
		alarm, due := watching.AlarmOf(p.Site, before, operationtest.Polled(t, p, watch, 1))
		if !due || alarm.Kind != watching.AlarmFailed || alarm.Phase != phase || alarm.Text != alarm.Site+": the upgrade to 11.5.0.6805 has failed in "+phase {
			t.Errorf("%v, %+v", due, alarm)
		}
	}
}

// A sign-in that has ended calls somebody once, and not for a refusal of seconds.
func TestARefusalThatLastsIsAlarmedOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		p := operationtest.BuiltIn(t, "healthy")
		watch, _ := running(t, p)
		before := operationtest.Polled(t, p, watch, 1)
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
		var alarms []watching.Alarm
		for since := p.Clock.Now(); p.Clock.Now().Sub(since) < 10*time.Minute; {
			at, snapshot := p.Clock.Now(), operationtest.Polled(t, p, watch, 1)
			if alarm, due := watching.AlarmOf(p.Site, before, snapshot); due {
				alarms = append(alarms, alarm)
				if at.Sub(since) < time.Minute {
					t.Errorf("%d: called after %v", status, at.Sub(since))
				}
			}
			before = snapshot
		}
		if len(alarms) != 1 || alarms[0].Kind != watching.AlarmSignIn || !strings.HasSuffix(alarms[0].Text, "the upgrade to 11.5.0.6805 is not watched until someone signs in again") {
			t.Errorf("%d: %+v", status, alarms)
		}
	}
}
