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

// explainRows open the panel What now. Where something is wrong the footer names it before the rows about the log, at
// every size.
func (m *Model) explainRows() []views.Command {
	return []views.Command{
		{ID: "progress.explain", Key: whatnow.Key, Hint: views.HintIf(m.run.faulty, "what now"), Name: "what now", Group: runGroup,
			Shown: func() bool { return !m.run.nothing() }, Run: m.run.whatNow,
			Help: "Explain what is wrong with the run: the cause, its evidence, what not to do, and the next step."},
	}
}

// namedRows lead here from other screens, whatever is open: to a message, and to an earlier run.
func (m *Model) namedRows() []views.Command {
	recorded := views.Only(func() bool { return m.Env.Site.Memory.Journal != nil }, "Nothing is recorded here: geodeck runs without a journal.")
	return []views.Command{
		{ID: "progress.message", Name: "go to message", Argument: "number", Group: group, With: m.goToMessage,
			Help: "Go to a message by its number in the log."},
		{ID: "progress.run", Name: "earlier run by its name", Argument: "transcript", Group: runGroup, Enabled: recorded, With: m.openRecord,
			Help: "The record of a run by the name of its transcript."},
	}
}

// faulty reports whether something is wrong with the run that is shown.
func (r *run) faulty() bool { return !r.nothing() && !r.awaitsBegin() && r.reason.explanation.Fault }

// watched is the snapshot that is shown, with why the watch has no newer one.
func (r *run) watched() watching.Snapshot {
	s := r.snapshot
	if w := r.Env.Upgrade; w.On && !r.record {
		s.Unreachable, s.UnreachableSince = w.Snapshot.Unreachable, w.Snapshot.UnreachableSince
		s.Refused, s.RefusedSince, s.RefusedLong, s.Quiet = w.Refused(), w.Snapshot.RefusedSince, w.Snapshot.RefusedLong, w.Snapshot.Quiet
	}
	return s
}

// explain explains what is shown, from the snapshot alone, where that has changed.
func (r *run) explain() {
	key := r.reasonKey()
	if r.nothing() || r.reason.key == key {
		return
	}
	w := r.Env.Upgrade
	facts := incident.UpgradeFactsOf(r.watched(), r.around())
	if facts.Stall = w.Stall; r.record || !w.On {
		facts.Stall, facts.Left = nil, ""
	}
	if r.lifted() {
		facts.Site.Mode = &adminapi.Mode{}
	}
	facts.Site.Version = key.version
	r.reason = reason{key, explain.Upgrade(facts)}
}

// whyLines are the cause and the next step, and of a run that is over what must not be missed, with the
// rest where there is room for columns. There are none where nothing is wrong, or where the
// line below the log tells what is.
func (b *board) whyLines() []string {
	if !b.faulty() || b.trouble() != "" {
		return nil
	}
	x := b.reason.explanation
	if b.Env.Upgrade.Stall != nil && !x.Cause.Known { // the headline has it
		x.Cause.Sentence = ""
	}
	page := rows.Page{Inks: &b.inks, Width: b.Inner(), Names: len("Next  ")}
	if b.over() {
		page.Names = len("Look at  ")
	}
	whatnow.Brief(&page, x, "progress.export", "progress.watch")
	if b.over() {
		whatnow.Forbid(&page, x)
	}
	if b.over() && b.roomy() && b.place() == columns {
		whatnow.Rest(&page, x)
	}
	return page.Lines
}

// reason is an explanation, and what it was made for.
type reason struct {
	key         reasonKey
	explanation explain.Explanation
}

type reasonKey struct {
	at                   time.Time
	unreachable, stalled bool
	refused, refusedLong bool
	record, lifted       bool
	version              string // that the site has
	mode                 views.TimeMode
}

func (r *run) reasonKey() reasonKey {
	w := r.watched()
	return reasonKey{w.At, w.Unreachable != nil, r.Env.Upgrade.Stall != nil, w.Refused != nil, w.RefusedLong, r.record, r.lifted(), r.installed(), r.Env.Times.Mode}
}

// installed is the version that the site had when it was fetched after the end of the run; empty where
// that is not known.
func (r *run) installed() string {
	version := r.Env.State.Version
	if r.record || !r.over() || version.Err != nil || !version.At.Add(r.snapshot.Ahead).After(r.snapshot.Progress.Last.Time()) {
		return ""
	}
	return version.Value.FullVersion
}

func (r *run) around() incident.Surroundings {
	times := r.Env.Times.Site()
	return incident.Surroundings{Times: func(m adminapi.Millis) string { return times.Here(m.Time()) }}
}

// whatNow opens the panel What now, which reads what the site shows beside the log.
func (r *run) whatNow() (open tea.Cmd) {
	if r.record {
		return whatnow.Open(r.Env, r.reason.explanation, nil, nil)
	}
	r.panel, open = whatnow.OpenFollowed(r.Env, r.reason.explanation, r.whole())
	return open
}

// followPanel explains the run anew where the panel is open.
func (r *run) followPanel() tea.Cmd {
	if r.record || r.nothing() {
		return nil
	}
	r.explain()
	return r.panel.Follow(r.reason.explanation, r.whole())
}

// whole explains the run with what the site shows beside the log.
func (r *run) whole() whatnow.Fetch {
	env, snapshot, around := r.Env, r.watched(), r.around()
	site, source, clock := env.Site, env.Nodes, env.Clock
	return func(ctx context.Context) explain.Explanation {
		if nodes, err := source.Read(ctx, clock); err == nil {
			around.Nodes = nodes.List
		}
		return incident.ExplainUpgrade(ctx, site, snapshot, around)
	}
}

func (m *Model) goToMessage(number string) tea.Cmd {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || m.run.log == nil || n < 1 || n > m.run.log.Len() {
		return views.Tell(views.Warning, "There is no message of that number.")
	}
	m.message, m.run.summed = nil, false
	m.messages.goTo(n - 1)
	return nil
}
