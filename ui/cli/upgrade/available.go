package upgrade

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/output"
)

func (u commands) availableCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "available",
		Short: "List the releases and patches that the site offers, oldest first, and whether they apply",
		Args:  cobra.NoArgs,
		RunE:  u.OnSite(u.available),
	}
}

func (u commands) available(ctx context.Context, site operation.Site, _ string) error {
	offer, err := readOfferNow(ctx, site, "what the site offers")
	if err != nil {
		return err
	}
	if u.Out.JSON() {
		m := offer.Manifest
		return u.Out.PrintValue(manifestAsSent{Patches: rawUpdates(m.Patches), Releases: rawUpdates(m.Releases),
			Unknown: m.Unknown})
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
	return lists.Each(updates, func(u adminapi.Update) jsontext.Value { return u.Raw })
}

func (u commands) printChain(offer operation.Offer) error {
	if len(offer.Chain.Entries) == 0 {
		return u.Out.PrintLine("Installed: " + offer.Installed.FullVersion() + ". Nothing is offered.\n" +
			u.Session.Commands("Without internet, import a manifest: {command:upgrade import-manifest FILE}"))
	}
	columns := []string{"STATE", "ID", "VERSION", "TYPE", "RELEASED", "NEW LICENCE", "WHY"}
	err := output.PrintEach(u.Out, offer.Chain.Entries, columns, func(l *output.Renderer, e upgrade.Entry) []output.Cell {
		state, why := updateState(l, e.State), e.Reason
		if only, blocked := offer.Blocked(e); blocked {
			state, why = l.StatusCell(output.Bad, "blocked"), "only "+only+" can follow the run that failed"
		}
		return l.Row(state, e.ID, e.FullVersion(), updateType(e.Update), released(e.Released),
			yesNo(e.NewLicensesRequired), why)
	})
	lines := []string{"Installed: " + offer.Installed.FullVersion()}
	if id, why := offer.Recommend(); id != "" {
		lines = append(lines, "Recommended: "+plain.Line(id)+". "+why)
	} else if _, failed := offer.Failed(); failed {
		lines = append(lines, u.Session.Commands("The last upgrade failed. Find out why first: {command:upgrade explain}"))
	}
	return cmp.Or(err, u.Out.PrintLines(append(lines, linksOf(offer.Chain.Entries)...)...))
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
	statuses := map[upgrade.State]output.Status{upgrade.Applicable: output.Good, upgrade.RequiredFirst: output.Warned,
		upgrade.Broken:  output.Bad,
		upgrade.InPlace: output.Bare, upgrade.NotApplicable: output.Bare}
	return l.StatusCell(statuses[s], s.String())
}
