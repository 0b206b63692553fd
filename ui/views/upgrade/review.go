package upgrade

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/finding"
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
	host    stepHost
	change  *change
	pager   *rows.Pager
	request bool // it is shown, not folded
	chosen  bool // by a key; else it is shown where it fits
	typing  bool
	word    widget.Typed // the version, as far as it is typed
	rows    []views.Command
}

func newReview(b base, host stepHost, c *change) *review {
	r := &review{base: b, host: host, change: c, pager: rows.NewPager(b.inks.Glyphs.Ellipsis)}
	r.rows = r.commands()
	return r
}

// Commands returns the rows of the review.
func (r *review) Commands() []views.Command { return r.rows }

func (r *review) commands() []views.Command {
	confirm := views.Command{ID: "upgrade.confirm", Key: "enter w", Word: "confirm", Name: "confirm", Enabled: r.notAcknowledged,
		Run:  func() tea.Cmd { return r.confirm("") },
		Help: "Enters the field of the version, which starts the upgrade. Until then digits show other views."}
	send, cancel := confirm, does(goBack, r.stopTyping)
	send.Key, send.Word, send.Enabled, send.Run = "enter", "send", nil, r.send
	cancel.Word = "cancel"
	passedBy := func() bool { return !r.change.hasSettings() && r.change.ask.Rollback == nil } // the settings, which can still take a manifest
	next := does(acknowledge, r.acknowledgeNext)
	next.Enabled = views.Only(func() bool { return len(r.change.left()) > 0 }, "Nothing is left to accept.")
	return slices.Concat(
		views.When(func() bool { return !r.typing }, slices.Concat([]views.Command{
			confirm, next,
			r.explainRow(), does(checkAgain, r.host.recheck),
			{ID: "upgrade.request", Key: "v", Word: "request", Name: "show request", Run: views.Call(r.toggleRequest),
				Help: "Show the request as it is sent, without secrets, or fold it."},
			{ID: "upgrade.copy-request", Key: "y", Word: "copy", Name: "copy request",
				Run:  func() tea.Cmd { return views.CopyText(r.plainText(), "request") },
				Help: "Copy the reviewed request, without secrets."},
			{ID: "upgrade.save-request", Key: "x", Word: "save", Name: "save request", Run: r.save,
				Help: "Write the reviewed request to a file, without secrets."},
			does(goBack, r.back),
		}, r.copies().Rows("upgrade", flowGroup), r.pager.Moves(), []views.Command{
			{ID: "upgrade.manifest", Key: "ctrl+t", Name: "all fields of settings", Shown: passedBy,
				Run: func() tea.Cmd { return r.host.open(answering) }, Help: "Go to the settings, which can send a version manifest along."},
		})),
		views.When(func() bool { return r.typing }, []views.Command{send, cancel}),
	)
}

// notAcknowledged says what is to be acknowledged before the version is typed.
func (r *review) notAcknowledged() string {
	if len(r.change.left()) > 0 {
		return "Accept " + finding.Count(r.change.left()) + " first (space)."
	}
	return ""
}

// open shows the change; afresh, from its top and without a typed version.
func (r *review) open(afresh bool) {
	if afresh {
		r.typing, r.word, r.chosen = false, widget.Typed{}, false
		r.pager.Home()
	}
	r.layOut()
}

// toggleRequest shows or folds the request.
func (r *review) toggleRequest() {
	r.request, r.chosen = !r.request, true
	r.layOut()
}

// confirm begins to take the version, unless something is in the way; with what came right behind the key.
func (r *review) confirm(typed string) tea.Cmd {
	if why := r.inTheWay(); why != nil {
		return why
	}
	return r.Unlocked(func() tea.Cmd {
		if why := r.inTheWay(); why != nil { // since it was unlocked
			return why
		}
		r.typing, r.word = true, widget.Typed{}
		if typed != "" {
			r.word.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(typed)})
		}
		return nil
	}, nil)
}

// inTheWay says what is to be acknowledged or mended first, nil for nothing.
func (r *review) inTheWay() tea.Cmd {
	if why := r.notAcknowledged(); why != "" {
		return views.Tell(views.Info, why)
	}
	if r.change.stopped() {
		return tea.Batch(r.host.open(preflighting), views.Tell(views.Warning, r.change.blockedWords()))
	}
	return nil
}

// rechecked shows checks that were repeated. Where one of them is in the way by now, the version
// that is typed no longer confirms what was reviewed.
func (r *review) rechecked() tea.Cmd {
	r.layOut()
	if !r.typing {
		return nil
	}
	why := r.inTheWay()
	if why != nil {
		r.stopTyping()
	}
	return why
}

func (r *review) stopTyping() tea.Cmd {
	r.typing, r.word = false, widget.Typed{}
	return nil
}

