package upgrade

import (
	"cmp"
	"fmt"
	"strings"

	"geodeck/adminapi/plain"
)

// resolve settles n after everything that it builds on. It walks instead of
// calling itself: a chain may be as long as a manifest.
func (p *planner) resolve(n *node) {
	var walk []*node
	at := n
	for at != nil && at.mark == fresh {
		at.mark = open
		walk = append(walk, at)
		at.base = p.findBase(at)
		at = at.base
	}
	if at != nil && at.mark == open {
		for i := len(walk) - 1; i >= 0; i-- {
			walk[i].circle = true
			if walk[i] == at {
				break
			}
		}
	}
	for i := len(walk) - 1; i >= 0; i-- {
		p.settle(walk[i])
		walk[i].mark = settled
	}
}

// findBase returns the offered update that n builds on, nil where that is what
// the site runs or is not offered.
func (p *planner) findBase(n *node) *node {
	if n.release && n.prev == "" {
		return p.releaseOf(keyOf(n.PreviousVersion))
	}
	if n.prev == "" || n.prev == p.site.Build && n.build != p.site.Build {
		return nil
	}
	var found *node
	for _, candidate := range p.byBuild[n.prev] {
		switch {
		case candidate == n, n.release && !candidate.release:
		case found == nil, candidate.family == n.family && found.family != n.family:
			found = candidate
		}
	}
	return found
}

func (p *planner) releaseOf(version versionKey) *node {
	if !version.known || version.same(p.version) {
		return nil
	}
	return p.byVersion[version]
}

// settle decides about n; its base is settled unless they form a circle.
func (p *planner) settle(n *node) {
	switch {
	case strings.TrimSpace(n.ID) == "":
		p.broken(n, "It has no id, so it cannot be asked for.")
	case n.twice:
		p.broken(n, "Another entry of the manifest has the same id.")
	case !p.site.Known:
		n.set(NotKnown, "It is not known what this site runs.")
	case n.release:
		p.settleRelease(n)
	default:
		p.settlePatch(n)
	}
	n.Brings, n.Requires = n.brings.list(), n.requires.list()
	if n.base != nil && !n.circle && n.base.State != InPlace {
		n.Base, n.Depth = n.base.ID, n.base.Depth+1
	}
	if n.circle {
		n.base = nil // the order of display needs an end
	}
}

func (n *node) set(s State, format string, args ...any) {
	n.State, n.Reason = s, fmt.Sprintf(format, args...)
}

func (p *planner) broken(n *node, format string, args ...any) {
	n.set(Broken, format, args...)
	text := "an update without an id"
	if id := plain.Clip(n.ID, 60); id != "" {
		text = id
	}
	p.chained.Problems = append(p.chained.Problems, Problem{ID: n.ID, Text: text + ": " + n.Reason})
}

func (p *planner) settlePatch(n *node) {
	ours, known := p.ofSite(n)
	switch {
	case n.build == "":
		p.broken(n, "It does not say its build.")
	case n.build == p.site.Build:
		n.set(InPlace, "It is what this site runs.")
	case known && !ours && n.version.olderThan(p.version):
		n.set(NotApplicable, "It is a patch of %s; this site runs %s.", n.belongs(), p.site.FullVersion())
	case n.prev == "":
		p.broken(n, "It does not say which build it builds on.")
	case n.circle:
		p.broken(n, "It builds on itself, in a circle of updates.")
	case n.build == n.prev || newer(n.prev, n.build):
		p.broken(n, "It is build %s and says that it builds on %s, which is not older.", short(n.build), short(n.prev))
	case ours && p.includes(n.build):
		n.set(InPlace, "This site runs build %s, a later one of the same release.", short(p.site.Build))
	case n.prev == p.site.Build, ours && p.includes(n.prev):
		n.set(Applicable, "It builds on build %s, which is installed.", short(n.prev))
	case n.base != nil:
		p.settleOn(n, n.base)
	case p.site.Build == "" && (ours || !known):
		n.set(NotKnown, "It builds on build %s; which build this site runs is not known.", short(n.prev))
	case ours || !known:
		p.broken(n, "It builds on build %s, which is neither installed nor offered.", short(n.prev))
	default:
		p.settleForeign(n)
	}
}

// settleForeign is for a patch of another release whose base is not offered.
func (p *planner) settleForeign(n *node) {
	for _, release := range p.byBuild[n.family] {
		if release.release {
			p.broken(n, "It builds on build %s, which is neither installed nor offered.", short(n.prev))
			return
		}
	}
	n.set(NotApplicable, "It is a patch of %s; this site runs %s.", n.belongs(), p.site.FullVersion())
}

// belongs names the release of a patch.
func (n *node) belongs() string {
	version := short(cmp.Or(n.Version, n.PreviousVersion, "another version"))
	if n.family == "" {
		return version
	}
	return fmt.Sprintf("%s (release build %s)", version, short(n.family))
}

// settleOn follows from what became of the update below a patch.
func (p *planner) settleOn(n, base *node) {
	below := called(base.Update)
	switch base.State {
	case Applicable, RequiredFirst:
		if base.release {
			n.requires = base.requires.with(base.ID)
			n.set(RequiredFirst, "It is a patch of release %s, which has to be installed first.", below)
			return
		}
		n.brings, n.requires = base.brings.with(base.ID), base.requires
		n.set(base.State, "%s", p.brings(n, base))
	case InPlace:
		n.set(Applicable, "It builds on %s, which is installed.", below)
	default:
		p.settleUnusable(n, base)
	}
}

// settleUnusable is for an update on one that can be neither used nor installed.
func (p *planner) settleUnusable(n, base *node) {
	below := called(base.Update)
	switch base.State {
	case Broken:
		p.broken(n, "It builds on %s, which has a problem itself.", below)
	case NotKnown:
		n.set(NotKnown, "It builds on %s; whether that fits this site is not known.", below)
	default:
		n.set(NotApplicable, "It builds on %s, which is not for this site.", below)
	}
}

func (p *planner) brings(n, base *node) string {
	if base.State == RequiredFirst {
		return fmt.Sprintf("It builds on %s, for which another update has to be installed first.", called(base.Update))
	}
	if len(n.brings.ids) == 1 {
		return fmt.Sprintf("It brings the update before it along: %s.", called(base.Update))
	}
	return fmt.Sprintf("It brings the %d updates before it along, up to %s.", len(n.brings.ids), called(base.Update))
}
