package progress

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// messages is the log as a list that can be searched, marked, copied and saved, with the evidence of the
// run (files.go).
type messages struct {
	*run
	open     func(adminapi.UpgradeMessage) // shows one whole
	list     *rows.List[messageKey]
	paused   bool // the cursor does not follow new messages
	pausedAt int  // messages when it was paused
	// gathering says that the evidence of the run is being collected.
	gathering bool
}

// show shows another log. Rows that were drawn stay where it has only grown.
func (p *messages) show(next *log) {
	// A new message may change whether an old one is of a kind that the filter asks for.
	grows := p.log != nil && next.extendsDrawn(p.log) && !strings.Contains(p.list.Filter(), fieldKind+":")
	p.log = next
	if grows {
		p.list.Grow(next)
	} else {
		p.list.Set(next)
	}
	p.follow()
}

// Commands makes the rows of the messages. Where the board is in their place, those that need no
// message under the cursor are left; a filter or a search shows the messages.
func (p *messages) Commands() []views.Command {
	listed := func() bool { return p.place() != alone }
	unsearched := func() bool { return listed() && !p.list.Searching() } // n and N are its own
	noted := func(id, key, name, help string, forward bool) views.Command {
		return views.Command{ID: id, Key: key, Name: name, Help: help, Browses: true,
			Shown: unsearched, Enabled: p.noRow, Run: p.jumpAttention(forward)}
	}
	live := views.Only(func() bool { return !p.record }, "An earlier run gets no new messages.")
	filters, searches := views.Then(p.list.Filters(), func() tea.Cmd { p.follow(); return nil }), p.list.Searches()
	filters[0].Help = "Show only rows with a text. code:2173, phase:postgres and kind:started (completed, progress, info, unknown, open, attention) narrow it; commas mean or, a leading ! negates. Esc clears."
	searches[0].With = func(text string) tea.Cmd {
		p.search(strings.TrimSpace(text))
		return nil
	}
	searches = append(searches[:1], p.moving(searches[1:])...)
	return slices.Concat(
		views.Grouped(group, []views.Command{{ID: "progress.open", Key: "enter", Word: "open",
			Name: "open message", Shown: listed, Enabled: p.noRow,
			Run:  views.Call(func() { p.open(p.selected()) }),
			Help: "Show the whole message; JSON in it as a table or a tree."}}),
		p.inLog(slices.Concat(filters[:1], searches)), views.When(listed, filters[1:]),
		views.Grouped(group, []views.Command{
			noted("progress.next-noted", "n", "next that needs attention", "The next message that needs attention.", true),
			noted("progress.previous-noted", "N", "previous that needs attention", "The previous message that needs attention.", false),
			{ID: "progress.follow", Key: "F", Word: "follow", Name: "follow", Shown: listed, Enabled: live,
				Run:  views.Call(func() { p.setPaused(!p.paused) }),
				Help: views.Keys("Follow the newest message, or stop. {key:rows.bottom} follows, moving up stops.")},
			{ID: "progress.phase", Name: "go to phase", Run: p.choosePhase,
				Help: "Choose a phase and go to its first message."},
			{ID: "progress.copy", Key: "y", Word: "copy", Name: "copy message", Shown: listed, Enabled: p.noneChosen,
				Run:  p.copy,
				Help: copyHelp},
			{ID: "progress.save", Name: "save messages", Enabled: p.noneChosen, Run: p.save,
				Help: "Write the marked messages, or all shown, to a file: lines, or JSON lines."},
			{ID: "progress.next-phase", Key: "]", Word: "phase", Name: "next phase", Shown: listed, Enabled: p.noRow,
				Run:  p.jumpPhase(true),
				Help: "The first message of the next phase."},
			{ID: "progress.previous-phase", Key: "[", Name: "previous phase", Shown: listed,
				Enabled: p.noRow, Run: p.jumpPhase(false),
				Help: "The first message of this phase, or of the one before."},
			{ID: "progress.same-code", Key: "*", Name: "same code", Shown: listed, Enabled: p.noRow,
				Run:  views.Call(func() { p.search(strconv.Itoa(p.selected().Code)) }),
				Help: "Search for messages with the code of this one."},
			{ID: "progress.attention", Key: "f", Word: "attention", Name: "what needs attention",
				Run:  views.Call(p.attention),
				Help: "Show only what needs attention, or all (filter kind:attention). That is steps that never completed, unknown codes, and what W names."},
			{ID: "progress.copy-all", Key: "Y", Name: "copy all messages", Enabled: p.noRow,
				Run:  func() tea.Cmd { return p.copyRows(p.visible()) },
				Help: "Copy all messages shown; if there are too many, offers a file."},
		}),
		views.When(listed, p.moving(slices.Concat(p.list.Marks(), p.list.Moves()))))
}

