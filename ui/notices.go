package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// noticeLife is how long a notice stays that is not an error.
const noticeLife = 5 * time.Second

// notices is the one line for the user. The last one can be opened whole after
// it has gone.
type notices struct {
	theme *theme.Theme
	pace  adminapi.Clock
	scope *views.Scope
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

// stays reports whether an error waits to be dismissed.
func (n *notices) stays() bool { return n.shown && n.last.Level == views.Failure }

// show shows a notice in place of the one before.
func (n *notices) show(next views.Notice) tea.Cmd {
	if next.Text == "" && next.Err != nil {
		next.Text = next.Err.Error()
	}
	next.Text = plain.Line(next.Text)
	n.shown, n.any, n.last = true, true, next
	n.turn++
	if next.Level == views.Failure {
		n.scope.Forget("notice")
		return nil
	}
	turn := n.turn
	return n.scope.After(n.pace, noticeLife, "notice", func(context.Context) tea.Msg { return faded{turn} })
}

// line draws the notice, cut with a word on how to read the rest.
func (n *notices) line(width int) string {
	t, last := n.theme, n.last
	glyph, word, style := levelLook(t, last.Level)
	head := style.Render(" " + glyph + " " + word + ": ")
	tail := ""
	if last.Err != nil || lipgloss.Width(head)+ansi.StringWidth(last.Text) > width {
		tail = t.Muted.Render("  ") + t.Key.Render("!") + t.Muted.Render(" whole text ")
	}
	room := width - lipgloss.Width(head) - lipgloss.Width(tail)
	text := ansi.Truncate(last.Text, max(room, 0), t.Glyphs.Ellipsis)
	return views.Fit(head+t.Plain.Render(text)+tail, width, "")
}

func levelLook(t *theme.Theme, l views.Level) (glyph, word string, style lipgloss.Style) {
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

// openNotice opens the last notice with everything that is known.
func (m *Model) openNotice() tea.Cmd {
	n := &m.notices
	if !n.any {
		return views.Tell(views.Info, "there was no notice yet")
	}
	n.shown = false
	_, word, _ := levelLook(n.theme, n.last.Level)
	text := n.last.Text
	if n.last.Err != nil {
		text = wholeError(text, n.last.Err)
	}
	return m.open(widget.NewMessage(n.theme, "notice", "The last "+word, text), false)
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

// dismiss takes an error away and reports whether there was one.
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

// before is told of a row that is about to run. One that does something dismisses the
// error before it and outdates other notices; one that only browses touches none: it may
// be read while the rows beside it are.
func (n *notices) before(c views.Command) {
	if c.Name != "" && !c.Browses {
		n.dismiss()
		n.outdate()
	}
}

// advised is an error with what to do about it in a few words before it, where
// a narrow screen does not cut them off. The whole text has the advice whole.
func advised(err error) string {
	switch {
	case errors.Is(err, adminapi.KindUnreachable):
		return "check address and network: " + err.Error()
	case errors.Is(err, adminapi.KindNotJSON), errors.Is(err, adminapi.KindNotFound):
		if operation.Advice(err) != "" {
			return "check the address: " + err.Error()
		}
	}
	return err.Error()
}

// notKept is why something that was seen or done is not on disk, with what it is;
// empty and nil where all is.
func notKept(env *views.Env) (what string, err error) {
	if err := env.Upgrade.Reading.Unkept; err != nil {
		return "transcript", err
	}
	if memory := env.Site.Journal; memory != nil {
		return "log of changes", memory.Problem()
	}
	return "", nil
}

// sayNotKept says once that something is not kept; the header goes on saying it.
func (m *Model) sayNotKept() tea.Cmd {
	what, err := notKept(m.env)
	said := m.unkept
	m.unkept = err != nil
	if err == nil || said {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Err: err,
		Text: "the " + what + " is not complete on this machine: " + err.Error()})
}
