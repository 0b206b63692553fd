package upgrade

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// host notes what a step asks for.
type host struct{ asked []string }

func (h *host) note(what string) tea.Cmd {
	h.asked = append(h.asked, what)
	return nil
}
func (h *host) open(s step) tea.Cmd   { return h.note(s.String()) }
func (h *host) leave()                { h.note("leave") }
func (h *host) choose(string) tea.Cmd { return h.note("choose") }
func (h *host) watch() tea.Cmd        { return h.note("watch") }
func (h *host) checked() tea.Cmd      { return h.note("checked") }
func (h *host) recheck() tea.Cmd      { return h.note("checked") }
func (h *host) accepted() tea.Cmd     { return h.note("accepted") }
func (h *host) stopped(factsRead, []finding.Finding) tea.Cmd {
	return h.note("stopped")
}
func (h *host) readOffers() tea.Cmd { return h.note("read offers") }
func (h *host) began(*operation.UpgradeRun, adminapi.UpgradeStatus) tea.Cmd {
	return h.note("began")
}
func (h *host) seen(*operation.UpgradeRun) tea.Cmd { return h.note("seen") }
func (h *host) answered(began bool) tea.Cmd {
	if began {
		return h.note("answered")
	}
	return h.note("answered: did not begin")
}

// alone is what a step needs, without a view around it.
func alone(t *testing.T) (base, *host, *change) {
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	inks := rows.NewInks(env.Theme)
	b := base{views.NewBase(env), &inks}
	b.SetSize(100, 30)
	return b, &host{}, &change{Acknowledge: widget.NewAcknowledge()}
}

// keys are those that a step answers.
func keys(commands []views.Command) string {
	var list []string
	for _, c := range views.Usable(commands) {
		list = append(list, c.Keys()...)
	}
	return strings.Join(list, " ")
}

func TestAStepSaysWhyItsKeysCannotBeUsed(t *testing.T) {
	t.Parallel()
	const sending, unsearched = "It is being sent. The outcome will be shown here.", "No outcome is being looked for."
	for _, c := range []struct {
		step       func(base, *host, *change) stepView
		keys, says string
	}{
		{func(b base, h *host, c *change) stepView { c.loading = true; return newPreflight(b, h, c, &draft{}) },
			"space enter upgrade.next-open upgrade.previous-open", "The checks are still running."},
		{func(b base, h *host, c *change) stepView { return newPreflight(b, h, c, &draft{}) },
			"space enter upgrade.next-open upgrade.previous-open", "Nothing is checked yet. Press R to check again."},
		{func(b base, h *host, c *change) stepView {
			c.checked = b.Env.Clock.Now()
			return newPreflight(b, h, c, &draft{})
		},
			"upgrade.next-open upgrade.previous-open", "No check is in the way."},
		{func(b base, h *host, c *change) stepView {
			c.checks = []finding.Finding{{ID: upgrade.CheckBackup, Strength: finding.Caution, Text: "old"}}
			return newReview(b, h, c)
		}, "enter w", "Accept 1 caution first (space)."},
		{func(b base, h *host, c *change) stepView { return newReview(b, h, c) }, "space", "Nothing is left to accept."},
		{func(b base, h *host, c *change) stepView {
			return &start{base: b, host: h, change: c, startState: startState{sending: true}}
		}, "esc R f5", sending},
		{func(b base, h *host, c *change) stepView { return &start{base: b, host: h, change: c} }, "R f5", unsearched},
	} {
		b, h, change := alone(t)
		step := c.step(b, h, change)
		for _, key := range uitest.Keys(c.keys) {
			row, ok := views.Pressed(step.Commands(), key.String())
			if !ok {
				t.Fatalf("%T has no %s", step, key)
			}
			var told views.Notice
			if cmd := row.Do(""); cmd != nil {
				told, _ = cmd().(views.Notice)
			}
			if told.Text != c.says || told.Level != views.Warning {
				t.Errorf("%T: %s says %q, not %q", step, key, told.Text, c.says)
			}
		}
		if len(h.asked) > 0 {
			t.Errorf("%T leads to %q", step, h.asked)
		}
	}
}

