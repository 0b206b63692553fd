package edits

import (
	"context"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// historyWait bounds the wait for what the site has now: the list is of this machine.
const historyWait = 5 * time.Second

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
	why := map[string]string{} // by id: what replaced it
	if !s.Out.JSON() {
		reading, end := context.WithTimeout(ctx, historyWait)
		now, _ := site.Read(reading, target) // else it is not known of the newest
		end()
		versions, _ := site.Memory.Versions(target, now.Document)
		for _, v := range versions {
			why[v.ID] = v.Summary()
		}
		if failed := site.Memory.FailedEdit(target, history[0]); failed != "" {
			why[history[0].ID] = failed
		}
	}
	return output.PrintAll(s.Out, history, []string{"ID", "KEPT", "USER", "BYTES", "WHY"},
		func(l *output.Renderer, b journal.Backup) []output.Cell {
			return l.Row(b.ID, output.FormatTime(b.Saved), b.Who, b.Bytes, b.Why+command.Joined(": ", why[b.ID]))
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
