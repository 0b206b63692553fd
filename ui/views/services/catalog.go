package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// catalog is the tree of folders and services, and what is known of each service.
type catalog struct {
	views.Base
	views.Fetch // of the folder that is being read, or was read last

	inks      *rows.Inks
	states    *states
	list      *rows.List[rowKey]
	rows      *serviceRows
	folders   []folder // the root first
	down      folder   // the services that stand first as they do not run
	fresh     freshener
	unread    []string         // the folders to be read, one after the other
	tally     tally            // of states
	tallies   map[string]tally // by folder
	downCount adminapi.Fact[int]
	wanted    *wanted     // a service to be opened when it was read; nil for none
	givenUp   string      // the filter for which no more states are read
	kept      rowKey      // the row under the cursor, which stays although the filter finds its state no more
	hidden    bool        // something else is shown
	changing  func() bool // a change is shown: states are not freshened meanwhile
	left      bool        // the marks are what a batch has left, and esc was not pressed since
	attended  bool        // a key was pressed since there are rows: the cursor is the user's
	order     order
}

// folder is one folder as it was read last.
type folder struct {
	name     string // "" for the root
	services []adminapi.ServiceRef
	read     bool
	problem  error
}

func newCatalog(base views.Base, inks *rows.Inks, states *states) *catalog {
	c := &catalog{Base: base, inks: inks, states: states, list: rows.New[rowKey](base.Env.Theme), folders: []folder{{}},
		changing: func() bool { return false }}
	c.list.Along = c.markedAlong
	states.changed, states.missing = c.redrawStates, c.readAlone
	c.lay()
	return c
}

// lay lays the tree out again.
func (c *catalog) lay() {
	c.rows = newServiceRows(c)
	c.countStates()
	c.list.Steady(func() { c.list.Set(c.rows) })
	if len(c.down.services) > 0 && c.order == byFolder && !c.attended {
		c.list.Select(rowKey{c.down.services[0].Folder, c.down.services[0].Path()})
	}
}

// folderRead is one folder.
type folderRead struct {
	name   string
	folder adminapi.Folder
	err    error
	gone   string // the path of a service that the site has no more, for which it is read alone
}

// load reads the root and then each folder in turn.
func (c *catalog) load() tea.Cmd {
	c.Loading, c.unread = true, nil
	clear(c.states.gone)
	return c.Scope.Do("folder", c.request(""))
}

func (c *catalog) request(name string) func(context.Context) tea.Msg {
	client := c.Env.Site.Client
	return func(ctx context.Context) tea.Msg {
		folder, err := client.Services.Folder(ctx, name)
		return folderRead{name: name, folder: folder, err: err}
	}
}

// readAlone reads the folder of a service that the site has no more; once, as it may stay listed.
func (c *catalog) readAlone(path string) tea.Cmd {
	service, _, found := c.byPath(path)
	if !found || c.Loading || c.states.gone[path] {
		return nil
	}
	c.Loading, c.states.gone[path] = true, true
	request := c.request(service.Folder)
	return c.Scope.Do("folder", func(ctx context.Context) tea.Msg {
		r := request(ctx).(folderRead)
		r.gone = path
		return r
	})
}

// aloneRead takes one folder of a list that was read at another time, and keeps its age.
func (c *catalog) aloneRead(r folderRead) tea.Cmd {
	c.Loading = false
	switch at := c.find(r.name); {
	case adminapi.IsTransient(r.err):
		delete(c.states.gone, r.gone)
		return nil
	case at < 0 || r.err != nil && (r.name == "" || errors.Is(r.err, adminapi.KindSignIn)):
		return nil
	case r.err != nil:
		c.folders[at].problem = r.err
	default:
		c.takeServices(at, r.folder)
	}
	c.lay()
	return c.loadShownStates()
}