// acknowledgeNext acknowledges the topmost check that is left.
func (r *review) acknowledgeNext() tea.Cmd {
	return r.change.Press(r.Base, r.change.left()[0], true, r.host.accepted)
}

func (r *review) back() tea.Cmd {
	if r.change.hasSettings() {
		return r.host.open(answering)
	}
	return r.host.open(preflighting) // the settings were passed by
}

// key takes a key. Of keys that were read in one go, an enter with digits behind it begins the
// version; others scroll one by one, and do nothing else.
func (r *review) key(key tea.KeyMsg) tea.Cmd {
	switch {
	case r.typing:
		return r.typed(key)
	case key.Paste || len(key.Runes) == 0:
		return nil
	}
	version, entered := strings.CutPrefix(string(key.Runes), "\r")
	switch begins := strings.IndexFunc(version, unicode.IsDigit) == 0; {
	case begins && entered:
		return r.confirm(version)
	case begins:
		return views.Tell(views.Info, views.Keys("Press {key:upgrade.confirm} first, then type the version."))
	}
	var cmds []tea.Cmd
	for _, char := range key.Runes {
		name := string(char)
		if char == '\r' {
			name = "enter"
		}
		row, ok := views.Pressed(r.rows, name)
		switch {
		case ok && (row.Browses || len(key.Runes) == 1):
			cmds = append(cmds, row.Do(""))
		case ok:
			cmds = append(cmds, views.PasteUnused())
		}
	}
	return tea.Batch(cmds...)
}

// typed takes a key of the version.
func (r *review) typed(key tea.KeyMsg) tea.Cmd {
	if row, ok := views.Typed(r.rows, key); ok {
		return row.Do("")
	}
	r.word.Key(key)
	return nil
}

// send starts the upgrade where the version is typed whole.
func (r *review) send() tea.Cmd {
	wrong := "The version does not match."
	switch {
	case r.word.Text == "":
		wrong = "Type the version first."
	case r.change.ask.Rollback != nil:
		wrong = "Type the version that the site will have, " + plain.Line(r.words()) + "."
	}
	begun := slices.ContainsFunc(r.change.confirmWords(), func(word string) bool { return strings.HasPrefix(word, r.word.Text) })
	if !r.word.Confirms(r.change.confirms(r.word.Text), begun, wrong) {
		return nil
	}
	why := r.inTheWay() // since a health check has ended
	if why == nil && r.change.loading {
		return views.Tell(views.Warning, stillChecking) // the version stays
	}
	if r.stopTyping(); why != nil {
		return why
	}
	return r.host.open(starting)
}

func (r *review) words() string { return strings.Join(r.change.confirmWords(), " or ") }

// copies are the ways to copy the upgrade or the rollback.
func (r *review) copies() *views.Copies {
	return r.Copies(func() (operation.Change, tea.Cmd) {
		c := r.change
		ask, version := c.ask, c.confirmWords()[0]
		ask.Answers = maps.Clone(ask.Answers)
		path := filepath.Join(r.Env.Folder, "upgrade-"+views.FileSafe(c.title())+"-settings.json")
		ask.Accepted = finding.AcceptedIn(c.checks, c.Has)
		return operation.ReviewedUpgrade{UpgradeRequest: ask, Version: version, SettingsPath: path}, nil
	})
}

// save writes the review into a new file, without secrets.
func (r *review) save() tea.Cmd {
	text, folder := r.plainText(), r.Env.Folder
	name := "upgrade-" + views.FileSafe(r.change.title()) + "-request.txt"
	return r.Scope.Work("save", func(context.Context) func() tea.Cmd {
		path, err := operation.WriteText(filepath.Join(folder, name), text)
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The request was not saved", err)
			}
			return views.Wrote("Saved as ", path, "")
		}
	})
}

// footLines is the number of lines below the request.
const footLines = 3

// SetSize gives the step its cells.
func (r *review) SetSize(width, height int) {
	r.base.SetSize(width, height)
	r.layOut()
}

// layOut makes the lines of the request, which is not folded where all fits.
func (r *review) layOut() {
	height := max(1, r.Height-footLines)
	page := func() []string {
		p := &rows.Page{Inks: r.inks, Width: max(1, r.Width)}
		r.write(p, r.request, views.Keys(" ({key:upgrade.request})"), r.Height < roomyHeight)
		return p.Lines
	}
	r.request = r.request || !r.chosen
	lines := page()
	if !r.chosen && len(lines) > height {
		r.request = false
		lines = page()
	}
	r.pager.SetSize(r.Width, height)
	r.pager.Set(lines)
}

