package services

import (
	"cmp"
	"sort"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
)

// order is how the list is sorted.
type order int

const (
	byFolder order = iota // a tree
	byName
	byState // what needs attention first
	byPods  // the most first
	orders
)

// String names the order for the heading of the list.
func (o order) String() string {
	return [...]string{"by folder", "by name", "by state", "by pods"}[o]
}

// sortNext sorts in the next way. The cursor stays on its service.
func (c *catalog) sortNext() {
	c.order = (c.order + 1) % orders
	c.givenUp = ""
	c.lay()
}

// sort puts the rows of services into the order of the catalog. What is not known of a
// service stands last.
func (s *serviceRows) sort() {
	c := s.c
	name := func(row *serviceRow) string { return strings.ToLower(row.service.Name) }
	compare := func(a, b *serviceRow) int {
		if a.service == nil || b.service == nil { // a folder that could not be read stands first
			return cmp.Compare(len(a.key.path), len(b.key.path))
		}
		by := 0
		switch c.order {
		case byState:
			by = cmp.Compare(c.rank(a.key.path), c.rank(b.key.path))
		case byPods:
			by = cmp.Compare(c.pods.count(b.key.path), c.pods.count(a.key.path))
		}
		return cmp.Or(by, cmp.Compare(name(a), name(b)), cmp.Compare(a.key.path, b.key.path))
	}
	sort.SliceStable(s.items, func(i, j int) bool { return compare(&s.items[i], &s.items[j]) < 0 })
}

// rank orders states: what is not as configured, stopped, started, not known.
func (c *catalog) rank(path string) int {
	known := c.states[path]
	switch {
	case known.RealTime == "":
		return 4
	case known.amiss():
		return 0
	case known.RealTime == adminapi.ServiceStopped:
		return 2
	case c.pods.short(path):
		return 1
	}
	return 3
}

// downWord is the filter that finds the services that do not run.
const downWord = "not running"

// toggleDown shows only services that do not run, or all.
func (c *catalog) toggleDown() tea.Cmd {
	text := downWord
	if c.list.Filter() == downWord {
		text = ""
	}
	c.list.SetFilter(text)
	return c.loadShownStates()
}
