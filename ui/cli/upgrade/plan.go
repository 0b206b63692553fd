package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (u commands) planCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "plan ID",
		Short: "Check an upgrade before it starts; exit 1 if something blocks it",
		Long: `Check an upgrade before it starts; exit 1 if something blocks it.

It only reads: what has to be accepted is listed and fails nothing. upgrade start --dry-run
exits with 4 for it. Without --settings and --license, settings that are not filled in do
not block.`,
		Example: `  geodeck upgrade plan rel_11122025_7286
  geodeck upgrade plan rel_11122025_7286 --license licence.json -o json`,
		Args: cobra.ExactArgs(1),
		RunE: command.RunsWith(&o, u.plan),
	}
	o.register(cmd)
	return cmd
}

// planJSON is what was found before an upgrade.
type planJSON struct {
	Target  *updateJSON    `json:"target"` // null where it could not be read
	Chain   *upgrade.Place `json:"chain"`  // null where it could not be read
	Checks  []exit.Found   `json:"checks"`
	Blocked bool           `json:"blocked"`
}

func (u commands) plan(ctx context.Context, id string, o options) error {
	site, err := u.Session.Site(ctx)
	if err != nil {
		return err
	}
	offer, err := readOffer(ctx, site, o.manifest)
	if err != nil {
		return err
	}
	if offer.Running() {
		return u.planWhileRunning(offer, id)
	}
	req, err := targetOf(site, offer, id, o)
	if err != nil {
		return err
	}
	if err := req.fill(ctx, o); err != nil {
		return err
	}
	req.ask.ToAnswer = o.settings == "" && o.licence == ""
	checks := req.checks(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	return cmp.Or(u.printPlan(req, checks), judgePlan(checks))
}

// planWhileRunning prints what blocks; nothing else is fetched.
func (u commands) planWhileRunning(offer operation.Offer, id string) error {
	checks := upgrade.Preflight(upgrade.FactsWhileRunning(adminapi.Update{ID: id}, offer.Installed,
		adminapi.FactOf(u.Session.Clock().Now(), offer.Status, nil)))
	if u.Out.JSON() {
		return cmp.Or(u.Out.PrintValue(planJSON{Checks: lists.Each(checks, exit.FoundOf), Blocked: true}), judgePlan(checks))
	}
	known := finding.Those(checks, finding.Finding.Blocks) // the others are counted: a list of unknown ones would hide it
	rest := fmt.Sprintf("The other %d checks are not made while an upgrade is running.", len(checks)-len(known))
	return cmp.Or(u.printChecks(known), u.Out.PrintLine(rest), judgePlan(checks))
}

func judgePlan(checks []finding.Finding) error {
	if finding.Blocked(checks) {
		return exit.NotPassed("", "the upgrade is blocked: "+strings.Join(blockers(checks), " "))
	}
	return nil
}

// blockers are the sentences of the checks that block, each with what to do.
func blockers(checks []finding.Finding) []string {
	return lists.Each(finding.Those(checks, finding.Finding.Blocks), sentenceOf)
}

// sentenceOf is what a check found, and what to do.
func sentenceOf(check finding.Finding) string {
	return strings.TrimSpace(check.Text + " " + check.Do)
}

func (u commands) printPlan(r *request, checks []finding.Finding) error {
	if u.Out.JSON() {
		target := updateOf(r.entry.Update)
		return u.Out.PrintValue(planJSON{&target, &r.entry.Place, lists.Each(checks, exit.FoundOf), finding.Blocked(checks)})
	}
	noted := finding.Those(checks, finding.Finding.InTheWay)
	rest := slices.DeleteFunc(slices.Clone(checks), finding.Finding.InTheWay)
	err := cmp.Or(u.Out.PrintLine(upgrade.PreflightVerdict(checks)), u.printChecks(noted))
	return cmp.Or(err, u.Out.PrintLine(""), u.Out.PrintRows(u.planHead(r)), u.Out.PrintLine(""), u.printChecks(rest))
}

func (u commands) planHead(r *request) [][]output.Cell {
	l, e := u.Out.Renderer(), r.entry
	rows := l.Fields("Update", e.Name, "Id", e.ID, "From", r.offer.Installed.FullVersion(), "To", e.FullVersion(),
		"State", updateState(l, e.State), "Why", e.Reason)
	rows = append(rows, l.Given("Includes", strings.Join(e.Brings, ", "), "Requires", strings.Join(e.Requires, ", "),
		"Skips", strings.Join(e.Skips, ", "))...)
	if link := upgrade.Link(e.Update); link != "" {
		rows = append(rows, l.Field("Details", output.Cell{Text: link, Style: l.Theme.Plain, Middle: true}))
	}
	return rows
}

// printChecks prints each check with its finding on the next line, which no column cuts.
func (u commands) printChecks(checks []finding.Finding) error {
	l := u.Out.Renderer()
	widest := 0
	for _, check := range checks {
		widest = max(widest, ansi.StringWidth(checkState(l, check).Text))
	}
	indent := strings.Repeat(" ", widest+output.Gap)
	for _, check := range checks {
		name := check.Title
		if check.Open() {
			name += " (--accept " + check.Accept + ")"
		}
		title := l.Line(l.Row(checkState(l, check), name), []int{widest, ansi.StringWidth(name)})
		if err := cmp.Or(u.Out.PrintLine(title), u.Out.PrintLine(indent+plain.Line(sentenceOf(check)))); err != nil {
			return err
		}
	}
	return nil
}

var statusOfCheck = map[finding.Strength]output.Status{
	finding.Passed: output.Good, finding.Caution: output.Warned, finding.Danger: output.Bad, finding.Block: output.Bad,
	finding.Later: output.Idle, finding.Note: output.Idle,
}

func checkState(l *output.Renderer, check finding.Finding) output.Cell {
	status := statusOfCheck[check.Strength]
	if check.Unread {
		status = output.Unknown
	}
	return l.StatusCell(status, check.State())
}
