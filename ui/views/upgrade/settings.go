package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/complete"
)

// settings is the step in which the settings are filled in. It has several short forms,
// since huh takes time for every field of a form. The fields are in inputs.go.
type settings struct {
	base
	host     stepHost
	change   *change
	draft    *draft
	edition  int // of the settings that the inputs were made for
	inputs   []*input
	pages    [][]*input // of the inputs that are shown
	page     int
	dialog   *widget.Form // of the page; nil where there is nothing to fill in
	placed   int          // the lines that it was given
	widgets  *huh.Form    // of the dialog
	all      bool         // shows hidden fields too
	checking bool         // the files are being checked for the review
	files    map[string]upgrade.GivenFile
	rows     []views.Command
}

func newSettings(b base, host stepHost, c *change, d *draft) *settings {
	s := &settings{base: b, host: host, change: c, draft: d}
	s.rows = s.commands()
	return s
}

// pageSize is how many inputs a page has.
const pageSize = 5

// Commands returns the rows of the settings, whose keys come before the text of a field.
func (s *settings) Commands() []views.Command { return s.rows }

func (s *settings) commands() []views.Command {
	filling := func() bool { return s.dialog != nil }
	focus := func(kind upgrade.Kind) func() bool {
		return func() bool { in := s.focused(); return in != nil && in.field.Kind == kind }
	}
	press := func(key tea.KeyType) func() tea.Cmd {
		return func() tea.Cmd { return s.typed(tea.KeyMsg{Type: key}) }
	}
	turn := func(by int) func() tea.Cmd { return func() tea.Cmd { return s.turn(by) } }
	review, next := does(goOn, s.toReview), does(goIn, press(tea.KeyEnter))
	review.Word, next.Hint = "review", func() string { return yesNo(s.onLast(), "review", "next") }
	return slices.Concat(
		[]views.Command{
			{ID: "upgrade.hidden", Key: "ctrl+t", Name: "all fields", Run: s.toggleHidden,
				Hint: func() string { return yesNo(s.all, "fewer fields", "all fields") },
				Help: "Show rarely needed fields too, or hide them."},
			{ID: "upgrade.review", Key: "ctrl+s", Hint: views.HintIf(func() bool { return filling() && !s.onLast() }, "review"), Name: "review", Run: s.toReview,
				Help: "Check the settings and review the request."},
		},
		views.When(func() bool { return s.dialog == nil }, []views.Command{review}),
		views.When(filling, []views.Command{
			next,
			{ID: "upgrade.change-answer", Key: "space", Word: "switch", Name: "switch answer", Shown: focus(upgrade.Boolean), Run: press(tea.KeyRight),
				Help: "Switch the answer, such as yes to no."},
			{ID: "upgrade.complete", Key: "tab", Word: "complete", Name: "complete path", Shown: focus(upgrade.File), Run: press(tea.KeyTab),
				Help: "Complete the path of a file; if complete, go to the next field."},
			{ID: "upgrade.previous-field", Key: "shift+tab", Word: "previous", Name: "previous field",
				Shown: func() bool { return s.focused() != s.pages[s.page][0] }, Run: press(tea.KeyShiftTab),
				Help: "Go to the field before."},
		}),
		views.When(func() bool { return filling() && len(s.pages) > 1 }, []views.Command{
			{ID: "upgrade.next-page", Key: "pgdown", Word: "page", Name: "next page", Run: turn(1),
				Help: "The next page of the settings."},
			{ID: "upgrade.previous-page", Key: "pgup", Name: "previous page", Run: turn(-1),
				Help: "The previous page of the settings."},
		}),
		[]views.Command{does(goBack, s.back)},
	)
}

// open shows the settings with the answers so far. On the way forward it goes on to the
// review where there is nothing to fill in.
func (s *settings) open(forward bool) tea.Cmd {
	if s.inputs == nil || s.edition != s.change.edition {
		s.edition, s.inputs = s.change.edition, inputsOf(s.change, s.Env.Folder, s.Env.Demo)
		s.pages, s.page, s.all, s.checking, s.files = nil, 0, false, false, map[string]upgrade.GivenFile{}
	}
	cmd := tea.Batch(s.showPage(s.page), s.checkFiles())
	if forward && s.dialog == nil && s.change.problem == "" {
		return tea.Batch(cmd, s.toReview())
	}
	return cmd
}

// layOut divides the inputs that are shown into pages.
func (s *settings) layOut() {
	shown := slices.DeleteFunc(slices.Clone(s.inputs), func(in *input) bool { return in.field.Hidden && !s.all })
	s.pages = slices.Collect(slices.Chunk(shown, pageSize))
	s.page = max(0, min(s.page, len(s.pages)-1))
}

