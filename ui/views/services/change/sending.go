package change

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// report is the progress of a long command: a step of sending, or how many definitions
// were fetched.
type report struct {
	service adminapi.ServiceRef
	operation.EditProgress
	read int
	at   time.Time // when the step was reported
}

// listen waits for the next report.
func (f *Flow) listen() tea.Cmd {
	progress := f.progress
	return f.Scope.Do("progress", func(ctx context.Context) tea.Msg {
		if report, ok := progress.Next(ctx); ok {
			return report
		}
		return nil
	})
}

func (f *Flow) reported(r report) tea.Cmd {
	if f.step == idle {
		return nil
	}
	if r.Ended != nil { // after the end the results tell it
		var settled tea.Cmd
		if f.step == sending {
			settled = f.settle(*r.Ended)
		}
		return tea.Batch(settled, f.listen())
	}
	last := len(f.begun) - 1
	r.at = f.Env.Clock.Now()
	if f.step == sending && r.Step >= operation.StepSendEdit && r.Step < operation.StepAnswer && f.comesBack(r.service) {
		f.host.Restarts(r.service)
	}
	switch {
	case r.read > 0:
		f.read = r.read
	case last >= 0 && f.begun[last].Step == r.Step && f.begun[last].service.Path() == r.service.Path():
		f.begun[last] = r
	default:
		f.begun = append(f.begun, r)
	}
	f.lay()
	return f.listen()
}

// comesBack reports whether a service restarts after its edit: else no node takes its pods.
func (s *state) comesBack(service adminapi.ServiceRef) bool {
	return slices.ContainsFunc(s.edits, func(e batching.PlannedEdit) bool {
		return e.Service.Path() == service.Path() && len(e.Plan.Unschedulable()) == 0
	})
}

// text is a step of sending in words, with the state of its job.
func (r report) text() string {
	text := r.Doing()
	if r.Step == operation.StepEditJob {
		if r.Job.Status != "" {
			text += ": " + strings.ToLower(plain.Line(r.Job.Status))
		}
		if r.Unreachable != nil {
			text += "; the site does not answer, but the job continues"
		}
	}
	return plain.Capital(text)
}

// sendingNote names the service that is sent now, and since when something is sent.
func (d *pages) sendingNote() string {
	note := "sending"
	if d.several {
		note += fmt.Sprintf(", service %d of %d", d.at()+1, d.sendable())
	}
	return note + ", " + views.Seconds(d.Env.Clock.Now().Sub(d.began))
}

// aroundSent is how many services above and below the present one are listed by name.
const aroundSent = 5

// writeServices writes one line a service: done, the present one with its step, waiting.
func (d *pages) writeServices(p *rows.Page) {
	k, edits, at := d.inks, d.toSend(), d.at()
	text := "Preparing"
	if n := len(d.begun); n > 0 {
		text = d.begun[n-1].text()
	}
	line := func(glyph, word string, ink rows.Ink, name string) {
		p.Line(ink.On(glyph+" "+k.Fit(word, 10)) + plain.ClipMiddle(name, max(8, p.Width-12), k.Glyphs.Ellipsis))
	}
	first := max(0, at-aroundSent)
	if first > 0 {
		line(k.Glyphs.Pass, "done", k.OK, plain.Plural(first, "service"))
	}
	for i, e := range edits[first:] {
		switch i += first; {
		case i < at:
			line(k.Glyphs.Pass, "done", k.OK, e.Service.Path())
		case i == at:
			line(k.Glyphs.Running, "sending", k.Running, e.Service.Path())
			p.Indented(k.Muted, strings.Repeat(" ", 12), text)
		case i <= at+aroundSent:
			line(k.Glyphs.Skipped, "waiting", k.Muted, e.Service.Path())
		}
	}
	if left := len(edits) - at - 1 - aroundSent; left > 0 {
		line(k.Glyphs.Skipped, "waiting", k.Muted, strconv.Itoa(left)+" more")
	}
	p.Gap()
	if d.silent() {
		p.Text(k.Warn, "No answer yet. The site is checked when the connection ends.")
	}
	p.Text(k.Muted, "Stops at the first failure. Each is sent once, never retried.")
	p.Text(k.Muted, leaving)
}

// writeSending writes the steps, the present one last; of several, one line a service.
func (d *pages) writeSending(p *rows.Page) {
	k := d.inks
	if d.several {
		d.writeServices(p)
		return
	}
	for i, r := range d.begun {
		glyph, ink := k.Glyphs.Pass, k.OK
		if i == len(d.begun)-1 {
			glyph, ink = k.Glyphs.Running, k.Running
		}
		p.Signed(glyph, ink, r.text())
	}
	if len(d.begun) == 0 {
		p.Signed(k.Glyphs.Running, k.Running, "Preparing")
	}
	p.Gap()
	if d.silent() {
		p.Text(k.Warn, "No answer yet. The site is checked when the connection ends.")
	}
	p.Text(k.Muted, "Sent once, never retried.")
	p.Text(k.Muted, leaving)
}

// longSilence is how long an edit is without an answer before that is said.
const longSilence = 30 * time.Second

// silent reports whether an edit has been without its answer for long.
func (d *pages) silent() bool {
	n := len(d.begun)
	return n > 0 && d.begun[n-1].Step == operation.StepSendEdit && d.Env.Clock.Now().Sub(d.begun[n-1].at) >= longSilence
}

// leaving says that nothing has to be waited for.
var leaving = views.Keys("You can leave: {key:services.back} shows the list. Open the service to return.")

// Wait says that one change is sent at a time.
func (f *Flow) Wait() tea.Cmd {
	if f.searching() {
		return views.Tell(views.Warning, "The outcome of "+plain.Line(f.search.edit.Service.Path())+" is not known yet; open it.")
	}
	return views.Tell(views.Warning, "Wait until "+plain.Line(f.about())+" is sent.")
}
