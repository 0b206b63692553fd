package upgrade

import (
	"cmp"
	"slices"

	"geodeck/adminapi"
)

// planner links the offered updates and settles them one after the other.
type planner struct {
	site      Installed  // with canonical builds; ReleaseBuild as far as the manifest tells it
	nodes     []*node    // in the order of display
	version   versionKey // of the site
	byBuild   map[string][]*node
	byVersion map[versionKey]*node // releases
	ids       map[string]bool
	mandatory map[string][]string // ids by release build, oldest first, without what is installed
	skips     []string            // of a release that builds on the site
	chained   Chain
}

// node is an entry on its way.
type node struct {
	Entry
	release             bool
	version             versionKey // the one before where its own is missing
	build, prev, family string     // canonical; family is the build of the release that a patch belongs to
	twice               bool       // another entry has the same id
	circle              bool
	base                *node
	mark                mark
	brings, requires    *trail
}

type mark int

const (
	fresh mark = iota
	open       // its base is being settled
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
		Entry: Entry{Update: u}, release: IsRelease(u), twice: p.ids[u.ID],
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
	if n.twice {
		return
	}
	if n.build != "" && len(p.byBuild[n.build]) < mostOfABuild {
		p.byBuild[n.build] = append(p.byBuild[n.build], n)
	}
	if key := keyOf(u.Version); n.release && key.known && p.byVersion[key] == nil {
		p.byVersion[key] = n
	}
}

// mostOfABuild is how many updates of the same build are looked at: a manifest
// of one build only must not take a second for every thousand.
const mostOfABuild = 8

// findRelease finds out which release the installed build belongs to where
// nobody told it.
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
		if !n.release && n.family != "" && p.touchesSite(n) {
			p.site.ReleaseBuild = n.family
			return
		}
	}
}

// touchesSite tells whether a patch is of the release that the site runs, by its
// builds or by its version.
func (p *planner) touchesSite(n *node) bool {
	return n.build == p.site.Build || n.prev == p.site.Build ||
		n.version.same(p.version) && !newer(n.family, p.site.Build)
}

// sortPatches collects, by release, what must be in before the next release and
// what may be left out.
func (p *planner) sortPatches() {
	for _, n := range p.nodes {
		if n.release || n.twice || n.ID == "" {
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
				p.skips = nil // whatever comes earlier comes along
			}
		case ours:
			p.skips = append(p.skips, n.ID)
		}
	}
}

// siteFamily is the key of the installed release in planner.mandatory: its own
// build may not be known. No canonical build has a blank.
const siteFamily = " "

// ofSite tells whether a patch belongs to the installed release; known is false
// where nothing tells.
func (p *planner) ofSite(n *node) (ours, known bool) {
	if n.family != "" && p.site.ReleaseBuild != "" {
		return n.family == p.site.ReleaseBuild, true
	}
	return n.version.same(p.version), n.version.comparable(p.version)
}

// includes tells whether the installed build is this one or a later one of the
// same release.
func (p *planner) includes(build string) bool {
	order, ok := CompareBuilds(build, p.site.Build)
	return ok && order <= 0
}

// trail is a list of ids that grows along a chain and shares its memory: with
// 5,000 updates in a row, copies would be twelve million ids.
type trail struct {
	ids   []string
	grown bool
}

// with returns the trail with ids at its end. The first to grow a trail may
// write behind its end, later ones copy.
func (t *trail) with(ids ...string) *trail {
	if t == nil {
		t = &trail{}
	}
	old := t.ids
	if t.grown {
		old = slices.Clip(old)
	}
	t.grown = true
	return &trail{ids: append(old, ids...)}
}

// list returns the ids so that nobody who appends to them spoils another list.
func (t *trail) list() []string {
	if t == nil {
		return nil
	}
	return slices.Clip(t.ids)
}

// chain returns what was settled, every entry after its base.
func (p *planner) chain() Chain {
	p.chained.Entries = make([]Entry, 0, len(p.nodes))
	done := make(map[*node]bool, len(p.nodes))
	for _, n := range p.nodes {
		var behind []*node
		for at := n; at != nil && !done[at]; at = at.base {
			done[at] = true
			behind = append(behind, at)
		}
		for _, at := range slices.Backward(behind) {
			p.chained.Entries = append(p.chained.Entries, at.Entry)
		}
	}
	return p.chained
}