// showPage opens a page with the answers so far.
func (s *settings) showPage(page int) tea.Cmd {
	if !s.makePage(page) {
		return nil
	}
	return s.dialog.RetryAt("", s.firstOpen())
}

// firstOpen returns on which input of the page the focus begins: the first that has to be
// answered, else the first that is no choice made already.
func (s *settings) firstOpen() int {
	inputs := s.pages[s.page]
	first := slices.IndexFunc(inputs, func(in *input) bool {
		return in.field.Required && strings.TrimSpace(in.text) == "" && in.choice == openAnswer
	})
	if first < 0 {
		first = slices.IndexFunc(inputs, func(in *input) bool { return in.open() > 0 })
	}
	return max(0, first)
}

// onLast reports whether the focus is on the last input, from which enter goes to the review.
func (s *settings) onLast() bool {
	in := s.focused()
	return in != nil && s.page == len(s.pages)-1 && in == s.pages[s.page][len(s.pages[s.page])-1]
}

// makePage makes the dialog of a page, and reports whether there is something to fill in.
func (s *settings) makePage(page int) bool {
	s.page = page
	s.layOut()
	s.dialog = nil
	if len(s.pages) == 0 {
		return false
	}
	title := "Upgrade settings"
	if len(s.pages) > 1 {
		title += fmt.Sprintf(", page %d of %d", s.page+1, len(s.pages))
	}
	shown := s.pages[s.page]
	s.dialog = widget.NewForm(s.Env.Theme, widget.FormOptions{
		ID: "upgrade.settings", Title: title, Action: yesNo(s.page+1 < len(s.pages), "next page", "review"), Stay: true,
		Build: func() *huh.Form { s.widgets = buildPage(s.Env.Theme, shown, s.low()); return s.widgets },
		Fields: func() (fields []huh.Field) {
			for _, in := range shown {
				fields = append(fields, in.widget)
			}
			return fields
		},
		Submit: s.nextPage,
	})
	s.place()
	return true
}

// nextPage goes from the last field of a page to the next page or the review.
func (s *settings) nextPage() tea.Cmd {
	if s.page+1 < len(s.pages) {
		return s.turn(1)
	}
	return tea.Batch(s.showPage(s.page), s.toReview())
}

// turn goes forward or back by some pages.
func (s *settings) turn(by int) tea.Cmd {
	if to := s.page + by; to >= 0 && to < len(s.pages) {
		return tea.Batch(s.draft.saveNow(), s.showPage(to))
	}
	return nil
}

// toggleHidden shows or hides fields that are not meant for everybody. The focus stays on
// its field where that is still shown.
func (s *settings) toggleHidden() tea.Cmd {
	was := s.focused()
	s.all = !s.all
	s.layOut()
	page, nth := 0, 0
	for i, inputs := range s.pages {
		if at := slices.Index(inputs, was); at >= 0 {
			page, nth = i, at
		}
	}
	told := "The rarely needed fields are hidden."
	if s.all {
		hidden := 0
		for _, in := range s.inputs {
			if in.field.Hidden {
				hidden++
			}
		}
		told = plain.Plural(hidden, "more field") + " below."
	}
	said := tea.Batch(s.draft.saveNow(), views.Tell(views.Info, told))
	if !s.makePage(page) {
		return said
	}
	return tea.Batch(said, s.dialog.RetryAt("", nth))
}

// focused returns the input that has the keys, nil where there is none.
func (s *settings) focused() *input {
	if s.dialog == nil || s.widgets == nil || len(s.pages) == 0 {
		return nil
	}
	field := s.widgets.GetFocusedField()
	for _, in := range s.pages[s.page] {
		if in.widget == field {
			return in
		}
	}
	return nil
}

// choosesOne reports whether the focus is on a choice, where pasted text would choose by
// chance.
func (s *settings) choosesOne() bool {
	in := s.focused()
	return in != nil && in.field.Kind == upgrade.Boolean
}

// key takes a key while there are fields: a command or text.
func (s *settings) key(key tea.KeyMsg) tea.Cmd {
	if row, ok := views.Typed(s.rows, key); ok {
		return row.Do("")
	}
	return s.typed(key)
}

