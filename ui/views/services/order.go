package services

import (
	"cmp"
	"slices"
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

// downTitle stands above the services that do not run although they should.
const downTitle = "Down"

// downKey is the key of that row: no folder is called so.
var downKey = rowKey{folder: downTitle + "/"}

// downNow are the services that are down, in the order of their folders.
func (c *catalog) downNow() []adminapi.ServiceRef {
	return slices.DeleteFunc(c.services(), func(s adminapi.ServiceRef) bool { return !c.states.isDown(s.Path()) })
}

// downChanged reports whether others are down than those that stand first.
func (c *catalog) downChanged() bool {
	return !slices.EqualFunc(c.downNow(), c.down.services, samePath)
}

// addDown puts what is down above the folders of a tree.
func (s *serviceRows) addDown() {
	c := s.c
	c.down = folder{name: downTitle, services: c.downNow(), read: true}
	if c.order != byFolder || len(c.down.services) == 0 {
		return
	}
	s.items = append(s.items, serviceRow{key: downKey, folder: -1})
	for i := range c.down.services {
		service := &c.down.services[i]
		s.items = append(s.items, serviceRow{key: rowKey{service.Folder, service.Path()}, folder: c.find(service.Folder), service: service, depth: 1, apart: true})
	}
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
	name := func(row serviceRow) string { return strings.ToLower(row.service.Name) }
	slices.SortStableFunc(s.items, func(a, b serviceRow) int {
		if a.service == nil || b.service == nil { // a folder that could not be read stands first
			return cmp.Compare(len(a.key.path), len(b.key.path))
		}
		by := 0
		switch c.order {
		case byState:
			by = cmp.Compare(c.states.rank(a.key.path), c.states.rank(b.key.path))
		case byPods:
			by = cmp.Compare(c.states.pods.count(b.key.path), c.states.pods.count(a.key.path))
		}
		return cmp.Or(by, cmp.Compare(name(a), name(b)), cmp.Compare(a.key.path, b.key.path))
	})
}

// downWord is the filter that finds the services that do not run.
const downWord = "not running"

// toggleDown shows only services that do not run, or all.
func (c *catalog) toggleDown() tea.Cmd {
	text := downWord
	if c.list.Filter() == downWord {
		text = ""
	}
	c.kept = rowKey{}
	c.list.SetFilter(text)
	if row, ok := c.selected(); ok && row.service == nil && text != "" { // commands are about a service
		for i := range c.list.Visible() {
			if c.rows.items[i].service != nil {
				c.list.Select(c.rows.items[i].key)
				break
			}
		}
	}
	return c.loadShownStates()
}
