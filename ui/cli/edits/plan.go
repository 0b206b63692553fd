package edits

import (
	"context"
	"errors"
	"slices"
	"time"

	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
	"geodeck/ui/cli/session"
)

// PlanLong is the help for plans.
const PlanLong = `--save-plan writes the reviewed edit into a new file and sends nothing; apply --plan
sends exactly what such a file holds. It refuses if the site has another version than
the plan was made with, if the plan is for another site, or if the file was changed. The
file can hold secrets, so only you may read it. If the site has all of it already,
nothing is sent.`

// ApplyPlan sends what the file of a plan holds, which may be of these parts. The nodes of the cluster are for
// rules, nil for definitions.
func ApplyPlan(ctx context.Context, s command.Env, given *command.Nodes, o Options, parts ...editing.Part) error {
	accepted, err := o.Accepts()
	if err != nil {
		return err
	}
	plan, err := batching.ReadPlanFile(o.Plan)
	if err != nil {
		return badPlan(err)
	}
	of := lists.Each(plan.Edits, func(e editing.Edit) editing.Part { return e.Part })
	if other := slices.IndexFunc(of, func(part editing.Part) bool { return !slices.Contains(parts, part) }); other >= 0 {
		return exit.BadInput("Apply it with: "+batching.CommandOfPlan(o.Plan, of...).InText(),
			errors.New("the plan is for a "+of[other].String()+"; nothing was sent"))
	}
	var nodes nodesource.Nodes
	if given != nil {
		if nodes, err = given.Given(ctx); err != nil {
			return err
		}
	}
	site, err := s.Session.SiteFor(ctx, !o.Sending())
	if err != nil {
		return err
	}
	planned, err := batching.PlanAgain(ctx, site, plan, nodes.List, accepted)
	if err != nil {
		return badPlan(err)
	}
	made := "the plan was saved at " + plan.Made.Format(time.DateTime) + " UTC"
	if len(plan.Edits) == 0 {
		made += " and is empty: there is nothing to send"
	}
	s.Out.Note(made)
	o.Asks = o.needsYes // it was reviewed; who has no --yes is asked once more
	if o.needsYes {
		return SendAll(ctx, s, site, planned, o, nil)
	}
	return sendEach(ctx, s, site, planned, o)
}

// badPlan explains why the file of a plan cannot be applied.
func badPlan(err error) error {
	bad, is := errors.AsType[*batching.PlanFileError](err)
	switch {
	case !is:
		return err
	case bad.NoPlan:
		return exit.BadInput(bad.Advice, err)
	}
	return exit.Refusal("plan", bad.Advice, err)
}

// writePlan writes the reviewed change into a file.
func (c Change) writePlan() error {
	if err := unsent(c.Exit, c.Edit.Target, c.Edit.Sendable()); err != nil {
		return c.refused(editJSON{Outcome: batchRefused}, err)
	}
	path, err := savePlan(c.Site, []batching.PlannedEdit{c.Edit}, c.Options.savePlan)
	switch {
	case err != nil:
		return err
	case c.Out.JSON():
		return c.print(editJSON{Outcome: batchPlanned, Plan: path})
	}
	return c.Out.PrintLines(savedPlan(c.Session, path, c.Edit.Part)...)
}

// savePlan writes edits into a new file, and returns its path.
func savePlan(site operation.Site, edits []batching.PlannedEdit, path string) (string, error) {
	if err := files.CheckNew(path, false, "Choose another file for the plan."); err != nil {
		return "", err
	}
	return batching.WritePlan(site, path, edits)
}

func savedPlan(s *session.Session, path string, parts ...editing.Part) []string {
	return []string{"", "saved as " + plain.Line(path) + "; nothing was sent",
		s.Commands("Apply it: " + batching.CommandOfPlan(path, parts...).InText())}
}

// SendAll sends planned edits one after the other, and says what became of each; did gets each that is done.
func SendAll(ctx context.Context, s command.Env, site operation.Site, planned []batching.PlannedEdit, o Options, did func(batching.PlannedEdit) error) error {
	if err := noteInterrupted(ctx, s, site, planned, o); err != nil {
		return err
	}
	noteNodes(s.Out, planned...)
	return batch{Env: s, site: site, edits: planned, options: o, did: did}.run(ctx)
}

// noteInterrupted names batches that were interrupted, and leaves out lines that are of no file.
func noteInterrupted(ctx context.Context, s command.Env, site operation.Site, planned []batching.PlannedEdit, o Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left, _ := batching.AllInterrupted(site.Memory) // the record says why it cannot be read
	for _, b := range left {
		if b.Plan != o.Plan {
			s.Out.Note("warning: " + b.Text() + ". To continue: " + b.Command().InText())
		}
	}
	for i := range planned {
		planned[i].Plan.Findings = linesOfFile(planned[i].Part, planned[i].Plan.Findings)
	}
	return nil
}

// sendEach sends the planned edits of one or several services.
func sendEach(ctx context.Context, s command.Env, site operation.Site, planned []batching.PlannedEdit, o Options) error {
	if len(planned) != 1 {
		return SendAll(ctx, s, site, planned, o, nil)
	}
	if err := noteInterrupted(ctx, s, site, planned, o); err != nil {
		return err
	}
	c := Change{Env: s, Site: site, Edit: planned[0], Options: o}
	if o.Asks {
		c.Ask = command.NewPrompter(s)
	}
	switch err := c.Edit.Refused; {
	case editing.Unreadable(err):
		return NotRead(ctx, s, site, c.Edit.Target, err)
	case err != nil:
		return c.refusedReview(err)
	}
	return c.sendAndWait(ctx)
}

// refusedReview prints what the change would have done, and why it is not sent.
func (c Change) refusedReview(err error) error {
	err = unsent(c.Exit, c.Edit.Target, err)
	if f, is := errors.AsType[*exit.Failure](err); is && f.Kind == KindDrift {
		f.Advice = "Make the edit again, and save its plan: --save-plan"
	}
	if len(c.Edit.Plan.Changes) == 0 {
		return err
	}
	if !c.Out.JSON() {
		if err := PrintReview(c.Out, c.Edit); err != nil {
			return err
		}
	}
	return c.refused(editJSON{Outcome: batchRefused}, err)
}