// plainText returns the review for a file or the clipboard, for somebody who has not seen the site.
func (r *review) plainText() string {
	c, p := r.change, &rows.Page{Inks: &rows.Inks{Glyphs: r.inks.Glyphs}, Width: 100}
	p.Line(plain.Capital(c.kind().Noun()) + " " + c.leadsTo() + ", as reviewed")
	p.Gap()
	r.write(p, true, "", false)
	return r.Env.Origin() + ansi.Strip(strings.Join(p.Lines, "\n")) + "\n"
}

// write writes what the change does, the settings, the warnings, and the request with its key. Accepted
// findings are named in brief where there is little room.
func (r *review) write(p *rows.Page, request bool, key string, brief bool) {
	c, k := r.change, p.Inks
	if c.problem != "" {
		p.Status(rows.StatusFailed, c.problem)
		if refused := c.refused(); refused != nil {
			p.Fact("Next", refused.next)
		}
		p.Gap()
	}
	if brief { // what is dangerous is in sight first
		r.writeFindings(p, brief)
	}
	for _, e := range c.effects() {
		p.Fact(e.Name, e.Text)
	}
	for _, s := range c.settings() {
		p.Fact(s.Name, s.Text)
	}
	if !brief {
		r.writeFindings(p, brief)
	}
	p.Gap()
	fold, line := k.Glyphs.Folded, plain.Line(c.request.Method+" "+c.request.Path)
	if request {
		fold = k.Glyphs.Open
	}
	p.Line(k.Heading.On(fold+" Request") + "  " + plain.Clip(line, max(1, p.Width-32)) + k.Muted.On("  "+plain.Plural(len(c.request.Fields), "part")+key))
	for _, field := range c.request.Fields {
		if request {
			writeField(p, field.Name, string(plain.SafeJSON([]byte(field.Value))))
		}
	}
}

// writeFindings names the checks that are acknowledged; those that are not are to be read.
func (r *review) writeFindings(p *rows.Page, brief bool) {
	c, k := r.change, p.Inks
	warnings := finding.Those(c.checks, finding.Finding.Open)
	var names []string
	for _, check := range warnings {
		names = append(names, check.Title)
		if check.Strength == finding.Danger || brief && check.ID == upgrade.CheckBackup {
			p.Status(statusOf(check), check.Title+": "+below(check))
		}
	}
	if len(c.left()) == 0 && len(names) > 0 && brief {
		p.Fact("Findings", strconv.Itoa(len(names))+" accepted: "+strings.Join(names, ", "))
		return
	}
	for i, check := range warnings {
		if i == 0 {
			p.Heading("Findings")
		}
		box := k.Warn.On("[ ]")
		if c.Has(check) {
			box = k.OK.On("[x]")
		}
		for _, line := range views.Wrap(check.Title+": "+yesNo(c.Changed(check), "no longer what you accepted. ", "")+below(check), p.Width-4) {
			p.Line(box + " " + line)
			box = "   "
		}
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
	c, k := r.change, r.inks
	pager := *r.pager
	pager.SetFocused(!r.typing)
	note := pager.Position()
	if c.loading {
		note = "checking" + k.Glyphs.Ellipsis
	} else if !c.checked.IsZero() {
		note = strings.TrimSpace("checked " + r.Env.Times.Clock(c.checked) + "  " + note)
	}
	line, hint := "Press "+k.Key.On(views.KeyOf("upgrade.confirm"))+", then type "+k.Strong.On(plain.Line(r.words()))+" to confirm.", k.Muted.On("Nothing has been sent yet.")
	switch {
	case r.typing:
		line = "To " + yesNo(c.ask.Rollback != nil, "roll back", "start") + ", type " + k.Strong.On(plain.Line(r.words())) + ": " + k.Accent.On(plain.Line(r.word.Text)) + k.Caret.On(" ")
		hint = k.Muted.On(views.Keys("{key:upgrade.confirm} sends it once; {key:upgrade.back} cancels."))
	case len(c.left()) > 0:
		how := "space"
		if first := c.left()[0]; first.Strength == finding.Danger {
			how += ", then type " + first.Accept
		}
		line = k.Signed(rows.StatusWarning, finding.Count(c.left())+" to accept ("+how+")")
	case c.stopped():
		line = k.Signed(rows.StatusFailed, c.blockedWords()) + views.Keys(" Press {key:upgrade.next} to see it.")
	}
	if refused := c.refusal; refused != nil && !r.typing {
		hint = k.Warn.On("Sent at " + r.Env.Times.Clock(refused.sent) + "; the site refused it; nothing changed.")
	}
	if r.word.Hint != "" {
		hint = k.Warn.On(plain.Clip(k.Glyphs.Warn+" "+r.word.Hint, r.Width))
	}
	rule := k.Line(max(0, r.Width-ansi.StringWidth(note)-1)) + " " + k.Muted.On(note)
	return k.Block(append(strings.Split(pager.View(), "\n"), rule, line, hint), r.Width, r.Height)
}
