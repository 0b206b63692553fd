// Package edits sends edits of services: of their definitions and of their placement policies. An
// edit is reviewed, planned, asked for, sent once, and its result is printed.
//
// Start at [Change]; [Apply], [Restore] and [Each] make one of what a command was given.
package edits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// Apply sends an edit. onto makes what is sent of the text that the edit starts from; nil where
// the edit has it.
func Apply(ctx context.Context, s command.Env, edit editing.Edit, o Options,
	onto func(*document.Document) (*document.Document, error),
) error {
	site, err := s.Session.SiteFor(ctx, !o.Sending())
	if err != nil {
		return err
	}
	now, unread, err := o.read(ctx, s, site, edit.Target, howToApply(edit.Target))
	if err != nil {
		return err
	}
	if onto != nil {
		if edit.Edited, err = onto(cmp.Or(edit.Base, now)); err != nil {
			advice := "What the site has: " + commandOn(edit.Target, "get")
			if unread != nil {
				advice = ""
			}
			return exit.BadInput(advice, fmt.Errorf("%w; nothing was sent", err))
		}
	}
	return Change{Env: s, Site: site, Edit: Planned(site, o.upon(edit, now, unread)), Options: o}.sendAndWait(ctx)
}

// read reads what the site has, to be edited. With --without-reading it may be nil, with the reason.
func (o Options) read(ctx context.Context, s command.Env, site operation.Site, of editing.Target, how string) (now *document.Document, unread, err error) {
	read, err := ReadToEdit(ctx, site, of)
	if o.unread && editing.Unreadable(err) {
		return nil, err, nil
	}
	return read.Document, nil, notRead(ctx, s, site, of, how, err)
}

// NotRead explains why an edit has nothing to begin with: the site has no such service, or does not show it.
func NotRead(ctx context.Context, s command.Env, site operation.Site, of editing.Target, err error) error {
	return notRead(ctx, s, site, of, howToApply(of), err)
}

// howToApply is how an edit is sent that cannot be read before.
func howToApply(of editing.Target) string {
	return commandOn(of, "apply -f FILE --base BASE --"+flagUnread) + "\nBASE is a file with what the site had. Without it, --accept unread is needed."
}

// notRead names how it is sent without reading, where another service is not likely meant.
func notRead(ctx context.Context, s command.Env, site operation.Site, of editing.Target, how string, err error) error {
	if !editing.Unreadable(err) {
		return err
	}
	if _, hidden := command.ServicesIn(ctx, site, ""); errors.Is(err, adminapi.KindNotFound) && hidden == nil {
		return s.NotThere(ctx, site, of.Service, err)
	}
	return exit.Refusal("not readable", "Send it all the same: "+how, fmt.Errorf("the %s was not read; nothing was sent: %w", of, err))
}

// upon brings an edit onto what the site has, or onto its base where that was not read: who gives the file of it
// has accepted that.
func (o Options) upon(edit editing.Edit, now *document.Document, unread error) editing.Edit {
	switch {
	case unread == nil:
		return Rebase(edit, now)
	case o.Base != "":
		edit.Accepted = edit.Accepted.And(editing.Accepted{Words: []string{editing.Gates.Of(editing.NotRead).Accept}})
	}
	return edit.WithoutReading(unread, o.Base)
}

// Each plans an edit of each of several services, and sends it. Where it cannot be made in
// a service, that is bad input. removed are keys whose removal was asked for, which accepts it.
func Each(ctx context.Context, s command.Env, part editing.Part, services []adminapi.ServiceRef, o Options,
	nodes nodesource.Nodes, removed []document.Path,
	edit func(now *document.Document) (*document.Document, error),
) error {
	accepted, err := o.Accepts()
	if err != nil {
		return err
	}
	site, err := s.Session.SiteFor(ctx, !o.Sending())
	if err != nil {
		return err
	}
	planned := batching.PlanEach(ctx, site, services, part, nodes.List,
		func(service adminapi.ServiceRef, now *document.Document) (*document.Document, error) {
			edited, err := edit(now)
			if _, explained := errors.AsType[*exit.Failure](err); err != nil && !explained {
				err = exit.BadInput("What the site has: "+commandOn(editing.Target{Service: service, Part: part}, "get"), err)
			}
			return edited, err
		})
	for _, path := range removed { // it may be gone already, or misspelt
		there := func(e batching.PlannedEdit) bool {
			if e.Base == nil {
				return true
			}
			_, there := e.Base.Find(path)
			return there
		}
		loses := func(e batching.PlannedEdit) bool { return slices.Contains(document.RemovedKeys(e.Plan.Risks), path) }
		switch {
		case slices.ContainsFunc(planned, loses):
			s.Out.Note(path.String() + ": removed-key is accepted by --remove")
		case !slices.ContainsFunc(planned, there):
			s.Out.Note("warning: --remove " + path.String() + ": nothing is there" + plain.Joined(". ", besides(planned[0].Base, path)))
		}
	}
	for i := range planned {
		planned[i].Sync = o.Sync
		planned[i].Accepted = accepted.And(editing.Accepted{Removed: removed})
	}
	return sendEach(ctx, s, site, planned, o)
}

// besides asks whether a path that a definition does not have means one beside it; empty where none is near.
func besides(d *document.Document, path document.Path) string {
	parent, found := d.Find(path.Parent())
	if !found {
		return ""
	}
	var known []string
	for child := range parent.Children() {
		known = append(known, child.Path().String())
	}
	return command.Meant(path.String(), known)
}

// sendAndWait sends the change, and waits with --wait. For rules it says what that means for the
// pods.
func (c Change) sendAndWait(ctx context.Context) error {
	noteNodes(c.Out, c.Edit)
	if err := c.Run(ctx); err != nil || !c.Options.Sending() || !c.Options.Wait {
		return err
	}
	return c.Options.Await(ctx, c)
}
