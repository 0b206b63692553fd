package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// noticeLife is how long a notice stays that is not an error.
const noticeLife = 5 * time.Second

// notices is the one line for the user. The last one can be opened whole after
// it has gone.
type notices struct {
	shown bool
	turn  int // which notice is shown, so that an old timer does not take a new one
	last  views.Notice
	any   bool
}

// faded says that a notice has been there long enough.
type faded struct{ turn int }

func (n *notices) fade(f faded) {
	if f.turn == n.turn {
		n.shown = false
	}
}

// stays tells whether an error waits to be dismissed.
func (n *notices) stays() bool { return n.shown && n.last.Level == views.Failure }

// notify shows a notice in place of the one before.
func (m *Model) notify(n views.Notice) tea.Cmd {
	if n.Text == "" && n.Err != nil {
		n.Text = n.Err.Error()
	}
	n.Text = plain.Line(n.Text)
	m.notices = notices{shown: true, turn: m.notices.turn + 1, last: n, any: true}
	if n.Level == views.Failure {
		m.scope.Forget("notice")
		return nil
	}
	turn := m.notices.turn
	return m.scope.After(m.pace, noticeLife, "notice", func(context.Context) tea.Msg { return faded{turn} })
}

// noticeLine draws the notice, cut with a word on how to read the rest.
func (m *Model) noticeLine(width int) string {
	n := m.notices.last
	glyph, word, style := m.levelLook(n.Level)
	head := style.Render(" " + glyph + " " + word + ": ")
	tail := ""
	if n.Err != nil || lipgloss.Width(head)+ansi.StringWidth(n.Text) > width {
		tail = m.env.Theme.Muted.Render("  ") + m.env.Theme.Key.Render("!") + m.env.Theme.Muted.Render(" whole text ")
	}
	room := width - lipgloss.Width(head) - lipgloss.Width(tail)
	text := ansi.Truncate(n.Text, max(room, 0), m.env.Theme.Glyphs.Ellipsis)
	return views.Fit(head+m.env.Theme.Plain.Render(text)+tail, width, "")
}

func (m *Model) levelLook(l views.Level) (glyph, word string, style lipgloss.Style) {
	t := m.env.Theme
	switch l {
	case views.Success:
		return t.Glyphs.Pass, "done", t.OK
	case views.Warning:
		return t.Glyphs.Warn, "warning", t.Warn
	case views.Failure:
		return t.Glyphs.Fail, "error", t.Fail
	}
	return t.Glyphs.Dot, "note", t.Accent
}

// wholeNotice opens the last notice with everything that is known.
func (m *Model) wholeNotice(string) tea.Cmd {
	if !m.notices.any {
		return views.Tell(views.Info, "there was no notice yet")
	}
	n := m.notices.last
	m.notices.shown = false
	_, word, _ := m.levelLook(n.Level)
	text := n.Text
	if n.Err != nil {
		text = wholeError(n.Text, n.Err)
	}
	return m.open(views.NewMessage(m.env.Theme, "notice", "The last "+word, text), false)
}

// wholeError writes everything that an error holds, one fact a line.
func wholeError(text string, err error) string {
	lines := []string{text}
	if line := plain.Line(err.Error()); !strings.HasSuffix(text, line) {
		lines = append(lines, line)
	}
	if advice := operation.Advice(err); advice != "" {
		lines = append(lines, advice)
	}
	var e *adminapi.Error
	if !errors.As(err, &e) {
		return strings.Join(lines, "\n\n")
	}
	facts := []string{}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fmt.Sprintf("%-12s %s", name, plain.Line(value)))
		}
	}
	add("Operation", e.Operation)
	add("Kind", e.Kind.String())
	add("Request", strings.TrimSpace(e.Method+" "+e.Path))
	add("HTTP status", number(e.Status))
	add("Code", strings.TrimSpace(number(e.Code)+" "+e.MessageCode))
	add("Message", e.Message)
	add("Privilege", e.Privilege)
	for _, detail := range e.Details {
		add("Detail", detail)
	}
	if e.Err != nil {
		add("Cause", e.Err.Error())
	}
	return strings.Join(lines, "\n\n") + "\n\n" + strings.Join(facts, "\n")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// dismiss takes an error away and tells whether there was one.
func (n *notices) dismiss() bool {
	had := n.stays()
	if had {
		n.shown = false
	}
	return had
}

// outdate takes a note or a success away: the user goes on, and what it says, such as
// which key takes a change back, is about what was before. A warning stays its
// time and an error until it is dismissed.
func (n *notices) outdate() {
	if n.last.Level == views.Info || n.last.Level == views.Success {
		n.shown = false
	}
}

// looks are the commands that only look about on the same screen. They touch no
// notice: it may be read while the rows beside it are.
var looks = func() map[string]bool {
	ids := map[string]bool{}
	for _, c := range slices.Concat(rows.Moves(), rows.Filters(), rows.Searches(), rows.Marks(), rows.Folds()) {
		ids[c.ID] = true
	}
	return ids
}()

// deed says that a command is to be run. One that does something dismisses the
// error before it and outdates other notices.
func (n *notices) deed(c views.Command) {
	if c.Name != "" && !looks[c.ID] {
		n.dismiss()
		n.outdate()
	}
}