func (c *catalog) folderRead(r folderRead) tea.Cmd {
	switch {
	case r.gone != "":
		return c.aloneRead(r)
	case r.err != nil:
		return c.folderFailed(r)
	}
	if c.Kept {
		c.forgetKept()
	}
	c.Succeeded(c.Env.Clock.Now())
	c.take(r.name, r.folder)
	c.lay()
	return tea.Batch(c.nextFolder(), c.loadShownStates())
}

// nextFolder goes on with the folders that were not read yet.
func (c *catalog) nextFolder() tea.Cmd {
	if c.Loading = len(c.unread) > 0; !c.Loading {
		return nil
	}
	name := c.unread[0]
	c.unread = c.unread[1:]
	return c.Scope.Do("folder", c.request(name))
}

// folderFailed retries where that can help. A folder that cannot be read does not hide
// the others.
func (c *catalog) folderFailed(r folderRead) tea.Cmd {
	if errors.Is(r.err, adminapi.KindCancelled) {
		return nil
	}
	if wait := c.Failed(c.Env.Clock.Now(), c.Env.Site.Line, r.err); wait > 0 {
		return c.Scope.After(c.Env.Clock, wait, "folder", c.request(r.name))
	}
	switch at := c.find(r.name); {
	case errors.Is(r.err, adminapi.KindSignIn):
		return c.Scope.RetryAfterSignIn(r.err, "folders", c.load)
	case r.name == "" && !c.Updated.IsZero():
		return views.TellError(r.err)
	case r.name == "" || at < 0:
		return nil
	default:
		c.folders[at].problem, c.folders[at].read, c.Err = r.err, true, nil
	}
	c.lay()
	return c.nextFolder()
}

