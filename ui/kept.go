package ui

import (
	"context"
	"errors"
	"iter"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// keeping keeps on this machine what the site returned, and reads that where it does not answer.
// What is read is shown by the views beside its age, until the site answers.
type keeping struct {
	part
	site   *siteStatus
	router *router
	saved  map[string]saved // by view; the header is ""
	waits  bool             // the pause before a save runs
}

// saved is what was kept last of a view.
type saved struct{ read, at time.Time }

const (
	// keepPause is how long is waited before a save: what a view shows arrives in pieces.
	keepPause = 5 * time.Second
	// keepEvery is how often a view is saved at most.
	keepEvery = time.Minute
	// silence is how long the site may take at the start before what was kept is shown.
	silence = 3 * time.Second
)

// keptRead is what was kept of the site.
type keptRead struct{ kept operation.Kept }

// keptOverview is what was kept of the header; zero where nothing was, or the site has answered.
func keptOverview(env *views.Env) (kept operation.KeptOverview) {
	if env.Kept != nil && env.Kept.Overview != nil {
		kept = *env.Kept.Overview
	}
	return kept
}

// records reports whether anything is kept: not of a simulated site, whose journal goes with it.
func (k *keeping) records() bool {
	return !k.env.Offline && !k.env.Demo && k.env.Site.Journal != nil
}

// fresh yields the views that show something newer than what was saved of them, and when it was
// read from the site. The header is "".
func (k *keeping) fresh() iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		more := func(id string, read time.Time) bool {
			return read.IsZero() || read.Equal(k.saved[id].read) || yield(id, read)
		}
		if !more("", k.env.State.Upgrade.At) {
			return
		}
		for id, v := range k.router.started() {
			if fresh := v.Hooks().Fresh; fresh != nil && !more(id, fresh()) {
				return
			}
		}
	}
}

// start waits for the next save, where there is something new.
func (k *keeping) start() tea.Cmd {
	if k.waits || !k.records() {
		return nil
	}
	now, pause := k.env.Clock.Now(), keepEvery
	for id := range k.fresh() {
		k.waits = true
		pause = min(pause, max(keepPause, k.saved[id].at.Add(keepEvery).Sub(now)))
	}
	if !k.waits {
		return nil
	}
	return k.scope.Later(k.pace, pause, "keep", k.save)
}

// save saves what is new. A view that was saved within the last minute waits.
func (k *keeping) save() tea.Cmd {
	k.waits = false
	now, state, site := k.env.Clock.Now(), k.env.State, k.env.Site
	var all []func(operation.Site) error
	for id, read := range k.fresh() {
		if now.Sub(k.saved[id].at) < keepEvery {
			continue
		}
		when := operation.When{Read: read, Ahead: k.env.Times.Ahead}
		k.saved[id] = saved{read, now}
		if v := k.router.mounted[id]; v != nil {
			all = append(all, v.Hooks().Keep(when))
		} else {
			all = append(all, func(site operation.Site) error { return site.KeepState(when, state) })
		}
	}
	return k.scope.Do("kept", func(context.Context) tea.Msg {
		var err error
		for _, save := range all {
			err = errors.Join(err, save(site))
		}
		if err != nil {
			return views.Warned("what was read of the site is not kept: "+err.Error(), err)
		}
		return nil
	})
}

// read reads what was kept, where the site has not answered after a while.
func (k *keeping) read(after time.Duration) tea.Cmd {
	if !k.records() || k.env.Kept != nil {
		return nil
	}
	site := k.env.Site
	return k.scope.After(k.pace, after, "read kept", func(context.Context) tea.Msg { return keptRead{site.Kept()} })
}

// take shows what was kept, unless the site has answered meanwhile.
func (k *keeping) take(kept operation.Kept) tea.Cmd {
	if state := &k.env.State; state.Version.Known() || k.env.Kept != nil || state.Reach.Err != nil && k.site.failed == 0 {
		return nil
	}
	k.env.Kept = &kept
	var cmds []tea.Cmd
	for _, err := range kept.Problems {
		cmds = append(cmds, k.shell.notify(views.Warned(views.Sentence(err.Error()), err)))
	}
	return views.Batch(append(cmds, k.router.tell(views.KeptRead))...)
}

// over lets go what was kept: the site answers.
func (k *keeping) over() {
	k.env.Kept = nil
	k.scope.Forget("read kept")
}

// line says that what the screen shows was kept; empty where it was not.
func (m *Model) keptLine() string {
	status := m.router.active().Status()
	if !status.Kept {
		return ""
	}
	age := m.env.Times.Ago(status.Updated)
	if m.layout.width < 80 {
		return "Kept from " + age + "; the site does not answer."
	}
	return "Kept on this machine, from " + m.env.Times.Here(status.Updated) + ", " + age + ". The site does not answer."
}
