package cli

import (
	"context"
	"strconv"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// history lists what was kept before edits of a part of a service, or prints one.
func (p *program) history(target operation.Target, id string) error {
	site, err := p.connectToRemember()
	if err != nil {
		return err
	}
	if id != "" {
		old, err := site.OldContent(target, id)
		if err != nil {
			return notKeptHere(target, err)
		}
		return p.printContent(old.Bytes())
	}
	history, err := site.History(target)
	if err != nil {
		return err
	}
	if p.json() {
		return printList(p, append([]journal.Backup{}, history...))
	}
	if len(history) == 0 {
		return p.nothingKept(target)
	}
	l := p.appearance()
	rows := make([][]cell, len(history))
	for i, b := range history {
		rows[i] = l.words(b.ID, moment(b.Saved), b.Who, strconv.Itoa(b.Bytes), b.Why)
	}
	return p.printTable([]string{"ID", "KEPT", "USER", "BYTES", "WHY"}, rows)
}

// nothingKept says so, and where rules that services share are kept instead.
func (p *program) nothingKept(target operation.Target) error {
	if err := p.say(plain.Line("No " + target.String() + " was kept here yet.")); err != nil || target.Part != operation.Placement {
		return err
	}
	return p.say("Rules of a deployment that services share are kept with the service through which they were changed.")
}

// connectToRemember is connect for commands that are about nothing but what this
// machine remembers.
func (p *program) connectToRemember() (operation.Site, error) {
	site, err := p.connect()
	if err != nil {
		return site, err
	}
	if site.Journal, err = p.book.open(); err != nil {
		return site, &failure{code: exitFailed, err: err, kind: "failed", advice: adviceStateDir}
	}
	return site, nil
}

func notKeptHere(target operation.Target, err error) error {
	return badInput("What was kept: "+commandOn(target, "history"), err)
}

// restoring makes the edit that brings back what was kept with that id, whole.
func (p *program) restoring(ctx context.Context, edit operation.Edit, id string) (operation.Site, operation.Edit, error) {
	site, err := p.connectToWrite()
	if err != nil {
		return site, edit, err
	}
	edit.Why = "restoring " + id
	if edit.Edited, err = site.OldContent(edit.Target, id); err != nil {
		return site, edit, notKeptHere(edit.Target, err)
	}
	now, err := p.readToEdit(ctx, site, edit.Target)
	edit.Base = now.Document
	return site, edit, err
}
