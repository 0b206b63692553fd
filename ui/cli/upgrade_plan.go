package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

func (p *program) upgradePlanCommand() *cobra.Command {
	var o upgradeOptions
	cmd := &cobra.Command{
		Use:   "plan ID",
		Short: "Check what speaks against an upgrade, exit 1 when something blocks it",
		Long: `Check what speaks against an upgrade, exit 1 when something blocks it.

Without --settings and --license, what is still to be filled in does not block.`,
		Example: `  geodeck upgrade plan rel_11122025_7286
  geodeck upgrade plan rel_11122025_7286 --license licence.json -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.latestGiven = cmd.Flags().Changed("latest-patch")
			return p.upgradePlan(cmd.Context(), args[0], o)
		},
	}
	o.register(cmd)
	return cmd
}

// plannedUpgrade is what upgrade plan prints as JSON.
type plannedUpgrade struct {
	Target  jsontext.Value           `json:"target"` // as the server or the file wrote it; null where it could not be read
	Chain   *chainPlace              `json:"chain"`  // null where it could not be read
	Checks  []upgrade.PreflightCheck `json:"checks"`
	Blocked bool                     `json:"blocked"`
}

// chainPlace is the place of an update among the others.
type chainPlace struct {
	State    upgrade.State `json:"state"`
	Reason   string        `json:"reason"`
	Depth    int           `json:"depth"`
	Base     string        `json:"base"`
	Brings   []string      `json:"brings"`
	Requires []string      `json:"requires"`
	Skips    []string      `json:"skips"`
}

func (p *program) upgradePlan(ctx context.Context, id string, o upgradeOptions) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	offer, err := offered(ctx, site, o.manifest)
	if err != nil {
		return err
	}
	if offer.Running() {
		return p.planWhileRunning(offer, id)
	}
	asked, err := targetOf(site, offer, id, o)
	if err != nil {
		return err
	}
	if err := asked.fill(ctx, o); err != nil {
		return err
	}
	asked.ask.ToAnswer = o.settings == "" && o.licence == ""
	checks := asked.checks(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.printPlan(asked, checks); err != nil {
		return err
	}
	return judgePlan(checks)
}

// planWhileRunning says what stands in the way; nothing else is asked of the
// site.
func (p *program) planWhileRunning(offer operation.Offer, id string) error {
	checks := upgrade.Preflight(upgrade.FactsWhileRunning(adminapi.Update{ID: id}, offer.Installed, offer.Status))
	if p.json() {
		if err := p.printValue(plannedUpgrade{Checks: checks, Blocked: true}); err != nil {
			return err
		}
	} else if err := p.printRunning(checks); err != nil {
		return err
	}
	return judgePlan(checks)
}

// printRunning prints what blocks, and the checks that nothing is known of in
// one line: a column of what was not asked would hide it.
func (p *program) printRunning(checks []upgrade.PreflightCheck) error {
	var known []upgrade.PreflightCheck
	for _, check := range checks {
		if check.State == upgrade.CheckBlocking {
			known = append(known, check)
		}
	}
	if err := p.printChecks(known); err != nil {
		return err
	}
	return p.say(fmt.Sprintf("The other %d checks are not made while an upgrade runs.", len(checks)-len(known)))
}

func judgePlan(checks []upgrade.PreflightCheck) error {
	if upgrade.Blocked(checks) {
		return notPassed("the upgrade is blocked: " + strings.Join(findings(checks, upgrade.CheckBlocking), " "))
	}
	return nil
}

// findings are the sentences of the checks that ended so, each with what to do.
func findings(checks []upgrade.PreflightCheck, state upgrade.CheckState) []string {
	var found []string
	for _, check := range checks {
		if check.State == state {
			found = append(found, said(check))
		}
	}
	return found
}

// said is what a check found, and what to do.
func said(check upgrade.PreflightCheck) string {
	return strings.TrimSpace(check.Finding + " " + check.Do)
}

func (p *program) printPlan(a *askedUpgrade, checks []upgrade.PreflightCheck) error {
	if p.json() {
		e := a.entry
		return p.printValue(plannedUpgrade{
			Target: e.Raw, Checks: checks, Blocked: upgrade.Blocked(checks),
			Chain: &chainPlace{State: e.State, Reason: e.Reason, Depth: e.Depth, Base: e.Base,
				Brings: list(e.Brings), Requires: list(e.Requires), Skips: list(e.Skips)},
		})
	}
	if err := p.printRows(p.planHead(a)); err != nil {
		return err
	}
	if err := p.say(""); err != nil {
		return err
	}
	return p.printChecks(checks)
}

// list is never null in JSON.
func list(ids []string) []string { return append([]string{}, ids...) }

func (p *program) planHead(a *askedUpgrade) [][]cell {
	l, e := p.appearance(), a.entry
	rows := [][]cell{
		l.words("Update", e.Name),
		l.words("Id", e.ID),
		l.words("From", a.offer.Installed.FullVersion()),
		l.words("To", e.FullVersion()),
		l.words("State", ""),
		l.words("Why", e.Reason),
	}
	rows[4][1] = l.updateState(e.State)
	for _, more := range []struct {
		label string
		ids   []string
	}{{"Brings along", e.Brings}, {"Requires first", e.Requires}, {"Leaves out", e.Skips}} {
		if len(more.ids) > 0 {
			rows = append(rows, l.words(more.label, strings.Join(more.ids, ", ")))
		}
	}
	for _, row := range rows {
		row[0].style = l.theme.Label
	}
	return rows
}

// printChecks prints each check with its finding below it: sentences that matter
// are cut by no column.
func (p *program) printChecks(checks []upgrade.PreflightCheck) error {
	l := p.appearance()
	widest := 0
	for _, check := range checks {
		widest = max(widest, ansi.StringWidth(l.checkState(check.State).text))
	}
	indent := strings.Repeat(" ", widest+gap)
	for _, check := range checks {
		row := l.words("", check.Title)
		row[0] = l.checkState(check.State)
		if err := p.say(l.line(row, []int{widest, ansi.StringWidth(check.Title)})); err != nil {
			return err
		}
		if err := p.say(indent + plain.Line(said(check))); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) checkState(s upgrade.CheckState) cell {
	switch s {
	case upgrade.CheckOK:
		return l.state(l.theme.Glyphs.Pass, s.String(), l.theme.OK)
	case upgrade.CheckWarning:
		return l.state(l.theme.Glyphs.Warn, s.String(), l.theme.Warn)
	case upgrade.CheckBlocking:
		return l.state(l.theme.Glyphs.Fail, s.String(), l.theme.Fail)
	case upgrade.CheckToCome:
		return l.state(l.theme.Glyphs.Skipped, s.String(), l.theme.Plain)
	}
	return l.state(l.theme.Glyphs.Unknown, s.String(), l.theme.Unknown)
}
