package upgrade

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// SetSize gives the step its cells.
func (s *settings) SetSize(width, height int) {
	s.base.SetSize(width, height)
	s.place()
}

// footHeight is the least room below a page, for a file and the notice of the draft; lowPage is a height
// below which the hint of a field stands there, too: between label and input it would hide the input.
const (
	footHeight = 3
	lowPage    = 12
)

func (s *settings) low() bool { return s.Height < lowPage }

// room is how many lines the page has.
func (s *settings) room() int {
	below := max(footHeight, len(s.foot()))
	if s.low() {
		below = min(below, s.Height/4)
	}
	return max(1, s.Height-len(s.problem())-below)
}

func (s *settings) place() {
	for _, in := range s.inputs {
		in.describe(s.low())
	}
	if s.dialog != nil {
		s.placed = s.room()
		s.dialog.Resize(s.Width, s.placed)
	}
}

// View draws the page of the settings, below it what the upgrade does where there is room, and
// the results of its files.
func (s *settings) View() string {
	above, below := s.problem(), s.foot()
	var lines []string
	if s.dialog != nil {
		lines = strings.Split(s.dialog.View(), "\n")
	} else {
		lines = s.nothingAsked()
	}
	if s.low() {
		below = below[:min(len(below), s.Height/4)]
	}
	room := max(1, s.Height-len(above)-len(below))
	for len(lines) > 0 && strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	lines = append(lines, s.change.below(s.inks, s.Width, room-len(lines))...)
	page := make([]string, room)
	copy(page, lines)
	return s.inks.Block(slices.Concat(above, page, below), s.Width, s.Height)
}

// problem says why the review cannot be opened, or why the site refused.
func (s *settings) problem() []string {
	if s.change.problem == "" {
		return nil
	}
	p := &rows.Page{Inks: s.inks, Width: s.Width}
	p.Status(rows.StatusFailed, s.change.problem)
	most := 4
	if s.low() {
		most = 2
	}
	p.Lines = p.Lines[:min(len(p.Lines), most)]
	if refused := s.change.refused(); refused != nil {
		p.Line("  " + s.inks.Label.On("Next  ") + plain.Clip(refused.next, max(1, s.Width-8)))
	}
	if !s.low() {
		p.Gap()
	}
	return p.Lines
}

func (s *settings) nothingAsked() []string {
	k := s.inks
	lines := []string{k.Heading.On("This upgrade has no settings."), ""}
	hidden := slices.DeleteFunc(slices.Clone(s.inputs), func(in *input) bool { return !in.field.Hidden })
	switch n := len(hidden); {
	case n == 1 && hidden[0].field.ID == manifestID:
		lines = append(lines, "Press "+k.Key.On(views.KeyOf("upgrade.manifest"))+" to send a version manifest along (rarely needed).")
	case n > 0:
		lines = append(lines, "Press "+k.Key.On(views.KeyOf("upgrade.hidden"))+" for "+plain.Plural(n, "hidden field")+" (rarely needed).")
	}
	return append(lines, "Press "+k.Key.On(views.KeyOf("upgrade.next"))+" for the review.")
}

// foot returns the results of the files on the page, and the notice of the draft.
func (s *settings) foot() []string {
	k := s.inks
	var lines []string
	if len(s.pages) > 0 {
		for _, in := range s.pages[s.page] {
			if state, ok := s.files[in.field.ID]; ok && state.Path == in.path() && !s.saysAbove(state.Err) && (state.Err == nil || !widget.Offers(in.widget)) {
				lines = append(lines, s.fileLine(in, state))
			}
		}
	}
	if s.checking {
		lines = append(lines, k.Signed(rows.StatusRunning, "Checking the answers"+k.Glyphs.Ellipsis))
	}
	if in := s.focused(); s.low() && in != nil {
		p := rows.Page{Inks: k, Width: s.Width}
		p.Text(k.Muted, in.help())
		lines = append(lines, p.Lines...)
	}
	if s.draft.notice != "" {
		lines = append(lines, k.Muted.On(plain.Clip(s.draft.notice, s.Width)))
	}
	if len(lines) > 0 && !s.low() {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// saysAbove reports whether the problem above the page is this error of a file.
func (s *settings) saysAbove(err error) bool {
	return err != nil && strings.Contains(strings.ToLower(s.change.problem), strings.ToLower(err.Error()))
}

func (s *settings) fileLine(in *input, state upgrade.GivenFile) string {
	k, of := s.inks, ""
	if in != s.focused() { // it may stand right below another one
		of = in.field.Label + ": "
	}
	if state.Err != nil {
		return k.Fail.On(k.Glyphs.Fail) + " " + plain.Clip(of+views.Sentence(state.Err.Error()), s.Width-2)
	}
	if found := s.change.facts.GivenLicence(state.Licence); in.licence() && found.InTheWay() {
		glyph, ink := k.Mark(statusOf(found))
		return ink.On(glyph) + " " + plain.Clip(of+filepath.Base(state.Path)+": "+found.Text, s.Width-2)
	}
	text := in.field.Label + ": " + filepath.Base(state.Path) + ", " + plain.Bytes(state.Size)
	if in.field.ID == manifestID {
		text += ", a version manifest"
	} else if strings.EqualFold(filepath.Ext(state.Path), ".json") {
		text += ", JSON" + state.Licence.Words()
	}
	return k.OK.On(k.Glyphs.Pass) + " " + plain.Clip(text, s.Width-2)
}
