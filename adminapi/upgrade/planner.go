package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// planner links the offered updates and decides their states.
type planner struct {
	site      Installed  // with canonical builds; ReleaseBuild as far as the manifest gives it
	nodes     []*node    // in the order of display
	version   versionKey // of the site
	byBuild   map[string][]*node
	byVersion map[versionKey]*node // releases
	ids       map[string]bool
	mandatory map[string][]string // ids by release build, oldest first, without what is installed
	skips     []string            // of a release that builds on the site
	problems  []finding.Finding
}

// node is an entry while its state is decided.
type node struct {
	Entry
	release             bool
	version             versionKey // the previous one where its own is missing
	build, prev, family string     // canonical; family is the build of the release that a patch belongs to
	duplicate           bool       // an earlier entry has the same id
	cyclic              bool
	base                *node
	mark                mark
	brings, requires    *idList
}

type mark int

const (
	unvisited mark = iota
	visiting       // its base is being settled
	settled
)

func newPlanner(m adminapi.Manifest, i Installed) *planner {
	i.Build, i.ReleaseBuild = canonical(i.Build), canonical(i.ReleaseBuild)
	p := &planner{
		site: i, version: keyOf(i.Version), nodes: make([]*node, 0, len(m.Releases)+len(m.Patches)),
		byBuild: map[string][]*node{}, byVersion: map[versionKey]*node{}, ids: map[string]bool{}, mandatory: map[string][]string{},
	}
	for _, list := range [][]adminapi.Update{m.Releases, m.Patches} {
		for _, update := range list {
			p.add(update)
		}
	}
	slices.SortStableFunc(p.nodes, func(a, b *node) int {
		return cmp.Or(a.version.order(b.version), orderBuilds(a.build, b.build))
	})
	p.findRelease()
	p.sortPatches()
	return p
}

func (p *planner) add(u adminapi.Update) {
	n := &node{
		Entry: Entry{Update: u}, release: IsRelease(u), duplicate: p.ids[u.ID],
		version: keyOf(cmp.Or(u.Version, u.PreviousVersion)), build: canonical(u.Build),
	}
	if n.release {
		n.prev = canonical(u.PreviousReleaseBuild)
	} else {
		n.family = canonical(u.ReleaseBuild)
		n.prev = cmp.Or(canonical(u.PreviousBuild), n.family)
	}
	p.ids[u.ID] = true
	p.nodes = append(p.nodes, n)
	if n.duplicate {
		return
	}
	if n.build != "" && len(p.byBuild[n.build]) < maxPerBuild {
		p.byBuild[n.build] = append(p.byBuild[n.build], n)
	}
	if key := keyOf(u.Version); n.release && key.known && p.byVersion[key] == nil {
		p.byVersion[key] = n
	}
}

// maxPerBuild bounds how many updates of the same build are considered: otherwise a
// manifest of a single build takes quadratic time.
const maxPerBuild = 8

// findRelease finds the release that the installed build belongs to where it is unknown.
func (p *planner) findRelease() {
	if p.site.ReleaseBuild != "" || p.site.Build == "" {
		return
	}
	for _, n := range p.byBuild[p.site.Build] {
		if n.release {
			p.site.ReleaseBuild = n.build
			return
		}
	}
	for _, n := range p.nodes {
		if n.release || n.family == "" {
			continue
		}
		if n.build == p.site.Build || n.prev == p.site.Build || n.version.same(p.version) && !newer(n.family, p.site.Build) {
			p.site.ReleaseBuild = n.family
			return
		}
	}
}

// sortPatches collects, by release, what must be installed before the next release and
// what may be left out.
func (p *planner) sortPatches() {
	for _, n := range p.nodes {
		if n.release || n.duplicate || n.ID == "" {
			continue
		}
		ours, _ := p.ofSite(n)
		if ours && p.includes(n.build) {
			continue
		}
		family := n.family
		if ours {
			family = siteFamily
		}
		switch {
		case n.Mandatory:
			p.mandatory[family] = append(p.mandatory[family], n.ID)
			if ours {
				p.skips = nil // it includes what is earlier
			}
		case ours:
			p.skips = append(p.skips, n.ID)
		}
	}
}

// siteFamily is the key of the installed release in planner.mandatory, whose build may not
// be known. No canonical build has a blank.
const siteFamily = " "

// ofSite reports whether a patch belongs to the installed release, and whether that is
// known.
func (p *planner) ofSite(n *node) (ours, known bool) {
	if n.family != "" && p.site.ReleaseBuild != "" {
		return n.family == p.site.ReleaseBuild, true
	}
	return n.version.same(p.version), n.version.comparable(p.version)
}

// includes reports whether the installed build is this one or a later one of the
// same release.
func (p *planner) includes(build string) bool {
	order, ok := CompareBuilds(build, p.site.Build)
	return ok && order <= 0
}

