package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/output"
)

// upgradeOptions are the flags of the request for an upgrade.
type upgradeOptions struct {
	settings, licence, manifest string
	latest                      bool
	latestGiven                 bool
}

func (o *upgradeOptions) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&o.settings, "settings", "", "file with the filled-in settings; see: geodeck upgrade settings ID")
	set.StringVar(&o.licence, "license", "", "licence file, for the setting that asks for one")
	set.StringVar(&o.manifest, "manifest-file", "", "version manifest to send along, if the site has no internet access")
	set.BoolVar(&o.latest, "latest-patch", false, "install the latest patch as well, or with =false do not (default: the site decides)")
}

// maxSettings is the size of the largest settings file that is read, in bytes.
const maxSettings = 10 << 20

// upgradeRequest is an upgrade from the command line, and the offer that it is checked by.
type upgradeRequest struct {
	site  operation.Site
	offer operation.Offer
	entry upgrade.Entry
	ask   operation.UpgradeRequest
	// unread is why the settings could not be read. The pre-flight shows whether
	// the update does not fit.
	unread error
}

// targetOf finds what is to be installed.
func targetOf(site operation.Site, offer operation.Offer, id string, o upgradeOptions) (*upgradeRequest, error) {
	entry, err := entryOf(offer, id)
	if err != nil {
		return nil, err
	}
	ask := operation.UpgradeRequest{Target: entry.Update, ManifestPath: o.manifest}
	return &upgradeRequest{site: site, offer: offer, entry: entry, ask: ask}, nil
}

func (r *upgradeRequest) old() bool { return upgrade.StyleOf(r.ask.Target) == upgrade.Old }

// fill reads the settings that the site asks for, and answers them from the flags. A file
// that cannot be used is bad input.
func (r *upgradeRequest) fill(ctx context.Context, o upgradeOptions) error {
	if r.old() {
		return r.fillOld(o)
	}
	var err error
	r.ask.Settings, err = r.site.UpgradeSettings(ctx, r.ask.Target)
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, adminapi.KindSignIn)):
		return err
	case err != nil:
		r.unread = err
		return nil
	}
	if err := r.answer(o); err != nil {
		return badInput("Settings of the site: "+operation.CommandText("upgrade settings", r.ask.Target.ID), err)
	}
	return nil
}

// fillOld is fill for the old style, which has no settings.
func (r *upgradeRequest) fillOld(o upgradeOptions) error {
	if o.settings != "" {
		if err := r.answerFrom(o.settings); err != nil {
			return badInput("An upgrade to "+r.ask.Target.Version+" asks for no settings; it takes --license and --latest-patch.", err)
		}
	}
	if o.latestGiven {
		r.ask.LatestPatch = &o.latest
	}
	if r.ask.LicencePath = o.licence; o.licence == "" {
		return nil
	}
	if _, err := operation.ReadAnswerFile(o.licence, upgrade.LicenceField()); err != nil {
		return badInputf("--license: %w", err)
	}
	return nil
}

func (r *upgradeRequest) answer(o upgradeOptions) error {
	r.ask.Answers = upgrade.Answers{}
	if o.settings != "" {
		if err := r.answerFrom(o.settings); err != nil {
			return err
		}
	}
	if o.licence != "" {
		if err := r.answerLicence(o.licence); err != nil {
			return fmt.Errorf("--license: %w", err)
		}
	}
	if o.latestGiven {
		r.ask.Answers[upgrade.LatestPatchSetting] = upgrade.Answer{Bool: &o.latest}
	}
	return problemsOf(r.wrongAnswers())
}

// wrongAnswers are the problems of the given answers. The pre-flight shows missing ones.
func (r *upgradeRequest) wrongAnswers() []finding.Finding {
	problems := upgrade.Check(upgrade.Form(r.ask.Settings), r.ask.Answers)
	return slices.DeleteFunc(problems, func(problem finding.Finding) bool {
		_, answered := r.ask.Answers[problem.ID]
		return !answered
	})
}

// answerFrom takes the answers from a settings file.
func (r *upgradeRequest) answerFrom(path string) error {
	content, err := readUpTo(path, maxSettings)
	if err != nil {
		return fmt.Errorf("--settings: %w", err)
	}
	if bare := jsontext.Value(content); len(r.ask.Settings.Inputs) == 0 && bare.Compact() == nil && string(bare) == "{}" {
		return nil // as for an update that has no settings
	}
	answers, problems, err := upgrade.AnswersFrom(r.ask.Settings, content)
	if err != nil {
		return fmt.Errorf("--settings: %s: %w", plain.Line(path), err)
	}
	r.ask.Answers = answers
	return problemsOf(problems)
}

func (r *upgradeRequest) answerLicence(path string) error {
	field, wanted := upgrade.LicenceSetting(upgrade.Form(r.ask.Settings))
	if !wanted {
		return errors.New("the site asks for no licence with this upgrade")
	}
	if _, err := operation.ReadAnswerFile(path, field); err != nil {
		return err
	}
	r.ask.Answers[field.ID] = upgrade.Answer{Path: path}
	return nil
}

func problemsOf(problems []finding.Finding) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(each(problems, func(p finding.Finding) string { return p.Text }), " "))
}

// checks is the pre-flight: everything that is known before the upgrade.
func (r *upgradeRequest) checks(ctx context.Context) []finding.Finding {
	facts := r.site.UpgradeFacts(ctx, r.offer, r.ask)
	if r.unread != nil {
		facts.Settings = adminapi.Fact[adminapi.UpgradeSettings]{Err: r.unread}
	}
	return upgrade.Preflight(facts)
}

