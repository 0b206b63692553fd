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
	"geodeck/ui/widget"
)

// offerID names the question whether to watch an upgrade that was found running.
const offerID = "watch-upgrade"

// progressID is the view that shows an upgrade.
const progressID = "progress"

// offer asks whether to go on with a watch that was cut off, or, once for
// each run, whether to watch an upgrade that somebody started.
func (w *watch) offer() tea.Cmd {
	if w.env.Upgrade.On {
		return nil
	}
	if question, found := w.resumeQuestion(); found {
		return w.shell.open(widget.NewConfirm(w.env.Theme, question), true)
	}
	status, told := w.status()
	if !told || !progress.Runs(status) {
		return nil
	}
	began := w.site.overview.Run.Began
	if w.asked && w.offered == began {
		return nil
	}
	w.asked, w.offered = true, began
	since := ""
	if !began.IsZero() {
		since = " " + w.runningSince(began.Time())
	}
	return w.shell.open(widget.NewConfirm(w.env.Theme, widget.Question{
		ID: offerID, Text: "An upgrade" + w.versions() + " runs at this site" + since + ". Watch it?",
		Consequence: "Watching only reads; the upgrade goes on without it. The view Progress offers it later as well.",
		Yes:         "watch", No: "not now",
		Then: tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: progressID})),
	}), true)
}

// versions names the versions of the upgrade that runs, where its log tells them.
func (w *watch) versions() string {
	run := w.site.overview.Run
	if run.From == "" {
		return ""
	}
	return " from " + plain.Line(run.From) + " to " + plain.Line(run.To)
}

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
func (w *watch) takeCutOff(c cutOff) tea.Cmd {
	if w.cutOff.read || w.env.Upgrade.On {
		return nil
	}
	w.cutOff = c
	if c.err == nil {
		return nil
	}
	return w.shell.notify(views.Notice{Level: views.Warning, Err: c.err,
		Text: "what was watched here before could not all be read: " + c.err.Error()})
}

// findCutOff looks once more where a watch of nothing was in the way.
func (w *watch) findCutOff() tea.Cmd {
	if w.cutOff.read || w.env.Site.Journal == nil {
		return nil
	}
	return w.shell.fetchSite()
}

// status is what the site has told last of its upgrade; false where it does
// not tell now.
func (w *watch) status() (adminapi.UpgradeStatus, bool) {
	o := w.site.overview
	return o.Upgrade, w.site.err == nil && o.UpgradeErr == nil
}

// resumeQuestion asks, once, whether to go on with a watch that was cut off. Where
// its upgrade is over the question is whether to see how it ended; no means never
// to hear of it again.
func (w *watch) resumeQuestion() (widget.Question, bool) {
	c := &w.cutOff
	if c.id == "" || c.offered {
		return widget.Question{}, false
	}
	status, told := w.status()
	run, meaning := w.site.overview.Run, progress.StateOf(status)
	runs := told && progress.Runs(status)
	if runs && !c.is(run) {
		*c = cutOff{read: true} // what runs is another one, and offered as such
		return widget.Question{}, false
	}
	c.offered, w.asked, w.offered = true, true, c.began
	if runs {
		w.offered = run.Began
	}
	if told && (meaning == progress.StateSucceeded || meaning == progress.StateFailed || meaning == progress.StateIdle) {
		return w.endQuestion(c.is(run) && meaning != progress.StateIdle, meaning), true
	}
	return w.goOnQuestion(told, meaning), true
}

// goOnQuestion is asked where the upgrade runs, or may run.
func (w *watch) goOnQuestion(told bool, meaning progress.State) widget.Question {
	c := w.cutOff
	q := widget.Question{
		ID: offerID, Yes: "resume", No: "not now", Then: goOn(c.id),
		Text: c.subject() + " was being watched here until " + w.env.Times.Minute(c.last) + "; " + c.kept() + ". Resume?",
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
func (w *watch) endQuestion(told bool, meaning progress.State) widget.Question {
	c := w.cutOff
	forget := w.dismiss(c.id)
	q := widget.Question{
		ID: offerID, Yes: "see it", No: "do not ask again", Then: goOn(c.id), Else: forget,
		Text: c.subject() + " that was watched here until " + w.env.Times.Minute(c.last),
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

// is reports whether a run that the site tells of is the one whose watch was cut
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
func (w *watch) dismiss(id string) tea.Cmd {
	site := w.env.Site
	return w.scope.Do("dismiss", func(context.Context) tea.Msg { return dismissed{site.Dismiss(id)} })
}

func (w *watch) dismissed(d dismissed) tea.Cmd {
	w.cutOff = cutOff{read: true}
	if d.err == nil {
		return nil
	}
	return w.shell.notify(views.Notice{Level: views.Failure, Text: "the next start asks about the upgrade again: " + d.err.Error(), Err: d.err})
}

// runningSince writes a moment of the server's clock as the user wants moments.
func (w *watch) runningSince(at time.Time) string {
	if w.env.Times.Mode == views.RelativeTime {
		return "for " + span(w.env.Clock.Now().Add(w.site.ahead).Sub(at))
	}
	return "since " + w.env.Times.Clock(at)
}