// inLog makes rows show the log, where the board is in its place.
func (p *messages) inLog(list []views.Command) []views.Command {
	return views.Around(list, func(_ views.Command, run func() tea.Cmd) tea.Cmd {
		p.summed = false
		return run()
	})
}

// noRow says why no message is under the cursor.
func (p *messages) noRow() string {
	switch {
	case p.list.Len() > 0:
		return ""
	case p.log == nil || p.log.Len() == 0:
		return "No messages yet."
	}
	return "No message matches."
}

// noneChosen says why there is no message to copy or to save.
func (p *messages) noneChosen() string {
	if p.list.Marked() > 0 {
		return ""
	}
	return p.noRow()
}

// moving makes rows that move the cursor pause and resume: going up pauses, going to the
// last message, or down from it, resumes.
func (p *messages) moving(list []views.Command) []views.Command {
	return views.Around(list, func(row views.Command, run func() tea.Cmd) tea.Cmd {
		before, _ := p.list.Key()
		cmd := run()
		after, _ := p.list.Key()
		switch {
		case row.ID == rows.Bottom:
			p.setPaused(false)
		case row.ID == rows.Range:
			p.setPaused(true)
		case slices.Contains(ups, row.ID):
			p.setPaused(p.paused || after != before)
		default:
			p.setPaused(p.paused && after != before)
		}
		return cmd
	})
}

// ups are the moves that pause.
var ups = []string{rows.Up, rows.HalfUp, rows.PageUp, rows.Top, rows.Next, rows.Previous, rows.Range}

// typed gives a key to the filter or the search. A search moves away from the newest
// message.
func (p *messages) typed(key tea.KeyMsg) {
	searched := p.list.Search()
	p.list.Type(key)
	if p.list.Search() != searched {
		p.setPaused(p.paused || !p.list.AtLast())
	}
	p.follow()
}

// follow moves to the newest message, unless it is paused.
func (p *messages) follow() {
	if !p.paused {
		p.list.GoBottom()
	}
}

// selected returns the message under the cursor; rows that need one are refused without.
func (p *messages) selected() adminapi.UpgradeMessage {
	i, _ := p.list.Selected()
	return p.log.At(i).UpgradeMessage
}

// attention shows only what needs attention, or everything.
func (p *messages) attention() {
	p.summed = false
	if p.list.Filter() == attentionFilter {
		p.list.SetFilter("")
	} else {
		p.list.SetFilter(attentionFilter)
	}
	p.follow()
}

// search searches for a text, or starts typing one where it is empty.
func (p *messages) search(text string) {
	if text == "" {
		p.list.StartSearch()
		return
	}
	p.list.SetSearch(text)
	p.setPaused(p.paused || !p.list.AtLast())
}

func (p *messages) setPaused(on bool) {
	if on && !p.paused && p.log != nil {
		p.pausedAt = p.log.Len()
	}
	p.paused = on
	p.follow()
}

// foot returns the line below the log and its style: the trouble of the watch, the marks,
// or that it is paused.
func (p *messages) foot() (rows.Ink, string) {
	if trouble := p.trouble(); trouble != "" {
		return p.inks.Warn, trouble
	}
	if n := p.list.Marked(); n > 0 && p.place() != alone {
		return p.inks.Accent, strconv.Itoa(n) + views.Keys(" marked; {key:progress.copy} copies, {key:progress.export} saves them, {key:progress.back} unmarks")
	}
	ended, news := p.over() && !p.awaitsBegin(), p.list.Filter() == "" && p.log.Len() > p.pausedAt
	switch {
	case p.record || !p.paused:
	case news && ended:
		return p.inks.Accent, plain.Plural(p.log.Len()-p.pausedAt, "message") + views.Keys(" since; {key:rows.bottom} shows the last")
	case news:
		return p.inks.Accent, "paused; " + plain.Plural(p.log.Len()-p.pausedAt, "message") + views.Keys(" since; {key:rows.bottom} follows")
	case !ended:
		return p.inks.Muted, views.Keys("paused; {key:rows.bottom} follows the newest message")
	}
	return p.inks.Muted, ""
}

