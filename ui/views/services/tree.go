package services

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/widget/rows"
)

// rowKey names a row: a folder, or a service in it by its path.
type rowKey struct{ folder, path string }

// serviceRow is a folder or a service.
type serviceRow struct {
	key     rowKey
	folder  int                  // in the catalog
	service *adminapi.ServiceRef // nil for the row of a folder
	depth   int
	apart   bool // it does not stand in its folder
}

// folderOf is the folder of a row, or what stands as one.
func (c *catalog) folderOf(row *serviceRow) *folder {
	if row.folder < 0 {
		return &c.down
	}
	return &c.folders[row.folder]
}

// serviceRows is the tree: what is down, the services of the root, then each folder with its
// own.
type serviceRows struct {
	c     *catalog
	items []serviceRow
}

func newServiceRows(c *catalog) *serviceRows {
	s := &serviceRows{c: c, items: make([]serviceRow, 0, c.count()+len(c.folders)+1)}
	s.addDown()
	for at := range c.folders {
		f := &c.folders[at]
		depth := 0
		if f.name != "" && (c.order == byFolder || f.problem != nil) {
			s.items = append(s.items, serviceRow{key: rowKey{folder: f.name}, folder: at})
			depth = 1
		}
		for i := range f.services {
			service := &f.services[i]
			if c.order == byFolder && c.states.isDown(service.Path()) {
				continue
			}
			s.items = append(s.items, serviceRow{key: rowKey{f.name, service.Path()}, folder: at, service: service, depth: depth, apart: c.order != byFolder})
		}
	}
	if c.order != byFolder {
		s.sort()
	}
	return s
}

func (s *serviceRows) Len() int           { return len(s.items) }
func (s *serviceRows) Key(i int) rowKey   { return s.items[i].key }
func (s *serviceRows) Depth(i int) int    { return s.items[i].depth }
func (s *serviceRows) Version(int) uint64 { return 0 }

func (s *serviceRows) Matches(i int, has func(string) bool) bool {
	row := &s.items[i]
	if row.service == nil {
		return has(row.key.folder)
	}
	return row.apart && has(row.service.Folder) || has(row.service.Name) || has(row.service.Type) || has(row.service.Description) ||
		hosted(row) && has(hostedMark) || s.drafted(row) && has(draftMark) || s.c.states.drafts.UnknownOf(row.key.path) != "" && has(unknownMark) || s.c.inState(row, has)
}

// What a service may be marked with.
const (
	hostedMark  = "hosted"
	draftMark   = "draft"
	unknownMark = "edit unknown"
)

// hosted reports whether it is in the folder of services that the platform hosts data for.
func hosted(row *serviceRow) bool { return strings.EqualFold(row.service.Folder, "Hosted") }

// drafted reports whether it has a draft other than what is sent at present.
func (s *serviceRows) drafted(row *serviceRow) bool {
	return slices.ContainsFunc(s.c.states.drafts.Of(*row.service), func(d editor.PartDraft) bool {
		return !s.c.states.sendsTo(editing.Target{Service: *row.service, Part: d.Part})
	})
}

// columns are the cells of what stands behind the name in a row; 0 for a column that has no
// room.
type columns struct{ name, marks, kind, scales, pods, state int }

// columns shares out the cells of a row: the state is always there, marks and how many pods a
// service may have in wide lists only.
func (c *catalog) columns(width int) columns {
	w := columns{state: 21}
	least := 23
	if c.order != byFolder { // each name has its folder before it
		least = 27
	}
	for _, next := range []struct {
		cells *int
		size  int
	}{{&w.kind, 15}, {&w.pods, 7}, {&w.scales, 6}, {&w.marks, 13}} {
		if width-w.state-w.kind-w.pods-w.scales-next.size-5 < least {
			break
		}
		*next.cells = next.size
	}
	w.name = width
	for _, cells := range []int{w.marks, w.kind, w.scales, w.pods, w.state} {
		if cells > 0 {
			w.name -= cells + 1
		}
	}
	w.name = max(4, w.name)
	return w
}

