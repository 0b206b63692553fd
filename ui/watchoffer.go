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

// offer asks whether to resume an unfinished watch, or, once for each run, whether to
// watch an upgrade that somebody started. Where nobody asked for the refresh it only replaces an
// open question that no longer holds: the header tells of an upgrade that begins.
func (w *watch) offer(asked bool) tea.Cmd {
	if w.env.Upgrade.On {
		return nil
	}
	run, known := w.run()
	meaning := run.Meaning
	over := known && w.offersRunning && meaning.Over() && w.shows(offerID)
	if over {
		w.offersRunning, w.unfinished.offered = false, false // an unfinished watch is asked about once more, since it has ended
	}
	if !asked && !over {
		return nil
	}
	if question, found := w.unfinishedQuestion(); found {
		return w.confirm(question, true)
	}
	if over {
		return w.confirm(w.overQuestion(meaning), true)
	}
	if !known || meaning != progress.StateRunning {
		return nil
	}
	began := run.Began
	if w.hasOffered && w.offeredRun == began {
		return nil
	}
	w.hasOffered, w.offeredRun, w.offersRunning = true, began, true
	runs := " is running at this site"
	if times := w.env.Times.Site(); !began.IsZero() {
		runs = " has been running at this site " + times.Since(began.Time(), times.Clock(began.Time()))
	}
	return w.confirm(widget.Question{
		ID: offerID, Text: run.Kind.One() + versions(run.Run) + runs + ". Watch it?",
		Consequence: "Watching only reads; it continues without you. Progress offers it later too.",
		Yes:         "watch", No: "not now", Then: watchFrom(""),
	}, true)
}

// beginShown watches a run that has begun while its view was on the screen: there nobody is asked.
func (w *watch) beginShown(shown string) tea.Cmd {
	if shown != progressID || w.env.Upgrade.On || !w.env.State.Runs() || w.env.State.Upgrade.Err != nil {
		return nil
	}
	if run, _ := w.run(); w.unfinished.id != "" && !w.unfinished.matches(run.Run) {
		w.unfinished = unfinishedWatch{read: true} // its transcript is of another one
	}
	return w.begin(views.WatchUpgrade{})
}

// overQuestion takes the place of the one whether to watch once that upgrade has ended: a key
// that was meant as its answer does nothing else.
func (w *watch) overQuestion(meaning progress.State) widget.Question {
	run, _ := w.run()
	subject := "The " + run.Kind.Noun()
	if to := run.To; to != "" {
		subject += " to " + plain.Line(to)
	}
	q := widget.Question{ID: offerID, Text: subject + " has " + meaning.String() + ". Open it?", Yes: "open", No: "not now", Then: watchFrom("")}
	if meaning == progress.StateFailed {
		q.Consequence = "Progress shows where, and what to do now."
	}
	return q
}

// watchFrom watches the upgrade, and shows it. A transcript is continued; empty for none.
func watchFrom(transcript string) tea.Cmd {
	return views.Watch(views.WatchUpgrade{Resume: transcript})
}

// versions names the versions of the upgrade that runs, where its log has them.
func versions(run progress.Run) string {
	if run.From == "" {
		return ""
	}
	return " from " + plain.Line(run.From) + " to " + plain.Line(run.To)
}

// unfinishedWatch is a watch that ended before its upgrade: the connection was lost, or
// the program ended.
type unfinishedWatch struct {
	read     bool // from disk; with an empty id there is none
	offered  bool
	id       string // of its transcript
	to       string
	began    adminapi.Millis
	last     time.Time // of the last line
	messages int
	err      error // of what could not be read
}

// readUnfinished reads the unfinished watch from disk.
func readUnfinished(site operation.Site) unfinishedWatch {
	if site.Memory.Journal == nil {
		return unfinishedWatch{}
	}
	summary, found, err := site.Memory.Unfinished()
	if !found {
		return unfinishedWatch{read: true, err: err}
	}
	return unfinishedWatch{
		read: true, id: summary.ID, to: plain.Line(summary.To), began: summary.Began, last: summary.Last,
		messages: summary.Messages, err: err,
	}
}

