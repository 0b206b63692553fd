package upgrade

import (
	"path/filepath"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
)

// ruleOf draws a horizontal line.
func ruleOf(k *inks, width int) string { return strings.Repeat(k.Glyphs.Rule, max(0, width)) }

func splitLines(s string) []string { return strings.Split(s, "\n") }

// drawForm draws the page of the settings, and below it what was found out
// about the files named there.
func (m *Model) drawForm() []string {
	size := m.body()
	above, below := m.formHead(), m.formFoot()
	room := max(1, size.height-len(above)-len(below))
	var lines []string
	if m.flow.form.dialog != nil {
		lines = splitLines(m.flow.form.dialog.View())
	} else {
		lines = m.nothingAsked()
	}
	block := views.Block(lines, size.width, room, m.inks.Glyphs.Ellipsis)
	return append(append(above, splitLines(block)...), below...)
}

// formHead says why the way led back to the form.
func (m *Model) formHead() []string {
	f := m.flow
	if f.problem == "" {
		return nil
	}
	lines := views.Wrap(f.problem, m.body().width-2)
	lines = lines[:min(len(lines), 4)]
	for i, line := range lines {
		sign := "  "
		if i == 0 {
			sign = m.inks.Fail.On(m.inks.Glyphs.Fail) + " "
		}
		lines[i] = sign + line
	}
	return append(lines, "")
}

func (m *Model) nothingAsked() []string {
	k, f := &m.inks, m.flow.form
	lines := []string{k.Heading.On("This update asks for no settings."), ""}
	if n := f.hidden(); n > 0 {
		lines = append(lines, k.Muted.On(hiddenSays(f.inputs, n)))
	}
	return append(lines, k.Key.On("n")+" goes on to the review.")
}

// hiddenSays tells what ctrl+t is for: mostly there is but the manifest.
func hiddenSays(inputs []*input, n int) string {
	if n == 1 && inputs[len(inputs)-1].field.ID == manifestID {
		return "ctrl+t: send a version manifest file along (rarely needed)."
	}
	return "ctrl+t: " + plain.Plural(n, "field") + " not meant for everybody (rarely needed)."
}

// formFoot says what is known of the files on the page, and of the draft.
func (m *Model) formFoot() []string {
	f, k, width := m.flow, &m.inks, m.body().width
	var lines []string
	if len(f.form.pages) > 0 {
		for _, in := range f.form.pages[f.form.page] {
			if state, ok := f.form.files[in.field.ID]; ok && state.path == in.path() {
				lines = append(lines, m.fileLine(in, state))
			}
		}
	}
	if f.form.checking {
		lines = append(lines, k.Running.On(k.Glyphs.Running+" Checking what was filled in"+k.Glyphs.Ellipsis))
	}
	if f.notice != "" {
		lines = append(lines, k.Muted.On(plain.Clip(f.notice, width)))
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

func (m *Model) fileLine(in *input, state fileState) string {
	k, width := &m.inks, m.body().width
	if state.err != nil {
		return k.Fail.On(k.Glyphs.Fail) + " " + plain.Clip(views.Sentence(state.err.Error()), width-2)
	}
	what := in.field.Label + ": " + filepath.Base(state.path) + ", " + sizeOf(state.size)
	if in.field.ID == manifestID {
		what += ", a version manifest"
	} else if strings.EqualFold(filepath.Ext(state.path), ".json") {
		what += ", JSON"
	}
	return k.OK.On(k.Glyphs.Pass) + " " + plain.Clip(what, width-2)
}

// formSize is the room of the page itself.
func (m *Model) formSize() (width, height int) {
	size := m.body()
	return size.width, max(1, size.height-len(m.formHead())-5)
}

// checkSettings returns what keeps the answers from being reviewed.
func (f *flow) checkSettings() []upgrade.Problem {
	if upgrade.StyleOf(f.ask.Target) == upgrade.Old {
		return nil
	}
	return upgrade.Check(upgrade.Form(f.ask.Settings), f.ask.Answers)
}