// line joins the cells of a row that have room.
func (w columns) line(name, marks, kind, scales, pods, state string) string {
	line := name
	for _, cell := range []struct {
		size int
		text string
	}{{w.marks, marks}, {w.kind, kind}, {w.scales, scales}, {w.pods, pods}, {w.state, state}} {
		if cell.size > 0 {
			line += " " + cell.text
		}
	}
	return line
}

// heading names the columns.
func (w columns) heading() string {
	fit := func(text string, cells int) string { return views.Fit(text, cells, "") }
	return w.line(fit("Name", w.name), fit("", w.marks), fit("Type", w.kind), fit("Scales", w.scales), fit("Pods", w.pods), fit("State", w.state))
}

func (s *serviceRows) Draw(i int, look rows.Look) string {
	row, k := &s.items[i], s.c.inks
	if row.service == nil {
		return s.drawFolder(row, look)
	}
	w := s.c.columns(look.Width)
	var marks []string
	switch {
	case s.c.states.drafts.UnknownOf(row.key.path) != "":
		marks = append(marks, k.Unknown.On(unknownMark))
	case s.drafted(row):
		marks = append(marks, k.Warn.On(draftMark))
	}
	if hosted(row) && w.marks > 0 { // else the folder says so
		marks = append(marks, k.Muted.On(hostedMark))
	}
	mark := strings.Join(marks, " ")
	indent := strings.Repeat("  ", row.depth)
	label := row.service.Name
	if row.apart && row.service.Folder != "" {
		label = row.service.Folder + "/" + label
	}
	room, behind := w.name-len(indent), ""
	if w.marks == 0 && mark != "" {
		behind = "  " + mark
		room -= ansi.StringWidth(behind)
	}
	name := indent + k.Plain.On(plain.ClipMiddle(label, max(4, room), k.Glyphs.Ellipsis)) + behind
	pods, podsInk := s.c.states.pods.text(k, row.key.path)
	if s.c.states.othersPods(row.key.path) {
		pods = "shared"
	}
	glyph, text, stateInk := s.c.states.stateOf(row.key.path)
	return w.line(k.Fit(name, w.name), k.Fit(mark, w.marks), k.Muted.On(k.Fit(plain.Line(row.service.Type), w.kind)),
		k.Muted.On(k.Fit(s.c.states.pods.rangeText(row.key.path), w.scales)), podsInk.On(k.Fit(pods, w.pods)), stateInk.On(k.Fit(glyph+" "+text, w.state)))
}

// above is how many services of a folder stand above all folders.
func (s *serviceRows) above(f *folder) (n int) {
	for i := range f.services {
		if s.c.order == byFolder && s.c.states.isDown(f.services[i].Path()) {
			n++
		}
	}
	return n
}

func (s *serviceRows) drawFolder(row *serviceRow, look rows.Look) string {
	k, f := s.c.inks, s.c.folderOf(row)
	sign := k.Glyphs.Open
	if look.Folded {
		sign = k.Glyphs.Folded
	}
	count := plain.Plural(len(f.services), "service")
	if n := s.above(f); n > 0 && row.folder >= 0 {
		count += fmt.Sprintf(", %d above", n)
	}
	note := k.Muted.On(count)
	switch n := s.c.tallies[f.name]; {
	case f.problem != nil:
		note = k.Fail.On(k.Glyphs.Fail + " " + f.problem.Error())
	case !f.read:
		note = k.Muted.On("not read yet")
	case n.found() != "":
		note += k.Muted.On(" "+k.Glyphs.Dot+" ") + k.Warn.On(n.text(len(f.services)))
	}
	ink := k.Heading
	if row.folder < 0 {
		ink = k.Fail
	}
	return k.Muted.On(sign) + " " + ink.On(plain.Clip(f.name, max(8, look.Width/2))) + "  " + note
}
