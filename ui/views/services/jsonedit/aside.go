package jsonedit

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget/rows"
)

// Past is a change of a value that was made before, as it may be shown.
type Past struct {
	document.Change
	When time.Time
	Who  string
}

const (
	asideFrom  = 168 // cells from which on what a value means stands beside the tree
	asideWidth = 60
	maxChanges = 12
	dividing   = 3    // cells between the two
	maxAside   = 1500 // bytes of a value that are shown there
)

// aside returns how many cells stand beside the tree; 0 in narrower terminals.
func (e *Editor) aside() int {
	if e.width < asideFrom || e.height < minStatus {
		return 0
	}
	return asideWidth
}

// past is what changed each value last.
type past struct {
	of     *document.Document // the base that it was read for; nil for none
	known  bool
	reads  int // that came
	byPath map[document.Path]Past
	minute func(time.Time) string
}

// LoadPast reads the changes that led to the base, newest first, once for each base. minute
// says a time on the screen.
func (e *Editor) LoadPast(minute func(time.Time) string, read func(base *document.Document) []Past) tea.Cmd {
	base := e.Base()
	if e.past.of == base {
		return nil
	}
	e.past.of, e.past.minute = base, minute
	return e.scope.Do("past of the definition", func(context.Context) tea.Msg {
		byPath := map[document.Path]Past{}
		for _, c := range read(base) {
			if _, newer := byPath[c.Path]; !newer {
				byPath[c.Path] = c
			}
		}
		return Msg{func() {
			if e.past.of == base {
				e.past.known, e.past.byPath = true, byPath
				e.past.reads++
			}
		}}
	})
}

// last returns the last change of a value, or of what holds it.
func (p *past) last(path document.Path) (Past, bool) {
	for ; path != document.Whole; path = path.Parent() {
		if c, ok := p.byPath[path]; ok {
			return c, true
		}
	}
	return Past{}, false
}

// asideVersion names what stands beside the tree is made of.
type asideVersion struct {
	lines       *lines
	base        *document.Document
	row, height int
	wrong       string // with that row
	reads       int    // of the past
	when        string // of the last change: how times are shown may change
}

// drawAside says what the value means on which the cursor rests, what the site has, and when
// it changed last.
func (e *Editor) drawAside(height int) string {
	version := asideVersion{lines: e.tree.lines, base: e.Base(), row: -1, height: height, reads: e.past.reads}
	if i, ok := e.tree.list.Rested(); ok {
		version.row, version.wrong = i, e.tree.wrongHere()
		if c, ok := e.past.last(version.lines.all[i].Node.Path()); ok {
			version.when = e.past.minute(c.When)
		}
	}
	return e.cache.For(version, func() string {
		p := &rows.Page{Inks: &e.inks.Inks, Width: asideWidth}
		if version.row >= 0 {
			e.describe(p, version.row)
		}
		return e.inks.Block(p.Lines, asideWidth, height)
	})
}

func (e *Editor) describe(p *rows.Page, i int) {
	l, k := e.tree.lines, &e.inks
	n := l.all[i].Node
	path := n.Path()
	p.Text(k.Strong, path.String())
	p.Gap()
	writeMeaning(p, path)
	f, known := document.FieldOf(path)
	for _, found := range l.found(i, i) {
		p.Gap()
		sign, ink := k.sign(found)
		p.Signed(sign, ink, found.Text)
	}
	p.Gap()
	kind := n.Kind().String()
	if n.Len() > 0 {
		kind += ", " + countOf(n)
	} else if known && f.Widget != document.AnyWidget {
		kind = strings.TrimSuffix(hintFor(f.Widget), ", without quotes")
	}
	p.Fact("Type", kind)
	writeLimits(p, l.doc, path)
	p.Gap()
	if !l.deleted(i) {
		p.Fact("Here", shortOf(n))
	}
	switch was, ok := e.Base().Find(path); {
	case !ok:
		p.Fact("At the site", "none")
	case l.deleted(i):
		p.Fact("At the site", shortOf(was))
		p.Fact("Here", "deleted")
	case was.Raw() == n.Raw():
		p.Fact("At the site", "the same")
	default:
		p.Fact("At the site", shortOf(was))
	}
	e.past.describe(p, path)
	describeChanges(p, k, l.differences)
}

// DescribeField writes what the field at a path of a document is, and which values it may have.
func DescribeField(p *rows.Page, of *document.Document, path document.Path) {
	writeMeaning(p, path)
	writeLimits(p, of, path)
}

// writeMeaning writes what the field at a path is.
func writeMeaning(p *rows.Page, path document.Path) {
	f, known := document.FieldOf(path)
	switch {
	case known:
		p.Text(p.Inks.Plain, f.Text)
	case path != document.Whole:
		p.Text(p.Inks.Muted, "This field is not documented.")
	}
	if f.Restart {
		p.Text(p.Inks.Warn, "A change likely restarts the service.")
	}
}

// writeLimits writes which values the field at a path of a document may have.
func writeLimits(p *rows.Page, doc *document.Document, path document.Path) {
	f, _ := document.FieldOf(path)
	p.Fact("Limits", doc.Limits(path))
	p.Fact("Known values", strings.Join(f.Values, ", "))
	if path != document.Whole {
		p.Fact("Group", string(document.GroupOf(path)))
	}
}

// describeChanges lists what the edit changes.
func describeChanges(p *rows.Page, k *inks, all []document.Change) {
	if len(all) == 0 {
		return
	}
	p.Heading("Your changes")
	for _, c := range all[:min(len(all), maxChanges)] {
		said := c.Path.String() + "  "
		switch c.Kind {
		case document.Added:
			said += "added"
		case document.Removed:
			said += "deleted"
		case document.Moved:
			said += "in another order"
		default:
			said += k.clean(c.Old, 20) + " " + k.Glyphs.Arrow + " " + k.clean(c.New, 20)
		}
		p.Text(k.Plain, said)
	}
	if more := len(all) - maxChanges; more > 0 {
		p.Text(k.Muted, plain.Plural(more, "more change"))
	}
}

// shortOf is a value as far as it is shown beside the tree.
func shortOf(n document.Node) string {
	if n.Len() > 0 {
		return countOf(n)
	}
	return plain.Clip(n.Raw()[:min(len(n.Raw()), maxAside)], maxAside)
}

// describe says when a value changed last, as far as that is kept on this machine.
func (of *past) describe(p *rows.Page, path document.Path) {
	c, ok := of.last(path)
	switch {
	case !of.known || path == document.Whole:
		return
	case !ok:
		p.Fact("Last change", "none kept on this machine")
		return
	}
	when := of.minute(c.When)
	if who := plain.Line(c.Who); who != "" {
		when += " by " + who
	}
	p.Fact("Last change", when)
	where := ""
	if c.Path != path {
		where = c.Path.String() + " "
	}
	switch c.Kind {
	case document.Added:
		p.Fact("", where+"added")
	case document.Moved:
		p.Fact("", where+"in another order")
	default:
		p.Fact("", where+"from "+plain.Clip(c.Old[:min(len(c.Old), maxAside)], 200))
	}
}

// besideTree draws the tree with what stands beside it.
func (e *Editor) besideTree() string {
	tree := e.tree.list.View()
	if e.aside() == 0 {
		return tree
	}
	return e.inks.Panes(tree, e.drawAside(e.height-e.statusHeight()-e.below))
}
