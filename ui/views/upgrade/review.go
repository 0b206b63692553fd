package upgrade

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// review is the step that shows the whole request, which is confirmed by typing the
// version.
type review struct {
	base
	host   stepHost
	change *change
	pager  *rows.Pager
	typing bool
	word   widget.Typed // the version, as far as it is typed
}

func newReview(b base, host stepHost, c *change) *review {
	return &review{base: b, host: host, change: c, pager: rows.NewPager(b.inks.Glyphs.Ellipsis)}
}

// Commands returns the rows of the review.
func (r *review) Commands() []views.Command {
	typing := func() bool { return r.typing }
	reading := func() bool { return !r.typing }
	open := func() bool { return reading() && len(r.change.unacknowledged()) > 0 }
	ready := func() bool { return reading() && len(r.change.unacknowledged()) == 0 }
	confirm := views.Command{ID: "upgrade.confirm", Binding: views.Key("confirm", "enter"), Name: "confirm", Group: flowGroup, Run: views.Do(r.confirm),
		Help: "Begin to type the version, which starts the upgrade."}
	send := confirm.Hinted("send it")
	send.Run = views.Do(r.send)
	rest := []views.Command{
		{ID: "upgrade.copy-request", Binding: views.Key("copy", "y"), Name: "copy request", Group: flowGroup, Run: views.Do(r.copy),
			Help: "Copy the reviewed request, without secrets."},
		{ID: "upgrade.save-request", Binding: views.Key("save", "w"), Name: "save request", Group: flowGroup, Run: views.Do(r.save),
			Help: "Write the reviewed request to a file, without secrets."},
		goBack(r.back),
	}
	return views.Concat(
		views.When(ready, []views.Command{confirm}),
		views.When(open, []views.Command{acknowledge(r.acknowledgeNext)}),
		views.When(reading, views.Concat(rest, r.pager.Moves())),
		views.When(typing, []views.Command{send, goBack(r.stopTyping).Hinted("stop")}),
	)
}

// open shows the request; afresh, from its top and without a typed version.
func (r *review) open(afresh bool) {
	if afresh {
		r.typing, r.word = false, widget.Typed{}
		r.pager.Home()
	}
	r.layOut()
}

// confirm begins to take the version, unless there are warnings to acknowledge.
func (r *review) confirm() tea.Cmd {
	if open := r.change.unacknowledged(); len(open) > 0 {
		return views.Tell(views.Warning, r.change.openWords()+" left to acknowledge, one by one: space.")
	}
	r.typing, r.word = true, widget.Typed{}
	return nil
}

func (r *review) stopTyping() tea.Cmd {
	r.typing, r.word = false, widget.Typed{}
	return nil
}

// acknowledgeNext acknowledges the topmost warning that is left.
func (r *review) acknowledgeNext() tea.Cmd {
	if open := r.change.unacknowledged(); len(open) > 0 {
		r.change.acknowledge(open[0], false)
		r.layOut()
	}
	return nil
}

func (r *review) back() tea.Cmd {
	if r.change.rollback {
		r.host.leave()
		return nil
	}
	return r.host.open(answering)
}

// key takes a key. A digit begins the version; other keys that were read in one go scroll
// one by one, and do nothing else.
func (r *review) key(key tea.KeyMsg) tea.Cmd {
	switch {
	case r.typing:
		return r.typed(key)
	case key.Paste || len(key.Runes) == 0:
		return nil
	case key.Runes[0] >= '0' && key.Runes[0] <= '9':
		warning := r.confirm()
		if !r.typing {
			return warning
		}
		return r.typed(key)
	}
	var cmds []tea.Cmd
	for _, char := range key.Runes {
		name := string(char)
		if char == '\r' {
			name = "enter"
		}
		row, ok := views.Pressed(r.Commands(), name)
		switch {
		case ok && (row.Browses || len(key.Runes) == 1):
			cmds = append(cmds, row.Run(""))
		case ok:
			cmds = append(cmds, views.PasteUnused())
		}
	}
	return views.Batch(cmds...)
}

// typed takes a key of the version.
func (r *review) typed(key tea.KeyMsg) tea.Cmd {
	if row, ok := views.Typed(r.Commands(), key); ok {
		return row.Run("")
	}
	r.word.Key(key)
	return nil
}

// send starts the upgrade where the version is typed whole.
func (r *review) send() tea.Cmd {
	if !r.change.confirms(r.word.Text) {
		r.word.Hint = "This starts with " + r.words() + " only."
		return nil
	}
	r.stopTyping()
	return r.host.open(starting)
}

func (r *review) words() string { return strings.Join(r.change.confirmWords(), " or ") }

// copy copies the review, without secrets.
func (r *review) copy() tea.Cmd {
	return views.Send(views.Copy{Text: r.plainText(), What: "request"})
}

// requestSaved is the result of writing the review to a file.
type requestSaved struct {
	path string
	err  error
}

