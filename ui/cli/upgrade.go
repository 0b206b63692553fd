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
	"geodeck/adminapi/operation/watching"
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

// upgradeCommand makes "geodeck upgrade".
func upgradeCommand(s shared, alarms *alarms, nodes *nodes) *cobra.Command {
	u := upgradeCommands{s, alarms, nodes}
	return group("upgrade", "See what can be installed, check it, start it, roll a patch back",
		u.availableCommand(), u.planCommand(), u.settingsCommand(), u.startCommand(),
		u.watchCommand(), u.evidenceCommand(), u.transcriptsCommand(), u.statusCommand(), u.explainCommand(),
		verb("history", "List what is installed, and past upgrades and rollbacks", cobra.NoArgs, u.onSite(u.history)),
		u.rollbackCommand(), u.importCommand())
}

// kindUpgradeRuns is the kind of an error whose reason is an upgrade that runs.
var kindUpgradeRuns = adminapi.KindBusy.String()

const adviceStatus = "See its progress: {command:upgrade status}"

// upgradeRuns refuses what cannot be done or read while an upgrade is running.
func upgradeRuns(why string) error {
	return refusal(kindUpgradeRuns, adviceStatus, errors.New(why))
}

// requireNoUpgrade fails while an upgrade is running: the resources below the Upgrades
// resource are not read then.
func requireNoUpgrade(ctx context.Context, site operation.Site, what string) error {
	status, err := site.Client.Upgrades.Status(ctx)
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
		return operation.Offer{}, badInputf("--manifest-file: %w", err)
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
		RunE:       u.onSite(u.available),
	}
}

func (u upgradeCommands) available(ctx context.Context, site operation.Site, _ string) error {
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
	return each(updates, func(u adminapi.Update) jsontext.Value { return u.Raw })
}

func (u upgradeCommands) printChain(offer operation.Offer) error {
	if len(offer.Chain.Entries) == 0 {
		return u.out.PrintLine("Installed: " + offer.Installed.FullVersion() + ". Nothing is offered.\n" +
			u.session.commands("Without internet, import a manifest: {command:upgrade import-manifest FILE}"))
	}
	columns := []string{"STATE", "ID", "VERSION", "TYPE", "RELEASED", "NEW LICENCE", "WHY"}
	err := output.PrintEach(u.out, offer.Chain.Entries, columns, func(l *output.Renderer, e upgrade.Entry) []output.Cell {
		return l.Row(updateState(l, e.State), e.ID, e.FullVersion(), updateType(e.Update), released(e.Released),
			yesNo(e.NewLicensesRequired), e.Reason)
	})
	lines := []string{"Installed: " + offer.Installed.FullVersion()}
	if id, why := offer.Recommend(); id != "" {
		lines = append(lines, "Recommended: "+plain.Line(id)+". "+why)
	} else if _, failed := offer.Failed(); failed {
		lines = append(lines, u.session.commands("The last upgrade failed. Find out why first: {command:upgrade explain}"))
	}
	return cmp.Or(err, u.out.PrintLines(append(lines, linksOf(offer.Chain.Entries)...)...))
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
		RunE: u.onSite(u.status),
	}
}

func (u upgradeCommands) status(ctx context.Context, site operation.Site, _ string) error {
	status, err := site.Client.Upgrades.Status(ctx)
	if err != nil {
		return err
	}
	var left *estimateJSON
	site.Memory.Journal, _ = u.session.record() // without earlier runs the rate of this one is enough
	if now := watching.UpgradeNow(site, status); now.Meaning == progress.StateRunning {
		if left = estimateOf(now); now.Confirmed != "" {
			u.out.Note("warning: " + now.Elsewhere())
		}
	}
	if u.out.JSON() {
		return cmp.Or(u.out.PrintValue(statusNow{status, left}), judgeStatus(status))
	}
	return cmp.Or(u.printStatus(status, left), judgeStatus(status))
}

const adviceFailed = "See why, and what to do now: {command:upgrade explain}"

