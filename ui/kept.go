package ui

import (
	"context"
	"errors"
	"iter"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/offline"
	"geodeck/ui/views"
)

// keeping keeps on this machine what the site returned, and reads that where it does not answer.
// What is read is shown by the views beside its age, until the site answers.
type keeping struct {
	part
	started func() iter.Seq2[string, views.View] // the views that have
	saved   map[string]saved                     // by view; the header is ""
	waits   bool                                 // the pause before a save runs
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
type keptRead struct{ kept offline.Kept }

// records reports whether anything is kept: not of a simulated site, whose journal goes with it.
func (k *keeping) records() bool {
	return !k.env.Offline && !k.env.Demo && k.env.Site.Memory.Journal != nil
}

// fresh yields the views that show something newer than what was saved of them, when it was read
// from the site, and what saves it. The header is "".
func (k *keeping) fresh() iter.Seq2[string, toSave] {
	return func(yield func(string, toSave) bool) {
		more := func(id string, next toSave) bool {
			return next.read.IsZero() || next.read.Equal(k.saved[id].read) || yield(id, next)
		}
		state := k.env.State
		if !more("", toSave{state.Upgrade.At, func(when offline.When) func(operation.Site) error {
			return func(site operation.Site) error { return offline.KeepState(site, when, state) }
		}}) {
			return
		}
		for id, v := range k.started() {
			if hooks := v.Hooks(); hooks.Fresh != nil && !more(id, toSave{hooks.Fresh(), hooks.Keep}) {
				return
			}
		}
	}
}

// toSave is what a view has that is newer than what was saved.
type toSave struct {
	read time.Time
	keep func(offline.When) func(operation.Site) error
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
	now, site := k.env.Clock.Now(), k.env.Site
	var all []func(operation.Site) error
	for id, next := range k.fresh() {
		if now.Sub(k.saved[id].at) < keepEvery {
			continue
		}
		k.saved[id] = saved{next.read, now}
		all = append(all, next.keep(offline.When{Read: next.read, Ahead: k.env.Times.Ahead}))
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
	return k.scope.After(k.pace, after, "read kept", func(context.Context) tea.Msg { return keptRead{offline.KeptOf(site)} })
}

// take shows what was kept, unless the site has answered meanwhile; refused says that it answers with
// an error.
func (k *keeping) take(kept offline.Kept, refused bool) tea.Cmd {
	if k.env.State.Version.Known() || k.env.Kept != nil || refused {
		return nil
	}
	k.env.Kept = &kept
	var cmds []tea.Cmd
	for _, err := range kept.Problems {
		cmds = append(cmds, k.tell(views.Warned(views.Sentence(err.Error()), err)))
	}
	return tea.Batch(append(cmds, k.tell(views.KeptRead))...)
}

// answered lets go what was kept once the site answers, be it with an error.
func (k *keeping) answered(err error) {
	if err == nil || !adminapi.IsTransient(err) {
		k.env.Kept = nil
		k.scope.Forget("read kept")
	}
}
