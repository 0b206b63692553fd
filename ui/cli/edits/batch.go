package edits

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// BatchLong is the help for an edit of several services.
const BatchLong = `With several services the edit is planned for each, and sent to one after the other, if
each can take it; --partial sends it to those that can. Each is waited for until it
answers, two minutes at most. The first that is not done, or does not answer, stops the
rest. A service that has the edit already is left out, so the same command continues. Each
has a line with its outcome, with -o json an item. The exit code is that of
the one that stopped the rest, or of the first that cannot take it.`

// batch is an edit of one part of several services.
type batch struct {
	command.Env
	site    operation.Site
	edits   []batching.PlannedEdit
	options Options
	lines   []editJSON
	did     func(batching.PlannedEdit) error // after each that is done; nil for nothing
}

// The outcomes of an edit of one of several services.
const (
	batchDone      = "done"
	batchUnchanged = "unchanged"
	batchPlanned   = "planned"
	batchUnknown   = "unknown" // sent, now or before, and no end seen
	batchNotSent   = "not sent"
	batchRefused   = "refused" // here or by the site
	batchFailed    = "failed"  // sent, and not kept, or the service does not answer
)

// reason is why an edit was not done, in an item that says its outcome.
func reason(err error) string { return strings.TrimSuffix(err.Error(), "; nothing was sent") }

// name names what an edit changes: its service, and the part where both are edited.
func (b batch) name(e batching.PlannedEdit) string {
	of := func(other batching.PlannedEdit) bool {
		return other.Service.Path() == e.Service.Path() && other.Part != e.Part
	}
	if slices.ContainsFunc(b.edits, of) {
		return e.Service.Path() + " (" + e.Part.String() + ")"
	}
	return e.Service.Path()
}

// toSend reports whether an edit is to be sent.
func toSend(e batching.PlannedEdit) bool { return e.Refused == nil && !e.Unchanged() }

// run reviews the edits, and sends them where all or some can be sent.
func (b batch) run(ctx context.Context) error {
	b.options.noteNotLost(b.Env, b.edits...)
	noteShared(ctx, b.Out, b.site, b.sendable()...)
	b.noteNotRunning(ctx)
	if text := batching.SentBefore(b.edits); text != "" {
		b.Out.Note("warning: " + text)
	}
	if err := b.print(); err != nil {
		return err
	}
	var ask *command.Prompter
	if b.options.Asks && b.options.Sending() {
		ask = command.NewPrompter(b.Env)
	}
	b.judge(editing.Edit.Blocked)
	if refused := b.refusal(); ask != nil && (refused == nil || b.options.partial) {
		if err := acceptEach(ctx, ask, b.sendable()...); err != nil {
			return b.end(err)
		}
	}
	b.judge(editing.Edit.Sendable)
	refused := b.refusal()
	switch {
	case refused != nil && !b.options.partial, !slices.ContainsFunc(b.edits, toSend) && (refused != nil || b.options.savePlan == ""):
		return b.end(refused)
	case b.options.savePlan != "":
		return b.writePlan(refused)
	case b.options.dryRun:
		return b.dryRun(ctx, refused)
	}
	switch {
	case b.options.yes:
	case ask != nil:
		question := "Send this to " + plain.Plural(len(b.sendable()), "service") + ", one after the other? Type yes to send:"
		if err := ask.Word(ctx, question, "yes"); err != nil {
			return b.end(err)
		}
	case b.options.needsYes:
		return b.end(exit.BadInput("Send it: --yes. Look first: --dry-run", errors.New("nobody can be asked here; nothing was sent")))
	}
	return b.end(cmp.Or(b.send(ctx), refused))
}

// noteNotRunning warns of services that do not run before their edit.
func (b batch) noteNotRunning(ctx context.Context) {
	services := lists.Each(batching.ToSend(b.edits), func(e batching.PlannedEdit) adminapi.ServiceRef { return e.Service })
	states := b.site.Availability().States(ctx, services)
	text := batching.NotRunning(b.edits, func(service adminapi.ServiceRef) availability.State {
		return states[slices.IndexFunc(services, func(s adminapi.ServiceRef) bool { return s.Path() == service.Path() })]
	})
	if text != "" {
		b.Out.Note("warning: " + text)
	}
}

// sendable are the edits that are to be sent.
func (b batch) sendable() (all []*batching.PlannedEdit) {
	for i := range b.edits {
		if toSend(b.edits[i]) {
			all = append(all, &b.edits[i])
		}
	}
	return all
}

