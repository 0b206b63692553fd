package services

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// mostAside bounds the services that are named above a review as not taking part.
const mostAside = 4

// mostAsideLines bounds the lines that each of them takes: the review needs the room.
const mostAsideLines = 3

// aside says what becomes of pods, or which of several services do not take part and
// why.
func (m *Model) aside() (lines []string) {
	w, k := m.way, &m.inks
	switch {
	case w.step != reviewing:
		return nil
	case !w.many:
		return m.movesAside()
	}
	var named, left int
	add := func(sign string, ink rows.Ink, text string) {
		if named++; named > mostAside {
			left++
			return
		}
		p := m.page()
		p.Signed(sign, ink, text)
		lines = append(lines, p.Lines[:min(len(p.Lines), mostAsideLines)]...)
	}
	for _, e := range w.edits {
		path := plain.Line(e.Service.Path())
		switch {
		case e.Refused != nil:
			add(k.Glyphs.Warn, k.Warn, path+" cannot take it: "+e.Refused.Error())
		case e.Unchanged():
			add(k.Glyphs.Skipped, k.Muted, path+" has it already")
		}
	}
	if left > 0 {
		lines = append(lines, k.Muted.On(fmt.Sprintf("  and %d more", left)))
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}

// placeWay hands out the cells of the way.
func (m *Model) placeWay() {
	w := m.way
	size := box{m.inner(), max(1, m.height-m.banner()-wayHead)}
	w.review.SetSize(size.width, max(1, size.height-len(m.aside())))
	w.pager.SetSize(size.width, size.height)
	m.layWay()
}

// layWay makes the lines of what is only read.
func (m *Model) layWay() {
	w := m.way
	p := m.page()
	switch w.step {
	case checking:
		p.Signed(m.inks.Glyphs.Running, m.inks.Running, w.checkingText())
	case sending:
		m.writeSending(p)
	case ended:
		m.writeEnded(p)
	}
	w.pager.Set(p.Lines)
}

func (w *way) checkingText() string {
	if w.many {
		return fmt.Sprintf("Reading the definitions: %d of %d", w.read, w.wanted)
	}
	return "Checking what is changed"
}

// writeSending shows the steps, the present one last.
func (m *Model) writeSending(p *rows.Page) {
	k, w := &m.inks, m.way
	service := ""
	for i, r := range w.begun {
		if path := r.service.Path(); w.many && path != service {
			if service != "" {
				p.Gap()
			}
			p.Text(k.Strong, path)
			service = path
		}
		glyph, ink := k.Glyphs.Pass, k.OK
		if i == len(w.begun)-1 {
			glyph, ink = k.Glyphs.Running, k.Running
		}
		p.Signed(glyph, ink, r.text())
	}
	if len(w.begun) == 0 {
		p.Signed(k.Glyphs.Running, k.Running, "Preparing")
	}
	p.Gap()
	p.Text(k.Muted, "It is sent once, whatever happens to the answer.")
	if w.stays {
		p.Text(k.Warn, "This page stays until it is known what becomes of it.")
	}
}

// drawWay draws what is on its way out, and the step it is in.
func (m *Model) drawWay() []string {
	w, k := m.way, &m.inks
	title := k.Accent.On(w.title) + " " + k.Strong.On(plain.Clip(w.about(), m.inner()-30))
	note := w.step.String()
	if w.merged && w.step == reviewing {
		note = "review, merged with what the site has now"
	}
	if w.step == reviewing {
		at := w.review.Position()
		if longer := note + ", row " + at; at != "" && ansi.StringWidth(title+"  "+longer) <= m.inner() {
			note = longer
		}
		lines := append([]string{m.inks.Beside(title, note, m.inner()), ""}, m.aside()...)
		return append(lines, strings.Split(w.review.View(), "\n")...)
	}
	m.layWay() // ages count up
	if at := w.pager.Position(); at != "" {
		note += ", lines " + at
	}
	return append([]string{m.inks.Beside(title, note, m.inner()), ""}, strings.Split(w.pager.View(), "\n")...)
}

// saved is a plan that was written to a file.
type saved struct {
	path string
	err  error
}

// savePlan writes the reviewed plan into a new file.
func (m *Model) savePlan() tea.Cmd {
	w := m.way
	name := "services-plan.txt"
	if !w.many {
		name = strings.ReplaceAll(w.about(), "/", "-") + "-plan.txt"
	}
	head := "A plan, not sent. " + w.title + " of " + plain.Line(w.about()) + ", " + m.env.Times.Moment(m.env.Clock.Now()) + "\n\n"
	if moves := m.movesAside(); len(moves) > 0 {
		head += ansi.Strip(strings.Join(moves, "\n")) + "\n"
	}
	for _, plan := range w.plans() {
		head += plan.Text(w.review.Confirmed(plan.Service)) + "\n"
	}
	text, path := head, filepath.Join(m.folder, views.FileSafe(name))
	return m.scope.Do("save", func(context.Context) tea.Msg {
		path, err := operation.WriteNew(path, func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			return err
		})
		return saved{path, err}
	})
}

func (r saved) apply(*Model) tea.Cmd {
	if r.err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "The plan was not saved: " + r.err.Error(), Err: r.err})
	}
	return views.Tell(views.Success, "Saved to "+r.path+". Nothing was sent.")
}
