package ui

import (
	"context"
	"errors"
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

// keepDue is the end of the pause before a save.
type keepDue struct{}

// keptSaved is the end of a save.
type keptSaved struct{ err error }

// keptRead is what was kept of the site.
type keptRead struct{ kept operation.Kept }

// records reports whether anything is kept: not of a simulated site, whose journal goes with it.
func (k *keeping) records() bool {
	return !k.env.Offline && !k.env.Demo && k.env.Site.Journal != nil
}

// fresh returns when what a view shows was read from the site, zero where nothing is to be kept.
func (k *keeping) fresh(id string) time.Time {
	if id == "" {
		return k.env.State.Upgrade.At
	}
	if v, ok := k.router.mounted[id].(views.Keeper); ok {
		return v.Fresh()
	}
	return time.Time{}
}

// kinds are the views whose data is kept, and the header.
func (k *keeping) kinds() []string {
	ids := []string{""}
	for _, maker := range k.router.makers {
		ids = append(ids, maker.ID)
	}
	return ids
}

// start waits for the next save, where there is something new.
func (k *keeping) start() tea.Cmd {
	if k.waits || !k.records() || k.env.Context.Err() != nil {
		return nil
	}
	now, pause := k.env.Clock.Now(), time.Duration(-1)
	for _, id := range k.kinds() {
		s := k.saved[id]
		if read := k.fresh(id); read.IsZero() || read.Equal(s.read) {
			continue
		}
		if wait := max(keepPause, s.at.Add(keepEvery).Sub(now)); pause < 0 || wait < pause {
			pause = wait
		}
	}
	if pause < 0 {
		return nil
	}
	k.waits = true
	return k.scope.After(k.site.pace, pause, "keep", func(context.Context) tea.Msg { return keepDue{} })
}

// save saves what is new. A view that was saved within the last minute waits.
func (k *keeping) save() tea.Cmd {
	k.waits = false
	now := k.env.Clock.Now()
	var all []func(operation.Site) error
	for _, id := range k.kinds() {
		read := k.fresh(id)
		if read.IsZero() || read.Equal(k.saved[id].read) || now.Sub(k.saved[id].at) < keepEvery {
			continue
		}
		when := operation.When{Read: read, Ahead: k.env.Times.Ahead}
		k.saved[id] = saved{read, now}
		if v, ok := k.router.mounted[id].(views.Keeper); ok {
			all = append(all, v.Keep(when))
			continue
		}
		state := k.env.State
		all = append(all, func(site operation.Site) error { return site.KeepState(when, state) })
	}
	site := k.env.Site
	return k.scope.Do("kept", func(context.Context) tea.Msg {
		var err error
		for _, save := range all {
			err = errors.Join(err, save(site))
		}
		return keptSaved{err}
	})
}

// await reads what was kept where the site has not answered after a while.
func (k *keeping) await() tea.Cmd {
	if !k.records() {
		return nil
	}
	site := k.env.Site
	return k.scope.After(k.site.pace, silence, "read kept", func(context.Context) tea.Msg { return keptRead{site.Kept()} })
}

// read reads what was kept at once: the site does not answer.
func (k *keeping) read() tea.Cmd {
	if !k.records() || k.env.Kept != nil {
		return nil
	}
	site := k.env.Site
	return k.scope.Do("read kept", func(context.Context) tea.Msg { return keptRead{site.Kept()} })
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
	for _, maker := range k.router.makers {
		if v, ok := k.router.mounted[maker.ID].(views.Keeper); ok {
			cmds = append(cmds, v.TakeKept())
		}
	}
	return views.Batch(cmds...)
}

// over lets go what was kept: the site answers.
func (k *keeping) over() {
	k.env.Kept = nil
	k.scope.Forget("read kept")
}

// line says that what the screen shows was kept; empty where it was not.
func (m *Model) keptLine() string {
	v := m.router.active()
	if v == nil {
		return ""
	}
	status := v.Status()
	if !status.Kept {
		return ""
	}
	age := views.Ago(m.env.Clock.Now().Sub(status.Updated))
	if m.layout.width < 80 {
		return "Kept from " + age + "; the site does not answer."
	}
	return "Kept on this machine, from " + m.env.Times.Here(status.Updated) + ", " + age + ". The site does not answer."
}