// take replaces what a folder holds. The root lists the folders.
func (c *catalog) take(name string, read adminapi.Folder) {
	at := c.find(name)
	if at < 0 {
		return // the root does not list it any more
	}
	c.takeServices(at, read)
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

// takeServices replaces the services of a folder. Where they are others than before, one without a
// state is worth another look.
func (c *catalog) takeServices(at int, read adminapi.Folder) {
	name, before, services := c.folders[at].name, c.folders[at].services, slices.Clone(read.Services)
	for i := range services {
		services[i].Folder = name // that is where it was found, whatever the answer says
	}
	c.folders[at] = folder{name: name, services: services, read: true}
	if slices.EqualFunc(before, services, samePath) {
		return
	}
	for _, s := range before {
		delete(c.states.gone, s.Path())
	}
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

// services are those that are known.
func (c *catalog) services() (services []adminapi.ServiceRef) {
	for _, f := range c.folders {
		services = append(services, f.services...)
	}
	return services
}

// paths completes the name of a service, with its state where that is known.
func (c *catalog) paths() (paths []views.Choice) {
	for _, s := range c.services() {
		path := s.Path()
		paths = append(paths, views.Choice{Text: path, Note: strings.ToLower(c.states.known[path].RealTime)})
	}
	return paths
}

// byPath finds a service in what was read of the list; capitals do not matter.
func (c *catalog) byPath(path string) (service adminapi.ServiceRef, key rowKey, found bool) {
	for _, s := range c.services() {
		if strings.EqualFold(s.Path(), path) {
			return s, rowKey{s.Folder, s.Path()}, true
		}
	}
	return adminapi.ServiceRef{}, rowKey{}, false
}

// like lists the services whose paths have a text; capitals do not matter.
func (c *catalog) like(text string) (paths []string) {
	for _, s := range c.services() {
		if strings.Contains(strings.ToLower(s.Path()), strings.ToLower(text)) {
			paths = append(paths, s.Path())
		}
	}
	return paths
}

// whole is the path that was typed; once all folders were read, that of the only service which has
// it as a part.
func (c *catalog) whole(path string) string {
	path = strings.TrimSpace(path)
	if _, _, found := c.byPath(path); found || path == "" || c.Loading {
		return path
	}
	if like := c.like(path); len(like) == 1 {
		return like[0]
	}
	return path
}

// waiting says that a service is opened once the list has it: no key acts on another meanwhile. It is
// empty where none is.
func (c *catalog) waiting() string {
	if c.wanted == nil {
		return ""
	}
	return "Reading the list; " + plain.Line(c.wanted.path) + views.Keys(" opens when it is found. {key:services.back} cancels.")
}

// selected returns the row under the cursor.
func (c *catalog) selected() (*serviceRow, bool) {
	i, ok := c.list.Selected()
	if !ok {
		return nil, false
	}
	return &c.rows.items[i], true
}

// row finds a row by its key, looking first under the cursor.
func (c *catalog) row(key rowKey) *serviceRow {
	if row, ok := c.selected(); ok && row.key == key {
		return row
	}
	for i := range c.rows.items {
		if c.rows.items[i].key == key {
			return &c.rows.items[i]
		}
	}
	return nil
}

// markedAlong reports whether a row is of a service that is marked with its folder, or with all that are down.
func (c *catalog) markedAlong(i int) bool {
	row := &c.rows.items[i]
	return row.service != nil && c.order == byFolder && (c.list.Chose(rowKey{folder: row.key.folder}) || row.apart && c.list.Chose(downKey))
}

// marked returns the services that are marked; of a marked folder all.
func (c *catalog) marked() (services []adminapi.ServiceRef) {
	seen := map[string]bool{}
	add := func(s adminapi.ServiceRef) {
		if !seen[s.Path()] {
			seen[s.Path()] = true
			services = append(services, s)
		}
	}
	for _, i := range c.list.Chosen() {
		row := &c.rows.items[i]
		if row.service != nil {
			add(*row.service)
			continue
		}
		for _, s := range c.folderOf(row).services {
			add(s)
		}
	}
	return services
}

func (c *catalog) unmark() tea.Cmd {
	text := plain.Plural(c.list.Marked(), "mark") + " cleared."
	c.list.Unmark()
	c.list.Redraw()
	return views.Tell(views.Info, text)
}

// markOnly marks some services and no others, and goes to the first of them. The list marks what is
// under its cursor.
func (c *catalog) markOnly(services []adminapi.ServiceRef) {
	key, had := c.list.Key()
	filter, kept := c.list.Filter(), false
	c.list.SetFilter("")
	c.list.Unmark()
	c.left = len(services) > 0
	for _, s := range services {
		at := rowKey{s.Folder, s.Path()}
		if !c.list.Select(at) {
			continue
		}
		c.list.Mark()
		if !kept {
			key, had, kept = at, true, true
		}
	}
	c.list.SetFilter(filter)
	if had {
		c.list.Select(key)
	}
	c.list.Redraw()
}

// View draws the list with its heading.
func (c *catalog) View() string {
	k, list, width, room := c.inks, c.list, c.Width, c.Height-listHead
	body := list.View()
	head := c.inks.Muted.On("  " + c.columns(width-2).heading())
	switch {
	case list.All() == 0:
		body = k.Sentences(c.nothing(), width, room)
	case list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + k.Sentences(c.nothingMatches(), width, room-1)
	}
	title := "  " + k.Accent.On("Services") // how many is not known
	if c.count() > 0 || !c.Updated.IsZero() {
		title = "  " + k.Accent.On(plain.Plural(c.count(), "service"))
	}
	dot := k.Muted.On(" " + k.Glyphs.Dot + " ")
	if n := len(c.marked()); n > 0 {
		title += dot + k.Strong.On(plain.Plural(n, "service")+" marked")
	}
	if text := c.checkedText(); text != "" {
		title += dot + k.Muted.On(text)
	}
	if text := c.tally.found(); text != "" {
		title += dot + k.Warn.On(text)
	}
	if n := len(c.unread); n > 0 && c.Loading {
		title += dot + k.Muted.On(plain.Plural(n, "folder")+" to be read")
	}
	if c.order != byFolder {
		title += dot + k.Muted.On(c.order.String())
	}
	if list.All() == 0 {
		head = ""
	}
	title = k.Beside(title, c.position(), width)
	if list.All() > 0 && (list.Typing() || list.Filter() != "") { // what is typed stands above the columns
		typed, below, _ := strings.Cut(body, "\n")
		return k.Headed(width, c.Height, below, title, typed, head)
	}
	return k.Headed(width, c.Height, body, title, head)
}

// position says at which of the services the cursor is; folders do not count.
func (c *catalog) position() string {
	cursor, ok := c.list.Selected()
	if !ok || c.list.Filter() != "" { // its line counts
		return ""
	}
	at, shown := 0, 0
	for i := range c.list.Visible() {
		if c.rows.items[i].service == nil {
			continue
		}
		shown++
		if i <= cursor {
			at++
		}
	}
	if c.rows.items[cursor].service == nil {
		return plain.Plural(shown, "row")
	}
	return fmt.Sprintf("%d of %d", at, shown)
}

// nothing says why there is no service to show.
func (c *catalog) nothing() []string {
	switch {
	case c.Env.Offline:
		return []string{"There is no site."}
	case c.Env.Kept != nil && (c.Err != nil || c.Unreachable != nil):
		return append(c.NotRead(), "No list of services was kept on this machine.")
	case editing.Unreadable(c.Err):
		return []string{views.Sentence(c.Err.Error()), "", "The site does not list its services. Press : and type open service NAME.TYPE."}
	case c.Err != nil, c.Unreachable != nil:
		return c.NotRead()
	case c.Loading || c.Updated.IsZero():
		return []string{"Reading the services" + c.inks.Glyphs.Ellipsis}
	}
	return []string{"The site has no services."}
}

// Fresh returns when the list of services, or one of its states, was read; zero before all folders
// were.
func (c *catalog) Fresh() time.Time {
	if c.Kept || c.Updated.IsZero() || slices.ContainsFunc(c.folders, func(f folder) bool { return !f.read }) {
		return time.Time{}
	}
	fresh := c.Updated
	for _, known := range c.states.known {
		if known.read.After(fresh) {
			fresh = known.read
		}
	}
	return fresh
}

// Keep keeps the list of services, and their states as they were read last.
func (c *catalog) Keep(when offline.When) func(operation.Site) error {
	when.Read = c.Updated
	var folders []offline.KeptFolder
	for _, f := range c.folders {
		kept := offline.KeptFolder{Name: f.name}
		for _, s := range f.services {
			one := offline.KeptService{Name: s.Name, Type: s.Type}
			if known := c.states.known[s.Path()]; known.RealTime != "" {
				one.Configured, one.RealTime, one.Read = known.Configured, known.RealTime, known.read
			}
			kept.Services = append(kept.Services, one)
		}
		folders = append(folders, kept)
	}
	return func(site operation.Site) error { return offline.KeepServices(site, when, folders) }
}

// takeKept shows the services that were kept, where none was read yet.
func (c *catalog) takeKept() {
	kept := c.Env.Kept
	if kept == nil || kept.Services == nil || !c.TakeKept(kept.Services.Read) {
		return
	}
	c.folders = []folder{{}}
	for _, f := range kept.Services.Folders {
		one := folder{name: f.Name, read: true}
		for _, s := range f.Services {
			service := adminapi.ServiceRef{Folder: f.Name, Name: s.Name, Type: s.Type}
			one.services = append(one.services, service)
			if !s.Read.IsZero() {
				state := availability.State{ServiceStatus: adminapi.ServiceStatus{Configured: s.Configured, RealTime: s.RealTime}}
				c.states.known[service.Path()] = knownState{State: state, read: s.Read, tried: s.Read}
			}
		}
		if f.Name == "" {
			c.folders[0] = one
		} else if c.find(f.Name) < 0 {
			c.folders = append(c.folders, one)
		}
	}
	c.lay()
}

// forgetKept lets go what was kept: the site answers.
func (c *catalog) forgetKept() {
	c.folders = []folder{{}}
	clear(c.states.known)
}