// idList is a list of ids that grows along a chain and shares its memory: for 5,000
// updates in a row, copies would hold twelve million ids.
type idList struct {
	ids      []string
	extended bool
}

// with returns the list with ids appended. The first to extend a list may write behind its
// end, later ones copy.
func (l *idList) with(ids ...string) *idList {
	if l == nil {
		l = &idList{}
	}
	old := l.ids
	if l.extended {
		old = slices.Clip(old)
	}
	l.extended = true
	return &idList{ids: append(old, ids...)}
}

// list returns the ids so that appending to them changes no other list.
func (l *idList) list() []string {
	if l == nil {
		return nil
	}
	return slices.Clip(l.ids)
}

// chain returns the settled entries, each after its base.
func (p *planner) chain() Chain {
	entries := make([]Entry, 0, len(p.nodes))
	done := make(map[*node]bool, len(p.nodes))
	for _, n := range p.nodes {
		var path []*node
		for at := n; at != nil && !done[at]; at = at.base {
			done[at] = true
			path = append(path, at)
		}
		for _, at := range slices.Backward(path) {
			entries = append(entries, at.Entry)
		}
	}
	return Chain{entries, p.problems}
}

// resolve settles n after everything that it builds on. It does not recurse, since a chain
// may be as long as a manifest.
func (p *planner) resolve(n *node) {
	var walk []*node
	at := n
	for at != nil && at.mark == unvisited {
		at.mark = visiting
		walk = append(walk, at)
		at.base = p.findBase(at)
		at = at.base
	}
	if at != nil && at.mark == visiting {
		for _, n := range slices.Backward(walk) {
			n.cyclic = true
			if n == at {
				break
			}
		}
	}
	for _, n := range slices.Backward(walk) {
		p.settle(n)
		n.mark = settled
	}
}

