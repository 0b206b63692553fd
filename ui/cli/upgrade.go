package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/cli/output"
)

// upgradeCommands are the commands of "geodeck upgrade".
type upgradeCommands struct {
	shared
	alarms *alarms
	nodes  *nodes // for explanations
}

func (u upgradeCommands) command() *cobra.Command {
	return group("upgrade", "See what can be installed, check it, start it, roll a patch back",
		u.availableCommand(), u.planCommand(), u.settingsCommand(), u.startCommand(),
		u.watchCommand(), u.evidenceCommand(), u.transcriptsCommand(), u.statusCommand(), u.explainCommand(), u.historyCommand(), u.rollbackCommand(), u.importCommand())
}

// kindUpgradeRuns is the kind of an error whose reason is an upgrade that runs.
var kindUpgradeRuns = adminapi.KindBusy.String()

const adviceStatus = "See its progress: {command:upgrade status}"

// upgradeRuns refuses what cannot be done or read while an upgrade is running.
func upgradeRuns(why string) error {
	return &failure{code: exitRefused, kind: kindUpgradeRuns, err: errors.New(why), advice: adviceStatus}
}

// requireNoUpgrade fails while an upgrade is running: the resources below the Upgrades
// resource are not read then.
func requireNoUpgrade(ctx context.Context, site operation.Site, what string) error {
	status, err := site.Client.UpgradeStatus(ctx)
	if err == nil && progress.Runs(status) {
		err = upgradeRuns("an upgrade is running; " + what)
	}
	return err
}

// readOffer reads what can be installed, including what a manifest file offers if one is
// given. A running upgrade is no error here.
func readOffer(ctx context.Context, site operation.Site, manifestPath string) (operation.Offer, error) {
	if manifestPath == "" {
		return site.Offers(ctx)
	}
	_, file, err := operation.ReadManifestFile(manifestPath)
	if err != nil {
		return operation.Offer{}, badInput("", fmt.Errorf("--manifest-file: %w", err))
	}
	offer, err := site.Offers(ctx)
	if err != nil || offer.Running() {
		return offer, err
	}
	return offer.WithManifest(file), nil
}

// readOfferNow is readOffer for what cannot be read while an upgrade is running.
func readOfferNow(ctx context.Context, site operation.Site, what string) (operation.Offer, error) {
	offer, err := site.Offers(ctx)
	if err == nil && offer.Running() {
		err = upgradeRuns("an upgrade is running; " + what + " can be read when it has ended")
	}
	return offer, err
}

// entryOf finds an offered update.
func entryOf(offer operation.Offer, id string) (upgrade.Entry, error) {
	entry, found := offer.Chain.Find(id)
	if !found {
		return entry, badInput("Available updates: {command:upgrade available}",
			fmt.Errorf("no update with the id %q is offered", plain.Clip(id, 100)))
	}
	return entry, nil
}

func (u upgradeCommands) availableCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "available",
		SuggestFor: []string{"list"},
		Short:      "List the releases and patches that the site offers, oldest first, and whether they apply",
		Args:       cobra.NoArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return u.available(cmd.Context()) },
	}
}

func (u upgradeCommands) available(ctx context.Context) error {
	site, err := u.conn.site()
	if err != nil {
		return err
	}
	offer, err := readOfferNow(ctx, site, "what the site offers")
	if err != nil {
		return err
	}
	if u.out.JSON() {
		m := offer.Manifest
		return u.out.PrintValue(manifestAsSent{Patches: rawUpdates(m.Patches), Releases: rawUpdates(m.Releases), Unknown: m.Unknown})
	}
	return u.printChain(offer)
}

// manifestAsSent is a manifest with every update as the server wrote it.
type manifestAsSent struct {
	Patches  []jsontext.Value `json:"patches"`
	Releases []jsontext.Value `json:"releases"`
	Unknown  adminapi.Unknown `json:",embed"`
}

func rawUpdates(updates []adminapi.Update) []jsontext.Value {
	raw := make([]jsontext.Value, len(updates))
	for i, u := range updates {
		raw[i] = u.Raw
	}
	return raw
}