// judgeStatus is the error of the command: an unknown state is no success.
func judgeStatus(status adminapi.UpgradeStatus) error {
	switch progress.StateOf(status) {
	case progress.StateFailed:
		return notPassed(adviceFailed, "the upgrade has failed"+joined(", and stopped in ", progress.OpenPhase(status)))
	case progress.StateUnknown:
		return notPassed("Check in a minute: {command:upgrade status}",
			"its state does not show whether the upgrade has ended")
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
func estimateOf(r watching.Snapshot) *estimateJSON {
	left, ok := r.Estimate()
	if !ok {
		return nil
	}
	return &estimateJSON{int(left.Left.Seconds()), left.Late, left.String(), left.Basis()}
}

func (u upgradeCommands) printStatus(status adminapi.UpgradeStatus, left *estimateJSON) error {
	l := u.out.Renderer()
	row := l.Field("State", upgradeState(l, progress.StateOf(status)), status.State, "code "+strconv.Itoa(status.Code))
	if row[2].Text == row[1].Text { // the state in the words of the site
		row = slices.Delete(row, 2, 3)
	}
	head := [][]output.Cell{row}
	if left != nil {
		head = append(head, l.Fields("Estimate", left.Text+" ("+left.Basis+")")...)
	}
	err := u.out.PrintRows(head)
	if len(status.Messages) == 0 {
		return err
	}
	return cmp.Or(err, u.out.PrintLine(""),
		output.PrintEach(u.out, status.Messages, []string{"WHEN", "CODE", "MESSAGE"}, messageRow))
}

// pastUpgrades is what upgrade history prints as JSON: objects of the server.
type pastUpgrades struct {
	Installed []jsontext.Value `json:"installed"`
	History   []jsontext.Value `json:"history"`
}

func (u upgradeCommands) history(ctx context.Context, site operation.Site, _ string) error {
	if err := requireNoUpgrade(ctx, site, "the history can be read when it has ended"); err != nil {
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
	if !u.out.JSON() {
		return u.printHistory(installed, history)
	}
	past := each(history, func(e adminapi.HistoryEntry) jsontext.Value { return e.Raw })
	return u.out.PrintValue(pastUpgrades{rawUpdates(installed), past})
}

func (u upgradeCommands) printHistory(installed []adminapi.Update, history []adminapi.HistoryEntry) error {
	err := output.PrintEach(u.out, installed, []string{"INSTALLED", "VERSION", "TYPE", "NAME"},
		func(l *output.Renderer, u adminapi.Update) []output.Cell {
			return l.Row(u.ID, u.FullVersion(), updateType(u), u.Name)
		})
	err = cmp.Or(err, u.out.PrintLine(""))
	if len(history) == 0 {
		return cmp.Or(err, u.out.PrintLine("The site knows of no earlier upgrade."))
	}
	columns := []string{"STARTED", "TOOK", "WHAT", "FROM", "TO", "RESULT", "USER", "ID"}
	return cmp.Or(err, output.PrintEach(u.out, history, columns, func(l *output.Renderer, e adminapi.HistoryEntry) []output.Cell {
		return l.Row(output.FormatTime(e.Start.Time()), output.FormatDuration(e.Start, e.End), e.Type,
			e.PreviousVersion, e.Version, cmp.Or(e.Result, e.State), e.User, cmp.Or(e.ID, e.Name))
	}))
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
		RunE:    u.onSite(u.settings),
	}
}

func (u upgradeCommands) settings(ctx context.Context, site operation.Site, id string) error {
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
		RunE:    runsOn(u.importManifest),
	}
	return u.addOverride(cmd, "the name of its file")
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
	site, err := u.session.siteToWrite(ctx)
	if err != nil {
		return err
	}
	if err := u.session.maySend(ctx, site, adminapi.TargetSite); err != nil {
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
	return u.out.PrintLine("imported: " + plain.Plural(len(manifest.Releases), "release") + " and " + plain.Plural(len(manifest.Patches), "patch") + u.session.commands("; see: {command:upgrade available}"))
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
