package upgrade

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// review is the step in which the request is seen whole and confirmed.
type review struct {
	shown  []upgrade.Shown
	pager  *rows.Pager
	typing bool
	word   views.Typed // that starts it
}

func (m *Model) newReview(shown []upgrade.Shown) *review {
	return &review{shown: shown, pager: rows.NewPager(m.inks.Glyphs.Ellipsis)}
}

// planned is the request as it would be sent, and the checks of all that goes
// into it.
type planned struct {
	target string
	facts  upgrade.Facts
	files  map[string]fileState
	shown  []upgrade.Shown
	err    error
}

// toReview checks what was filled in and shows the request.
func (m *Model) toReview() tea.Cmd {
	f := m.flow
	if f.form.checking {
		return nil
	}
	f.problem = ""
	if problems := f.checkSettings(); len(problems) > 0 {
		f.problem = problemsSay(problems)
		return nil
	}
	f.form.checking = true
	kept := m.flushDraft()
	site, ask, facts := m.env.Site, f.ask, f.facts
	inputs := map[string]upgrade.Field{}
	for _, in := range f.form.inputs {
		inputs[in.field.ID] = in.field
	}
	return tea.Batch(kept, m.scope.Do("review", func(context.Context) tea.Msg { return plan(site, ask, facts, inputs) }))
}

// plan reads the files that go along and puts the request together. Nothing is
// sent.
func plan(site operation.Site, ask operation.UpgradeAsk, facts upgrade.Facts, fields map[string]upgrade.Field) planned {
	p := planned{target: ask.Target.ID, files: map[string]fileState{}}
	facts.Answers, facts.ToAnswer, facts.Files = ask.Answers, false, map[string]error{}
	facts.Settings = upgrade.Read(ask.Settings)
	for id, answer := range ask.Answers {
		if field, ok := fields[id]; ok && answer.Path != "" {
			p.files[id] = lookAt(answer.Path, field)
			facts.Files[id] = p.files[id].err
		}
	}
	if facts.Licence = ask.LicencePath != ""; facts.Licence {
		p.files[licenceID] = lookAt(ask.LicencePath, fields[licenceID])
		facts.LicenceErr = p.files[licenceID].err
	}
	p.facts = facts
	parts, err := site.PlanUpgradeParts(ask)
	p.shown, p.err = upgrade.Describe(parts), err
	return p
}

func problemsSay(problems []upgrade.Problem) string {
	var texts []string
	for _, p := range problems[:min(len(problems), 4)] {
		texts = append(texts, views.Sentence(p.Text))
	}
	return strings.Join(texts, "\n")
}

func (p planned) apply(m *Model) tea.Cmd {
	f := m.flow
	if f == nil || f.form == nil || f.ask.Target.ID != p.target {
		return nil
	}
	f.form.checking, f.form.files, f.facts = false, p.files, p.facts
	m.weigh()
	switch {
	case upgrade.Blocked(f.checks):
		f.problem = blockersSay(f.checks)
		return nil
	case p.err != nil:
		f.problem = views.Sentence(p.err.Error())
		return nil
	}
	f.review = m.newReview(p.shown)
	f.step, f.problem = reviewing, ""
	m.layReview()
	return nil
}

func blockersSay(checks []upgrade.PreflightCheck) string {
	var texts []string
	for _, c := range checks {
		if c.State == upgrade.CheckBlocking {
			texts = append(texts, strings.TrimSpace(c.Finding+" "+c.Do))
		}
	}
	return strings.Join(texts, "\n")
}

// words are what may be typed to start.
func (f *flow) words() []string {
	if f.rollback {
		return []string{f.ask.Target.FullVersion()}
	}
	return upgrade.ConfirmWords(f.ask.Target, f.offer.Installed, f.offer.Manifest)
}

func (f *flow) confirms(typed string) bool {
	if f.rollback {
		return strings.TrimSpace(typed) != "" && strings.TrimSpace(typed) == f.ask.Target.FullVersion()
	}
	return upgrade.Confirms(typed, f.ask.Target, f.offer.Installed, f.offer.Manifest)
}

// confirm begins typing the version.
func (m *Model) confirm() tea.Cmd {
	f := m.flow
	if open := f.unacknowledged(); len(open) > 0 {
		return views.Tell(views.Warning, plain.Plural(len(open), "warning")+" left to acknowledge, one by one: space.")
	}
	f.review.typing, f.review.word = true, views.Typed{}
	return nil
}

// acknowledgeNext takes the topmost open warning as seen.
func (m *Model) acknowledgeNext() tea.Cmd {
	if open := m.flow.unacknowledged(); len(open) > 0 {
		m.flow.acknowledge(open[0], false)
		m.showChecks()
		m.layReview()
	}
	return nil
}

// confirmKey takes a key while the version is typed.
func (m *Model) confirmKey(key tea.KeyMsg) tea.Cmd {
	r := m.flow.review
	if !r.word.Key(key) {
		return nil
	}
	switch key.Type {
	case tea.KeyEsc:
		r.typing, r.word.Text = false, ""
	case tea.KeyEnter:
		return m.confirmed()
	}
	return nil
}

// confirmed starts where the version was typed.
func (m *Model) confirmed() tea.Cmd {
	f := m.flow
	if !f.confirms(f.review.word.Text) {
		f.review.word.Hint = "This starts with " + orList(f.words()) + " only."
		return nil
	}
	f.review.typing, f.review.word.Text = false, ""
	return m.start()
}

func orList(words []string) string { return strings.Join(words, " or ") }

// copyRequest copies the review, without secrets.
func (m *Model) copyRequest() tea.Cmd {
	return views.Send(views.Copy{Text: m.requestText(), What: "request, without secrets"})
}

// saveRequest writes the review into a new file, without secrets.
func (m *Model) saveRequest() tea.Cmd {
	text, folder := m.requestText(), m.folder
	name := "upgrade-" + views.FileSafe(m.flow.title()) + "-request.txt"
	return m.scope.Do("save", func(context.Context) tea.Msg {
		path, err := operation.WriteNew(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		return saved{path, err}
	})
}
