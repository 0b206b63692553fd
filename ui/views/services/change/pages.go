package change

import (
	"fmt"
	"time"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

// pages draws a change at each of its steps. It only reads: what is sent, and when, is the
// [Flow]'s.
type pages struct {
	views.Base
	state
	host        Host
	inks        *rows.Inks
	pager       *rows.Pager             // of a page that is only read
	requested   *rows.Pager             // of the requests
	places      *rows.List[conflictKey] // of a conflict
	nodes       *cluster.Nodes
	deployments *cluster.Deployments
	pods        *cluster.Pods
	// Unknown says that the outcome of an earlier edit is unknown, empty where it is not; nil for never.
	Unknown func(operation.Target) string
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

// pageLines are what is only read.
func (d *pages) pageLines() []string {
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
