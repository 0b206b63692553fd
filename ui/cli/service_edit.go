package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

// editOptions are the flags of service edit.
type editOptions struct {
	sendOptions
	goOn, discard, takeOver bool
}

func (p *program) serviceEditCommand() *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit [FOLDER/]NAME.TYPE",
		Short: "Edit the definition of a service in your own editor",
		Long: `Edit the definition of a service in your own editor: $VISUAL, else $EDITOR, else vi.

On a terminal lost keys and the last word are asked for, and a text that is no JSON
goes back to the editor as it is. Elsewhere nothing is asked: --allow-lost names what
may be lost. What was edited and not sent is kept: --continue goes on with it. What
another program has open is not touched: --take-over goes on with a copy of it.

` + wayOutLong,
		Example: `  geodeck service edit Roads.MapServer
  EDITOR="code --wait" geodeck service edit Roads.MapServer --continue`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.serviceEdit(cmd.Context(), args[0], o) },
	}
	cmd.Flags().BoolVar(&o.goOn, "continue", false, "go on with the edit that was not sent")
	cmd.Flags().BoolVar(&o.discard, "discard", false, "leave an edit behind that was not sent, and begin anew")
	cmd.Flags().BoolVar(&o.takeOver, "take-over", false, "go on with an edit that another program has open, or may have")
	cmd.MarkFlagsMutuallyExclusive("continue", "discard", "take-over")
	o.register(cmd)
	return p.addAgainOf(cmd)
}

func (p *program) serviceEdit(ctx context.Context, name string, o editOptions) error {
	service, err := serviceNamed(name)
	if err != nil {
		return err
	}
	allowed, err := pathsOf("allow-lost", o.allowLost)
	if err != nil {
		return err
	}
	site, err := p.connectToWrite()
	if err == nil && !o.dryRun {
		err = named(operation.DefinitionOf(service), site.Client.Writable())
	}
	if err != nil {
		return err
	}
	now, err := p.readToEdit(ctx, site, operation.DefinitionOf(service))
	if err != nil {
		return err
	}
	e := externalEdit{program: p, site: site, person: p.person(), edit: operation.Edit{Target: operation.DefinitionOf(service), Base: now.Document, AllowLost: allowed}}
	if err := e.begin(o); err != nil {
		return err
	}
	if err := e.untilJSON(ctx); err != nil {
		return e.kept(err)
	}
	if e.edit, err = onto(e.edit, now.Document); err != nil {
		return e.kept(err)
	}
	err = p.wayOut(ctx, site, planned(e.edit), o.dryRun, e.agree(ctx))
	if err == nil && !o.dryRun {
		return site.DropEditDraft(operation.DefinitionOf(service))
	}
	return e.kept(err)
}

// externalEdit is an edit in the user's own editor.
type externalEdit struct {
	program *program
	site    operation.Site
	person  *asker
	edit    operation.Edit
	text    []byte // as it is edited by now
	saved   bool   // it is kept as a draft
}

// begin takes what is edited: the definition, or a draft of it. No draft is written
// over, and none that a program has open is gone on with without a word.
func (e *externalEdit) begin(o editOptions) error {
	e.text = laidOut(e.edit.Base)
	kept, err := e.site.KeptEdits(e.edit.Target)
	if err != nil {
		return err
	}
	wanted := o.goOn || o.takeOver
	switch {
	case len(kept) == 0 && wanted:
		return badInput("", errors.New("there is no edit of "+e.edit.Service.Path()+" to go on with"))
	case len(kept) == 0:
		return nil
	case kept[0].Life != journal.Ended && !o.takeOver:
		return heldElsewhere(e.edit.Service.Path(), kept[0].Draft)
	case o.discard:
		return e.site.DiscardEdit(kept[0].Draft)
	case wanted:
		return e.goOn(kept[0].Draft)
	case kept[0].Err != nil: // of the others as well: what can be read comes first
		e.program.note(kept[0].Err.Error() + "; it stays where it is, --discard sets it aside")
		return nil
	}
	return &failure{code: exitRefused, kind: "draft", err: fmt.Errorf("an edit of %s from %s UTC was not sent; nothing was sent now either",
		e.edit.Service.Path(), kept[0].Saved.UTC().Format(time.DateTime)), advice: "Go on with it: --continue. Leave it behind: --discard."}
}