// setUnfinished remembers the unfinished watch, unless that was done before. A watch that
// is under way is not unfinished.
func (w *watch) setUnfinished(c unfinishedWatch) tea.Cmd {
	if w.unfinished.read || w.env.Upgrade.On {
		return nil
	}
	w.unfinished = c
	if c.err == nil {
		return nil
	}
	return w.tell(views.Warned("some earlier records could not be read: "+c.err.Error(), c.err))
}

// run is the newest run of the site; false where that is not known now.
func (w *watch) run() (run progress.Progress, known bool) {
	u := w.env.State.Upgrade
	return u.Value.Progress, u.Known() && u.Err == nil
}

// unfinishedQuestion asks, once, whether to resume the unfinished watch. Where its upgrade
// is over it asks whether to see how it ended; no means that it is not offered again.
func (w *watch) unfinishedQuestion() (widget.Question, bool) {
	c := &w.unfinished
	if c.id == "" || c.offered {
		return widget.Question{}, false
	}
	run, known := w.run()
	meaning := run.Meaning
	runs := known && meaning == progress.StateRunning
	if runs && !c.matches(run.Run) {
		*c = unfinishedWatch{read: true} // another upgrade runs, which is offered separately
		return widget.Question{}, false
	}
	c.offered, w.hasOffered, w.offeredRun, w.offersRunning = true, true, c.began, runs
	if runs {
		w.offeredRun = run.Began
	}
	if known && (meaning.Over() || meaning == progress.StateIdle) {
		return w.endedQuestion(c.matches(run.Run) && meaning != progress.StateIdle, meaning), true
	}
	return w.resumeQuestion(known, meaning), true
}

// resumeQuestion is for an upgrade that runs, or may run.
func (w *watch) resumeQuestion(known bool, meaning progress.State) widget.Question {
	c := w.unfinished
	q := widget.Question{
		ID: offerID, Yes: "resume", No: "not now", Then: watchFrom(c.id),
		Text: c.subject() + " was being watched here until " + w.env.Times.Minute(c.last) + "; " + c.messagesText() + ". Resume?",
	}
	switch {
	case !known:
		q.Consequence = "Its state is unknown: the site does not report it now. Watching retries."
	case meaning == progress.StateUnknown:
		q.Consequence = "Its state is unknown: the site reports one that geodeck does not know."
	default:
		q.Consequence = "It is still running. Newer messages are read from the site; watching changes nothing."
	}
	return q
}

// endedQuestion is for an upgrade that does not run any more.
func (w *watch) endedQuestion(known bool, meaning progress.State) widget.Question {
	c := w.unfinished
	forget := w.dismiss(c.id)
	q := widget.Question{
		ID: offerID, Yes: "see it", No: "do not ask again", Then: watchFrom(c.id), Else: forget,
		Text: c.subject() + " that was watched here until " + w.env.Times.Minute(c.last),
	}
	if known {
		q.Text += " has ended: " + meaning.String() + ". See how?"
		q.Consequence = "Here " + c.messagesText() + "; later ones are read from the site."
		return q
	}
	q.Text += " is no longer running. See its record?"
	q.Consequence = "Its outcome is unknown: the site does not report it now. Here " + c.messagesText() + "."
	q.Then = tea.Sequence(q.Then, forget)
	return q
}

// matches reports whether a run at the site is the one of the unfinished watch. After a
// restart of the API its log may lack the beginning.
func (c unfinishedWatch) matches(run progress.Run) bool {
	return run.Began == c.began || run.From == "" && run.Began > c.began
}

// messagesText says how many messages the transcript holds.
func (c unfinishedWatch) messagesText() string {
	if c.messages == 1 {
		return "1 message is saved"
	}
	return plain.Plural(c.messages, "message") + " are saved"
}

func (c unfinishedWatch) subject() string {
	if c.to == "" {
		return "An upgrade"
	}
	return "The upgrade to " + c.to
}

// dismiss records that an upgrade is not offered again.
func (w *watch) dismiss(id string) tea.Cmd {
	site := w.env.Site
	return w.scope.Work("dismiss", func(context.Context) func() tea.Cmd {
		err := site.Memory.Dismiss(id)
		return func() tea.Cmd {
			if w.unfinished = (unfinishedWatch{read: true}); err == nil {
				return nil
			}
			return w.tell(views.Failed("the next start asks about the upgrade again: "+err.Error(), err))
		}
	})
}
