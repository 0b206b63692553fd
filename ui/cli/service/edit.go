package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

// editOptions are the flags of service edit.
type editOptions struct {
	edits.Options
	resume, discard, takeOver bool
	set, remove               []string // in place of an editor
}

func (s commands) editCommand() *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit [FOLDER/]NAME.TYPE... [--set PATH=VALUE] [--remove PATH]",
		Short: "Edit the definition of a service in your own editor, or by paths, also of several",
		Long: `Edit the definition of a service in your own editor: $VISUAL, else $EDITOR, else vi. Or
without one, also of several services: --set gives the value at PATH, which is JSON or
else a text, and adds a key that is missing; --remove removes what is at PATH.

On a terminal, you type the word of each finding and confirm the sending, and text that is
not JSON opens in the editor again. Elsewhere nothing is asked: --accept names the
findings that you accept, --allow-lost single keys that may be lost; who names a key with
--remove accepts that it is. An edit that was not
sent is saved as a draft: --continue resumes it. --take-over continues with a copy of a
draft that another program has open; that draft stays.

` + edits.BatchLong + `

` + sendLong,
		Example: `  geodeck service edit SampleWorldCities.MapServer
  EDITOR="code --wait" geodeck service edit SampleWorldCities.MapServer --continue
  geodeck service edit Roads.MapServer Transit/Lines.MapServer --set properties.maxRecordCount=2000 --dry-run`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(o.set)+len(o.remove) > 0 {
				return s.set(cmd.Context(), args, o)
			}
			return s.edit(cmd.Context(), args[0], o)
		},
	}
	set := cmd.Flags()
	set.BoolVar(&o.resume, "continue", false, "resume the edit that was not sent")
	set.BoolVar(&o.discard, "discard", false, "set aside an edit that was not sent, and start over")
	set.BoolVar(&o.takeOver, "take-over", false, "continue an edit that another program has open, or may have")
	set.StringArrayVar(&o.set, "set", nil, "PATH=VALUE, such as properties.maxRecordCount=2000; repeat for more")
	set.StringArrayVar(&o.remove, "remove", nil, "PATH of what to remove, if it is there: accepts removed-key of it; repeat for more")
	for _, flag := range []string{"set", "remove"} {
		cmd.MarkFlagsMutuallyExclusive(flag, "continue", "discard", "take-over")
	}
	o.RegisterSeveral(cmd)
	o.Asks = true
	return s.registerSend(cmd, &o.Options)
}

// set makes settings in one or several definitions.
func (s commands) set(ctx context.Context, names []string, o editOptions) error {
	services, err := edits.ServicesNamed(names)
	if err != nil {
		return err
	}
	if len(o.set)+len(o.remove) == 0 {
		return exit.BadInput("Say what to change: --set PATH=VALUE or --remove PATH",
			errors.New("an editor takes one service; nothing was sent"))
	}
	removed, err := edits.PathsOf("remove", o.remove)
	if err != nil {
		return err
	}
	var settings []editing.Setting
	for _, text := range o.set {
		setting, err := editing.ParseSetting(text)
		if err != nil {
			return exit.BadInputf("--set: %w", err)
		}
		settings = append(settings, setting)
	}
	for _, path := range removed {
		settings = append(settings, editing.Setting{Path: path, Remove: true})
	}
	edit := func(now *document.Document) (*document.Document, error) { return editing.WithSettings(now, settings) }
	return edits.Each(ctx, s.Env, editing.Definition, services, o.Options, nodesource.Nodes{}, removed, edit)
}

func (s commands) edit(ctx context.Context, name string, o editOptions) error {
	if _, err := command.ServiceNamed(name); err != nil {
		return s.Untyped(ctx, name, err)
	}
	edit, err := edits.New(name, editing.Definition, o.Options)
	if err != nil {
		return err
	}
	site, err := s.Session.SiteToWrite(ctx)
	if err == nil && o.Sending() {
		err = edits.Named(edit.Target, site.Client.Writable())
	}
	if err != nil {
		return err
	}
	now, err := edits.ReadToEdit(ctx, site, edit.Target)
	if err != nil {
		return edits.NotRead(ctx, s.Env, site, edit.Target, err)
	}
	edit.Base = now.Document
	e := externalEdit{Env: s.Env, site: site, prompter: command.NewPrompter(s.Env), edit: edit}
	if err := e.begin(o); err != nil {
		return err
	}
	if err := e.editUntilValid(ctx); err != nil {
		return e.withDraft(err)
	}
	e.edit = edits.Rebase(e.edit, now.Document)
	err = edits.Change{Env: s.Env, Site: site, Edit: edits.Planned(site, e.edit), Options: o.Options, Ask: e.prompter}.Run(ctx)
	if err == nil && o.Sending() {
		return site.Memory.DeleteEditDraft(edit.Target)
	}
	return e.withDraft(err)
}

// externalEdit is an edit in the user's own editor.
type externalEdit struct {
	command.Env
	site     operation.Site
	prompter *command.Prompter
	edit     editing.Edit
	text     []byte // as edited so far
	before   string // what was edited before text was broken; empty for nothing
	saved    bool   // as a draft
}