// phaseStart is the place in the log where a phase begins.
type phaseStart struct {
	phase string
	at    int // index of its first message
}

// phaseStarts returns where the phases of the newest run begin, in the order of the log.
func (l *log) phaseStarts() []phaseStart {
	var found []phaseStart
	seen := map[string]bool{}
	for i := l.run; i < l.Len() && len(found) < len(progress.Phases); i++ {
		if code, known := progress.CodeOf(l.CodeAt(i)); known && !seen[code.Phase] {
			seen[code.Phase] = true
			found = append(found, phaseStart{code.Phase, i})
		}
	}
	return found
}

// beside says on which side of the cursor there is nothing to go to.
var beside = map[bool]string{false: "before", true: "after"}

// jumpPhase goes to the first message of a phase: the next one after the cursor, or the
// last one before it.
func (p *messages) jumpPhase(forward bool) func() tea.Cmd {
	return func() tea.Cmd {
		at, _ := p.list.Selected()
		all := p.log.phaseStarts()
		if !forward {
			slices.Reverse(all)
		}
		for _, s := range all {
			if forward && s.at > at || !forward && s.at < at {
				p.goTo(s.at)
				return nil
			}
		}
		return views.Tell(views.Info, "No phase begins "+beside[forward]+" this message.")
	}
}

// jumpAttention goes to the next message that needs attention, or the one before.
func (p *messages) jumpAttention(forward bool) func() tea.Cmd {
	return func() tea.Cmd {
		needed, step := p.log.Filter(attentionFilter), -1
		if forward {
			step = 1
		}
		at, _ := p.list.Selected()
		for at += step; at >= 0 && at < p.log.Len(); at += step {
			if needed(at) {
				p.goTo(at)
				return nil
			}
		}
		return views.Tell(views.Info, "No message "+beside[forward]+" this one needs attention.")
	}
}

// goTo shows a message, or the next one that passes the filter.
func (p *messages) goTo(i int) {
	p.summed = false
	p.list.GoNear(i)
	p.setPaused(!p.list.AtLast())
}

// choosePhase offers the phases that have messages.
func (p *messages) choosePhase() tea.Cmd {
	all := p.log.phaseStarts()
	if len(all) == 0 {
		return views.Tell(views.Info, "No message names a phase yet.")
	}
	choices := make([]string, len(all))
	for i, s := range all {
		choices[i] = p.phaseLine(s.phase)
	}
	return widget.Choose(p.Env.Theme, widget.FormOptions{
		ID: "progress.phase", Title: "Go to a phase", Note: "To its first message. The keys [ and ] go from phase to phase.", Action: "go there",
	}, "Phase", choices, len(all)-1, func(chosen int) tea.Cmd {
		p.goTo(all[chosen].at)
		return nil
	})
}

// phaseLine describes a phase in one line.
func (p *messages) phaseLine(name string) string {
	for _, phase := range p.snapshot.Progress.Phases {
		if phase.Name == name {
			glyph, _ := p.inks.Mark(phaseStatus[phase.State])
			spent := p.snapshot.Progress.SpentBy(name, p.now())
			return glyph + " " + name + "  " + views.Seconds(spent) + ", " + plain.Plural(phase.Messages, "message")
		}
	}
	return name
}

// lines draws the list.
func (p *messages) lines() []string {
	lines := strings.Split(p.list.View(), "\n")
	if p.list.Len() > 0 || len(lines) < 3 {
		return lines
	}
	if p.log.Len() == 0 {
		lines[1] = p.inks.Muted.On("No messages yet.")
	} else {
		lines[2] = p.inks.Muted.On(views.Keys("No message matches; {key:progress.back} shows all again."))
	}
	return lines
}