// save writes the review into a new file, without secrets.
func (r *review) save() tea.Cmd {
	text, folder := r.plainText(), r.folder
	name := "upgrade-" + views.FileSafe(r.change.title()) + "-request.txt"
	return r.Scope.Do("save", func(context.Context) tea.Msg {
		path, err := operation.WriteNew(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		return requestSaved{path, err}
	})
}

func (r *review) saved(msg requestSaved) tea.Cmd {
	if msg.err != nil {
		return views.Send(views.Notice{Level: views.Failure, Text: "The request was not saved: " + plain.Line(msg.err.Error()), Err: msg.err})
	}
	return views.Tell(views.Success, "Written to "+plain.Line(msg.path))
}

// footLines is the number of lines below the request.
const footLines = 3

// SetSize gives the step its cells.
func (r *review) SetSize(width, height int) {
	r.base.SetSize(width, height)
	r.layOut()
}

// layOut makes the lines of the request.
func (r *review) layOut() {
	p := &rows.Page{Inks: r.inks, Width: max(1, r.Width)}
	r.write(p)
	r.pager.SetSize(r.Width, max(1, r.Height-footLines))
	r.pager.Set(p.Lines)
}

// plainText returns the review for a file or the clipboard.
func (r *review) plainText() string {
	p := &rows.Page{Inks: &rows.Inks{Glyphs: r.inks.Glyphs}, Width: 100}
	r.write(p)
	return ansi.Strip(strings.Join(p.Lines, "\n")) + "\n"
}

// write writes what the change does, the warnings, and the request.
func (r *review) write(p *rows.Page) {
	c, k := r.change, p.Inks
	if c.problem != "" {
		p.Signed(k.Glyphs.Fail, k.Fail, c.problem)
		p.Gap()
	}
	p.Text(k.Strong, c.sentence())
	p.Text(k.Muted, "Nothing was uploaded or sent so far.")
	for i, check := range upgrade.Warnings(c.checks) {
		if i == 0 {
			p.Heading("Warnings")
		}
		box := k.Warn.On("[ ]")
		if c.accepted(check) {
			box = k.OK.On("[x]")
		}
		for _, line := range views.Wrap(check.Title+": "+check.Finding, p.Width-4) {
			p.Line(box + " " + line)
			box = "   "
		}
	}
	for _, u := range c.uploads {
		p.Gap()
		p.Text(rows.Ink{}, "First "+filepath.Base(u.path)+" ("+sizeOf(u.size)+") is uploaded for "+u.setting+
			"; its id takes the place of "+upgrade.UploadPending+".")
	}
	p.Heading("The request: " + plain.Line(c.request.Method+" "+c.request.Path))
	for _, field := range c.request.Fields {
		writeField(p, field.Name, string(plain.SafeJSON([]byte(field.Value))))
	}
}

// partWidth is the width of the names of parts.
const partWidth = 21

// writeField writes one field of the request: a short one beside its name, JSON below it.
func writeField(p *rows.Page, name, value string) {
	if len(value) < p.Width-partWidth-8 && !strings.Contains(value, "\n") {
		p.Line(p.Inks.Label.On(p.Inks.Fit(plain.Line(name), partWidth)) + plain.Line(value))
		return
	}
	p.Line(p.Inks.Label.On(plain.Clip(name, p.Width)))
	lines := jsonview.Lines([]byte(value))
	for _, line := range lines[:min(len(lines), 4*maxLines)] {
		p.Indented(rows.Ink{}, "  ", line)
	}
}

// View draws the request, and below it how to confirm it.
func (r *review) View() string {
	c, k, open := r.change, r.inks, len(r.change.unacknowledged())
	pager := *r.pager
	pager.SetFocused(!r.typing)
	note := pager.Position()
	if !c.checked.IsZero() {
		note = strings.TrimSpace("checked " + r.Env.Times.Clock(c.checked) + "  " + note)
	}
	line, hint := k.Key.On("enter")+" begins to confirm: the version has to be typed", ""
	switch {
	case r.typing:
		line = yesNo(c.rollback, "To roll back, type ", "To start, type ") + k.Strong.On(plain.Line(r.words())) + ": " + k.Accent.On(plain.Line(r.word.Text)) + k.Caret.On(" ")
		hint = k.Muted.On("enter sends it, once; esc stops confirming")
	case open > 0:
		line = k.Warn.On(k.Glyphs.Warn+" "+c.openWords()+" to acknowledge") + k.Muted.On(": space takes one after the other")
	}
	if r.word.Hint != "" {
		hint = k.Warn.On(plain.Clip(k.Glyphs.Warn+" "+r.word.Hint, r.Width))
	}
	rule := k.Rule.On(ruleOf(k, r.Width-ansi.StringWidth(note)-1)) + " " + k.Muted.On(note)
	return strings.Join([]string{pager.View(), rule, line, hint}, "\n")
}