func TestTheOutcomeOfAStartLeadsOn(t *testing.T) {
	t.Parallel()
	run, fault := &operation.UpgradeRun{}, errors.New("no room left")
	for name, c := range map[string]struct {
		sent    sent
		settles []string // of a change with settings
		shows   string
	}{
		"done":         {sent{run: run, Result: operation.Result{Outcome: adminapi.OutcomeDone}}, []string{"began"}, ""},
		"refused":      {sent{Result: operation.Result{Outcome: adminapi.OutcomeRefused, Err: fault}}, []string{"Settings"}, ""},
		"not sent":     {sent{Result: operation.Result{Outcome: adminapi.OutcomeNotSent, Err: fault}}, nil, "You can safely try again."},
		"busy":         {sent{Result: operation.Result{Outcome: adminapi.OutcomeNotSent, Err: operation.ErrBusyHere}}, nil, "Try again when that has ended."},
		"in the way":   {sent{Result: operation.Result{Outcome: adminapi.OutcomeNotSent, Err: operation.ErrUpgradeRuns}}, nil, "enter watch the running upgrade"},
		"unresolved":   {sent{Result: operation.Result{Outcome: adminapi.OutcomeNotSent, Err: operation.ErrUnresolved}}, []string{"Review"}, ""},
		"other fields": {sent{Result: operation.Result{Outcome: adminapi.OutcomeNotSent, Err: operation.ErrSettingsChanged}, settings: asksFor("b")}, []string{"Settings"}, ""},
		"answer lost":  {sent{run: run, Result: operation.Result{Outcome: adminapi.OutcomeUnknown, Err: fault}}, nil, "the outcome is unknown"},
	} {
		b, h, change := alone(t)
		change.takeSettings(asksFor("a"))
		s := &start{base: b, host: h, change: change, startState: startState{sending: true}}
		if got := keys(s.Commands()); got != "" {
			t.Errorf("%s: while it is sent %q can be pressed", name, got)
		}
		s.sent(c.sent)
		if !slices.Equal(h.asked, c.settles) || s.sending {
			t.Errorf("%s leads to %q", name, h.asked)
		}
		if c.shows != "" && !strings.Contains(s.View(), c.shows) {
			t.Errorf("%s shows\n%s", name, s.View())
		}
		uitest.Pure(t, s)
	}
}

func TestARefusalOfWhatHasNoSettingsLeadsBackToTheReview(t *testing.T) {
	t.Parallel()
	b, h, c := alone(t)
	c.ask.Rollback = &backTo
	s := &start{base: b, host: h, change: c, startState: startState{sending: true}}
	s.sent(sent{Result: operation.Result{Outcome: adminapi.OutcomeRefused, Err: errors.New("not this one")}})
	if !slices.Equal(h.asked, []string{"Review"}) || c.problem != "The site refused it: not this one" {
		t.Errorf("leads to %q: %s", h.asked, c.problem)
	}
	page := newReview(b, h, c)
	page.SetSize(80, 24)
	if text := ansi.Strip(page.View()); !strings.Contains(text, "the site refused it; nothing changed.") || strings.Contains(text, "Nothing has been sent") {
		t.Errorf("the review says\n%s", text)
	}
	row := page.explainRow()
	if !row.Shown() {
		t.Fatal("the review does not explain the refusal")
	}
	if opened, is := row.Do("")().(views.Open); !is || opened.Dialog == nil {
		t.Error("W opens no panel")
	}
	if c.problem = "Check the licence."; row.Shown() {
		t.Error("a refusal that was mended is explained")
	}
}

// Nobody pressed a key for the panel that comes over the settings.
func TestTheRefusalOfSettingsOpensAPanelThatTakesNoKeyTypedBefore(t *testing.T) {
	t.Parallel()
	b, h, c := alone(t)
	c.ask.Settings = asksFor("a")
	s := &start{base: b, host: h, change: c, startState: startState{sending: true}}
	cmd := s.sent(sent{Result: operation.Result{Outcome: adminapi.OutcomeRefused, Err: &adminapi.Error{Kind: adminapi.KindInvalid, Explicit: true, Message: "no"}}})
	if cmd == nil || !slices.Equal(h.asked, []string{"Settings"}) {
		t.Fatalf("leads to %q", h.asked)
	}
	if opened, is := cmd().(views.Open); !is || !opened.Unrequested {
		t.Errorf("%+v", opened)
	}
}

