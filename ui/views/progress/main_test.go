package progress_test

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	progressview "geodeck/ui/views/progress"
	"geodeck/ui/widget/rows"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	goleak.VerifyTestMain(m)
}

// screen is a view under test beside the watch that the root would chain.
type screen struct {
	*progressview.Model
	*uitest.Screen
	t     testing.TB
	env   *views.Env
	watch *watching.Watch

	// What snapshots have beside the status.
	merger        *progress.Merger
	usual         progress.UsualTimes
	stall         *progress.Stall
	transcriptErr error
	resumed       bool
	ahead         time.Duration // of the clock of the site
}

// open shows the view on a site whose upgrade is watched by whoever asks for it.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openThemed(t, site, uitest.Theme(), width, height)
}

func openThemed(t testing.TB, site operation.Site, look *theme.Theme, width, height int) *screen {
	t.Helper()
	env := uitest.Env(t, site, look)
	m := progressview.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env, merger: progress.NewMerger(progress.LogBudget)}
	for _, msg := range s.Start() {
		if w, ok := msg.(views.WatchUpgrade); ok {
			s.watch = watching.NewWatch(site, w.Run)
			env.Upgrade.On = true
		}
	}
	return s
}

// next polls once, and leaves the view in the pause before the next poll.
func (s *screen) next() watching.Snapshot {
	s.t.Helper()
	step, err := s.watch.Next(context.Background())
	s.env.Upgrade = views.Watched{On: err != nil || !step.Value.Ended, Snapshot: step.Value, Err: err}
	if err == nil && step.Wait > 0 {
		s.env.Upgrade.Next = s.env.Clock.Now().Add(step.Wait)
	}
	uitest.Drain(s.t, s.Model, s.Update(views.UpgradeRead))
	return step.Value
}

// take shows what the watch has read.
func (s *screen) take(w views.Watched) tea.Cmd {
	s.env.Upgrade = w
	return s.Update(views.UpgradeRead)
}

// pass lets time go by.
func (s *screen) pass(d time.Duration) {
	_ = s.env.Clock.Sleep(context.Background(), d)
}

// runningSite is a site at which a patch has been running for six minutes.
func runningSite(t testing.TB, faults ...simulator.Fault) operation.Site {
	t.Helper()
	return uitest.NewSite(t, uitest.Scenario(t, "elses-upgrade", faults...)).Site
}

func away(after, times int) simulator.Fault {
	return simulator.Fault{Path: "/admin/system/upgrades", After: after, Times: times, What: "empty"}
}

// showing is a view that shows a status.
func showing(t testing.TB, width, height int, status adminapi.UpgradeStatus) *screen {
	t.Helper()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, width, height)
	s.show(status)
	return s
}

// poll gives the view the snapshot of a status two seconds later.
func (s *screen) poll(status adminapi.UpgradeStatus) {
	s.t.Helper()
	s.pass(2 * time.Second)
	s.show(status)
}

// show gives the view the snapshot of a status.
func (s *screen) show(status adminapi.UpgradeStatus) {
	s.t.Helper()
	s.merger.Merge(status.Messages)
	r := watching.Snapshot{
		Status: status, Meaning: progress.StateOf(status), At: s.env.Clock.Now(), Seen: true,
		Log: s.merger.Log(), Usual: s.usual, TranscriptErr: s.transcriptErr, Resumed: s.resumed, Ahead: s.ahead,
	}
	r.Ended = r.Meaning == progress.StateSucceeded || r.Meaning == progress.StateFailed
	r.Progress = progress.Of(r.Log, r.Meaning)
	uitest.Drain(s.t, s.Model, s.take(views.Watched{On: !r.Ended, Snapshot: r, Stall: s.stall}))
}

// search begins to type a text to search for.
func (s *screen) search(text string) {
	s.t.Helper()
	s.do(rows.Search)
	s.Type(text)
}

// do runs a command as the palette does.
func (s *screen) do(id string) []tea.Msg {
	s.t.Helper()
	return uitest.Drain(s.t, s.Model, views.Invoke(s.Model, id, ""))
}

// filter types a filter and accepts it.
func (s *screen) filter(text string) {
	s.t.Helper()
	s.Press("rows.filter")
	s.Type(text)
	s.Press("enter")
}
