// Package complete completes a line of text, in the palette, prompts, forms and rules alike:
// tab completes as far as all candidates agree, and again goes to the next one; the arrows
// choose one.
//
// Start at [List], which is the candidates and what tab makes of them. [Line] adds where
// they come from: words that are known, or a folder that a command reads.
package complete

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Step is what tab has led to.
type Step int

// The steps.
const (
	Nothing Step = iota // there is no candidate
	Whole               // the text is a candidate already
	Part                // all candidates that begin with the text go on like this
	Taken               // the chosen or the only candidate
	Next                // one of several: tab goes on to the next
)

// NoMatch says that there is no candidate.
const NoMatch = "no match"

// List is the candidates for a text. The zero value has none.
type List struct {
	typed   string
	choices []views.Choice
	at      int  // of the marked one, counted from 1; 0 for none
	chosen  bool // by the arrows
	turning bool // tab goes from one to the next
}

// Offer replaces the candidates by those for a text; none is marked.
func (l *List) Offer(typed string, choices []views.Choice) { *l = List{typed: typed, choices: choices} }

// Mark marks a candidate, -1 for none, without choosing it.
func (l *List) Mark(i int) { l.at, l.chosen = i+1, false }

// Marked returns the place of the marked candidate, -1 for none.
func (l *List) Marked() int { return l.at - 1 }

// Chosen returns the candidate that the arrows went to.
func (l *List) Chosen() (views.Choice, bool) {
	if !l.chosen {
		return views.Choice{}, false
	}
	return l.choices[l.at-1], true
}

// Turning reports whether tab goes from one candidate to the next.
func (l *List) Turning() bool { return l.turning }

// Choices returns the candidates.
func (l *List) Choices() []views.Choice { return l.choices }

// Len returns how many candidates there are.
func (l *List) Len() int { return len(l.choices) }

// Choose goes to another candidate, round the ends.
func (l *List) Choose(by int) {
	n := len(l.choices)
	if n == 0 {
		return
	}
	if l.at == 0 && by < 0 {
		l.at = 1
	}
	l.at = (l.at-1+by+n)%n + 1
	l.chosen, l.turning = true, false
}

// Tab returns what the text is completed to. What follows but [Next] needs new candidates.
func (l *List) Tab() (views.Choice, Step) {
	switch n := len(l.choices); {
	case n == 0:
		return views.Choice{Text: l.typed}, Nothing
	case l.chosen:
		return l.choices[l.at-1], Taken
	case l.turning:
		return l.Turn()
	}
	switch c, step := l.begun(); {
	case step != Nothing:
		return c, step
	case len(l.choices) == 1:
		return l.choices[0], Taken
	}
	return l.Turn()
}

// begun returns what the candidates that begin with the text have in common: nothing where that is no more
// than the text.
func (l *List) begun() (views.Choice, Step) {
	var common string
	var last views.Choice
	fitting := 0
	for _, c := range l.choices {
		if !strings.HasPrefix(c.Text, l.typed) {
			continue
		}
		if c.Text == l.typed {
			return c, Whole
		}
		if fitting++; fitting == 1 {
			common = c.Text
		}
		for !strings.HasPrefix(c.Text, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
		last = c
	}
	switch {
	case fitting == 1:
		return last, Taken
	case len(common) > len(l.typed):
		return views.Choice{Text: common}, Part
	}
	return last, Nothing
}

// GoesOn reports whether all candidates that begin with the text go on alike, or the only one does in other
// letters.
func (l *List) GoesOn() bool {
	only := len(l.choices) == 1 && strings.HasPrefix(strings.ToLower(l.choices[0].Text), strings.ToLower(l.typed))
	_, step := l.begun()
	return step == Part || step == Taken || step == Nothing && only
}

// Turn goes to the marked candidate, and then to the next one.
func (l *List) Turn() (views.Choice, Step) {
	if l.turning || l.at == 0 {
		l.at = l.at%len(l.choices) + 1
	}
	l.turning, l.chosen = true, false
	return l.choices[l.at-1], Next
}

// Names returns the cells that some candidates take beside their notes.
func (l *List) Names(from, to int) (cells int) {
	for _, c := range l.choices[from:to] {
		cells = max(cells, min(ansi.StringWidth(shown(c)), MaxNames))
	}
	return cells
}

// MaxNames is the most cells that candidates take where their notes need the rest.
const MaxNames = 36

// Lines draws at most so many candidates, around the marked one.
func (l *List) Lines(k *rows.Inks, width, height int) (lines []string) {
	n := len(l.choices)
	if n == 1 && l.choices[0].Text == l.typed && l.choices[0].Note == "" {
		return nil // it stands above
	}
	if n > height {
		height--
	}
	if height <= 0 {
		return nil
	}
	top := rows.Window(l.at-1, n, height)
	end := min(top+height, n)
	names := l.Names(top, end)
	for i := top; i < end; i++ {
		lines = append(lines, l.Row(k, i, names, width))
	}
	if more := n - len(lines); more > 0 {
		lines = append(lines, k.Muted.On("  and "+strconv.Itoa(more)+" more"))
	}
	return lines
}

func shown(c views.Choice) string { return plain.Line(cmp.Or(c.Shown, c.Text)) }

// Row draws a candidate and its note in a column of names, which gives way to a short note.
func (l *List) Row(k *rows.Inks, i, names, width int) string {
	c, room := l.choices[i], max(1, width-4)
	text, note := shown(c), plain.Line(c.Note)
	if names = min(names, width/2); note == "" {
		names = room
	} else {
		names = max(names, min(ansi.StringWidth(text), room-2-ansi.StringWidth(note)))
	}
	text = plain.End(text, names, k.Glyphs.Ellipsis) // names differ at their ends
	if note != "" {
		text = k.Fit(text, names) + "  " + k.Muted.On(strings.TrimRight(k.Fit(note, room-names-2), " "))
	}
	if i == l.at-1 {
		return k.Selected(" ", text, width-2)
	}
	return "  " + text
}

// Matching returns the candidates that hold a text, whatever the case, in themselves or, with
// notes, in what they are: those that begin with it come first.
func Matching(all []views.Choice, text string, notes bool) (found []views.Choice) {
	text = strings.ToLower(strings.TrimSpace(text))
	var holding []views.Choice
	for _, c := range all {
		switch lower := strings.ToLower(c.Text); {
		case strings.HasPrefix(lower, text):
			found = append(found, c)
		case strings.Contains(lower, text), notes && strings.Contains(strings.ToLower(c.Note), text):
			holding = append(holding, c)
		}
	}
	return append(found, holding...)
}

// Keys returns the rows of the keys of a line.
func Keys(prefix, group string, completes, chooses func() bool, tab func() tea.Cmd, choose func(by int) tea.Cmd) []views.Command {
	return views.Grouped(group, []views.Command{
		{ID: prefix + ".complete", Key: "tab", Word: "complete", Shown: completes, Run: tab,
			Help: "Completes as far as all candidates agree; again, goes to the next one."},
		{ID: prefix + ".choose", Key: "up ctrl+p", Word: "choose", Shown: chooses,
			Run: func() tea.Cmd { return choose(-1) }, Help: "Chooses among the candidates; enter or tab takes one."},
		{ID: prefix + ".choose-down", Key: "down ctrl+n", Word: "choose", Shown: chooses,
			Run: func() tea.Cmd { return choose(1) }, Help: "Chooses among the candidates downwards."},
	})
}
