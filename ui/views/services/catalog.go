package services

import (
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// catalog is the tree of folders and services, and what is known of each service.
type catalog struct {
	views.Fetch // of the folder that is being read, or was read last

	list    *rows.List[rowKey]
	rows    *serviceRows
	folders []folder // the root first
	unread  []string // the folders to be read, one after the other
	states  map[string]knownState
	drafts  map[string]journal.Draft // by target: the edit that goes on
	tally   tally                    // of states
	wanted  string                   // the path of a service to be opened when it was read
	givenUp string                   // the filter for which no more states are read
}

// folder is one folder as it was read last.
type folder struct {
	name     string // "" for the root
	services []adminapi.ServiceRef
	read     bool
	problem  error
}

// knownState is the state of a service, and when it was read.
type knownState struct {
	operation.ServiceState
	read  time.Time
	stale bool // it is read again where it is seen
}

func newCatalog(t *theme.Theme) catalog {
	return catalog{
		list: rows.New[rowKey](t), folders: []folder{{}},
		states: map[string]knownState{}, drafts: map[string]journal.Draft{},
	}
}

// showCatalog lays the tree out again.
func (m *Model) showCatalog() {
	m.catalog.rows = newServiceRows(m)
	m.countStates()
	m.catalog.list.Set(m.catalog.rows)
}

// take puts what a folder holds in place of what it held before. The root tells
// which folders there are.
func (c *catalog) take(name string, read adminapi.Folder) {
	at := c.find(name)
	if at < 0 {
		return // the root has lost it meanwhile
	}
	c.folders[at] = folder{name: name, services: inFolder(read.Services, name), read: true}
	if name != "" {
		return
	}
	before := c.folders
	c.folders, c.unread = before[:1:1], nil
	for _, sub := range read.Folders {
		if sub == "" || sub == "/" || c.find(sub) >= 0 {
			continue
		}
		next := folder{name: sub}
		if known := slices.IndexFunc(before, func(f folder) bool { return f.name == sub }); known >= 0 {
			next = before[known]
		}
		c.folders, c.unread = append(c.folders, next), append(c.unread, sub)
	}
}

// inFolder names the folder in each service: that is where it was found, whatever
// the answer says.
func inFolder(services []adminapi.ServiceRef, name string) []adminapi.ServiceRef {
	services = slices.Clone(services)
	for i := range services {
		services[i].Folder = name
	}
	return services
}

func (c *catalog) find(name string) int {
	return slices.IndexFunc(c.folders, func(f folder) bool { return f.name == name })
}

// count is how many services are known.
func (c *catalog) count() (n int) {
	for _, f := range c.folders {
		n += len(f.services)
	}
	return n
}

// selected returns the row under the cursor.
func (m *Model) selected() (*serviceRow, bool) {
	i, ok := m.catalog.list.Selected()
	if !ok {
		return nil, false
	}
	return &m.catalog.rows.items[i], true
}

// selectedService returns the service that commands are about: the open one, or the
// one under the cursor.
func (m *Model) selectedService() (adminapi.ServiceRef, bool) {
	if m.open != nil {
		return m.open.service, true
	}
	row, ok := m.selected()
	if !ok || row.service == nil {
		return adminapi.ServiceRef{}, false
	}
	return *row.service, true
}

// marked returns the services that are marked; a folder stands for all it holds.
func (m *Model) marked() (services []adminapi.ServiceRef) {
	seen := map[string]bool{}
	add := func(s adminapi.ServiceRef) {
		if !seen[s.Path()] {
			seen[s.Path()] = true
			services = append(services, s)
		}
	}
	for _, i := range m.catalog.list.Chosen() {
		row := &m.catalog.rows.items[i]
		if row.service != nil {
			add(*row.service)
			continue
		}
		for _, s := range m.catalog.folders[row.folder].services {
			add(s)
		}
	}
	return services
}

// keptDraft is an edit of a part of a service that goes on.
type keptDraft struct {
	journal.Draft
	part operation.Part
}

// draftsOf returns the edits of a service that go on.
func (c *catalog) draftsOf(service adminapi.ServiceRef) (kept []keptDraft) {
	for _, part := range []operation.Part{operation.Definition, operation.Placement} {
		if d, ok := c.drafts[part.Of(service.Path())]; ok {
			kept = append(kept, keptDraft{d, part})
		}
	}
	return kept
}
