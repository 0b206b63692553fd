package review

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

const (
	maxFieldLines = 2000 // that are shown of one field
	maxLines      = 5000 // after which no further request is shown
)

// requests are the writes that the reviewed change would send, shown in place of the
// differences.
type requests struct {
	of    []adminapi.Request
	lines [][][]string // of the fields of each that is shown
}

// toggleRequests shows the requests, or the differences again.
func (m *Model) toggleRequests() tea.Cmd {
	if m.requests == nil {
		return m.readRequests(true)
	}
	m.showsRequests = !m.showsRequests
	m.lay()
	return nil
}

// switchSync has the site answer at the end of the edits, or run them in jobs.
func (m *Model) switchSync() tea.Cmd {
	sync := m.First().Part == editing.Definition // as is usual for the part is the other
	if was := m.First().Sync; was != nil {
		sync = !*was
	}
	for i := range m.Edits {
		m.Edits[i].Sync = &sync
	}
	text := "The site runs a job, which is followed."
	if sync {
		text = "The site answers at the end, after " + adminapi.FormatDuration(adminapi.SyncTime) + " at most."
	}
	return tea.Batch(m.readRequests(true), views.Tell(views.Info, text))
}

// lacksPast reports whether who edited the one service last can be read for what explains the
// review, and was not.
func (m *Model) lacksPast() bool {
	return m.explains() && !m.Several && !m.pastKnown && m.Env.Site.Memory.Journal != nil
}

// readRequests reads what would be sent, to show it in place of the review or beside it.
func (m *Model) readRequests(show bool) tea.Cmd {
	edits, count := m.ToSend(), m.count
	if len(edits) == 0 {
		return nil
	}
	site, withPast := m.Env.Site, m.lacksPast()
	return m.Work("request", func(ctx context.Context) func() tea.Cmd {
		var past []operation.Version // of one service, the newest first
		if withPast {
			past, _ = site.Memory.Versions(edits[0].Target, edits[0].Base) // what cannot be read is said in the history
		}
		read, err := newRequests(ctx, site, edits)
		return func() tea.Cmd {
			if count != m.count {
				return nil
			}
			if withPast {
				m.past, m.pastKnown = past, true
			}
			switch {
			case err != nil && !show: // v says why
				return nil
			case errors.Is(err, adminapi.KindSignIn):
				return m.Scope.RetryAfterSignIn(err, "request", m.toggleRequests)
			case err != nil:
				return views.TellFailed("The request cannot be shown", err)
			}
			m.requests, m.showsRequests = read, m.showsRequests || show
			m.requested.Home()
			m.lay()
			return nil
		}
	})
}

// newRequests makes the requests of edits, and the lines of as many as are shown.
func newRequests(ctx context.Context, site operation.Site, edits []batching.PlannedEdit) (*requests, error) {
	all, err := batching.ReviewedEdits{Edits: edits}.Prepare(site).Requests(ctx)
	r := &requests{of: all}
	for room := maxLines; err == nil && room > 0 && len(r.lines) < len(r.of); {
		request := r.of[len(r.lines)]
		fields := make([][]string, len(request.Fields))
		for i, field := range request.Fields {
			fields[i] = jsonview.Lines(plain.SafeJSON([]byte(field.Value)))
			room -= min(len(fields[i]), maxFieldLines)
		}
		r.lines = append(r.lines, fields)
	}
	return r, err
}

// lay makes the lines for the present width.
func (r *requests) lay(pager *rows.Pager, p *rows.Page, height int) {
	p.Text(p.Inks.Muted, "Each field as it would be sent; JSON is indented only here.")
	for i := range r.lines {
		r.write(p, i, maxFieldLines)
	}
	if more := len(r.of) - len(r.lines); more > 0 {
		p.Heading("More")
		p.Text(p.Inks.Muted, "and "+plain.Plural(more, "more request")+views.Keys(": press {key:services.plan} to write all to a file."))
	}
	pager.SetSize(p.Width, height)
	pager.Set(p.Lines)
}

// write writes one of the requests, at most so many lines of each field.
func (r *requests) write(p *rows.Page, i, most int) {
	request := r.of[i]
	p.Gap()
	p.Text(p.Inks.Heading, "The request: "+request.Method+" "+request.Path)
	for j, field := range request.Fields {
		lines := r.lines[i][j]
		if len(lines) == 1 {
			p.Fact(field.Name, lines[0])
			continue
		}
		p.Line(p.Inks.Label.On(field.Name))
		for _, line := range lines[:min(len(lines), most)] {
			p.Indented(rows.Ink{}, "  ", line)
		}
		if more := len(lines) - most; more > 0 {
			p.Text(p.Inks.Muted, "and "+plain.Plural(more, "more line")+views.Keys(": press {key:services.plan} to write all to a file."))
		}
	}
}
