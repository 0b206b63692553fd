package ui

import (
	"errors"
	"fmt"
	"path/filepath"
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

const (
	// noticeLife is how long a notice stays that is not an error.
	noticeLife = 5 * time.Second
	// noticeRead is how long an error of the site stays whatever key comes: the one that has confirmed may be held, or
	// pressed twice, and comes before anybody has read what it led to.
	noticeRead = time.Second
)

// notices is the one line for the user. The last notice can be opened in full even after
// it is hidden.
type notices struct {
	part
	shown  bool
	came   time.Time // by the clock of the keys
	dialog string    // that was open when the notice came; empty for none
	last   views.Notice
	// unrecorded says that it was told that something could not be recorded.
	unrecorded bool
}

// show shows a notice in place of the one before; over is the id of the dialog that is open.
func (n *notices) show(next views.Notice, over string) tea.Cmd {
	switch {
	case next.Yields && n.shown && n.last.Level != views.Info:
		return nil
	case n.unread() && !answered(next):
		if next.Level == views.Info || next.Level == views.Warning {
			return nil // about a key that came too soon
		}
		return n.scope.Later(n.pace, noticeRead-n.pace.Now().Sub(n.came), "next notice", func() tea.Cmd { return n.show(next, over) })
	}
	n.shown, n.came, n.last, n.dialog = true, n.pace.Now(), worded(next), over
	n.scope.Forget("notice")
	if next.Level == views.Failure {
		return nil
	}
	return n.scope.Later(n.pace, noticeLife, "notice", func() tea.Cmd { n.shown = false; return nil })
}

// unread reports whether an error of the site has come so recently that nobody has read it.
func (n *notices) unread() bool {
	return n.shown && answered(n.last) && n.pace.Now().Sub(n.came) < noticeRead
}

// answered reports whether a notice is about what a site has answered, or that it has not.
func answered(n views.Notice) bool {
	_, is := errors.AsType[*adminapi.Error](n.Result.Err)
	return is
}

// keep keeps a notice for who asks for the last one, unless another is being read.
func (n *notices) keep(next views.Notice) {
	if !n.shown {
		n.last = worded(next)
	}
}

// worded is a notice with a text, fit for one line.
func worded(n views.Notice) views.Notice {
	if n.Text == "" && n.Result.Err != nil {
		n.Text = n.Result.Err.Error()
	}
	n.Text = plain.Line(n.Text)
	return n
}

// line draws the notice, with the key for the full text if it is cut.
func (n *notices) line(width int) string {
	t, last := n.env.Theme, n.last
	glyph, word, style := levelLook(t, last.Level)
	head := style.Render(" " + glyph + " " + word + ": ")
	tail := ""
	if last.Result.Err != nil || lipgloss.Width(head)+ansi.StringWidth(last.Text) > width {
		tail = t.Muted.Render("  ") + t.Key.Render(views.KeyOf("notice")) + t.Muted.Render(" whole text ")
	}
	room := width - lipgloss.Width(head) - lipgloss.Width(tail)
	text := ansi.Truncate(shortened(last, max(room, 0), t.Glyphs.Ellipsis), max(room, 0), t.Glyphs.Ellipsis)
	return views.Fit(head+t.Plain.Render(text)+tail, width, "")
}

// shortened is the text of a notice, where it is too wide with the folder of its file cut in
// the middle.
func shortened(n views.Notice, room int, ellipsis string) string {
	over := ansi.StringWidth(n.Text) - room
	folder, name := filepath.Split(n.Path)
	if n.Path == "" || over <= 0 {
		return n.Text
	}
	keep := max(0, ansi.StringWidth(folder)-over-ansi.StringWidth(ellipsis))
	folder = ansi.Truncate(folder, keep-keep/2, "") + ellipsis + plain.End(folder, keep/2, "")
	short := folder + name
	if over -= ansi.StringWidth(n.Path) - ansi.StringWidth(short); over > 0 { // the end of a name tells more
		short = plain.End(short, max(0, ansi.StringWidth(short)-over), ellipsis)
	}
	return strings.Replace(n.Text, n.Path, short, 1)
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

// open opens the last notice in full.
func (n *notices) open() tea.Cmd {
	if n.last.Text == "" {
		return views.Tell(views.Info, "no notices yet")
	}
	n.shown = false
	_, word, _ := levelLook(n.env.Theme, n.last.Level)
	text := n.last.Text
	if n.last.Result.Err != nil {
		text = errorDetails(text, n.last.Result.Err)
	}
	return n.tell(views.Open{Dialog: widget.NewMessage(n.env.Theme, "notice", "The last notice: "+word, text)})
}

// errorDetails writes everything an error holds, one fact per line.
func errorDetails(text string, err error) string {
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
	facts := [][2]string{
		{"Operation", e.Operation},
		{"Kind", e.Kind.String()},
		{"Request", strings.TrimSpace(e.Method + " " + e.Path)},
		{"HTTP status", numberText(e.Status)},
		{"Code", strings.TrimSpace(numberText(e.Code) + " " + e.MessageCode)},
		{"Message", e.Message},
		{"Privilege", e.Privilege},
	}
	for _, detail := range e.Details {
		facts = append(facts, [2]string{"Detail", detail})
	}
	if e.Err != nil {
		facts = append(facts, [2]string{"Cause", e.Err.Error()})
	}
	var known []string
	for _, fact := range facts {
		if fact[1] != "" {
			known = append(known, fmt.Sprintf("%-12s %s", fact[0], plain.Line(fact[1])))
		}
	}
	return strings.Join(lines, "\n\n") + "\n\n" + strings.Join(known, "\n")
}

func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// dismiss hides an error and reports whether there was one.
func (n *notices) dismiss() bool {
	if !n.shown || n.last.Level != views.Failure {
		return false
	}
	n.shown = false
	return true
}

// leave hides what is no error: it was about the view or the question that is left.
func (n *notices) leave() { n.shown = n.shown && n.last.Level == views.Failure }

// beforeCommand hides notices before a command runs: what they say, such as which key undoes a change or
// what is left to accept, is out of date. One that only browses hides none: the notice may be read while the
// user moves through the rows.
func (n *notices) beforeCommand(c views.Command) {
	if c.Name != "" && !c.Browses && !n.unread() {
		n.shown = false
	}
}

// failure is the notice of an error of the site, with what to do first, where a narrow screen
// does not cut it off. The full notice has the whole advice.
func failure(err error) views.Notice {
	text := err.Error()
	switch {
	case errors.Is(err, adminapi.KindUnreachable):
		text = "check address and network: " + text
	case !operation.NoPlatform(err):
	case errors.Is(err, adminapi.KindNotJSON):
		text = "check the address: " + text
	case errors.Is(err, adminapi.KindNotFound):
		if e, ok := errors.AsType[*adminapi.Error](err); ok {
			text = "check the address: no platform at " + e.Path
		}
	}
	return views.Failed(text, err)
}

// warnUnrecorded says once that something could not be recorded; the header shows it
// from then on.
func (n *notices) warnUnrecorded() tea.Cmd {
	what, err := n.env.RecordingProblem()
	warned := n.unrecorded
	n.unrecorded = err != nil
	if err == nil || warned {
		return nil
	}
	return n.tell(views.Failed("the "+what+" is not complete on this machine: "+err.Error(), err))
}