// begin chooses what is edited: the definition, or a draft of it. It overwrites no draft,
// and resumes one that another program has open only with --take-over.
func (e *externalEdit) begin(o editOptions) error {
	e.text = e.edit.Base.Bytes()
	drafts, err := e.site.Memory.SavedEdits(e.edit.Target)
	if err != nil {
		return err
	}
	resumes := o.resume || o.takeOver
	switch {
	case len(drafts) == 0 && resumes:
		return exit.BadInputf("there is no edit of %s to continue", e.edit.Service.Path())
	case len(drafts) == 0:
		return nil
	case drafts[0].Liveness != journal.Ended && !o.takeOver:
		return openElsewhere(e.edit.Service.Path(), drafts[0].Draft)
	case o.discard:
		return e.site.Memory.Journal.DiscardDraft(drafts[0].Draft)
	case resumes:
		return e.resume(drafts[0].Draft)
	case drafts[0].Err != nil: // then no draft can be read: those that can come first
		e.Out.Note(drafts[0].Err.Error() + "; it stays where it is, --discard sets it aside")
		return nil
	}
	what := "an edit of %s from %s UTC was not sent"
	if drafts[0].Outside {
		what = "your editor saved a text of %s at %s UTC that is in no draft"
	}
	return exit.Refusal("draft", "Continue it: --continue. Start over: --discard.",
		fmt.Errorf(what+"; nothing was sent now either", e.edit.Service.Path(), drafts[0].Saved.UTC().Format(time.DateTime)))
}

// openElsewhere says which program has the draft open.
func openElsewhere(path string, d journal.Draft) error {
	open := "has it open"
	if d.Liveness == journal.MaybeAlive {
		open = "may still have it open"
	}
	return exit.Refusal("draft", "Finish it there, or continue with a copy here: --take-over.",
		fmt.Errorf("%s has edited %s since %s UTC and %s; nothing was sent",
			d.Program, path, d.Since.UTC().Format(time.DateTime), open))
}

// resume continues a draft.
func (e *externalEdit) resume(from journal.Draft) error {
	draft, err := e.site.Memory.TakeOverEdit(from)
	if held, ok := errors.AsType[*journal.DraftHeldError](err); ok {
		return openElsewhere(e.edit.Service.Path(), held.Draft)
	}
	if err == nil {
		err = draft.Err
	}
	if err != nil {
		return err
	}
	if e.edit.Base, err = document.Parse([]byte(draft.Edit.Base)); err != nil {
		return fmt.Errorf("the draft cannot be read: %w", err)
	}
	e.text, e.before, e.saved = []byte(draft.Edit.Edited), draft.Edit.Before, true
	return nil
}

// editUntilValid runs the editor until it leaves a definition that breaks no rule. On a
// terminal the user can go back to the editor; otherwise it is bad input.
func (e *externalEdit) editUntilValid(ctx context.Context) error {
	for {
		if err := e.editOnce(ctx); err != nil {
			return err
		}
		err := e.parse()
		if err == nil {
			return nil
		}
		if e.prompter == nil {
			return exit.BadInputf("%w; nothing was sent", err)
		}
		e.Out.Note(err.Error())
		answer, err := e.prompter.Ask(ctx, "Press enter to go back to the editor, or type leave:")
		if err != nil {
			return err
		}
		if answer != "" {
			return command.LeftUnsent()
		}
	}
}

// editOnce runs the editor and saves its result as a draft before anything else happens. What
// an editor had saved before it failed is a draft too, and is not sent.
func (e *externalEdit) editOnce(ctx context.Context) error {
	editing, failed := e.runEditor()
	if editing == nil {
		return failed
	}
	draft, changed, err := editing.Edit()
	if err == nil && changed {
		holder, err := e.site.Memory.SaveEditDraft(e.edit.Target, draft)
		if err != nil {
			return fmt.Errorf("%w; your text stays in %s", err, editing.Path())
		}
		_ = editing.Close() // one that stays is offered again
		if holder != nil {
			e.Out.Note(holder.Program.Who() + " edits it too; this edit is saved separately")
		}
		e.text, e.before, e.saved = []byte(draft.Edited), draft.Before, true
	}
	switch {
	case failed != nil && e.saved:
		return exit.BadInputf("%w; nothing was sent", failed)
	case failed != nil:
		return exit.BadInputf("%w; nothing was taken over", failed)
	case err != nil:
		return exit.BadInput("", err)
	}
	return ctx.Err()
}

// parse reads the text. Changes are made in the definition as the site wrote it, so that what
// the editor has changed in its layout is not sent.
func (e *externalEdit) parse() error {
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

// withDraft adds to an error how to resume the draft. After a drift it is rebased then.
func (e *externalEdit) withDraft(err error) error {
	if !e.saved {
		return err
	}
	how := "Draft saved; resume it with: " + operation.CommandText("service edit --continue", e.edit.Service.Path())
	if err == nil {
		e.Out.Note(how)
		return nil
	}
	f := *e.Exit.Explain(err)
	if f.Kind == edits.KindDrift || f.Advice == "" {
		f.Advice = how
	} else {
		f.Advice += "\n" + how
	}
	return &f
}

// runEditor runs the user's editor on the text. It returns the file, even if the editor has
// failed; nil if none was run.
func (e *externalEdit) runEditor() (*operation.EditorFile, error) {
	editing, err := e.site.Memory.OpenEditor(e.edit.Target,
		operation.EditDraft{Base: e.edit.Base.Text(), Edited: string(e.text), Before: e.before}, "")
	if err != nil {
		return nil, exit.BadInput("", err)
	}
	ran, err := e.RunEditor(editing.Command(e.Session.Env))
	if !ran {
		_ = editing.Close()
		advice := ""
		if errors.Is(err, command.ErrNoTerminal) {
			advice = "Without one: --set PATH=VALUE, or {command:service apply NAME -f FILE}"
		}
		return nil, exit.BadInput(advice, fmt.Errorf("%w; nothing was sent", err))
	}
	return editing, err
}