// findBase returns the offered update that n builds on, nil where that is installed or not
// offered.
func (p *planner) findBase(n *node) *node {
	if n.release && n.prev == "" {
		version := keyOf(n.PreviousVersion)
		if !version.known || version.same(p.version) {
			return nil
		}
		return p.byVersion[version]
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

// settle decides the state of n. Its base is settled unless they form a circle.
func (p *planner) settle(n *node) {
	switch {
	case strings.TrimSpace(n.ID) == "":
		p.broken(n, "It has no id, so it cannot be installed.")
	case n.duplicate:
		p.broken(n, "Another entry of the manifest has the same id.")
	case !p.site.Known:
		n.set(NotKnown, "The installed version is unknown.")
	case n.release:
		p.settleRelease(n)
	default:
		p.settlePatch(n)
	}
	n.Brings, n.Requires = n.brings.list(), n.requires.list()
	if n.base != nil && !n.cyclic && n.base.State != InPlace {
		n.Base, n.Depth = n.base.ID, n.base.Depth+1
	}
	if n.cyclic {
		n.base = nil // the walk of chain needs an end
	}
}

func (n *node) set(s State, format string, args ...any) {
	n.State, n.Reason = s, fmt.Sprintf(format, args...)
}

func (p *planner) broken(n *node, format string, args ...any) {
	n.set(Broken, format, args...)
	text := cmp.Or(plain.Clip(n.ID, maxShort), "an update without an id")
	p.problems = append(p.problems, problem(n.ID, text+": "+n.Reason))
}

func (p *planner) settlePatch(n *node) {
	ours, known := p.ofSite(n)
	switch {
	case n.build == "":
		p.broken(n, "It names no build.")
	case n.build == p.site.Build:
		n.set(InPlace, "It is installed.")
	case !ours && n.version.olderThan(p.version):
		n.set(NotApplicable, "It is a patch of %s; %s is installed.", n.releaseName(), p.site.FullVersion())
	case n.prev == "":
		p.broken(n, "It does not say which build it builds on.")
	case n.cyclic:
		p.broken(n, "It builds on itself, in a circle of updates.")
	case n.build == n.prev || newer(n.prev, n.build):
		p.broken(n, "Build %s says it builds on %s, which is not older.", short(n.build), short(n.prev))
	case ours && p.includes(n.build):
		n.set(InPlace, "Build %s is installed, a later one of this release.", short(p.site.Build))
	case n.prev == p.site.Build, ours && p.includes(n.prev):
		n.set(Applicable, "It builds on build %s, which is installed.", short(n.prev))
	case p.site.Build == "" && (ours || !known && n.base == nil):
		n.set(NotKnown, "It builds on build %s; the installed build is unknown.", short(n.prev))
	case n.base != nil:
		p.settleOn(n, n.base)
	case ours || !known || slices.ContainsFunc(p.byBuild[n.family], func(n *node) bool { return n.release }):
		p.broken(n, "It builds on build %s, which is neither installed nor offered.", short(n.prev))
	default:
		n.set(NotApplicable, "It is a patch of %s; %s is installed.", n.releaseName(), p.site.FullVersion())
	}
}

// releaseName names the release of a patch.
func (n *node) releaseName() string {
	version := short(cmp.Or(n.Version, n.PreviousVersion, "another version"))
	if n.family == "" {
		return version
	}
	return fmt.Sprintf("%s (release build %s)", version, short(n.family))
}

// settleOn decides about a patch by the update that it builds on.
func (p *planner) settleOn(n, base *node) {
	below := displayName(base.Update)
	usable := base.State == Applicable || base.State == RequiredFirst
	if usable && !base.release {
		n.brings, n.requires = base.brings.with(base.ID), base.requires
	}
	switch {
	case base.State == InPlace:
		n.set(Applicable, "It builds on %s, which is installed.", below)
	case !usable:
		p.settleUnusable(n, base)
	case base.release:
		n.requires = base.requires.with(base.ID)
		n.set(RequiredFirst, "It is a patch of release %s, which is required first.", below)
	case base.State == RequiredFirst:
		n.set(RequiredFirst, "It builds on %s, which requires another update first.", below)
	case len(n.brings.ids) == 1:
		n.set(Applicable, "It includes the update before it: %s.", below)
	default:
		n.set(Applicable, "It includes the %d updates before it, up to %s.", len(n.brings.ids), below)
	}
}

// settleUnusable decides about an update that builds on one that cannot be used.
func (p *planner) settleUnusable(n, base *node) {
	below := displayName(base.Update)
	switch base.State {
	case Broken:
		p.broken(n, "It builds on %s, which has a problem itself.", below)
	case NotKnown:
		n.set(NotKnown, "It builds on %s; unknown whether that fits this site.", below)
	default:
		n.set(NotApplicable, "It builds on %s, which is not for this site.", below)
	}
}

func (p *planner) settleRelease(n *node) {
	own := keyOf(n.Version)
	switch {
	case n.build == "" && n.Version == "":
		p.broken(n, "It names no version and no build.")
	case n.build != "" && (n.build == p.site.Build || n.build == p.site.ReleaseBuild):
		n.set(InPlace, "It is the installed release.")
	case own.same(p.version) && (n.build == "" || p.site.Build == "" || p.includes(n.build)):
		n.set(InPlace, "Version %s is installed.", short(n.Version))
	case own.olderThan(p.version):
		n.set(NotApplicable, "It is older than the installed %s.", p.site.FullVersion())
	case n.prev == "" && n.PreviousVersion == "":
		p.broken(n, "It does not say what it builds on.")
	case n.cyclic:
		p.broken(n, "It builds on itself, in a circle of updates.")
	case n.build != "" && n.build == n.prev:
		p.broken(n, "It says that it builds on its own build.")
	case p.buildsOnSite(n):
		p.settleNext(n)
	case n.base != nil && (n.base.State == Applicable || n.base.State == RequiredFirst):
		n.requires = n.base.requires.with(n.base.ID)
		if n.base.build != "" {
			n.requires = n.requires.with(p.mandatory[n.base.build]...)
		}
		n.set(RequiredFirst, "It requires the release %s first.", displayName(n.base.Update))
	case n.base != nil:
		p.settleUnusable(n, n.base)
	case !own.comparable(p.version) && !p.canCompare(n):
		n.set(NotKnown, "It builds on %s; the installed version is not known well enough.", n.baseName())
	default:
		n.set(NotApplicable, "It builds on %s, neither installed nor offered; %s is installed.", n.baseName(), p.site.FullVersion())
	}
}

// buildsOnSite reports whether a release builds on the installed one: by its build, or by
// its version where one of the builds is not known.
func (p *planner) buildsOnSite(n *node) bool {
	if n.prev != "" && (n.prev == p.site.ReleaseBuild || n.prev == p.site.Build) {
		return true
	}
	return !p.canCompare(n) && keyOf(n.PreviousVersion).same(p.version)
}

func (p *planner) canCompare(n *node) bool { return n.prev != "" && p.site.ReleaseBuild != "" }

// baseName names what a release builds on.
func (n *node) baseName() string {
	switch {
	case n.PreviousVersion == "":
		return "release build " + short(n.prev)
	case n.prev == "":
		return short(n.PreviousVersion)
	}
	return fmt.Sprintf("%s (release build %s)", short(n.PreviousVersion), short(n.prev))
}

// settleNext decides about a release that follows the installed one.
func (p *planner) settleNext(n *node) {
	n.base = nil
	n.Skips = p.skips
	required := p.mandatory[siteFamily]
	if len(required) == 0 {
		n.set(Applicable, "It builds on the installed release.")
		return
	}
	n.requires = n.requires.with(required...)
	last := short(required[len(required)-1])
	if len(required) == 1 {
		n.set(RequiredFirst, "It requires the update %s first.", last)
		return
	}
	n.set(RequiredFirst, "It requires %d updates first; the last, %s, includes the others.", len(required), last)
}
