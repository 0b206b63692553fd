package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/cli/output"
)

// printPart prints a part of a service, byte for byte as the site sent it or set out in lines.
func printPart(ctx context.Context, s shared, name string, pretty bool,
	read func(adminapi.Services, context.Context, adminapi.ServiceRef) (jsontext.Value, error),
) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	site, err := s.session.site(ctx)
	if err != nil {
		return err
	}
	raw, err := read(site.Client.Services, ctx, service)
	if err != nil {
		return s.orNotThere(ctx, site, service, err)
	}
	if pretty {
		raw = operation.InLines(string(raw))
	}
	return s.out.PrintContent(raw)
}

// applyEdit sends an edit. onto makes what is sent of the text that the edit starts from; nil where
// the edit has it.
func applyEdit(ctx context.Context, s shared, edit editing.Edit, o sendOptions, onto func(*document.Document) (*document.Document, error)) error {
	site, err := s.session.siteFor(ctx, !o.sending())
	if err != nil {
		return err
	}
	now, err := readToEdit(ctx, site, edit.Target)
	if err != nil {
		return s.orNotThere(ctx, site, edit.Target.Service, err)
	}
	if onto != nil {
		if edit.Edited, err = onto(cmp.Or(edit.Base, now.Document)); err != nil {
			return badInput("What the site has: "+commandOn(edit.Target, "get"), fmt.Errorf("%w; nothing was sent", err))
		}
	}
	if edit, err = rebase(edit, now.Document); err != nil {
		return err
	}
	return change{shared: s, site: site, edit: planned(edit), options: o}.sendAndWait(ctx)
}

// restoreBackup sends what an earlier edit has replaced.
func restoreBackup(ctx context.Context, s shared, edit editing.Edit, id string, o sendOptions) error {
	site, err := s.session.siteToWrite(ctx)
	if err != nil {
		return err
	}
	edit.Why = "restoring " + id
	if edit.Edited, err = site.Memory.ReadBackup(edit.Target, id); err != nil {
		return noBackup(edit.Target, err)
	}
	now, err := readToEdit(ctx, site, edit.Target)
	if err != nil {
		return s.orNotThere(ctx, site, edit.Target.Service, err)
	}
	edit.Base = now.Document
	return change{s, site, planned(edit), o, newPrompter(s)}.sendAndWait(ctx)
}

// editEach plans an edit of each of several services, and sends it. Where it cannot be made in
// a service, that is bad input. removed are keys whose removal was asked for.
func editEach(ctx context.Context, s shared, part editing.Part, services []adminapi.ServiceRef, o sendOptions, nodes nodesource.Nodes, removed []document.Path,
	edit func(now *document.Document) (*document.Document, error),
) error {
	allowed, err := pathsOf("allow-lost", o.allowLost)
	if err != nil {
		return err
	}
	site, err := s.session.siteFor(ctx, !o.sending())
	if err != nil {
		return err
	}
	planned := batching.PlanEach(ctx, site, services, part, nodes.List, func(service adminapi.ServiceRef, now *document.Document) (*document.Document, error) {
		edited, err := edit(now)
		if _, explained := errors.AsType[*failure](err); err != nil && !explained {
			err = badInput("What the site has: "+commandOn(editing.Target{Service: service, Part: part}, "get"), err)
		}
		return edited, err
	})
	for i := range planned {
		e := &planned[i]
		e.AllowRemoved, e.AllowNone = slices.Clone(allowed), o.allowNone
		for _, path := range e.Plan.RemovedKeys {
			if slices.Contains(removed, path) {
				e.AllowRemoved = append(e.AllowRemoved, path)
			}
		}
	}
	return sendEach(ctx, s, site, planned, o)
}

// sendAndWait sends the change, and waits with --wait. For rules it says what that means for the
// pods.
func (c change) sendAndWait(ctx context.Context) error {
	noteNodes(c.out, c.edit)
	noteShared(ctx, c.out, c.site, c.edit.Plan.Moves)
	if err := c.run(ctx); err != nil || !c.options.sending() || !c.options.wait {
		return err
	}
	return c.options.await(ctx, c)
}

// noteNodes says that rules change whose nodes are not known.
func noteNodes(out *output.Output, edits ...batching.PlannedEdit) {
	if slices.ContainsFunc(edits, func(e batching.PlannedEdit) bool { return len(e.Plan.Moves) > 0 && len(e.Nodes) == 0 }) {
		out.Note("no nodes were given (--nodes, --nodes-command): placement was not checked")
	}
}

// noteShared names deployments that other services share: their pods are the same. The
// user may lack the privilege to see that.
func noteShared(ctx context.Context, out *output.Output, site operation.Site, moves []editing.Move) {
	for _, m := range moves {
		if m.After.DeploymentID == "" {
			continue
		}
		d, err := site.Client.Deployments.Get(ctx, m.After.DeploymentID)
		if err != nil {
			out.Note("whether other services run in the same pods is not known: " + err.Error())
			return
		}
		if d.Shared() {
			out.Note("warning: the deployment " + deploymentName(m.After) + " is shared: other services run in the same pods, and move with them")
		}
	}
}
