package edits

import (
	"context"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// History lists the backups of a part of the service that is the first argument, or prints the
// one that is the second.
func History(ctx context.Context, s command.Env, part editing.Part, args []string) error {
	target, err := TargetNamed(args[0], part)
	if err != nil {
		return err
	}
	id := command.First(args[1:])
	site, err := s.Session.SiteWithJournal(ctx)
	if err != nil {
		return err
	}
	if id != "" {
		old, err := site.Memory.ReadBackup(target, id)
		if err != nil {
			return noBackup(target, err)
		}
		return s.Out.PrintContent(old.Bytes())
	}
	history, err := site.Memory.History(target)
	if err != nil {
		return err
	}
	if len(history) == 0 && !s.Out.JSON() {
		lines := []string{"No " + target.String() + " is saved here yet."}
		if target.Part == editing.Placement {
			lines = append(lines, "Shared rules are listed under the service that you edited.")
		}
		return s.Out.PrintLines(lines...)
	}
	failed := ""
	if !s.Out.JSON() {
		failed = command.Joined(": ", site.Memory.FailedEdit(target, history[0]))
	}
	return output.PrintAll(s.Out, history, []string{"ID", "KEPT", "USER", "BYTES", "WHY"},
		func(l *output.Renderer, b journal.Backup) []output.Cell {
			if b.ID == history[0].ID {
				b.Why += failed
			}
			return l.Row(b.ID, output.FormatTime(b.Saved), b.Who, b.Bytes, b.Why)
		})
}

func noBackup(target editing.Target, err error) error {
	return exit.BadInput("Saved versions: "+commandOn(target, "history"), err)
}

// Restore sends what an earlier edit has replaced.
func Restore(ctx context.Context, s command.Env, edit editing.Edit, id string, o Options) error {
	site, err := s.Session.SiteToWrite(ctx)
	if err != nil {
		return err
	}
	edit.Why = "restoring " + id
	if edit.Edited, err = site.Memory.ReadBackup(edit.Target, id); err != nil {
		return noBackup(edit.Target, err)
	}
	now, err := ReadToEdit(ctx, site, edit.Target)
	if err != nil {
		return s.OrNotThere(ctx, site, edit.Target.Service, err)
	}
	edit.Base = now.Document
	return Change{s, site, Planned(site, edit), o, command.NewPrompter(s)}.sendAndWait(ctx)
}

// restoreAdvice says how to restore what was there before.
func restoreAdvice(target editing.Target, applied operation.Applied) string {
	return "The old version is saved: " + commandOn(target, "restore", applied.Backup.ID)
}
