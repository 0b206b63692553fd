package upgrade

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

func lastRune(s string) (rune, int) { return utf8.DecodeLastRuneInString(s) }

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
	f.review.pager.Set(p.lines)
}

// writeReview writes what will happen, what was acknowledged, and the request.
func (m *Model) writeReview(p *page) {
	f, k := m.flow, p.inks
	if f.problem != "" {
		p.signed(k.glyphs.Fail, k.fail, f.problem)
		p.gap()
	}
	p.text(k.strong, m.whatHappens())
	p.text(k.muted, "A dry run ends here: nothing was uploaded or sent so far.")
	m.writeWarnings(p)
	m.writeUploads(p)
	action := "upgrade"
	if f.rollback {
		action = "rollback"
	}
	p.heading("The request: POST system/upgrades/" + action)
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
	f, k := m.flow, p.inks
	warnings := upgrade.Warnings(f.checks)
	if len(warnings) == 0 {
		return
	}
	p.heading("Warnings")
	for _, c := range warnings {
		box, ink := "[ ]", k.warn
		if f.acked[c.ID] == essence(c) {
			box, ink = "[x]", k.ok
		}
		for i, line := range views.Wrap(c.Title+": "+c.Finding, p.width-4) {
			if i == 0 {
				p.line(ink.On(box) + " " + line)
				continue
			}
			p.line("    " + line)
		}
	}
}

// partWidth is the column of the names of parts.
const partWidth = 21

// part writes one part of the request: short ones beside the name, JSON below it.
func (p *page) part(s upgrade.Shown) {
	if len(s.Text) < p.width-partWidth-8 && !strings.Contains(s.Text, "\n") {
		p.line(p.inks.label.On(p.inks.fit(plain.Line(s.Name), partWidth)) + plain.Line(s.Text))
		return
	}
	p.line(p.inks.label.On(plain.Clip(s.Name, p.width)))
	lines := jsonview.Lines([]byte(s.Text))
	for _, line := range lines[:min(len(lines), 4*mostLines)] {
		p.indented(rows.Ink{}, "  ", line)
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
		p.gap()
		p.text(rows.Ink{}, "First "+filepath.Base(state.path)+" ("+sizeOf(state.size)+") is uploaded for "+in.field.ID+
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
	rule := k.rule.On(ruleOf(k, max(0, size.width-ansi.StringWidth(note)-1)))
	lines = append(lines, rule+" "+k.muted.On(note))
	return append(lines, m.startLine(), m.startHint())
}

// startLine is where the version is typed.
func (m *Model) startLine() string {
	f, k := m.flow, &m.inks
	switch {
	case f.review.typing:
		return "To start, type " + k.strong.On(plain.Line(orList(f.words()))) + ": " + k.accent.On(plain.Line(f.review.typed)+k.glyphs.BarOn)
	case len(f.unacknowledged()) > 0:
		return k.warn.On(k.glyphs.Warn+" "+views.Plural(len(f.unacknowledged()), "warning")+" to acknowledge") + k.muted.On(": space takes one after the other")
	}
	return k.key.On("enter") + " begins to confirm: the version has to be typed"
}

func (m *Model) startHint() string {
	f, k := m.flow, &m.inks
	switch {
	case f.review.hint != "":
		return k.warn.On(plain.Clip(k.glyphs.Warn+" "+f.review.hint, m.body().width))
	case f.review.typing:
		return k.muted.On("enter sends it, once; esc stops confirming")
	}
	return ""
}

// requestText is the review as a file or a clipboard holds it.
func (m *Model) requestText() string {
	p := &page{inks: &inks{glyphs: m.inks.glyphs}, times: m.env.Times, width: 100}
	m.writeReview(p)
	return ansi.Strip(strings.Join(p.lines, "\n")) + "\n"
}