func TestWhatPollsFindEndsALostAnswer(t *testing.T) {
	t.Parallel()
	const pause = 3 * time.Second
	for name, c := range map[string]struct {
		found  operation.Resolution
		err    error
		asks   []string
		goesOn bool
		keys   string
	}{
		"nothing yet":     {operation.Resolution{}, nil, nil, true, "R f5 W esc"},
		"nothing for 30s": {operation.Resolution{Shows: operation.ShowsUnchanged, Err: operation.ErrOutcomeUnknown}, nil, nil, true, "R f5 W esc"},
		"ours":            {operation.Resolution{Outcome: adminapi.OutcomeDone}, nil, []string{"began"}, false, ""},
		"another":         {operation.Resolution{Shows: operation.ShowsOther, Err: operation.ErrUpgradeRuns}, nil, nil, false, "enter W esc"},
		"refused":         {operation.Resolution{Outcome: adminapi.OutcomeRefused, Err: errors.New("no")}, nil, []string{"Review"}, false, ""},
		"not allowed":     {operation.Resolution{}, errors.New("no privilege"), nil, false, "R f5 W esc"},
	} {
		b, h, change := alone(t)
		lost := &lostAnswer{poll: views.NewPoll[operation.Resolution](b.Scope, b.Env.Clock, "find", nil, nil)}
		s := &start{base: b, host: h, change: change, startState: startState{result: operation.Result{Err: errors.New("cut off")}, lost: lost}}
		cmd := s.found(polling.Step[operation.Resolution]{Value: c.found, Wait: pause}, c.err)
		if !slices.Equal(h.asked, c.asks) || (cmd != nil) != c.goesOn {
			t.Errorf("%s asks for %q, polls on: %v", name, h.asked, cmd != nil)
		}
		if c.goesOn && !s.lost.next.Equal(b.Env.Clock.Now().Add(pause)) {
			t.Errorf("%s: the next poll is at %v", name, s.lost.next)
		}
		if c.keys != "" && keys(s.Commands()) != c.keys {
			t.Errorf("%s: %q can be pressed", name, keys(s.Commands()))
		}
	}
}

func TestALostAnswerSaysOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	refusal := &adminapi.Error{Kind: adminapi.KindServer, Explicit: true, Message: "Timed out"}
	running := adminapi.UpgradeStatus{State: adminapi.UpgradeInProgress, Code: 1}
	for _, c := range []struct {
		err         error
		lost        lostAnswer
		shows, lies string
	}{
		{errors.New("cut off"), lostAnswer{found: operation.Resolution{Shows: operation.ShowsOther, Status: running}}, "Yours got no answer. This one began before it.", "with an error"},
		{refusal, lostAnswer{found: operation.Resolution{Shows: operation.ShowsOther, Status: running}}, "The site answered yours with an error. This one began before it.", "no answer"},
		{errors.New("cut off"), lostAnswer{found: operation.Resolution{Status: running}}, "An upgrade is running. It may be yours or someone else's.", "began before"},
		{errors.New("cut off"), lostAnswer{}, "The site is read until that is known.", "is running"},
	} {
		b, h, change := alone(t)
		s := &start{base: b, host: h, change: change, startState: startState{result: operation.Result{Err: c.err}, lost: &c.lost}}
		if text := ansi.Strip(s.View()); !strings.Contains(text, c.shows) || strings.Contains(text, c.lies) {
			t.Errorf("not %q, or %q:\n%s", c.shows, c.lies, text)
		}
	}
}

func TestARollbackIsCalledOneUntilItsOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	b, h, change := alone(t)
	change.ask.Rollback = &backTo
	s := &start{base: b, host: h, change: change, startState: startState{sending: true}}
	f := &flow{base: b, change: change, start: s}
	if said := f.question(); said != "The rollback is being sent. Its outcome is not known yet." {
		t.Error(said)
	}
	s.startState = startState{result: operation.Result{Err: errors.New("cut off")}, lost: &lostAnswer{over: true, found: operation.Resolution{Shows: operation.ShowsUnchanged}}}
	if said := f.question(); said != "It is not known yet whether the rollback was started." {
		t.Error(said)
	}
	if text := ansi.Strip(s.View()); !strings.Contains(text, "No rollback was seen to start") || strings.Contains(text, "upgrade") {
		t.Error(text)
	}
}

