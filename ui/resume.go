package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// cutOff is a watch that ended before its upgrade did: the line dropped, or the
// program was ended.
type cutOff struct {
	read     bool // it was looked for; with an empty id there is none
	offered  bool
	id       string // of its transcript
	to       string
	began    adminapi.Millis
	last     time.Time // of the last line
	messages int
	err      error // of what could not be read
}

// dismissed is the end of the wish not to hear of an upgrade any more.
type dismissed struct{ err error }

// readCutOff looks for a watch that was cut off, once.
func readCutOff(site operation.Site, known cutOff) cutOff {
	if known.read || site.Journal == nil {
		return known
	}
	summary, found, err := site.Unfinished()
	if !found {
		return cutOff{read: true, err: err}
	}
	return cutOff{
		read: true, id: summary.ID, to: plain.Line(summary.To), began: summary.Began, last: summary.Last,
		messages: summary.Messages, err: err,
	}
}

// takeCutOff takes what was found, unless it was found before. What is watched at
// present is not cut off.
func (m *Model) takeCutOff(c cutOff) tea.Cmd {
	if m.watch.cutOff.read || m.env.Upgrade.On {
		return nil
	}
	m.watch.cutOff = c
	if c.err == nil {
		return nil
	}
	return m.notify(views.Notice{Level: views.Warning, Err: c.err,
		Text: "what was watched here before could not all be read: " + c.err.Error()})
}

// lookForCutOff looks once more where a watch of nothing was in the way.
func (m *Model) lookForCutOff() tea.Cmd {
	if m.watch.cutOff.read || m.env.Site.Journal == nil {
		return nil
	}
	return m.look()
}

// upgradeTold is what the site has told last of its upgrade; false where it does
// not tell now.
func (m *Model) upgradeTold() (adminapi.UpgradeStatus, bool) {
	o := m.site.overview
	return o.Upgrade, m.site.err == nil && o.UpgradeErr == nil
}

// resumeQuestion asks, once, whether to go on with a watch that was cut off. Where
// its upgrade is over the question is whether to see how it ended; no means never
// to hear of it again.
func (m *Model) resumeQuestion() (views.Question, bool) {
	c := &m.watch.cutOff
	if c.id == "" || c.offered {
		return views.Question{}, false
	}
	status, told := m.upgradeTold()
	run, meaning := m.site.overview.Run, progress.StateOf(status)
	runs := told && progress.Runs(status)
	if runs && !c.is(run) {
		*c = cutOff{read: true} // what runs is another one, and offered as such
		return views.Question{}, false
	}
	c.offered, m.watch.asked, m.watch.offered = true, true, c.began
	if runs {
		m.watch.offered = run.Began
	}
	if told && (meaning == progress.StateSucceeded || meaning == progress.StateFailed || meaning == progress.StateIdle) {
		return m.endQuestion(c.is(run) && meaning != progress.StateIdle, meaning), true
	}
	return m.goOnQuestion(told, meaning), true
}

// goOnQuestion is asked where the upgrade runs, or may run.
func (m *Model) goOnQuestion(told bool, meaning progress.State) views.Question {
	c := m.watch.cutOff
	q := views.Question{
		ID: offerID, Yes: "resume", No: "not now", Then: goOn(c.id),
		Text: c.subject() + " was being watched here until " + m.env.Times.Minute(c.last) + "; " + c.kept() + ". Resume?",
	}
	switch {
	case !told:
		q.Consequence = "How it stands is not known: the site does not tell now. The watch asks until it does."
	case meaning == progress.StateUnknown:
		q.Consequence = "How it stands is not known: the site tells a state that geodeck does not know."
	default:
		q.Consequence = "It still runs. What came meanwhile is read from the site; watching changes nothing."
	}
	return q
}

// endQuestion is asked where the upgrade does not run any more.
func (m *Model) endQuestion(told bool, meaning progress.State) views.Question {
	c := m.watch.cutOff
	forget := m.dismiss(c.id)
	q := views.Question{
		ID: offerID, Yes: "see it", No: "do not ask again", Then: goOn(c.id), Else: forget,
		Text: c.subject() + " that was watched here until " + m.env.Times.Minute(c.last),
	}
	if told {
		q.Text += " has ended meanwhile: " + meaning.String() + ". See how?"
		q.Consequence = "Here " + c.kept() + "; what came after them is read from the site."
		return q
	}
	q.Text += " does not run any more. See what is kept of it?"
	q.Consequence = "How it ended is not known: the site does not tell of it now. Here " + c.kept() + "."
	q.Then = tea.Sequence(q.Then, forget)
	return q
}

// goOn watches on from a transcript, in the view that shows it.
func goOn(transcript string) tea.Cmd {
	return tea.Sequence(views.Send(views.WatchUpgrade{Resume: transcript}), views.Send(views.Navigate{View: progressID}))
}

// is tells whether a run that the site tells of is the one whose watch was cut
// off. After a restart of the API its log may lack the beginning.
func (c cutOff) is(run progress.Run) bool {
	return run.Began == c.began || run.From == "" && run.Began > c.began
}

// kept says what the transcript holds.
func (c cutOff) kept() string {
	if c.messages == 1 {
		return "1 message is kept"
	}
	return plain.Plural(c.messages, "message") + " are kept"
}

func (c cutOff) subject() string {
	if c.to == "" {
		return "An upgrade"
	}
	return "The upgrade to " + c.to
}

// dismiss never asks about an upgrade again.
func (m *Model) dismiss(id string) tea.Cmd {
	site := m.env.Site
	return m.scope.Do("dismiss", func(context.Context) tea.Msg { return dismissed{site.Dismiss(id)} })
}

func (m *Model) dismissed(d dismissed) tea.Cmd {
	m.watch.cutOff = cutOff{read: true}
	if d.err == nil {
		return nil
	}
	return m.notify(views.Notice{Level: views.Failure, Text: "the next start asks about the upgrade again: " + d.err.Error(), Err: d.err})
}