func (u upgradeCommands) planCommand() *cobra.Command {
	var o upgradeOptions
	cmd := &cobra.Command{
		Use:   "plan ID",
		Short: "Check an upgrade before it starts; exit 1 if something blocks it",
		Long: `Check an upgrade before it starts; exit 1 if something blocks it.

Without --settings and --license, settings that are not filled in do not block.`,
		Example: `  geodeck upgrade plan rel_11122025_7286
  geodeck upgrade plan rel_11122025_7286 --license licence.json -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.latestGiven = cmd.Flags().Changed("latest-patch")
			return u.plan(cmd.Context(), args[0], o)
		},
	}
	o.register(cmd)
	return cmd
}

// planJSON is what upgrade plan prints as JSON.
type planJSON struct {
	Target  jsontext.Value `json:"target"` // as the server or the file wrote it; null where it could not be read
	Chain   *chainPlace    `json:"chain"`  // null where it could not be read
	Checks  []checkJSON    `json:"checks"`
	Blocked bool           `json:"blocked"`
}

type checkJSON struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	State  string `json:"state"`
	Found  string `json:"finding"`
	Why    string `json:"why"`
	Do     string `json:"do"`
	Accept string `json:"accept,omitempty"`
}

func checksJSON(checks []finding.Finding) []checkJSON {
	return each(checks, func(c finding.Finding) checkJSON {
		return checkJSON{c.ID, c.Title, upgrade.CheckWord(c.Strength), c.Text, c.Why, c.Do, c.Accept}
	})
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

func (u upgradeCommands) plan(ctx context.Context, id string, o upgradeOptions) error {
	site, err := u.session.site(ctx)
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
func (u upgradeCommands) planWhileRunning(offer operation.Offer, id string) error {
	checks := upgrade.Preflight(upgrade.FactsWhileRunning(adminapi.Update{ID: id}, offer.Installed, adminapi.FactOf(u.session.clock().Now(), offer.Status, nil)))
	if u.out.JSON() {
		return cmp.Or(u.out.PrintValue(planJSON{Checks: checksJSON(checks), Blocked: true}), judgePlan(checks))
	}
	return cmp.Or(u.printRunning(checks), judgePlan(checks))
}

// printRunning prints what blocks, and counts the other checks in one line: a list of
// unknown ones would hide it.
func (u upgradeCommands) printRunning(checks []finding.Finding) error {
	known := finding.Those(checks, finding.Finding.Blocks)
	return cmp.Or(u.printChecks(known),
		u.out.PrintLine(fmt.Sprintf("The other %d checks are not made while an upgrade is running.", len(checks)-len(known))))
}

func judgePlan(checks []finding.Finding) error {
	if finding.Blocked(checks) {
		return notPassed("", "the upgrade is blocked: "+strings.Join(blockers(checks), " "))
	}
	return nil
}

// blockers are the sentences of the checks that block, each with what to do.
func blockers(checks []finding.Finding) []string {
	var found []string
	for _, check := range finding.Those(checks, finding.Finding.Blocks) {
		found = append(found, sentenceOf(check))
	}
	return found
}

// sentenceOf is what a check found, and what to do.
func sentenceOf(check finding.Finding) string {
	return strings.TrimSpace(check.Text + " " + check.Do)
}

func (u upgradeCommands) printPlan(r *upgradeRequest, checks []finding.Finding) error {
	if u.out.JSON() {
		e := r.entry
		return u.out.PrintValue(planJSON{
			Target: e.Raw, Checks: checksJSON(checks), Blocked: finding.Blocked(checks),
			Chain: &chainPlace{State: e.State, Reason: e.Reason, Depth: e.Depth, Base: e.Base,
				Brings: e.Brings, Requires: e.Requires, Skips: e.Skips},
		})
	}
	noted := finding.Those(checks, finding.Finding.InTheWay)
	rest := slices.DeleteFunc(slices.Clone(checks), finding.Finding.InTheWay)
	err := cmp.Or(u.out.PrintLine(upgrade.PreflightVerdict(checks)), u.printChecks(noted))
	if warnings := finding.Those(checks, finding.Finding.Open); len(warnings) > 0 && !finding.Blocked(checks) {
		err = cmp.Or(err, u.out.PrintLine("To start all the same, "+acceptAdvice(warnings)))
	}
	return cmp.Or(err, u.out.PrintLine(""), u.out.PrintRows(u.planHead(r)), u.out.PrintLine(""), u.printChecks(rest))
}

func (u upgradeCommands) planHead(r *upgradeRequest) [][]output.Cell {
	l, e := u.out.Renderer(), r.entry
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
func (u upgradeCommands) printChecks(checks []finding.Finding) error {
	l := u.out.Renderer()
	widest := 0
	for _, check := range checks {
		widest = max(widest, ansi.StringWidth(checkState(l, check.Strength).Text))
	}
	indent := strings.Repeat(" ", widest+output.Gap)
	for _, check := range checks {
		row := l.Row(checkState(l, check.Strength), check.Title)
		title := l.Line(row, []int{widest, ansi.StringWidth(check.Title)})
		if err := cmp.Or(u.out.PrintLine(title), u.out.PrintLine(indent+plain.Line(sentenceOf(check)))); err != nil {
			return err
		}
	}
	return nil
}

var statusOfCheck = map[finding.Strength]output.Status{
	finding.Passed: output.Good, finding.Caution: output.Warned, finding.Danger: output.Warned, finding.Block: output.Bad, finding.Later: output.Idle, finding.Note: output.Idle,
}

func checkState(l *output.Renderer, s finding.Strength) output.Cell {
	return l.StatusCell(statusOfCheck[s], upgrade.CheckWord(s))
}
