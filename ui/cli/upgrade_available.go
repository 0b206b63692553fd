package cli

import (
	"context"

	"github.com/charmbracelet/lipgloss"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
)

func (p *program) upgradeAvailableCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "available",
		Short: "List the releases and patches that the site offers, oldest first, and whether they apply",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.upgradeAvailable(cmd.Context()) },
	}
}

func (p *program) upgradeAvailable(ctx context.Context) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	offer, err := offeredNow(ctx, site, "what the site offers")
	if err != nil {
		return err
	}
	if p.json() {
		return p.printValue(rawManifest(offer.Manifest))
	}
	return p.printChain(offer)
}

// manifestAsSent is a manifest with every update as the server wrote it.
type manifestAsSent struct {
	Patches  []jsontext.Value `json:"patches"`
	Releases []jsontext.Value `json:"releases"`
	Unknown  adminapi.Unknown `json:",embed"`
}

func rawManifest(m adminapi.Manifest) manifestAsSent {
	return manifestAsSent{Patches: rawUpdates(m.Patches), Releases: rawUpdates(m.Releases), Unknown: m.Unknown}
}

func rawUpdates(updates []adminapi.Update) []jsontext.Value {
	raw := make([]jsontext.Value, len(updates))
	for i, u := range updates {
		raw[i] = u.Raw
	}
	return raw
}

func (p *program) printChain(offer operation.Offer) error {
	if len(offer.Chain.Entries) == 0 {
		return p.say("This site runs " + offer.Installed.FullVersion() + ", and nothing is offered.\n" +
			"A site without internet takes its updates from a file: geodeck upgrade import-manifest FILE")
	}
	l := p.appearance()
	rows := make([][]cell, len(offer.Chain.Entries))
	for i, e := range offer.Chain.Entries {
		rows[i] = l.words("", e.ID, e.FullVersion(), updateType(e.Update), yesNo(e.NewLicensesRequired), e.Reason)
		rows[i][0] = l.updateState(e.State)
	}
	if err := p.printTable([]string{"STATE", "ID", "VERSION", "TYPE", "NEW LICENCE", "WHY"}, rows); err != nil {
		return err
	}
	return p.say("Installed: " + offer.Installed.FullVersion())
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

func (l *look) updateState(s upgrade.State) cell {
	glyph, style := l.theme.Glyphs.Unknown, l.theme.Unknown
	switch s {
	case upgrade.Applicable:
		glyph, style = l.theme.Glyphs.Pass, l.theme.OK
	case upgrade.RequiredFirst:
		glyph, style = l.theme.Glyphs.Warn, l.theme.Warn
	case upgrade.Broken:
		glyph, style = l.theme.Glyphs.Fail, l.theme.Fail
	case upgrade.InPlace, upgrade.NotApplicable:
		glyph, style = " ", l.theme.Plain
	}
	return l.state(glyph, s.String(), style)
}

// state is a word behind its glyph, where glyphs are drawn.
func (l *look) state(glyph, word string, style lipgloss.Style) cell {
	return cell{text: l.marked(glyph, word), style: style}
}
