package progress

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// explainRows open the panel What now, and go to a message. Where something is wrong the footer names
// the first before the rows about the log, at every size.
func (m *Model) explainRows() []views.Command {
	return []views.Command{
		{ID: "progress.explain", Binding: views.Key("", whatnow.Key), Hint: views.HintIf(m.shown.faulty, "what now"), Name: "what now", Group: runGroup,
			Shown: func() bool { return !m.shown.nothing() }, Run: views.Do(m.whatNow),
			Help: "Explain what is wrong with the run: the cause, its evidence, what not to do, and the next step."},
		{ID: "progress.message", Name: "go to message", Argument: "number", Group: group, Run: m.goToMessage,
			Help: "Go to a message by its number in the log."},
	}
}

// faulty reports whether something is wrong with the run that is shown.
func (s *shown) faulty() bool { return !s.nothing() && !s.awaitsBegin() && s.reason.explanation.Fault }

// watched is the snapshot that is shown, with why the watch has no newer one.
func (s *shown) watched() watching.Snapshot {
	r := s.snapshot
	if w := s.Env.Upgrade; w.On && !s.record {
		r.Unreachable, r.UnreachableSince = w.Snapshot.Unreachable, w.Snapshot.UnreachableSince
		r.Refused, r.RefusedSince, r.RefusedLong, r.Quiet = w.Refused(), w.Snapshot.RefusedSince, w.Snapshot.RefusedLong, w.Snapshot.Quiet
	}
	return r
}

// explain explains what is shown, from the snapshot alone, where that has changed.
func (s *shown) explain() {
	key := s.reasonKey()
	if s.nothing() || s.reason.key == key {
		return
	}
	w := s.Env.Upgrade
	facts := incident.UpgradeFactsOf(s.watched(), s.around())
	if facts.Stall = w.Stall; s.record || !w.On {
		facts.Stall, facts.Left = nil, ""
	}
	if s.lifted() {
		facts.Site.Mode = &adminapi.Mode{}
	}
	s.reason = reason{key, explain.Upgrade(facts)}
}

// whyLines are the cause and the next step, and of a run that is over what not to do, with the rest
// where there is room for columns. There are none where nothing is wrong, or where the
// line below the log tells what is.
func (b *board) whyLines() []string {
	if !b.faulty() || b.trouble() != "" {
		return nil
	}
	x := b.reason.explanation
	if b.Env.Upgrade.Stall != nil && !x.Cause.Known { // the headline has it
		x.Cause.Sentence = ""
	}
	page := rows.Page{Inks: &b.inks, Width: b.inner(), Names: len("Next  ")}
	rest := b.over() && b.roomy()
	if rest {
		page.Names = len("Look at  ")
	}
	whatnow.Brief(&page, x, "progress.export", "progress.watch")
	switch {
	case rest && b.place() == columns:
		whatnow.Rest(&page, x)
	case rest:
		whatnow.Forbid(&page, x)
	}
	return page.Lines
}

// reason is an explanation, and what it was made for.
type reason struct {
	key         reasonKey
	explanation explain.Explanation
}

type reasonKey struct {
	at                            time.Time
	unreachable, refused, stalled bool
	record, lifted                bool
	mode                          views.TimeMode
}

func (s *shown) reasonKey() reasonKey {
	r := s.watched()
	return reasonKey{r.At, r.Unreachable != nil, r.Refused != nil, s.Env.Upgrade.Stall != nil, s.record, s.lifted(), s.Env.Times.Mode}
}

func (s *shown) around() incident.Surroundings {
	times := s.Env.Times.Site()
	return incident.Surroundings{Times: func(m adminapi.Millis) string { return times.Clock(m.Time()) }}
}

// whatNow opens the panel, which reads what the site shows beside the log.
func (m *Model) whatNow() tea.Cmd {
	if m.shown.record {
		return whatnow.Open(m.shown.Env, m.shown.reason.explanation, nil, nil)
	}
	var open tea.Cmd
	m.whys, open = whatnow.OpenFollowed(m.shown.Env, m.shown.reason.explanation, m.whole())
	return open
}

// follow explains the run anew where the panel is open.
func (m *Model) follow() tea.Cmd {
	if m.shown.record || m.shown.nothing() {
		return nil
	}
	m.shown.explain()
	return m.whys.Follow(m.shown.reason.explanation, m.whole())
}

// whole explains the run with what the site shows beside the log.
func (m *Model) whole() whatnow.Fetch {
	site, snapshot, around, source, clock := m.shown.Env.Site, m.shown.watched(), m.shown.around(), m.shown.Env.Nodes, m.shown.Env.Clock
	return func(ctx context.Context) explain.Explanation {
		if nodes, err := source.Read(ctx, clock); err == nil {
			around.Nodes = nodes.List
		}
		return incident.ExplainUpgrade(ctx, site, snapshot, around)
	}
}

func (m *Model) goToMessage(number string) tea.Cmd {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || m.shown.log == nil || n < 1 || n > m.shown.log.Len() {
		return views.Tell(views.Warning, "There is no message of that number.")
	}
	m.message, m.shown.summed = nil, false
	m.messages.goTo(n - 1)
	return nil
}