// print prints what the edits change.
func (b batch) print() error {
	for _, e := range b.edits {
		if b.Out.JSON() || len(e.Plan.Changes) == 0 || e.With != "" || e.Sent != nil {
			continue
		}
		if err := cmp.Or(PrintReview(b.Out, e), b.Out.PrintLine("")); err != nil {
			return err
		}
	}
	return nil
}

// judge finds which edits can be sent.
func (b *batch) judge(refused func(editing.Edit) error) {
	b.lines = make([]editJSON, len(b.edits))
	for i := range b.edits {
		e, line := &b.edits[i], &b.lines[i]
		if toSend(*e) {
			e.Refused = refused(e.Edit)
		}
		*line = editJSON{ReviewJSON: ReviewOf(*e), Outcome: batchNotSent}
		switch {
		case e.Refused != nil:
			line.Outcome, line.Text = batchRefused, reason(e.Refused)
		case e.Sent != nil:
			line.Outcome, line.Text = batchUnknown, "it was sent before; "+e.GoesOn()
		case e.With != "":
			line.Outcome, line.Text = batchUnchanged, "it has the same pods as "+e.With
		case e.Unchanged():
			line.Outcome, line.Text = batchUnchanged, "it "+e.Has()
		}
	}
}

// refusal says which services cannot take their edit, nil where all can.
func (b batch) refusal() error {
	var f *exit.Failure
	services := map[string]bool{}
	for _, e := range b.edits {
		if e.Refused == nil {
			continue
		}
		one := b.Exit.Explain(b.OrNotThere(b.Exit.During(), b.site, e.Service, unsent(b.Exit, e.Target, e.Refused)))
		if services[e.Service.Path()] = true; f == nil {
			f = &exit.Failure{Code: one.Code, Kind: one.Kind, Operation: one.Operation, Advice: "Leave it out, or send to the others: --partial"}
		}
		f.Details = append(f.Details, b.name(e)+": "+reason(e.Refused))
		f.Details, f.Findings = append(f.Details, one.Details...), append(f.Findings, one.Findings...)
		if errors.Is(e.Refused, adminapi.KindNotFound) {
			f.Details = append(f.Details, "  "+b.Session.Commands(one.Advice))
		}
	}
	cannot := plain.Plural(len(services), "service") + " cannot take it"
	switch {
	case f == nil:
		return nil
	case len(b.sendable()) == 0: // there are no others
		f.Err, f.Advice = errors.New(cannot+"; nothing was sent"), ""
	case b.options.partial:
		f.Err, f.Advice = errors.New(cannot), ""
	default:
		f.Err = errors.New(cannot + "; nothing was sent")
	}
	return f
}

func (b batch) writePlan(refused error) error {
	path, err := savePlan(b.site, b.edits, b.options.savePlan)
	if err != nil {
		return err
	}
	for i, e := range b.edits {
		if toSend(e) {
			b.lines[i].Outcome, b.lines[i].Plan = batchPlanned, path
		}
	}
	err = b.end(refused)
	if b.Out.JSON() {
		return err
	}
	return cmp.Or(b.Out.PrintLines(savedPlan(b.Session, path, lists.Each(b.sendable(), func(e *batching.PlannedEdit) editing.Part { return e.Part })...)...), err)
}

func (b batch) dryRun(ctx context.Context, refused error) error {
	var inTheWay error
	for i, e := range b.edits {
		if !toSend(e) {
			continue
		}
		r, err := operation.PrepareEdit(e.Edit, b.site).Request(ctx)
		if err != nil {
			return b.end(unsent(b.Exit, e.Target, err))
		}
		if !b.Out.JSON() {
			if err := command.PrintRequest(b.Out, r); err != nil {
				return err
			}
		}
		line := &b.lines[i]
		line.Outcome, line.Request = batchPlanned, &r
		if err = Named(e.Target, b.Session.CheckSend(ctx, adminapi.TargetService(e.Service))); err != nil {
			line.Outcome, line.Text = batchNotSent, err.Error()
		}
		inTheWay = cmp.Or(inTheWay, err)
	}
	if !b.Out.JSON() {
		if err := b.Out.PrintLine(""); err != nil {
			return err
		}
	}
	return b.end(cmp.Or(inTheWay, refused))
}