// typed takes a key of the fields.
func (s *settings) typed(key tea.KeyMsg) tea.Cmd {
	if s.checking {
		return nil // the review must show what was checked
	}
	if s.choosesOne() && (key.Paste || len(key.Runes) > 1) {
		return views.Tell(views.Warning, "Pasted text answers no question. Choose with the arrow keys.")
	}
	switch key.Type {
	case tea.KeyEnter, tea.KeyTab, tea.KeyShiftTab: // another field, or checked anew below
		s.change.problem = ""
		s.place()
	}
	return s.toFields(key)
}

// rested gives the fields what was typed while they waited.
func (s *settings) rested() tea.Cmd {
	if s.dialog == nil {
		return nil
	}
	return s.dialog.Rested()
}

// update takes the other messages of the fields.
func (s *settings) update(msg tea.Msg) tea.Cmd {
	if _, listed := msg.(complete.Listed); s.dialog == nil || listed && s.checking {
		return nil
	}
	return s.toFields(msg)
}

// toFields gives a message to the open page, and takes what changed.
func (s *settings) toFields(msg tea.Msg) tea.Cmd {
	cmd := s.dialog.Update(msg)
	changed := false
	for _, in := range s.inputs {
		changed = in.changed() || changed
	}
	if !changed {
		return cmd
	}
	s.change.problem = "" // until it is checked anew
	if s.room() != s.placed {
		s.place()
	}
	s.collect()
	return tea.Batch(cmd, s.draft.saveSoon(), s.Scope.Later(s.Env.Clock, typingPause, "files", s.checkFiles))
}

// checkFiles checks the files that are named.
func (s *settings) checkFiles() tea.Cmd {
	type named struct {
		field upgrade.Field
		path  string
	}
	var files []named
	for _, in := range s.inputs {
		if path := in.path(); in.field.Kind == upgrade.File && path != "" {
			files = append(files, named{in.field, path})
		}
	}
	if len(files) == 0 {
		return nil
	}
	site := s.Env.Site
	return s.Scope.Work("files", func(context.Context) func() tea.Cmd {
		found := map[string]upgrade.GivenFile{}
		for _, file := range files {
			found[file.field.ID] = checkFile(site, file.path, file.field)
		}
		return func() tea.Cmd {
			s.files = found
			s.place()
			return nil
		}
	})
}

// planned is the request as it would be sent, with the facts for its checks.
type planned struct {
	facts   upgrade.Facts
	request adminapi.Request
	err     error
}

// toReview checks the answers and opens the review of the request.
func (s *settings) toReview() tea.Cmd {
	if s.checking {
		return nil
	}
	s.change.problem = ""
	if problems := s.change.problems(); len(problems) > 0 {
		var texts []string
		for _, p := range problems[:min(len(problems), 4)] {
			texts = append(texts, views.Sentence(p.Text))
		}
		s.change.problem = strings.Join(texts, "\n")
		s.place() // it takes lines of the page
		return nil
	}
	s.checking = true
	site, ask, facts := s.Env.Site, s.change.ask, s.change.facts
	return tea.Batch(s.draft.saveNow(), s.Scope.Work("review", func(ctx context.Context) func() tea.Cmd {
		p := plan(ctx, site, ask, facts)
		return func() tea.Cmd { return s.planned(p) }
	}))
}

// plan reads the files and makes the request. Nothing is sent.
func plan(ctx context.Context, site operation.Site, ask operation.UpgradeRequest, facts upgrade.Facts) planned {
	facts.Answers, facts.ToAnswer, facts.Files = ask.Answers, false, site.CheckFiles(ask)
	if !ask.Unread {
		facts.Settings = adminapi.FactOf(site.Clock.Now(), ask.Settings, nil)
	}
	p := planned{facts: facts}
	p.request, p.err = ask.Prepare(site).Request(ctx)
	return p
}

// planned opens the review, or shows what blocks it.
func (s *settings) planned(p planned) tea.Cmd {
	c := s.change
	s.checking, s.files, c.facts = false, p.facts.Files, p.facts
	c.runChecks(s.Env.Times)
	var blockers []string
	for _, check := range c.checks {
		if check.Blocks() {
			blockers = append(blockers, strings.TrimSpace(views.Sentence(check.Text)+" "+check.Do))
		}
	}
	if len(blockers) == 0 && p.err != nil {
		blockers = []string{views.Sentence(p.err.Error())}
	}
	if c.problem = strings.Join(blockers, "\n"); c.problem != "" {
		s.place()
		return nil
	}
	c.request = p.request
	return s.host.open(reviewing)
}

// back goes to the checks of the pre-flight, and cancels the check for the review.
func (s *settings) back() tea.Cmd {
	s.checking = false
	s.Scope.Forget("review")
	return tea.Batch(s.host.open(preflighting), s.draft.saveNow())
}
