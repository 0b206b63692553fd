package services

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// rowKey names a row: a folder, or a service in it by its path.
type rowKey struct{ folder, path string }

// serviceRow is a folder or a service.
type serviceRow struct {
	key     rowKey
	folder  int                  // in the catalog
	service *adminapi.ServiceRef // nil for the row of a folder
	depth   int
}

// serviceRows is the tree: the services of the root, then each folder with its own.
type serviceRows struct {
	m     *Model
	items []serviceRow
}

func newServiceRows(m *Model) *serviceRows {
	s := &serviceRows{m: m, items: make([]serviceRow, 0, m.catalog.count()+len(m.catalog.folders))}
	for at := range m.catalog.folders {
		f := &m.catalog.folders[at]
		depth := 0
		if f.name != "" {
			s.items = append(s.items, serviceRow{key: rowKey{folder: f.name}, folder: at})
			depth = 1
		}
		for i := range f.services {
			service := &f.services[i]
			s.items = append(s.items, serviceRow{key: rowKey{f.name, service.Path()}, folder: at, service: service, depth: depth})
		}
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
	return has(row.service.Name) || has(row.service.Type) || has(row.service.Description) ||
		s.hosted(row) && has(hostedMark) || s.drafted(row) && has(draftMark) || s.inState(row)
}

// What a service may be marked with.
const (
	hostedMark = "hosted"
	draftMark  = "draft"
)

// hostedFolder is where the platform keeps the services that it hosts data for.
const hostedFolder = "Hosted"

func (s *serviceRows) hosted(row *serviceRow) bool {
	return strings.EqualFold(row.service.Folder, hostedFolder)
}

func (s *serviceRows) drafted(row *serviceRow) bool {
	return len(s.m.catalog.draftsOf(*row.service)) > 0
}

// The columns at the end of a row.
const (
	typeWidth  = 16
	stateWidth = 21
)

func (s *serviceRows) Draw(i int, look rows.Look) string {
	row := &s.items[i]
	if row.service == nil {
		return s.drawFolder(row, look)
	}
	k := &s.m.inks
	ink := k.Plain
	if look.Selected {
		ink = k.Selected
	}
	room := max(8, look.Width-typeWidth-stateWidth-2)
	marks := s.marks(row)
	indent := strings.Repeat("  ", row.depth)
	name := indent + ink.On(plain.Clip(row.service.Name, max(4, room-len(indent)-ansi.StringWidth(marks)))) + marks
	kind := k.Muted.On(k.Fit(plain.Line(row.service.Type), typeWidth))
	return k.Fit(name, room) + " " + kind + " " + s.m.stateCell(row.key.path, stateWidth)
}

// marks says what is special about a service.
func (s *serviceRows) marks(row *serviceRow) string {
	k, marks := &s.m.inks, ""
	if s.drafted(row) {
		marks += "  " + k.Warn.On(draftMark)
	}
	if s.hosted(row) {
		marks += "  " + k.Muted.On(hostedMark)
	}
	return marks
}

func (s *serviceRows) drawFolder(row *serviceRow, look rows.Look) string {
	k, f := &s.m.inks, &s.m.catalog.folders[row.folder]
	sign, ink := k.Glyphs.Open, k.Heading
	if look.Folded {
		sign = k.Glyphs.Folded
	}
	if look.Selected {
		ink = k.Selected
	}
	note := plain.Plural(len(f.services), "service")
	switch {
	case f.problem != nil:
		note = k.Fail.On(k.Glyphs.Fail + " " + f.problem.Error())
	case !f.read:
		note = k.Muted.On("not read yet")
	default:
		note = k.Muted.On(note)
	}
	return k.Muted.On(sign) + " " + ink.On(plain.Clip(f.name, max(8, look.Width/2))) + "  " + note
}