// send sends the edits one by one, and stops at the first that is not done.
func (b batch) send(ctx context.Context) error {
	for _, part := range editing.Parts { // what is kept of an interrupted one is of one part
		those := slices.DeleteFunc(batching.ToSend(b.edits), func(e batching.PlannedEdit) bool { return e.Part != part })
		end, err := batching.Begin(b.site, those)
		if err != nil {
			return err
		}
		defer func() {
			if ctx.Err() == nil { // else the next program goes on with it
				end()
			}
		}()
	}
	for i, e := range b.edits {
		if !toSend(e) {
			continue
		}
		err := b.sendOne(ctx, e, &b.lines[i])
		if b.lines[i].Outcome == batchDone && b.did != nil {
			err = cmp.Or(err, b.did(e))
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			continue
		}
		f := *b.Exit.Explain(err)
		if b.lines[i].Outcome != batchDone {
			b.lines[i].Text = reason(&f)
		}
		f.Err = errors.New(b.name(e) + ": " + f.Error())
		rest := 0
		for later := i + 1; later < len(b.edits); later++ {
			if toSend(b.edits[later]) {
				b.lines[later].Text = "stopped at " + b.name(e)
				rest++
			}
		}
		if rest > 0 {
			f.Details = append(f.Details, "not sent after that: "+plain.Plural(rest, "service"))
		}
		return &f
	}
	return nil
}

// sendOne sends an edit, finds its outcome also where the answer was lost, and waits until the
// service answers. The error is nil where it is done and the service is not down.
func (b batch) sendOne(ctx context.Context, e batching.PlannedEdit, line *editJSON) error {
	if err := b.Session.MaySend(ctx, b.site, adminapi.TargetService(e.Service)); err != nil {
		return err
	}
	b.Wait.Several = true
	defer func() { b.Wait.Pods = command.PodsAwaited{} }()
	applied := Change{Env: b.Env, Site: b.site, Edit: e}.apply(ctx)
	line.became(applied)
	switch err := applied.Err; {
	case !applied.Sent():
		return unsent(b.Exit, e.Target, err)
	case applied.Refused(), !applied.Known():
		return b.Exit.Of(applied.Result)
	case err != nil:
		f := *b.Exit.Explain(err)
		f.Details, f.Advice = []string{applied.Applied.Stored.Text(e.Part)}, restoreAdvice(e.Target, applied.Applied)
		if missing, notKept := errors.AsType[*editing.NotStoredError](err); notKept {
			f.Kind, f.Details = "not kept", ChangeLines(missing.Changes)
		}
		return &f
	}
	return b.awaitOne(ctx, e, line)
}

// awaitOne waits until a service answers after its edit.
func (b batch) awaitOne(ctx context.Context, e batching.PlannedEdit, line *editJSON) error {
	b.Wait.Pods = command.PodsAwaited{Command: operation.CommandText("service status --wait", e.Service.Path()),
		Done: "the edit is done, and the service: ", State: "not known"}
	after := b.site.Availability().Wait(ctx, e.Service, editing.DeploymentsOf(e.Part, e.Edited),
		func(now availability.Snapshot) {
			b.Wait.Pods.State = now.Text()
			b.Wait.ReportEdit(operation.EditProgress{Step: operation.StepAnswer, Part: e.Part, After: now})
		})
	line.Text, line.State = after.Text(), AnswerOf(after)
	if after.Answer() != availability.AnswerWaiting || ctx.Err() != nil {
		return nil // it is done; who ends the command stops the rest
	}
	line.Outcome = batchFailed
	return exit.NotPassed("Follow it: "+b.Wait.Pods.Command,
		"the edit is done, but the service does not answer: "+after.Text())
}

// goesOn says which were sent before and may still run, nil for none.
func (b batch) goesOn() error {
	for _, e := range b.edits {
		if e.Sent != nil {
			f := *b.Exit.Explain(e.Sent)
			f.Err = errors.New(batching.SentBefore(b.edits))
			return &f
		}
	}
	return nil
}

// end prints the outcome of each service.
func (b batch) end(err error) error {
	err = cmp.Or(err, b.goesOn())
	if b.Out.JSON() {
		return cmp.Or(output.PrintList(b.Out, b.lines), err)
	}
	for i, line := range b.lines {
		text := b.name(b.edits[i]) + ": " + line.Outcome
		if line.Text != "" {
			text += " (" + line.Text + ")"
		}
		if line.Backup != "" {
			text += "; the old version is " + line.Backup
		}
		if printed := b.Out.PrintLine(plain.Line(text)); printed != nil {
			return printed
		}
	}
	return err
}
