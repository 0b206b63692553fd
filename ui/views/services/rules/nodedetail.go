package rules

import (
	"maps"
	"slices"
	"strings"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// details collects the lines about one node.
type details struct {
	items []nodeItem
	node  int
	lines int
	width int
}

func (d *details) add(ink rows.Ink, text, what string) {
	for i, part := range views.Wrap(text, d.width) {
		if i > 0 {
			part = "  " + part
		}
		d.lines++
		d.items = append(d.items, nodeItem{node: d.node, detail: d.lines, drawn: ink.On(part), text: text, what: what})
	}
}

// addDetails adds what is known of a node: all reasons, taints, labels, what it offers,
// and what would make it take the pods.
func (b *Builder) addDetails(items []nodeItem, node int, v placement.Verdict, width int) []nodeItem {
	k := &b.inks
	d := &details{items: items, node: node, width: width}
	for _, reason := range v.Reasons() {
		d.add(k.Plain, capital(reason), "reason")
	}
	for _, t := range v.Node.Taints {
		d.add(k.Warn, "taint "+plain.Line(t.String()), "taint")
	}
	if v.Node.Unschedulable {
		d.add(k.Warn, "cordoned", "state")
	}
	for _, key := range slices.Sorted(maps.Keys(v.Node.Labels)) {
		d.add(k.Muted, plain.Line(key+"="+v.Node.Labels[key]), "label")
	}
	facts := []string{v.Node.Ready.String()}
	for _, r := range v.Node.Allocatable {
		facts = append(facts, plain.Line(r.Name+" "+r.Amount))
	}
	d.add(k.Muted, strings.Join(facts, ", "), "state")
	if !v.Takes {
		for _, c := range placement.KubectlLines(b.item(), []placement.Node{*v.Node}) {
			d.add(k.Accent, c.Line, "line for kubectl")
		}
	}
	return d.items
}
