package upgrade

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/output"
)

// historyJSON is what is installed, and what was done, in the order of the site.
type historyJSON struct {
	Installed []updateJSON `json:"installed"`
	History   []pastJSON   `json:"history"`
}

// pastJSON is an upgrade or a rollback of the past.
type pastJSON struct {
	ID      string         `json:"id"`   // of the update; empty where the site does not name it, as the others
	Type    string         `json:"type"` // upgrade or rollback
	From    string         `json:"from"`
	To      string         `json:"to"`
	Result  string         `json:"result"` // in the site's words
	User    string         `json:"user"`
	Started *time.Time     `json:"started"`
	Ended   *time.Time     `json:"ended"`
	Raw     jsontext.Value `json:"raw"` // as the site wrote it
}

func (u commands) history(ctx context.Context, site operation.Site, _ string) error {
	if err := requireNoUpgrade(ctx, site, "read the history of upgrades", "the history can be read when it has ended"); err != nil {
		return err
	}
	installed, err := site.Client.Upgrades.Installed(ctx)
	if err != nil {
		return err
	}
	history, err := site.Client.Upgrades.History(ctx)
	if err != nil {
		return err
	}
	if !u.Out.JSON() {
		return u.printHistory(installed, history)
	}
	past := lists.Each(history, func(e adminapi.HistoryEntry) pastJSON {
		return pastJSON{e.ID, e.Type, e.PreviousVersion, e.Version, cmp.Or(e.Result, e.State), e.User,
			e.Start.Moment(), e.End.Moment(), e.Raw}
	})
	return u.Out.PrintValue(historyJSON{lists.Each(installed, updateOf), past})
}

func (u commands) printHistory(installed []adminapi.Update, history []adminapi.HistoryEntry) error {
	err := output.PrintEach(u.Out, installed, []string{"INSTALLED", "VERSION", "TYPE", "NAME"},
		func(l *output.Renderer, u adminapi.Update) []output.Cell {
			return l.Row(u.ID, u.FullVersion(), updateType(u), u.Name)
		})
	err = cmp.Or(err, u.Out.PrintLine(""))
	if len(history) == 0 {
		return cmp.Or(err, u.Out.PrintLine("The site knows of no earlier upgrade."))
	}
	columns := []string{"STARTED", "TOOK", "WHAT", "FROM", "TO", "RESULT", "USER", "ID"}
	return cmp.Or(err, output.PrintEach(u.Out, history, columns,
		func(l *output.Renderer, e adminapi.HistoryEntry) []output.Cell {
			return l.Row(output.FormatTime(e.Start.Time()), output.FormatDuration(e.Start, e.End), e.Type,
				e.PreviousVersion, e.Version, cmp.Or(e.Result, e.State), e.User, cmp.Or(e.ID, e.Name))
		}))
}
