package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// unfinishedID names the list of what was begun and is not finished.
const unfinishedID = "unfinished"

// unfinishedWork is one row of that list.
type unfinishedWork struct {
	text string
	open func() tea.Cmd
}

// listing says why unfinished work is listed.
type listing int

const (
	atStart   listing = iota // by itself, only for what no other question of the start is about
	requested                // by the user
	renewed                  // an outcome was found while the list is open
)

// list lists what was begun on this machine and is not finished.
func (u *unresolved) list(why listing) tea.Cmd {
	site, times := u.env.Site, u.env.Times
	goTo := func(row, path string) func() tea.Cmd {
		return func() tea.Cmd {
			return views.Send(views.Navigate{View: "services", Command: row, Argument: path})
		}
	}
	kind := "unfinished"
	if why == atStart {
		kind = "unfinished at start" // which takes the place of nothing that was requested meanwhile
	}
	return u.scope.Work(kind, func(context.Context) func() tea.Cmd {
		var all []unfinishedWork
		writes, err := site.Memory.OpenWrites()
		for _, r := range writes {
			all = append(all, unfinishedWork{"Outcome unknown: " + requestOf(r.Operation, r.Subject) + ", sent " + times.Minute(r.Time), func() tea.Cmd { return u.check(true) }})
		}
		watch := readUnfinished(site)
		if watch.id != "" {
			all = append(all, unfinishedWork{watch.subject() + " was watched until " + times.Minute(watch.last), func() tea.Cmd { return watchFrom(watch.id) }})
		}
		told := len(all)
		batches, batchErr := batching.AllInterrupted(site.Memory)
		for _, b := range batches {
			all = append(all, unfinishedWork{b.Text() + ", " + plain.Line(plain.Listed(b.Left, 1, "", " and ")), goTo("services.batch-left", b.Plan)})
		}
		elsewhere, elsewhereErr := batching.Elsewhere(site.Memory)
		for _, b := range elsewhere {
			all = append(all, unfinishedWork{b.Text(), func() tea.Cmd {
				return views.Tell(views.Info, "It goes on there. Once that program has ended, you can continue it here.")
			}})
		}
		edit := func(what string, of editing.Target, at time.Time) {
			row := "services.open"
			if of.Part == editing.Placement {
				row = "services.placement"
			}
			all = append(all, unfinishedWork{what + plain.Line(of.String()) + ", " + times.Minute(at), goTo(row, of.Service.Path())})
		}
		sent := map[string]bool{}
		for _, r := range site.Memory.UnseenEnds(site.Clock.Now()) {
			if of, edits := operation.EditedBy(r); edits {
				edit("Sent, its end was not seen: ", of, r.Time)
				sent[of.String()] = true
			}
		}
		for _, e := range site.Memory.LeftEdits() {
			switch {
			case e.Draft.Outside:
				edit("Saved in your editor: ", e.Target, e.Draft.Saved)
			case !sent[e.Target.String()]:
				edit("Draft: ", e.Target, e.Draft.Saved)
			}
		}
		told += len(elsewhere)
		return func() tea.Cmd {
			var cmds []tea.Cmd
			if why == atStart {
				cmds = append(cmds, u.check(false))
			}
			for _, err := range []error{err, batchErr, elsewhereErr} {
				if err != nil && why != renewed {
					cmds = append(cmds, u.tell(views.Failed("Not all unfinished work can be listed: "+err.Error(), err)))
				}
			}
			switch {
			case why == renewed && !u.shows(unfinishedID), why == atStart && u.shows(unfinishedID):
			case why == renewed && len(all) == 0:
				_ = u.tell(closeDialog{unfinishedID})
			case why == requested && len(all) == 0:
				cmds = append(cmds, views.Tell(views.Info, "Nothing is unfinished."))
			case why != atStart || len(all) > told:
				cmds = append(cmds, u.offer(all, watch.id != "", why == requested))
			}
			return tea.Batch(cmds...)
		}
	})
}

// renew lists the unfinished work again where its list is open.
func (u *unresolved) renew() tea.Cmd {
	if !u.shows(unfinishedID) {
		return nil
	}
	return u.list(renewed)
}

// offer opens the list; one that has a watch takes the place of the question about that.
func (u *unresolved) offer(all []unfinishedWork, watches, byUser bool) tea.Cmd {
	if watches {
		_ = u.tell(closeDialog{offerID})
	}
	var texts []string
	for _, work := range all {
		texts = append(texts, work.text)
	}
	return u.tell(views.Open{Unrequested: !byUser, Dialog: widget.NewList(u.env.Theme, widget.FormOptions{ID: unfinishedID, Title: "Unfinished work",
		Note:   views.Keys("Leave it for later, if you like: :unfinished work lists it again. To give one up, open it: {key:services.discard} discards a draft, :forget interrupted edit the rest."),
		Action: "open"},
		"", texts, 0, func(i int) tea.Cmd { return all[i].open() })})
}