// heldElsewhere says who has the edit.
func heldElsewhere(path string, d journal.Draft) error {
	open := "has it open"
	if d.Life == journal.MayLive {
		open = "may still have it open"
	}
	return &failure{code: exitRefused, kind: "draft", err: fmt.Errorf("%s has edited %s since %s UTC and %s; nothing was sent",
		d.Program, path, d.Since.UTC().Format(time.DateTime), open), advice: "Finish it there, or go on with a copy of it here: --take-over."}
}

// goOn takes an edit over, to go on with it.
func (e *externalEdit) goOn(from journal.Draft) error {
	kept, err := e.site.TakeEdit(from)
	if held, ok := errors.AsType[*journal.HeldError](err); ok {
		return heldElsewhere(e.edit.Service.Path(), held.Draft)
	}
	if err == nil {
		err = kept.Err
	}
	if err != nil {
		return err
	}
	if e.edit.Base, err = document.Parse([]byte(kept.Edit.Base)); err != nil {
		return fmt.Errorf("the edit that was kept cannot be read: %w", err)
	}
	e.text, e.saved = []byte(kept.Edit.Edited), true
	return nil
}

// laidOut is a definition as an editor shows it: one that stands on a single line is
// set out in many. What is not changed is sent as it was, see [externalEdit.take].
func laidOut(d *document.Document) []byte {
	text := jsontext.Value(d.Bytes())
	if bytes.ContainsRune(bytes.TrimSpace(text), '\n') {
		return text
	}
	if text.Indent(asReceived, jsontext.WithIndent("  ")) != nil {
		return d.Bytes()
	}
	return append(text, '\n')
}

// untilJSON runs the editor until it leaves a definition that breaks no rule. A
// person may go back to a text that does; elsewhere it is bad input.
func (e *externalEdit) untilJSON(ctx context.Context) error {
	for {
		if err := e.once(ctx); err != nil {
			return err
		}
		err := e.take()
		if err == nil {
			return nil
		}
		if e.person == nil {
			return badInput("", fmt.Errorf("%w; nothing was sent", err))
		}
		e.program.note(err.Error())
		answer, asked := e.person.ask(ctx, "Press enter to go back to the editor, or type leave:")
		if asked != nil {
			return asked
		}
		if answer != "" {
			return left()
		}
	}
}

// once runs the editor, and keeps what it left before anything else happens. What an
// editor had saved before it failed is kept too, and goes no further.
func (e *externalEdit) once(ctx context.Context) error {
	editing, failed := e.program.runEditor(e.edit.Service, e.text)
	if editing == nil {
		return badInput("", failed)
	}
	text, changed, err := editing.Text()
	if err == nil && changed {
		draft := operation.EditDraft{Base: e.edit.Base.Text(), Edited: string(text)}
		holder, err := e.site.SaveEditDraft(e.edit.Target, draft)
		if err != nil {
			return fmt.Errorf("%w; what was edited stays in %s", err, editing.Path())
		}
		if holder != nil {
			e.program.note(holder.Program.Who() + " edits it too by now; this edit is kept beside that one")
		}
		e.text, e.saved = text, true
	}
	_ = editing.Close()
	switch {
	case failed != nil && e.saved:
		return badInput("", fmt.Errorf("%w; nothing was sent", failed))
	case failed != nil:
		return badInput("", fmt.Errorf("%w; nothing was taken over", failed))
	case err != nil:
		return badInput("", err)
	}
	return ctx.Err()
}

// take reads the text. Changes are made in the definition as the site wrote it, so
// that the lines it was set out in for the editor are not sent.
func (e *externalEdit) take() error {
	typed, err := document.Parse(e.text)
	if err != nil {
		return err
	}
	e.edit.Edited = typed
	if same, err := e.edit.Base.Apply(document.Diff(e.edit.Base, typed)); err == nil && len(document.Diff(typed, same)) == 0 {
		e.edit.Edited = same
	}
	return e.edit.Blocked()
}

// agree returns who is asked before anything is sent, nil where nobody is.
func (e *externalEdit) agree(ctx context.Context) func(*operation.Edit) error {
	if e.person == nil {
		return nil
	}
	return func(edit *operation.Edit) error { return e.person.agree(ctx, edit) }
}

// kept says how to go on with what was edited and not sent: also after a drift, which
// is then brought together.
func (e *externalEdit) kept(err error) error {
	if !e.saved {
		return err
	}
	how := "What was edited is kept; go on with it: geodeck service edit " + e.edit.Service.Path() + " --continue"
	if err == nil {
		e.program.note(how)
		return nil
	}
	f := *e.program.explain(err)
	if f.kind == kindDrift || f.advice == "" {
		f.advice = how
	} else {
		f.advice += " " + how
	}
	return &f
}
