package upgrade

import (
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// reviewFoot is the lines below the request: what starts it.
const reviewFoot = 3

// layReview makes the lines of the review for the present width.
func (m *Model) layReview() {
	f, size := m.flow, m.body()
	if f.review == nil {
		return
	}
	p := m.newPage(size.width)
	m.writeReview(p)
	f.review.pager.SetSize(size.width, max(1, size.height-reviewFoot))
	f.review.pager.Set(p.Lines)
}

// writeReview writes what will happen, what was acknowledged, and the request.
func (m *Model) writeReview(p *page) {
	f, k := m.flow, p.Inks
	if f.problem != "" {
		p.Signed(k.Glyphs.Fail, k.Fail, f.problem)
		p.Gap()
	}
	p.Text(k.Strong, m.whatHappens())
	p.Text(k.Muted, "A dry run ends here: nothing was uploaded or sent so far.")
	m.writeWarnings(p)
	m.writeUploads(p)
	action := "upgrade"
	if f.rollback {
		action = "rollback"
	}
	p.Heading("The request: POST system/upgrades/" + action)
	for _, part := range f.review.shown {
		p.part(part)
	}
	p.part(upgrade.Shown{Name: "f", Text: "json"})
	p.part(upgrade.Shown{Name: "token", Text: "(hidden)"})
}

func (m *Model) whatHappens() string {
	f := m.flow
	if f.rollback {
		return f.takesBack()
	}
	return f.ask.Sentence(f.offer)
}

func (m *Model) writeWarnings(p *page) {
	f, k := m.flow, p.Inks
	warnings := upgrade.Warnings(f.checks)
	if len(warnings) == 0 {
		return
	}
	p.Heading("Warnings")
	for _, c := range warnings {
		box, ink := "[ ]", k.Warn
		if f.acked[c.ID] == essence(c) {
			box, ink = "[x]", k.OK
		}
		for i, line := range views.Wrap(c.Title+": "+c.Finding, p.Width-4) {
			if i == 0 {
				p.Line(ink.On(box) + " " + line)
				continue
			}
			p.Line("    " + line)
		}
	}
}

// partWidth is the column of the names of parts.
const partWidth = 21

// part writes one part of the request: short ones beside the name, JSON below it.
func (p *page) part(s upgrade.Shown) {
	if len(s.Text) < p.Width-partWidth-8 && !strings.Contains(s.Text, "\n") {
		p.Line(p.Inks.Label.On(p.Inks.Fit(plain.Line(s.Name), partWidth)) + plain.Line(s.Text))
		return
	}
	p.Line(p.Inks.Label.On(plain.Clip(s.Name, p.Width)))
	lines := jsonview.Lines([]byte(s.Text))
	for _, line := range lines[:min(len(lines), 4*mostLines)] {
		p.Indented(rows.Ink{}, "  ", line)
	}
}

// writeUploads names the files that are uploaded first.
func (m *Model) writeUploads(p *page) {
	f := m.flow
	if f.form == nil {
		return
	}
	for _, in := range f.form.inputs {
		state, ok := f.form.files[in.field.ID]
		if !ok || in.field.Kind != upgrade.File || in.field.ID == licenceID || in.field.ID == manifestID {
			continue
		}
		p.Gap()
		p.Text(rows.Ink{}, "First "+filepath.Base(state.path)+" ("+sizeOf(state.size)+") is uploaded for "+in.field.ID+
			"; its id takes the place of "+upgrade.UploadPending+".")
	}
}

func (m *Model) drawReview() []string {
	f, k, size := m.flow, &m.inks, m.body()
	lines := splitLines(f.review.pager.View())
	note := f.review.pager.Position()
	if !f.reading.IsZero() {
		note = strings.TrimSpace("checked " + m.env.Times.Clock(f.reading) + "  " + note)
	}
	rule := k.Rule.On(ruleOf(k, max(0, size.width-ansi.StringWidth(note)-1)))
	lines = append(lines, rule+" "+k.Muted.On(note))
	return append(lines, m.startLine(), m.startHint())
}

// startLine is where the version is typed.
func (m *Model) startLine() string {
	f, k := m.flow, &m.inks
	switch {
	case f.review.typing:
		return "To start, type " + k.Strong.On(plain.Line(orList(f.words()))) + ": " + k.Accent.On(plain.Line(f.review.word.Text)+k.Glyphs.BarOn)
	case len(f.unacknowledged()) > 0:
		return k.Warn.On(k.Glyphs.Warn+" "+plain.Plural(len(f.unacknowledged()), "warning")+" to acknowledge") + k.Muted.On(": space takes one after the other")
	}
	return k.Key.On("enter") + " begins to confirm: the version has to be typed"
}

func (m *Model) startHint() string {
	f, k := m.flow, &m.inks
	switch {
	case f.review.word.Hint != "":
		return k.Warn.On(plain.Clip(k.Glyphs.Warn+" "+f.review.word.Hint, m.body().width))
	case f.review.typing:
		return k.Muted.On("enter sends it, once; esc stops confirming")
	}
	return ""
}

// requestText is the review as a file or a clipboard holds it.
func (m *Model) requestText() string {
	k := &inks{rows.Inks{Glyphs: m.inks.Glyphs}}
	p := &page{rows.Page{Inks: &k.Inks, Width: 100}, k, m.env.Times}
	m.writeReview(p)
	return ansi.Strip(strings.Join(p.Lines, "\n")) + "\n"
}
