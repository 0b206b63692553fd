package cli

import (
	"fmt"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
)

// plannedRequest is a request that was not sent, as JSON.
type plannedRequest struct {
	Sentence string          `json:"sentence"`
	Parts    []upgrade.Shown `json:"parts"`
}

// printRequest prints what would be sent, secrets masked.
func (p *program) printRequest(a *askedUpgrade) error {
	parts, err := a.site.PlanUpgradeParts(a.ask)
	if err != nil {
		return badInput("", err)
	}
	shown := upgrade.Describe(parts)
	sentence := a.ask.Sentence(a.offer)
	if p.json() {
		return p.printValue(plannedRequest{Sentence: sentence, Parts: shown})
	}
	if err := p.say(plain.Line(sentence)); err != nil {
		return err
	}
	for _, part := range shown {
		if err := p.say("\n" + partTitle(part)); err != nil {
			return err
		}
		if err := p.say("  " + strings.ReplaceAll(part.Text, "\n", "\n  ")); err != nil {
			return err
		}
	}
	return nil
}

// partTitle names a part; sizes are told of files only, since ids of uploads are
// still to come.
func partTitle(part upgrade.Shown) string {
	if part.FileName == "" {
		return part.Name
	}
	return fmt.Sprintf("%s: file %s, %d bytes", part.Name, part.FileName, part.Size)
}