func (u upgradeCommands) printChain(offer operation.Offer) error {
	if len(offer.Chain.Entries) == 0 {
		return u.out.PrintLine("Installed: " + offer.Installed.FullVersion() + ". Nothing is offered.\n" +
			u.conn.commands("Without internet, import a manifest: {command:upgrade import-manifest FILE}"))
	}
	l := u.out.Renderer()
	rows := make([][]output.Cell, len(offer.Chain.Entries))
	for i, e := range offer.Chain.Entries {
		rows[i] = l.Row("", e.ID, e.FullVersion(), updateType(e.Update), released(e.Released), yesNo(e.NewLicensesRequired), e.Reason)
		rows[i][0] = updateState(l, e.State)
	}
	if err := u.out.PrintTable([]string{"STATE", "ID", "VERSION", "TYPE", "RELEASED", "NEW LICENCE", "WHY"}, rows); err != nil {
		return err
	}
	lines := []string{"Installed: " + offer.Installed.FullVersion()}
	if id, why := offer.Recommend(); id != "" {
		lines = append(lines, "Recommended: "+plain.Line(id)+". "+why)
	} else if _, failed := offer.Failed(); failed {
		lines = append(lines, u.conn.commands("The last upgrade failed. Find out why first: {command:upgrade explain}"))
	}
	return u.out.PrintLines(append(lines, linksOf(offer.Chain.Entries)...)...)
}

// released is the day of a release, empty where it is not known.
func released(at adminapi.Millis) string {
	if at.IsZero() {
		return ""
	}
	return at.Time().UTC().Format(time.DateOnly)
}

// maxLinks bounds the addresses below a table.
const maxLinks = 20

// linksOf are the addresses of more about updates, each with the versions that it is about.
func linksOf(entries []upgrade.Entry) (lines []string) {
	versions, links := map[string][]string{}, []string{}
	for _, e := range entries {
		link := upgrade.Link(e.Update)
		if link == "" {
			continue
		}
		if versions[link] == nil {
			links = append(links, link)
		}
		versions[link] = append(versions[link], plain.Line(e.FullVersion()))
	}
	for _, link := range links[:min(len(links), maxLinks)] {
		about := versions[link]
		if more := len(about) - maxLinks; more > 0 {
			about = append(about[:maxLinks:maxLinks], "and "+strconv.Itoa(more)+" more")
		}
		lines = append(lines, "Details of "+strings.Join(about, ", ")+": "+link)
	}
	if more := len(links) - maxLinks; more > 0 {
		lines = append(lines, "and "+plain.Plural(more, "other link")+" with -o json")
	}
	return lines
}

