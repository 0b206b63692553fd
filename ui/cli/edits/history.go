package edits

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// HistoryCommand makes the command that lists what was saved before edits of a part.
func HistoryCommand(s command.Env, part editing.Part) *cobra.Command {
	what := map[editing.Part]string{
		editing.Definition: "List the definitions saved before edits, or print one",
		editing.Placement:  "List the placement policies saved before edits, or print one",
	}[part]
	example := "  geodeck " + part.Noun() + " history SampleWorldCities.MapServer"
	return &cobra.Command{
		Use:   "history [FOLDER/]NAME.TYPE [ID]",
		Short: what,
		Long: what + `.

Every edit from this machine saves the old version here. The site is not contacted.`,
		Example: example + "\n" + example + " 20261120T140503.000Z-9f2c1a7b4e60 > before.json",
		Args:    cobra.RangeArgs(1, 2),
		RunE:    func(cmd *cobra.Command, args []string) error { return history(cmd.Context(), s, part, args) },
	}
}

// savedJSON is a version of a part of a service that is saved here.
type savedJSON struct {
	Service string    `json:"service"`
	Part    string    `json:"part"` // definition or placement
	ID      string    `json:"id"`
	Saved   time.Time `json:"saved"`
	User    string    `json:"user"` // of the site; empty where it was not known
	Why     string    `json:"why"`  // it was saved
	Bytes   int       `json:"bytes"`
	Hash    string    `json:"sha256"`
}

// history lists the backups of a part of the service that is the first argument, or prints the
// one that is the second.
func history(ctx context.Context, s command.Env, part editing.Part, args []string) error {
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
			return noBackup(site, target, err)
		}
		return s.Out.PrintContent(old.Bytes())
	}
	saved, err := site.Memory.History(target)
	if err != nil {
		return err
	}
	if len(saved) == 0 {
		s.Out.Note(likely(site, target))
		lines := []string{"No " + target.String() + " is saved here yet."}
		if target.Part == editing.Placement {
			lines = append(lines, "Shared rules are listed under the service that you edited.")
		}
		if !s.Out.JSON() {
			return s.Out.PrintLines(lines...)
		}
	}
	if s.Out.JSON() {
		return output.PrintList(s.Out, lists.Each(saved, func(b journal.Backup) savedJSON {
			return savedJSON{target.Service.Path(), part.Kind(), b.ID, b.Saved.UTC().Truncate(time.Millisecond), b.Who, b.Why, b.Bytes, b.Hash}
		}))
	}
	why := map[string]string{}                       // by id: what replaced it
	versions, _ := site.Memory.Versions(target, nil) // of the newest it is not known: the site is not asked
	for _, v := range versions {
		why[v.ID] = v.Summary()
	}
	if failed := site.Memory.FailedEdit(target, saved[0]); failed != "" {
		why[saved[0].ID] = failed
	}
	return output.PrintEach(s.Out, saved, []string{"ID", "KEPT", "USER", "BYTES", "WHY"},
		func(l *output.Renderer, b journal.Backup) []output.Cell {
			return l.Row(b.ID, output.FormatTime(b.Saved), b.Who, b.Bytes, b.Why+plain.Joined(": ", why[b.ID]))
		})
}

// likely asks whether another service was meant, of those that were edited from this machine.
func likely(site operation.Site, target editing.Target) string {
	return command.Meant(target.Service.Path(), site.Memory.EditedHere(target.Part))
}

func noBackup(site operation.Site, target editing.Target, err error) error {
	advice := "Saved versions: " + commandOn(target, "history")
	if saved, _ := site.Memory.History(target); len(saved) == 0 {
		advice = cmp.Or(likely(site, target), advice)
	}
	return exit.BadInput(advice, err)
}

// Restore sends what an earlier edit has replaced.
func Restore(ctx context.Context, s command.Env, edit editing.Edit, id string, o Options) error {
	site, err := s.Session.SiteToWrite(ctx)
	if err != nil {
		return err
	}
	edit.Why = "restoring " + id
	if edit.Edited, err = site.Memory.ReadBackup(edit.Target, id); err != nil {
		return noBackup(site, edit.Target, err)
	}
	now, unread, err := o.read(ctx, s, site, edit.Target, commandOn(edit.Target, "restore --accept unread --"+flagUnread, id))
	if err != nil {
		return err
	}
	return Change{s, site, Planned(site, o.upon(edit, now, unread)), o, command.NewPrompter(s)}.sendAndWait(ctx)
}

// restoreAdvice says how to restore what was there before.
func restoreAdvice(target editing.Target, applied operation.Applied) string {
	if applied.Backup.ID == "" {
		return "The old version was not read, so it is not saved."
	}
	return "The old version is saved: " + commandOn(target, "restore", applied.Backup.ID)
}
