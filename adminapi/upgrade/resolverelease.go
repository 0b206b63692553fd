package upgrade

import "fmt"

func (p *planner) settleRelease(n *node) {
	own := keyOf(n.Version)
	switch {
	case n.build == "" && n.Version == "":
		p.broken(n, "It says neither its version nor its build.")
	case n.build != "" && (n.build == p.site.Build || n.build == p.site.ReleaseBuild):
		n.set(InPlace, "It is the release that this site runs.")
	case own.same(p.version) && (n.build == "" || p.includes(n.build)):
		n.set(InPlace, "This site runs version %s already.", short(n.Version))
	case own.olderThan(p.version):
		n.set(NotApplicable, "It is older than what this site runs, %s.", p.site.FullVersion())
	case n.prev == "" && n.PreviousVersion == "":
		p.broken(n, "It does not say what it builds on.")
	case n.circle:
		p.broken(n, "It builds on itself, in a circle of updates.")
	case n.build != "" && n.build == n.prev:
		p.broken(n, "It says that it builds on its own build.")
	case p.buildsOnSite(n):
		p.settleNext(n)
	case n.base != nil:
		p.settleAfter(n, n.base)
	case !own.comparable(p.version) && !p.canCompare(n):
		n.set(NotKnown, "It builds on %s; what this site runs is not known well enough.", n.below())
	default:
		n.set(NotApplicable, "It builds on %s, which is neither installed nor offered; this site runs %s.", n.below(), p.site.FullVersion())
	}
}

// buildsOnSite goes by the build of the release; by version only where one of the
// two builds is not known.
func (p *planner) buildsOnSite(n *node) bool {
	if n.prev != "" && (n.prev == p.site.ReleaseBuild || n.prev == p.site.Build) {
		return true
	}
	return !p.canCompare(n) && keyOf(n.PreviousVersion).same(p.version)
}

func (p *planner) canCompare(n *node) bool { return n.prev != "" && p.site.ReleaseBuild != "" }

// below names what a release builds on.
func (n *node) below() string {
	switch {
	case n.PreviousVersion == "":
		return "release build " + short(n.prev)
	case n.prev == "":
		return short(n.PreviousVersion)
	}
	return fmt.Sprintf("%s (release build %s)", short(n.PreviousVersion), short(n.prev))
}

// settleNext is for a release that follows the installed one.
func (p *planner) settleNext(n *node) {
	n.base = nil
	n.Skips = p.skips
	required := p.mandatory[siteFamily]
	if len(required) == 0 {
		n.set(Applicable, "It builds on the release that this site runs.")
		return
	}
	n.requires = (*trail)(nil).with(required...)
	n.set(RequiredFirst, "%s", firstSentence(required))
}

func firstSentence(required []string) string {
	last := short(required[len(required)-1])
	if len(required) == 1 {
		return fmt.Sprintf("The required update %s has to be installed first.", last)
	}
	return fmt.Sprintf("%d required updates have to be installed first; the last one, %s, brings the others along.", len(required), last)
}

// settleAfter is for a release after another one that is offered.
func (p *planner) settleAfter(n, base *node) {
	below := called(base.Update)
	switch base.State {
	case Applicable, RequiredFirst:
		n.requires = base.requires.with(base.ID)
		if required := p.mandatory[base.build]; base.build != "" && len(required) > 0 {
			n.requires = n.requires.with(required...)
		}
		n.set(RequiredFirst, "The release %s has to be installed first.", below)
	default:
		p.settleUnusable(n, base)
	}
}
