// Package fleet has the commands of "geodeck fleet", about many sites of config.yaml.
//
// Start at [Command].
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// commands are the commands of "geodeck fleet", about many sites of config.yaml.
type commands struct {
	command.Env
	filter string // flag
	maxAge string // flag; empty for what config.yaml says
}

// Command makes "geodeck fleet".
func Command(s command.Env) *cobra.Command {
	f := &commands{Env: s}
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Say how all sites of config.yaml are, the worst first",
		Long: `Say how all sites of config.yaml are, the worst first: a failed or silent upgrade, a
failed health report, no answer, no sign-in, warnings, a running upgrade, read-only mode.

All sites are read at the same time, each with its own sign-in. GEODECK_TOKEN and
--token-file are for the chosen site only. A site that has not answered after 10 s is
unreachable. With -o jsonl each site is a line as soon as it is known.

Exit codes: 0 no site needs you; 1 an upgrade failed or is silent, or the newest report of
a site failed; else 5 a site is unreachable; else 3 a site needs a sign-in. With --max-age
it is also 1 where a site has no report that is young enough.

A site whose newest report passed longer ago than maxAge of config.yaml (24 h) is outdated.`,
		Example: `  geodeck fleet
  geodeck fleet --filter production
  geodeck fleet -o json | jq -r '.items[] | select(.state == "unreachable") | .name'`,
		Args: cobra.NoArgs,
		RunE: command.Runs(f.run),
	}
	cmd.Flags().StringVar(&f.filter, "filter", "", "only sites with each of these words in name, address, state, version or upgrade")
	cmd.Flags().StringVar(&f.maxAge, "max-age", "", "how old the newest report of a healthy site may be, such as 24h or 7d; "+
		"exit 1 where one is older or missing (default what config.yaml says, 24h)")
	command.Complete(cmd, "max-age", []string{"24h", "7d"})
	health := command.Group("health", "Run health checks at many sites", f.healthRunCommand())
	cmd.AddCommand(health, f.compareCommand())
	return cmd
}

// sites returns those of config.yaml, with the session that they are read in.
func (f *commands) sites() (*session.Session, []sites.Site, error) {
	all := f.Session.Again(session.Variant{Many: true})
	file, err := all.SitesFile()
	if err == nil && len(file.Sites()) == 0 {
		err = exit.BadInput(session.AdviceAdd, errors.New("no sites in config.yaml"))
	}
	if err != nil {
		return all, nil, err
	}
	return all, file.Sites(), nil
}

func (f *commands) run(ctx context.Context) error {
	maxAge, err := adminapi.ParseSpan(cmp.Or(f.maxAge, "0s"))
	if err != nil || f.maxAge != "" && maxAge == 0 {
		return exit.BadInputf("--max-age takes a span of time such as 24h or 7d, not %q", plain.Clip(plain.Line(f.maxAge), 60))
	}
	all, _, err := f.sites()
	if err != nil {
		return err
	}
	entries, err := all.Fleet(nil, f.notes())
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].MaxAge = cmp.Or(maxAge, entries[i].MaxAge)
	}
	var failed error
	report := func(row fleet.Row) {
		if lines := fleet.Filter([]fleet.Row{row}, f.filter); len(lines) > 0 && failed == nil {
			failed = f.Out.PrintEvent(row.JSON(f.Session.Clock().Now()))
		}
	}
	if !f.Out.Lines() {
		report = nil
	}
	rows, err := fleet.New(f.Session.Clock()).Read(ctx, entries, report)
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if rows = fleet.Filter(rows, f.filter); len(rows) == 0 {
		return f.noMatch()
	}
	if !f.Out.Lines() {
		if err := f.print(rows); err != nil {
			return err
		}
	}
	return judgeFleet(rows, maxAge > 0)
}

// noMatch says that the filter finds no site: it may be misspelt, so that is no success.
func (f *commands) noMatch() error {
	return exit.BadInput("The sites: {command:site list}", fmt.Errorf("no site matches --filter %s", plain.Clip(plain.Line(f.filter), 60)))
}

// notes returns what prints a note about a site. Sites are connected to at the same time.
func (f *commands) notes() func(site, text string) {
	var mu sync.Mutex
	return func(site, text string) {
		mu.Lock()
		defer mu.Unlock()
		f.Out.Note(site + ": " + text)
	}
}

func (f *commands) print(rows []fleet.Row) error {
	now := f.Session.Clock().Now()
	if f.Out.JSON() {
		return output.PrintList(f.Out, lists.Each(rows, func(row fleet.Row) fleet.RowJSON { return row.JSON(now) }))
	}
	return output.PrintEach(f.Out, rows, []string{"SITE", "STATE", "DETAILS", "VERSION", "KIND", "SIGN-IN"},
		func(l *output.Renderer, row fleet.Row) []output.Cell {
			state := l.StatusCell(fleetStatuses[row.State().Severity()], row.State().String())
			return l.Row(row.Name, state, row.Fact(now), cmp.Or(row.Version, "-"), lockCell(l, row), signInCell(row))
		})
}

// lockCell says what a site is by config.yaml.
func lockCell(l *output.Renderer, row fleet.Row) output.Cell {
	switch {
	case row.Production:
		return output.Cell{Text: "PRODUCTION", Style: l.Theme.Warn}
	case row.Locked:
		return output.Cell{Text: "read-only until unlocked", Style: l.Theme.Plain}
	}
	return output.Cell{Text: "-", Style: l.Theme.Plain}
}

func signInCell(row fleet.Row) string {
	if row.SignIn == fleet.SignedIn && !row.Expires.IsZero() {
		return "until " + output.FormatTime(row.Expires.Time())
	}
	return row.SignIn.String()
}

// fleetStatuses are the glyphs of states.
var fleetStatuses = [...]output.Status{fleet.NotKnown: output.Unknown, fleet.Good: output.Good,
	fleet.Running: output.Running, fleet.Warning: output.Warned, fleet.Failed: output.Bad}

// judgeFleet fails where a site needs somebody, or has no report of the age that was wanted: with the
// code of its kind that comes first.
func judgeFleet(rows []fleet.Row, aged bool) error {
	var names []string
	code := exit.Done
	for _, row := range rows { // worst first
		state := row.State()
		what := state.String()
		if !state.Bad() {
			if !aged || row.Checked() {
				continue
			}
			what = "no report of the last " + adminapi.FormatCoarse(row.MaxAge)
		}
		names = append(names, row.Name+" ("+what+")")
		switch {
		case code != exit.Done:
		case state == fleet.Unreachable:
			code = exit.Unreachable
		case state == fleet.NeedsSignIn:
			code = exit.SignIn
		default:
			code = exit.Failed
		}
	}
	if code == exit.Done {
		return nil
	}
	return failedSites(code, names, len(rows))
}

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{
		"fleet":            {[]fleet.RowJSON{}},
		"fleet compare":    {fleetComparison{}},
		"fleet health run": {[]siteRun{}},
	}
}
