package upgrade

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// compare keeps which containers the update itself changes, or all that the patches name which are
// removed.
func (c *change) compare() {
	c.cache = views.Drawn[told]{}
	if c.ask.Rollback != nil {
		c.containers = c.offer.Installed.Changes(adminapi.Update{Containers: c.ask.Rollback.Containers()})
		return
	}
	c.containers = slices.DeleteFunc(c.offer.Installed.Changes(c.ask.Target), func(container upgrade.ContainerChange) bool {
		return container.Change == upgrade.Same
	})
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
	return strings.Split(c.cache.For(told{width, height, fmt.Sprint(effects)}, func() string {
		p := &rows.Page{Inks: k, Width: width}
		p.Gap()
		p.Line(ruleOf(k, width))
		p.Line(k.Heading.On("This " + c.kind().Noun()))
		for _, e := range effects {
			p.Fact(e.Name, e.Text)
		}
		if len(p.Lines) > height {
			return ""
		}
		if room := height - len(p.Lines) - 2; room >= min(minContainers, len(c.containers)) && len(c.containers) > 0 {
			p.Heading(yesNo(c.ask.Rollback != nil, "Containers of what is removed", "Containers named here"))
			p.Lines = append(p.Lines, containerColumns(k, c.containers, width, room)...)
		}
		return strings.Join(p.Lines, "\n")
	}), "\n")
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
