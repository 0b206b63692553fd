package change

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
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

// requestsRead says that the requests are known.
type requestsRead struct {
	plan int
	of   *requests
	show bool // in place of the review
	err  error

	past      []operation.Version // of one service, the newest first
	pastKnown bool
}

func (requestsRead) changeMsg() {}

// toggleRequests shows the requests, or the differences again.
func (f *Flow) toggleRequests() tea.Cmd {
	if f.requests == nil {
		return f.readRequests(true)
	}
	f.showsRequests = !f.showsRequests
	f.lay()
	return nil
}

// lacksPast reports whether who edited the one service last can be read for what explains the
// review, and was not.
func (d *pages) lacksPast() bool {
	return d.explains() && !d.several && !d.pastKnown && d.Env.Site.Memory.Journal != nil
}

// readRequests reads what would be sent, to show it in place of the review or beside it.
func (f *Flow) readRequests(show bool) tea.Cmd {
	edits, plan := f.toSend(), f.plan
	if len(edits) == 0 {
		return nil
	}
	site, withPast := f.Env.Site, f.lacksPast()
	return f.Scope.Do("request", func(ctx context.Context) tea.Msg {
		r := requestsRead{plan: plan, show: show, of: &requests{}}
		if r.pastKnown = withPast; withPast {
			r.past, _ = site.Memory.Versions(edits[0].Target, edits[0].Base) // what cannot be read is said in the history
		}
		prepared := batching.ReviewedEdits{Edits: edits}.Prepare(site)
		if r.of.of, r.err = prepared.Requests(ctx); r.err != nil {
			return r
		}
		for room := maxLines; room > 0 && len(r.of.lines) < len(r.of.of); {
			request := r.of.of[len(r.of.lines)]
			fields := make([][]string, len(request.Fields))
			for i, field := range request.Fields {
				fields[i] = jsonview.Lines(plain.SafeJSON([]byte(field.Value)))
				room -= min(len(fields[i]), maxFieldLines)
			}
			r.of.lines = append(r.of.lines, fields)
		}
		return r
	})
}

// toSend are the edits that would be sent.
func (s *state) toSend() []batching.PlannedEdit {
	return slices.DeleteFunc(slices.Clone(s.edits), func(e batching.PlannedEdit) bool { return e.Refused != nil || e.Unchanged() })
}

func (f *Flow) requestsRead(r requestsRead) tea.Cmd {
	if f.step != reviewing || r.plan != f.plan {
		return nil
	}
	if r.pastKnown {
		f.past, f.pastKnown = r.past, true
	}
	switch {
	case r.err != nil && !r.show: // v says why
		return nil
	case errors.Is(r.err, adminapi.KindSignIn):
		return f.Scope.RetryAfterSignIn(r.err, "request", f.toggleRequests)
	case r.err != nil:
		return views.Send(views.Failed("The request cannot be shown: "+r.err.Error(), r.err))
	}
	f.requests, f.showsRequests = r.of, f.showsRequests || r.show
	f.requested.Home()
	f.lay()
	return nil
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

// requestText is the requests as they would be sent, for the file of a plan.
func requestText(ctx context.Context, site operation.Site, edits []batching.PlannedEdit) string {
	all, err := batching.ReviewedEdits{Edits: edits}.Prepare(site).Requests(ctx)
	if err != nil {
		return "The request could not be built: " + plain.Line(err.Error()) + "\n"
	}
	var b strings.Builder
	for _, r := range all {
		b.WriteString("The request, with secrets masked: " + r.Method + " " + r.Path + "\n")
		for _, field := range r.Fields {
			b.WriteString("\n" + field.Name + "\n  " + strings.ReplaceAll(string(plain.SafeJSON([]byte(field.Value))), "\n", "\n  ") + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}