func TestASearchForALateAnswerContinuesAfterASignIn(t *testing.T) {
	t.Parallel()
	b, h, change := alone(t)
	s := &start{base: b, host: h, change: change, startState: startState{sending: true, begun: true}}
	expired := &adminapi.Error{Kind: adminapi.KindSignIn, Explicit: true, Message: "Token expired"}
	cmd := s.resolved(nil, operation.Result{Outcome: adminapi.OutcomeUnknown, Err: expired})
	if len(h.asked) > 0 || !s.begun || cmd == nil {
		t.Fatalf("the search has ended: %q", h.asked)
	}
	ask, is := cmd().(views.SignIn)
	if !is || ask.Retry == nil {
		t.Fatalf("no sign-in is asked for: %+v", ask)
	}
	if again, is := ask.Retry().(views.Reply).Msg.(views.Retry); !is || again.Do() == nil {
		t.Error("it is not looked for again")
	}
}

func TestARollbackThatWasLeftGoesOnWithWhatIsInstalledNow(t *testing.T) {
	t.Parallel()
	m := New(uitest.Env(t, uitest.NewSite(t, uitest.Scenario(t, "upgraded")).Site, uitest.Theme()))
	ask := operation.RollbackRequest(backTo)
	left := newFlow(m.child(), m, &change{ask: ask, Acknowledge: widget.NewAcknowledge()})
	m.left = left
	m.begin(&change{ask: ask, offer: operation.Offer{Installed: upgrade.Installed{Version: "11.5.0", Build: "4"}}})
	if got := m.flow.change.offer.Installed; m.flow != left || got.Build != "4" {
		t.Errorf("it goes on with %+v", got)
	}
	other := backTo
	other.From, other.Removes = "11.5.0.5", append([]adminapi.Update{{Version: "11.5.0", Build: "5"}}, other.Removes...)
	m.leave()
	if m.begin(&change{ask: operation.RollbackRequest(other), Acknowledge: widget.NewAcknowledge()}); m.flow == left {
		t.Error("a rollback that removes more goes on with what was acknowledged")
	}
}

func TestAnAnswerIsLateOnceTheRequestWasSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps    []operation.UpgradeStep // each takes a minute
		rollback bool
		late     bool
		shows    string
	}{
		"nothing yet":          {nil, false, false, "Preparing"},
		"a slow check":         {[]operation.UpgradeStep{operation.StepCheckRunning}, true, false, "Checking whether an upgrade runs"},
		"sent after an upload": {[]operation.UpgradeStep{operation.StepUpload, operation.StepSend}, false, false, "Sending the upgrade"},
		"sent":                 {[]operation.UpgradeStep{operation.StepSend, ""}, false, true, "Sending the upgrade"},
		"a rollback sent":      {[]operation.UpgradeStep{operation.StepSend, ""}, true, true, "Sending the rollback"},
	} {
		b, h, change := alone(t)
		if c.rollback {
			change.ask.Rollback = &backTo
		}
		s := &start{base: b, host: h, change: change, startState: startState{sending: true, began: b.Env.Clock.Now(), reports: views.NewReports[operation.UpgradeProgress]()}}
		for _, step := range c.steps {
			_ = b.Env.Clock.Sleep(t.Context(), time.Minute)
			if step != "" {
				s.progressed(operation.UpgradeProgress{Step: step})
			}
		}
		if text := ansi.Strip(s.View()); s.late() != c.late || strings.Contains(text, "No answer yet") != c.late || !strings.Contains(text, c.shows) {
			t.Errorf("%s: late %t\n%s", name, s.late(), text)
		}
	}
}

