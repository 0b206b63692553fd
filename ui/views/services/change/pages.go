package change

import (
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

// pageKey is what the lines of a page depend on.
type pageKey struct {
	news, width, height int
	times               views.Stamp
	second              int64         // ages count up on what is only read
	service             string        // of the row that is explained
	path                document.Path // of it
}

// key is what lines of a size depend on now.
func (d *pages) key(width, height int) pageKey {
	return pageKey{news: d.news, width: width, height: height, times: d.Env.Times.Stamp()}
}

// pages draws a change at each of its steps. It only reads: what is sent, and when, is the
// [Flow]'s.
type pages struct {
	views.Base
	state
	host  Host
	news  int // counts what came that may change what is shown
	cache struct {
		above   views.Drawn[pageKey] // a review
		beneath views.Drawn[pageKey] // a review, or beside it
		read    views.Drawn[pageKey] // what is only read
	}
	inks        *rows.Inks
	pager       *rows.Pager             // of a page that is only read
	requested   *rows.Pager             // of the requests
	places      *rows.List[conflictKey] // of a conflict
	nodes       *cluster.Nodes
	deployments *cluster.Deployments
	pods        *cluster.Pods
	// Unknown says that the outcome of an earlier edit is unknown, empty where it is not; nil for never.
	Unknown func(editing.Target) string
	// UnknownSince is when such an edit of any part of the service at a path was sent; zero for none.
	UnknownSince func(path string) time.Time
	// Sharing says which other services run in the pods of the service at a path, empty where none is known to; nil for never.
	Sharing func(path string) string
	// Together is how many of the services at paths at most run in the same pods, and whether others run in pods of theirs.
	Together func(paths []string) (most int, others bool)
	// DescribeField writes what the field at a path of a definition is; nil for nothing.
	DescribeField func(p *rows.Page, of *document.Document, path document.Path)
}

// page collects lines for the whole width, less what stands beside a review.
func (d *pages) page() *rows.Page { return &rows.Page{Inks: d.inks, Width: d.Width - d.beside()} }

// drawnLines are the lines of what was drawn last, none for an empty text.
func drawnLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// pageLines are what is only read.
func (d *pages) pageLines() []string {
	key := d.key(d.Width, d.Height)
	key.second = d.Env.Clock.Now().Unix()
	return drawnLines(d.cache.read.For(key, func() string { return strings.Join(d.written(), "\n") }))
}

// written writes what is only read.
func (d *pages) written() []string {
	p := d.page()
	switch d.step {
	case checking:
		text := "Checking the changes"
		if d.several {
			text = fmt.Sprintf("Reading the services: %d of %d", d.read, d.wanted)
		}
		p.Signed(d.inks.Glyphs.Running, d.inks.Running, text)
	case sending:
		d.writeSending(p)
	case ended:
		d.writeResult(p)
	}
	return p.Lines
}

// plans are the reviews of those edits that would change something.
func (d *pages) plans() (plans []document.Review) {
	for _, e := range d.reviewable() {
		plan := e.Plan.Review("")
		if d.several {
			plan = e.Plan.Review(e.Service.Path())
			plan.Summary = d.changeOf(e)
		}
		plans = append(plans, plan)
	}
	return plans
}
