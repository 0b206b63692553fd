package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"geodeck/ui/uitest/sweep/oracle"
)

// compares lets commands say what a change of a definition would do, at the end of a day and on half of them: nothing is sent.
func (m *machine) compares() {
	hand := m.day.random("comparisons")
	if hand.IntN(2) > 0 || len(m.fleet) > 0 || m.day.Want == severalSites {
		return
	}
	for turn := range 2 {
		m.comparesOnce(fmt.Sprint("comparison ", turn))
	}
	m.placesOnce()
	m.schedules()
}

func (m *machine) comparesOnce(purpose string) {
	hand, where := m.day.random(purpose), "/services/"+cities.Path()
	altered := oracle.Alters(m.site.ask("GET", where, nil), hand.IntN)
	if altered == nil {
		return
	}
	c := oracle.Comparison{Service: cities.Path(), Altered: altered, Form: pick(hand, []string{"json", "json", "table"}), Hidden: m.day.hidesAny()}
	in, args := altered.After, []string{"service"}
	switch by := hand.IntN(4); {
	case by == 0:
		c.Diff, c.Exact = true, hand.IntN(2) == 0
		if args = append(args, "diff", cities.Path(), "-f", "-"); c.Exact {
			args = append(args, "--exact")
		}
	case by == 1 && altered.Settings != nil:
		in, args = "", append(append(args, "edit", cities.Path(), "--dry-run"), altered.Settings...)
		c.Accepted = altered.Named()
	default:
		args = append(args, "apply", cities.Path(), "-f", "-", "--dry-run")
	}
	if words := altered.Words(); !c.Diff && len(words) > 0 {
		for _, word := range words[hand.IntN(len(words)+1)%len(words):] {
			args, c.Accepted = append(args, "--accept", word), append(c.Accepted, word)
		}
		if lost := altered.Removed(); len(lost) > 0 && hand.IntN(2) == 0 {
			args, c.Accepted = append(args, "--allow-lost", lost[0]), append(c.Accepted, lost[0])
		}
	}
	if c.Form == "table" && m.day.plan.scenario.HostileText {
		c.Form = "json"
	}
	r := m.begin()
	defer r.end()
	before := len(m.site.sent(r.from))
	p := r.command(in, r.unlocked(append(slices.Clone(args), "-o", c.Form)...)...)
	if posts := len(m.site.sent(r.from)) - before; posts > 0 {
		m.day.fail("geodeck %s %s sends nothing, and %d requests were posted", args[0], args[1], posts)
	}
	if r.dead.Load() {
		return
	}
	c.Now, c.Code, c.Out = m.day.oracle.ReadBy(r.name, where), p.code, p.out
	m.day.oracle.Compares(c)
}

// placesOnce lets a command say what new rules for pods would do.
func (m *machine) placesOnce() {
	where := "/services/" + cities.Path() + "/placementPolicy"
	p := oracle.Placing{Service: cities.Path(), After: oracle.Replaces(m.site.ask("GET", where, nil), m.day.random("rules").IntN), Nodes: m.site.server.Nodes()}
	if p.After == "" {
		return
	}
	dir, err := realFolder("rules")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	nodes := filepath.Join(dir, "nodes.json")
	if os.WriteFile(nodes, p.Nodes, 0o600) != nil {
		return
	}
	r := m.begin()
	defer r.end()
	did := r.command(p.After, r.unlocked("placement", "apply", cities.Path(), "-f", "-", "--nodes", nodes, "--dry-run", "-o", "json")...)
	if r.dead.Load() {
		return
	}
	p.Before, p.Code, p.Out = m.day.oracle.ReadBy(r.name, where), did.code, did.out
	m.day.oracle.Places(p)
}