func updateType(u adminapi.Update) string {
	if upgrade.IsRelease(u) {
		return adminapi.TypeRelease
	}
	return adminapi.TypePatch
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func updateState(l *output.Renderer, s upgrade.State) output.Cell {
	statuses := map[upgrade.State]output.Status{upgrade.Applicable: output.Good, upgrade.RequiredFirst: output.Warned, upgrade.Broken: output.Bad,
		upgrade.InPlace: output.Bare, upgrade.NotApplicable: output.Bare}
	return l.StatusCell(statuses[s], s.String())
}

func (u upgradeCommands) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print the state and the messages of the running upgrade, or of the last one",
		Long: `Print the state and the messages of the running upgrade, or of the last one, and how
long it still takes. -o json prints {"status","estimate":{"leftSeconds","late","text","basis"}}.

Exit codes: 0 the site shows no upgrade, one is running, or the last one succeeded; 1 it
failed, or its state is not known.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return u.status(cmd.Context()) },
	}
}

func (u upgradeCommands) status(ctx context.Context) error {
	site, err := u.conn.site()
	if err != nil {
		return err
	}
	status, err := site.Client.UpgradeStatus(ctx)
	if err != nil {
		return err
	}
	var left *estimateJSON
	site.Journal, _ = u.conn.record() // without earlier runs the rate of this one is enough
	if now := site.UpgradeNow(status); now.Meaning == progress.StateRunning {
		if left = estimateOf(now); now.Confirmed != "" {
			u.out.Note("warning: " + now.Elsewhere())
		}
	}
	if u.out.JSON() {
		err = u.out.PrintValue(statusNow{status, left})
	} else {
		err = u.printStatus(status, left)
	}
	if err != nil {
		return err
	}
	return judgeStatus(status)
}

const adviceFailed = "See why, and what to do now: {command:upgrade explain}"

// judgeStatus is the error of the command: an unknown state is no success.
func judgeStatus(status adminapi.UpgradeStatus) error {
	switch progress.StateOf(status) {
	case progress.StateFailed:
		return &failure{code: exitFailed, kind: "failed", err: errors.New("the upgrade has failed" + joined(", and stopped in ", progress.OpenPhase(status))), advice: adviceFailed}
	case progress.StateUnknown:
		return &failure{code: exitFailed, kind: "failed", err: errors.New("its state does not show whether the upgrade has ended"),
			advice: "Check in a minute: {command:upgrade status}"}
	}
	return nil
}

// statusNow is what upgrade status prints as JSON.
type statusNow struct {
	Status   adminapi.UpgradeStatus `json:"status"`
	Estimate *estimateJSON          `json:"estimate"` // null where there is none
}

// estimateJSON is how long an upgrade still takes, and how that was found out.
type estimateJSON struct {
	LeftSeconds int    `json:"leftSeconds"` // 0 where late
	Late        bool   `json:"late"`
	Text        string `json:"text"`
	Basis       string `json:"basis"`
}

// estimateOf returns the estimate of a run as on the screen, nil for none.
func estimateOf(r operation.UpgradeSnapshot) *estimateJSON {
	left, ok := r.Estimate()
	if !ok {
		return nil
	}
	return &estimateJSON{int(left.Left.Seconds()), left.Late, left.String(), left.Basis()}
}

func (u upgradeCommands) printStatus(status adminapi.UpgradeStatus, left *estimateJSON) error {
	l := u.out.Renderer()
	row := l.Row("State", "", status.State, "code "+strconv.Itoa(status.Code))
	row[0].Style = l.Theme.Label
	row[1] = upgradeState(l, progress.StateOf(status))
	if row[2].Text == row[1].Text { // the state in the words of the site
		row = slices.Delete(row, 2, 3)
	}
	head := [][]output.Cell{row}
	if left != nil {
		head = append(head, l.Fields("Estimate", left.Text+" ("+left.Basis+")")...)
	}
	if err := u.out.PrintRows(head); err != nil || len(status.Messages) == 0 {
		return err
	}
	rows := make([][]output.Cell, len(status.Messages))
	for i, m := range status.Messages {
		rows[i] = l.Row(output.FormatTime(m.When.Time()), strconv.Itoa(m.Code), progress.LineOf(m))
	}
	if err := u.out.PrintLine(""); err != nil {
		return err
	}
	return u.out.PrintTable([]string{"WHEN", "CODE", "MESSAGE"}, rows)
}

func (u upgradeCommands) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history",
		Short: "List what is installed, and past upgrades and rollbacks",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return u.history(cmd.Context()) },
	}
}

// pastUpgrades is what upgrade history prints as JSON: objects of the server.
type pastUpgrades struct {
	Installed []jsontext.Value `json:"installed"`
	History   []jsontext.Value `json:"history"`
}

func (u upgradeCommands) history(ctx context.Context) error {
	site, err := u.conn.site()
	if err != nil {
		return err
	}
	if err := requireNoUpgrade(ctx, site, "the history can be read when it has ended"); err != nil {
		return err
	}
	installed, err := site.Client.Installed(ctx)
	if err != nil {
		return err
	}
	history, err := site.Client.UpgradeHistory(ctx)
	if err != nil {
		return err
	}
	if !u.out.JSON() {
		return u.printHistory(installed, history)
	}
	past := pastUpgrades{Installed: rawUpdates(installed), History: make([]jsontext.Value, len(history))}
	for i, entry := range history {
		past.History[i] = entry.Raw
	}
	return u.out.PrintValue(past)
}

func (u upgradeCommands) printHistory(installed []adminapi.Update, history []adminapi.HistoryEntry) error {
	l := u.out.Renderer()
	rows := make([][]output.Cell, len(installed))
	for i, u := range installed {
		rows[i] = l.Row(u.ID, u.FullVersion(), updateType(u), u.Name)
	}
	if err := u.out.PrintTable([]string{"INSTALLED", "VERSION", "TYPE", "NAME"}, rows); err != nil {
		return err
	}
	if err := u.out.PrintLine(""); err != nil {
		return err
	}
	if len(history) == 0 {
		return u.out.PrintLine("The site knows of no earlier upgrade.")
	}
	past := make([][]output.Cell, len(history))
	for i, e := range history {
		past[i] = l.Row(output.FormatTime(e.Start.Time()), output.FormatDuration(e.Start, e.End), e.Type, e.PreviousVersion, e.Version,
			cmp.Or(e.Result, e.State), e.User, cmp.Or(e.ID, e.Name))
	}
	return u.out.PrintTable([]string{"STARTED", "TOOK", "WHAT", "FROM", "TO", "RESULT", "USER", "ID"}, past)
}

func (u upgradeCommands) settingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "settings ID",
		Short: "Print the settings that the site asks for before an upgrade, as JSON to fill in",
		Long: `Print the settings that the site asks for before an upgrade, as JSON to fill in.

Change the "value" of settings, then: geodeck upgrade start ID --settings FILE. You need
not fill in the licence: give its file with --license.`,
		Example: "  geodeck upgrade settings rel_11122025_7286 > settings.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return u.settings(cmd.Context(), args[0]) },
	}
}

func (u upgradeCommands) settings(ctx context.Context, id string) error {
	site, err := u.conn.site()
	if err != nil {
		return err
	}
	offer, err := readOfferNow(ctx, site, "settings")
	if err != nil {
		return err
	}
	entry, err := entryOf(offer, id)
	if err != nil {
		return err
	}
	if upgrade.StyleOf(entry.Update) == upgrade.Old {
		u.out.Note("an upgrade to " + entry.Version + " has no settings to fill in: it takes --license and --latest-patch")
		return u.out.PrintEditable(jsontext.Value("{}"))
	}
	settings, err := site.UpgradeSettings(ctx, entry.Update)
	if err != nil {
		return err
	}
	return u.out.PrintEditable(settings.Raw)
}

func (u upgradeCommands) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "import-manifest FILE",
		Short:   "Import a version manifest to a site without internet access",
		Example: "  geodeck upgrade import-manifest version_manifest.dat",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return u.importManifest(cmd.Context(), args[0]) },
	}
	return u.conn.addOverride(cmd, "the name of its file")
}

// importedManifest is what upgrade import-manifest prints as JSON.
type importedManifest struct {
	Status       string `json:"status"` // the API's own word
	PatchCount   int    `json:"patchCount"`
	ReleaseCount int    `json:"releaseCount"`
}

func (u upgradeCommands) importManifest(ctx context.Context, path string) error {
	_, file, err := operation.ReadManifestFile(path)
	if err != nil {
		return badInput("", err)
	}
	site, err := u.conn.siteToWrite()
	if err != nil {
		return err
	}
	if err := u.conn.maySend(ctx, site, adminapi.TargetSite); err != nil {
		return err
	}
	if err := requireNoUpgrade(ctx, site, "no manifest can be imported meanwhile"); err != nil {
		return err
	}
	u.noteProblems(ctx, site, file)
	answer := loss{note: u.out.Note}
	manifest, result := site.ImportManifest(ctx, operation.ManifestImport(path), answer.lost)
	switch {
	case result.Refused() && errors.Is(result.Err, adminapi.KindBusy):
		return refusedUpgrade(u.exit, result.Err)
	case !result.Done():
		return u.exit.of(result)
	}
	answer.found()
	if u.out.JSON() {
		return u.out.PrintValue(importedManifest{Status: "success", PatchCount: len(manifest.Patches), ReleaseCount: len(manifest.Releases)})
	}
	return u.out.PrintLine("imported: " + plain.Plural(len(manifest.Releases), "release") + " and " + plain.Plural(len(manifest.Patches), "patch") + u.conn.commands("; see: {command:upgrade available}"))
}

// noteProblems warns of a manifest that contradicts itself; the site decides whether to
// accept it.
func (u upgradeCommands) noteProblems(ctx context.Context, site operation.Site, file adminapi.Manifest) {
	offer, err := site.Offers(ctx)
	if err != nil {
		return
	}
	if problems := upgrade.Plan(file, offer.Installed).Problems; len(problems) > 0 {
		u.out.Note("warning: the manifest contradicts itself in " + plain.Plural(len(problems), "place") + ", first: " + problems[0].Text)
	}
}