func TestALateAnswerSaysWhetherAnythingWasSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome adminapi.Outcome
		err     *operation.RunningError
		says    string
	}{
		{adminapi.OutcomeNotSent, &operation.RunningError{}, "Your upgrade was not sent. Someone else started the one that runs."},
		{adminapi.OutcomeUnknown, &operation.RunningError{Sent: true}, "Your upgrade was sent, and has not begun. Someone else started the one that runs."},
	} {
		b, h, change := alone(t)
		s := &start{base: b, host: h, change: change, startState: startState{sending: true, begun: true}}
		told, is := s.sent(sent{Result: operation.Result{Outcome: c.outcome, Err: c.err}})().(views.Notice)
		if !is || told.Text != c.says {
			t.Errorf("%v: %+v", c.outcome, told)
		}
	}
}

func TestThePreflightLeadsOnOnlyWhereNothingIsInTheWay(t *testing.T) {
	t.Parallel()
	old := finding.Finding{ID: upgrade.CheckBackup, Strength: finding.Caution, Text: "old"}
	blocked := finding.Finding{ID: upgrade.CheckMode, Strength: finding.Block}
	licence := finding.Finding{ID: upgrade.CheckLicence, Strength: finding.Block}
	for name, c := range map[string]struct {
		checks  []finding.Finding
		prepare func(*preflight)
		onto    string // the check under the cursor
		leads   bool
	}{
		"ready":                 {nil, nil, "", true},
		"being read":            {nil, func(p *preflight) { p.change.loading = true }, "", false},
		"never read":            {nil, func(p *preflight) { p.change.checked = time.Time{} }, "", false},
		"settings never read":   {nil, func(p *preflight) { p.change.settingsRead = false }, "", true}, // as it was accepted
		"stopped":               {[]finding.Finding{blocked}, nil, "", false},
		"a warning":             {[]finding.Finding{old}, nil, "", false},
		"a licence, no warning": {[]finding.Finding{licence}, nil, "", true},
		"on the licence":        {[]finding.Finding{old, licence}, nil, upgrade.CheckLicence, true},
		"on the warning":        {[]finding.Finding{old, licence}, nil, upgrade.CheckBackup, false},
	} {
		b, h, change := alone(t)
		change.checks, change.checked, change.settingsRead = c.checks, uitest.Start, true
		p := newPreflight(b, h, change, &draft{base: b, change: change})
		p.show()
		if c.prepare != nil {
			c.prepare(p)
		}
		p.list.Select(c.onto)
		_, row, ok := uitest.PressKey(p, "enter")
		if leads := slices.Equal(h.asked, []string{"Settings"}); leads != c.leads || !ok || row.ID != "upgrade.next" {
			t.Errorf("%s leads to %q", name, h.asked)
		}
	}
}

func TestTheReviewIsConfirmedByItsVersionOnly(t *testing.T) {
	t.Parallel()
	b, h, c := alone(t)
	c.ask = operation.RollbackRequest(backTo)
	c.checks = []finding.Finding{{ID: upgrade.CheckBackup, Strength: finding.Caution, Text: "old"}}
	r := newReview(b, h, c)
	r.open(true)
	press := func(names ...string) {
		for _, name := range names {
			if r.typing {
				r.key(uitest.Key(name))
				continue
			}
			uitest.PressKey(r, name)
		}
	}
	press("enter")
	if r.typing {
		t.Fatal("a warning is open, and it can be confirmed")
	}
	press(" ", "enter", "1", "1", "enter")
	if !slices.Equal(h.asked, []string{"accepted"}) || r.word.Hint == "" {
		t.Fatalf("half a version leads to %q", h.asked)
	}
	press(strings.Split(".5.0.3", "")...)
	press("enter", "enter")
	if !slices.Equal(h.asked, []string{"accepted", "Run"}) {
		t.Errorf("it leads to %q", h.asked)
	}
	uitest.Pure(t, r)
}

func TestAnUploadReportsSomeOfItsPieces(t *testing.T) {
	t.Parallel()
	reports := views.NewReports[operation.UpgradeProgress]()
	report := reporter(reports)
	for sent := int64(1); sent <= 1000; sent++ {
		report(operation.UpgradeProgress{Step: operation.StepUpload, Sent: sent, Total: 1000})
	}
	close(reports)
	count, last := 0, operation.UpgradeProgress{}
	for last = range reports {
		count++
	}
	if count > 60 || last.Sent != 1000 {
		t.Errorf("%d reports, the last of %d bytes", count, last.Sent)
	}
}
