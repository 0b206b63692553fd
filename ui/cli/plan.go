package cli

import (
	"context"
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
)

// planLong is the help for plans.
const planLong = `--save-plan writes the reviewed edit into a new file and sends nothing; apply --plan
sends exactly what such a file holds. It refuses if the site has another version than
the plan was made with, if the plan is for another site, or if the file was changed. The
file can hold secrets, so only you may read it. If the site has all of it already,
nothing is sent.`

// applyPlan sends what the file of a plan holds. The nodes of the cluster are for rules, nil for
// definitions.
func applyPlan(ctx context.Context, s shared, part editing.Part, given *nodes, o sendOptions) error {
	allowed, err := pathsOf("allow-lost", o.allowLost)
	if err != nil {
		return err
	}
	plan, err := batching.ReadPlanFile(o.plan)
	if err != nil {
		return badPlan(err)
	}
	if plan.Part != part {
		return badInput("Apply it with: "+batching.CommandOfPlan(plan.Part, o.plan).InText(), errors.New("the plan is for a "+plan.Part.String()+"; nothing was sent"))
	}
	var nodes nodesource.Nodes
	if given != nil {
		if nodes, err = given.given(ctx); err != nil {
			return err
		}
	}
	site, err := s.session.siteFor(ctx, !o.sending())
	if err != nil {
		return err
	}
	planned, err := batching.PlanAgain(ctx, site, plan, nodes.List, allowed, o.allowNone)
	if err != nil {
		return badPlan(err)
	}
	o.asks = false
	return sendEach(ctx, s, site, planned, o)
}

// badPlan explains why the file of a plan cannot be applied.
func badPlan(err error) error {
	bad, is := errors.AsType[*batching.PlanFileError](err)
	switch {
	case !is:
		return err
	case bad.NoPlan:
		return badInput(bad.Advice, err)
	}
	return refusal("plan", bad.Advice, err)
}

// writePlan writes the reviewed change into a file.
func (c change) writePlan() error {
	if err := unsent(c.exit, c.edit.Target, c.edit.Sendable()); err != nil {
		return c.refused(false, err)
	}
	path, err := savePlan(c.site, []batching.PlannedEdit{c.edit}, c.options.savePlan)
	switch {
	case err != nil:
		return err
	case c.out.JSON():
		return c.out.PrintValue(appliedJSON{reviewJSON: reviewOf(c.edit), Plan: path})
	}
	return c.out.PrintLines(savedPlan(c.session, c.edit.Part, path)...)
}

// savePlan writes edits into a new file, and returns its path.
func savePlan(site operation.Site, edits []batching.PlannedEdit, path string) (string, error) {
	if err := checkNewFile(path, false, "Choose another file for the plan."); err != nil {
		return "", err
	}
	return batching.WritePlan(site, path, edits)
}

func savedPlan(s *session, part editing.Part, path string) []string {
	return []string{"", "saved as " + plain.Line(path) + "; nothing was sent", s.commands("Apply it: " + batching.CommandOfPlan(part, path).InText())}
}

// sendEach sends the planned edits of one or several services.
func sendEach(ctx context.Context, s shared, site operation.Site, planned []batching.PlannedEdit, o sendOptions) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left, _ := batching.AllInterrupted(site.Memory) // the record says why it cannot be read
	for _, b := range left {
		if b.Plan != o.plan {
			s.out.Note("warning: " + b.Text() + ". To continue: " + b.Command().InText())
		}
	}
	for i := range planned {
		planned[i].Plan.Findings = linesOfFile(planned[i].Part, planned[i].Plan.Findings)
	}
	if len(planned) > 1 {
		noteNodes(s.out, planned...)
		return batch{shared: s, site: site, edits: planned, options: o}.run(ctx)
	}
	c := change{shared: s, site: site, edit: planned[0], options: o}
	if o.asks {
		c.ask = newPrompter(s)
	}
	switch err := c.edit.Refused; {
	case errors.Is(err, adminapi.KindNotFound):
		return s.orNotThere(ctx, site, c.edit.Service, err)
	case err != nil:
		return c.refusedReview(err)
	}
	return c.sendAndWait(ctx)
}

// refusedReview prints what the change would have done, and why it is not sent.
func (c change) refusedReview(err error) error {
	err = unsent(c.exit, c.edit.Target, err)
	if f, is := errors.AsType[*failure](err); is && f.kind == kindDrift {
		f.advice = "Make the edit again, and save its plan: --save-plan"
	}
	if len(c.edit.Plan.Changes) == 0 {
		return err
	}
	if !c.out.JSON() {
		if err := printReview(c.out, c.edit); err != nil {
			return err
		}
	}
	return c.refused(false, err)
}
