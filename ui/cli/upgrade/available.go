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
	offer, err := readOfferNow(ctx, site, "", "what the site offers")
	if err != nil {
		return err
	}
	if u.Out.JSON() {
		return output.PrintList(u.Out, lists.Each(offer.Chain.Entries, func(e upgrade.Entry) offeredJSON {
			return offeredJSON{placeOf(offer, e), updateOf(e.Update)}
		}))
	}
	return u.printChain(offer)
}

// updateJSON is a release or a patch.
type updateJSON struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Type       string         `json:"type"`    // release or patch
	Version    string         `json:"version"` // with its build
	Released   *time.Time     `json:"released"`
	NewLicence *bool          `json:"newLicensesRequired"` // null where the update does not say
	Raw        jsontext.Value `json:"raw"`                 // as the site or the file wrote it
}

func updateOf(u adminapi.Update) updateJSON {
	return updateJSON{u.ID, u.Name, updateType(u), u.FullVersion(), u.Released.Moment(), u.NewLicensesRequired, u.Raw}
}

// offeredJSON is an update that the site offers, after its place among the others.
type offeredJSON struct {
	upgrade.Place
	updateJSON
}

// placeOf is the place of an update, blocked where a run that failed keeps it from being started.
func placeOf(offer operation.Offer, e upgrade.Entry) upgrade.Place {
	if only, blocked := offer.Blocked(e); blocked {
		e.State, e.Reason = upgrade.Blocked, "only "+only+" can follow the run that failed"
	}
	return e.Place
}

func (u commands) printChain(offer operation.Offer) error {
	if len(offer.Chain.Entries) == 0 {
		return u.Out.PrintLine("Installed: " + offer.Installed.FullVersion() + ". Nothing is offered.\n" +
			u.Session.Commands("Without internet, import a manifest: {command:upgrade import-manifest FILE}"))
	}
	columns := []string{"STATE", "ID", "VERSION", "TYPE", "RELEASED", "NEW LICENCE", "WHY"}
	err := output.PrintEach(u.Out, offer.Chain.Entries, columns, func(l *output.Renderer, e upgrade.Entry) []output.Cell {
		place := placeOf(offer, e)
		return l.Row(updateState(l, place.State), e.ID, e.FullVersion(), updateType(e.Update), released(e.Released),
			said(e.NewLicensesRequired), place.Reason)
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

// said is what an update says, which may be nothing.
func said(yes *bool) string {
	switch {
	case yes == nil:
		return "not said"
	case *yes:
		return "yes"
	}
	return "no"
}

func updateState(l *output.Renderer, s upgrade.State) output.Cell {
	statuses := map[upgrade.State]output.Status{upgrade.Applicable: output.Good, upgrade.RequiredFirst: output.Warned,
		upgrade.Broken: output.Bad, upgrade.Blocked: output.Bad,
		upgrade.InPlace: output.Bare, upgrade.NotApplicable: output.Bare}
	return l.StatusCell(statuses[s], s.String())
}
