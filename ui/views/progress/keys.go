package progress

import (
	"slices"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	group    = "Messages"
	runGroup = "Run"
)

// The commands of the view.
var (
	cmdOpen   = views.Command{ID: "progress.open", Binding: views.Key("open", "enter"), Name: "open message", Help: "Show the message whole; JSON in it as a table or a tree.", Group: group}
	cmdBack   = views.Command{ID: "progress.back", Binding: views.Key("back", "esc"), Name: "go back", Help: "One step back: the message, the marks, the search, the filter, the summary, the record of an earlier run.", Group: group}
	cmdForm   = views.Command{ID: "progress.form", Binding: views.Key("table/tree/text", "v"), Name: "table, tree or text", Help: "In an open message: its JSON as a table, as a tree, or the text as it came.", Group: group}
	cmdFollow = views.Command{ID: "progress.follow", Binding: views.Key("follow", "f"), Name: "follow", Help: "Keep the newest message on the screen, or stop doing so. G follows, moving up stops.", Group: group}
	cmdNext   = views.Command{ID: "progress.next-phase", Binding: views.Key("", "]"), Name: "next phase", Help: "The first message of the next phase.", Group: group}
	cmdPrev   = views.Command{ID: "progress.previous-phase", Binding: views.Key("", "["), Name: "previous phase", Help: "The first message of this phase, or of the one before.", Group: group}
	cmdPhase  = views.Command{ID: "progress.phase", Binding: views.Key("phases", "p"), Name: "go to phase", Help: "Choose a phase and go to its first message.", Group: group}
	cmdCode   = views.Command{ID: "progress.same-code", Binding: views.Key("", "*"), Name: "same code", Help: "Search for messages with the code of this one.", Group: group}
	cmdLook   = views.Command{ID: "progress.attention", Binding: views.Key("", "a"), Name: "what needs attention", Help: "Show only what was started and never completed and what has an unknown code, or all (filter kind:attention).", Group: group}
	cmdCopy   = views.Command{ID: "progress.copy", Binding: views.Key("copy", "y"), Name: "copy message", Help: "Copy the message, or the marked ones, as lines: time in UTC, code, text.", Group: group}
	cmdAll    = views.Command{ID: "progress.copy-all", Binding: views.Key("", "Y"), Name: "copy all messages", Help: "Copy all messages that the filter shows; a file is offered where they are too many.", Group: group}
	cmdSave   = views.Command{ID: "progress.save", Binding: views.Key("save", "e"), Name: "save messages", Help: "Write the marked messages, or all that the filter shows, to a file: lines, or JSON lines.", Group: group}
	cmdPage   = views.Command{ID: "progress.summary", Binding: views.Key("summary", "tab"), Name: "summary", Help: "Show phases, times and health in place of the messages, or the messages again. Wide terminals show both.", Group: runGroup}
	cmdWatch  = views.Command{ID: "progress.watch", Binding: views.Key("read again", "R", "ctrl+r"), Name: "watch upgrade", Help: "Read the site again at once; an upgrade that runs is watched from then on.", Group: runGroup}
	cmdRecord = views.Command{ID: "progress.record", Binding: views.Key("", "T"), Name: "earlier runs", Help: "Choose among the runs that were watched from this machine, and show its record.", Group: runGroup}
	cmdProof  = views.Command{ID: "progress.evidence", Binding: views.Key("", "E"), Name: "write evidence", Help: "Write what is known of the run into one zip: messages, phases, settings without secrets, health, checksums.", Group: runGroup}
	cmdHealth = views.Command{ID: "progress.health", Binding: views.Key("check health", "h"), Name: "check health now", Help: "After a run: run a health check in the view Health.", Group: runGroup}
)

// filters is the filter with the words that it knows here.
func filters() []views.Command {
	c := rows.Filters()[0]
	c.Help = "Show only rows with a text. code:2173, phase:postgres and kind:started (completed, progress, info, unknown, open, attention) ask for more, commas mean or; a leading ! turns each round. Esc clears."
	return []views.Command{c}
}

// table lists everything that can be done here, for help and README.
func table() []views.Command {
	return slices.Concat(
		[]views.Command{cmdOpen, cmdBack, cmdForm, cmdFollow, cmdNext, cmdPrev, cmdPhase, cmdCode, cmdLook, cmdCopy, cmdAll, cmdSave},
		[]views.Command{cmdPage, cmdWatch, cmdRecord, cmdProof, cmdHealth},
		filters(), rows.Searches(), rows.Marks(), rows.Moves(), rows.Folds())
}

// Commands lists what can be done right now, the most wanted first.
func (m *Model) Commands() []views.Command {
	switch {
	case m.whole != nil:
		return m.whole.commands()
	case m.nothing() || m.log.Len() == 0:
		return m.always([]views.Command{cmdWatch, cmdRecord})
	case m.summaryPage():
		back := cmdPage
		back = back.Hinted("messages")
		return m.always(slices.Concat([]views.Command{back}, m.atEnd(), []views.Command{cmdPhase, cmdWatch, cmdRecord, cmdProof, cmdSave, cmdAll, cmdLook},
			filters(), rows.Searches(), rows.Moves()))
	}
	now := slices.Concat([]views.Command{cmdOpen}, filters(), m.pages(), rows.Searches(), m.following(),
		[]views.Command{cmdPhase, cmdCopy, cmdSave}, m.atEnd(), []views.Command{cmdNext, cmdPrev, cmdCode, cmdLook, cmdAll, cmdWatch, cmdRecord, cmdProof},
		rows.Marks(), rows.Moves())
	return m.always(now)
}

// always adds the way back, where there is one inside the view.
func (m *Model) always(now []views.Command) []views.Command {
	if m.record || m.list.Filter() != "" || m.list.Searched() != "" || m.list.Marked() > 0 || m.summaryPage() {
		now = append(now, cmdBack)
	}
	return now
}

// following is what a record has nothing of.
func (m *Model) following() []views.Command {
	if m.record {
		return nil
	}
	return []views.Command{cmdFollow}
}

func (m *Model) pages() []views.Command {
	if m.wide() {
		return nil
	}
	return []views.Command{cmdPage}
}

// atEnd are the commands of a run that is over.
func (m *Model) atEnd() []views.Command {
	if !m.over() || m.record || m.waits() {
		return nil
	}
	return []views.Command{cmdHealth}
}

// commands of one message.
func (w *whole) commands() []views.Command {
	now := []views.Command{cmdBack, cmdCopy}
	if len(w.forms) > 1 {
		now = append(now, cmdForm)
	}
	now = append(now, rows.Moves()...)
	if w.searchable() {
		now = slices.Concat(now, rows.Filters(), rows.Folds())
	}
	return now
}
