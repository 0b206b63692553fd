package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// compare keeps which containers the update itself changes, or all that the patches name which are
// removed.
func (c *change) compare() {
	c.cache = views.Drawn[told, []string]{}
	if c.ask.Rollback != nil {
		c.containers = c.offer.Installed.Changes(c.ask.Rollback.Containers())
		return
	}
	c.containers = slices.DeleteFunc(c.offer.Installed.Changes(c.ask.Target.Containers), func(container upgrade.ContainerChange) bool {
		return container.Change == upgrade.Same
	})
}

// effects says what the change does.
func (c *change) effects() []upgrade.Effect {
	effects := c.ask.Effects(c.offer, c.facts.Files)
	for i, e := range effects {
		effects[i].Text = c.moreAbout(e)
	}
	return effects
}

// moreAbout completes an effect by what only this site and this machine know.
func (c *change) moreAbout(e upgrade.Effect) string {
	switch e.Name {
	case upgrade.EffectReadOnly:
		if c.facts.Mode.Value.ReadOnly {
			return "It is read-only already, and stays so while it runs."
		}
		if c.usual.ReadOnly > 0 {
			text := "While it runs. Earlier runs: " + adminapi.FormatCoarse(c.usual.ReadOnly)
			if c.usual.Deployments > 0 {
				text += ", for " + plain.Plural(c.usual.Deployments, "deployment")
			}
			return text + "."
		}
		if lasted, kind := progress.LastReadOnly(c.facts.Status.Value); lasted > 0 && kind != "" {
			return "While it runs. The last " + string(kind) + ": " + adminapi.FormatCoarse(lasted) + "."
		}
		return "While it runs; how long is unknown."
	}
	return e.Text
}

// settings says how the settings are answered that the effects do not tell.
func (c *change) settings() (list []upgrade.Effect) {
	if c.ask.Rollback != nil {
		return nil
	}
	fields := upgrade.Form(c.ask.Settings)
	licence, _ := upgrade.LicenceSetting(fields)
	for _, f := range fields {
		answer, text := c.ask.Answers[f.ID], ""
		switch {
		case f.ID == licence.ID || f.ID == upgrade.LatestPatchSetting && upgrade.IsRelease(c.ask.Target):
			continue
		case f.Kind == upgrade.File:
			text = cmp.Or(c.ask.FileOf(f, c.facts.Files), "no file")
		case f.Secret:
			text = secrets.Mask
		case answer.Bool != nil:
			text = yesNo(*answer.Bool, yesAnswer, noAnswer)
		case answer.JSON != "":
			text = "changed: " + plain.Clip(answer.JSON, 200)
		case f.Empty():
			text = "not answered"
		default:
			text = "as proposed: " + plain.Clip(string(f.Value), 200)
		}
		list = append(list, upgrade.Effect{Name: f.Label, Text: text})
	}
	return list
}

// told is what the lines below a page depend on beside the containers.
type told struct {
	width, height int
	effects       string
}

// below writes, after a rule, what the change does and which containers it changes, as far as
// there are lines for it; nothing where there are not.
func (c *change) below(k *rows.Inks, width, height int) []string {
	effects := c.effects()
	return c.cache.For(told{width, height, fmt.Sprint(effects)}, func() []string {
		p := &rows.Page{Inks: k, Width: width}
		p.Gap()
		p.Line(k.Line(width))
		p.Line(k.Heading.On("This " + c.kind().Noun()))
		for _, e := range effects {
			p.Fact(e.Name, e.Text)
		}
		if len(p.Lines) > height {
			return nil
		}
		if room := height - len(p.Lines) - 2; room >= min(minContainers, len(c.containers)) && len(c.containers) > 0 {
			p.Heading(yesNo(c.ask.Rollback != nil, "Containers of what is removed", "Containers named here"))
			p.Lines = append(p.Lines, containerColumns(k, c.containers, width, room)...)
		}
		return p.Lines
	})
}

// The cells of a container in columns, and the lines from which some are shown.
const (
	minContainers  = 5
	containerCells = 96
	containerName  = 32
)

// containerColumns writes containers in columns, one below the other, in at most so many lines.
func containerColumns(k *rows.Inks, list []upgrade.ContainerChange, width, height int) []string {
	columns := max(1, width/containerCells)
	most := columns * height
	lines := make([]string, min(height, (min(len(list), maxLines)+columns-1)/columns))
	for i := range min(len(list), most, maxLines) {
		c, at := list[i], i%len(lines)
		text := k.Fit(plain.Line(views.NameOf(c.Name, "container")), containerName-1) + " " + k.Muted.On(plain.Line(c.Image))
		switch {
		case i == most-1 && len(list) > most:
			text = k.Muted.On("and " + strconv.Itoa(len(list)-i) + " more")
		case c.State == upgrade.ChecksumMissing: // no warning: platforms may have none at all
			text = k.Fit(text, width/columns-20) + " " + k.Muted.On("no checksum")
		case c.State != upgrade.ChecksumGood:
			text = k.Fit(text, width/columns-20) + " " + k.Warn.On("malformed checksum")
		}
		lines[at] += k.Fit(text, width/columns)
	}
	return lines
}
