package progress

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// board is what is above the messages: versions, state, times, counts, phases, the open
// step, and warnings.
type board struct {
	*run
}

// head returns the lines above the log, as many as leave it room, and a rule.
// facts follow the picture of a run that is over; band, which has a rule above it, is last.
func (b *board) head(facts, band []string) []string {
	var lines []string
	if b.record {
		lines = wrapped(b.inks.Accent, b.inks.Glyphs.Marked+" Record of an earlier run, until "+
			b.Env.Times.Moment(b.snapshot.At)+views.Keys(". Nothing here is live; {key:progress.back} leaves."), b.Inner(), 2)
	}
	lines = append(lines, b.headline()...)
	warnings := b.warnings()
	var parts [][]string
	switch {
	case b.awaitsBegin():
		parts = [][]string{b.bar(), b.facts()}
	case b.place() == alone && b.over(): // the summary has them
		parts = [][]string{b.notes()}
	case b.place() == alone:
		parts = [][]string{b.bar(), b.facts()} // the page has the open steps
	case b.roomy() && b.over():
		parts = [][]string{picture(b.run, b.Inner()), b.notes(), b.present(), facts}
	case b.roomy():
		shown := picture(b.run, b.Inner())
		for len(shown) < timelineRows+min(1, len(band)) { // what comes and goes leaves the log below where it is
			shown = append(shown, "")
		}
		parts = [][]string{b.bar(), shown, b.facts(), b.present()}
	default:
		parts = [][]string{b.bar(), b.facts(), b.strip(), b.present()}
	}
	below := 1 + minLog
	if !b.over() {
		below += footLines
	}
	for _, part := range parts {
		if len(lines)+len(part)+len(warnings)+below <= b.Height {
			lines = append(lines, part...)
		}
	}
	lines = append(lines, warnings...)
	if len(lines)+len(band)+below <= b.Height {
		lines = append(lines, band...)
	}
	return append(lines, b.inks.Line(b.Inner()))
}

const minLog = 4 // lines that the log keeps before anything else gets them

// timelineRows is the height of the picture while the run goes on: axis, phases, whole, absences
// and read-only time; on a large terminal deployments too.
var timelineRows = 4 + len(progress.Phases)

// headline shows versions, state, elapsed time, the time that is left, and since when the site
// is read-only.
func (b *board) headline() []string {
	var items []string
	if p := &b.snapshot.Progress; p.From != "" && !b.awaitsBegin() {
		items = append(items, b.inks.Strong.On(plain.Clip(p.From, 24)+" "+b.inks.Glyphs.Arrow+" "+plain.Clip(p.To, 24)))
	}
	items = append(items, b.state())
	if took := b.elapsed(); took != "" {
		items = append(items, took)
	}
	var more []string
	if left, ok := b.estimate(); ok {
		more = append(more, b.inks.Strong.On(left.String())+b.inks.Muted.On(" ("+left.Basis()+")"))
	} else if b.goesOn() && b.snapshot.Usual.Runs == 0 && b.Env.Upgrade.Stall == nil {
		more = append(more, b.inks.Muted.On("first run, no estimate yet"))
	}
	if text := b.readOnly(); text != "" {
		more = append(more, text)
	}
	if b.Width < oneLineFrom && b.goesOn() { // so that nothing wraps later
		return append(flow(items, "   ", b.Inner()), flow(more, "   ", b.Inner())...)
	}
	return flow(append(items, more...), "   ", b.Inner())
}

// oneLineFrom is the width from which the headline of a run has one line whatever happens.
const oneLineFrom = 180

// estimate returns the time that is left, while the run is known to go on.
func (r *run) estimate() (progress.Estimate, bool) {
	if !r.goesOn() || r.awaitsBegin() {
		return progress.Estimate{}, false
	}
	return r.snapshot.Usual.Estimate(r.snapshot.Progress, r.now())
}

// state returns the one state of the run: its phase, its stall or its end, marked as old while
// the site gives none.
func (b *board) state() string {
	k, p := &b.inks, &b.snapshot.Progress
	if b.awaitsBegin() {
		return k.Signed(rows.StatusRunning, "accepted, not begun yet")
	}
	state := ""
	switch b.snapshot.Meaning {
	case progress.StateRunning:
		at, where := b.phaseOf(p.Current), " in "+p.Current
		switch {
		case p.RolledBack:
			at, where = "rolling back", " while rolling back"
		case p.Current == "":
			where = ""
		}
		state = k.Signed(rows.StatusRunning, at)
		if s := b.Env.Upgrade.Stall; s != nil && b.goesOn() {
			state = k.Signed(rows.StatusWarning, "STALLED for "+views.Seconds(s.Quiet)+where)
		}
	case progress.StateSucceeded:
		state = k.Signed(rows.StatusPassed, "succeeded")
	case progress.StateFailed:
		state = k.Signed(rows.StatusFailed, "failed")
	case progress.StateIdle:
		state = k.Signed(rows.StatusSkipped, "no upgrade")
	default:
		word := cmp.Or(plain.Clip(b.snapshot.Status.State, 30), "none given")
		state = k.Signed(rows.StatusUnknown, "Unknown state: "+word+", code "+strconv.Itoa(b.snapshot.Status.Code))
	}
	switch {
	case b.silent():
		return k.Warn.On("last seen "+b.log.clock(b.now())) + " " + state
	case b.record && !b.over() || b.trouble() != "":
		return k.Warn.On("last seen") + " " + state
	case b.snapshot.Meaning == progress.StateFailed && p.StoppedIn() != "":
		return state + k.Fail.On(" in "+p.StoppedIn())
	}
	return state
}

// phaseOf names a phase, and which of the phases of the run it is.
func (b *board) phaseOf(name string) string {
	at, all := 0, 0
	for _, phase := range b.snapshot.Progress.Phases {
		if phase.State != progress.PhaseAbsent {
			all++
		}
		if phase.Name == name {
			at = all
		}
	}
	if at == 0 {
		return "in progress"
	}
	return fmt.Sprintf("%s (phase %d of %d)", name, at, all)
}

// elapsed returns how long the run takes, or has taken, by the server's clock.
func (b *board) elapsed() string {
	p := &b.snapshot.Progress
	if p.Began.IsZero() || b.awaitsBegin() {
		return ""
	}
	began := p.Began.Time()
	switch b.snapshot.Meaning {
	case progress.StateRunning:
		least := "after "
		if !b.hasBegin() {
			least += "at least "
		}
		return least + views.Seconds(max(b.now(), p.Last).Time().Sub(began)) // the clock of the site may have been set back
	case progress.StateFailed:
		since, to, end := "noticed ", " in", p.FailedBy
		if end < p.Last {
			since, to, end = "", " to the last message", p.Last
		}
		if !b.hasBegin() {
			since += "at least "
		}
		if took := end.Time().Sub(began); took > 0 {
			return b.inks.Muted.On(since + views.Seconds(took) + to)
		}
	case progress.StateSucceeded:
		took := p.Last.Time().Sub(began)
		if !b.hasBegin() {
			took = p.Took
		}
		if took > 0 {
			return b.inks.Muted.On("after " + views.Seconds(took))
		}
	}
	return ""
}

// readOnly returns since when the site is read-only, or how long it was. The log of a run
// that is over may lack the end of it.
func (b *board) readOnly() string {
	p := &b.snapshot.Progress
	if p.ReadOnly.From.IsZero() || b.awaitsBegin() {
		return ""
	}
	lasted, _ := p.ReadOnlyFor(b.now())
	from := b.log.times().HereMinute(p.ReadOnly.From.Time())
	switch {
	case !p.ReadOnly.To.IsZero() && b.over():
		return "" // the picture or the facts have it
	case !p.ReadOnly.To.IsZero():
		return b.inks.Muted.On("read-only " + views.Seconds(lasted))
	case b.lifted():
		return b.inks.Muted.On("read-only since " + from + "; lifted by now")
	case b.over():
		text := "Read-only since " + from + ", never lifted"
		if old := views.AsOf(b.Env, b.Env.State.Mode); old != "" && !b.record {
			text = plain.Capital(old) + text
		}
		return b.inks.Warn.On(text)
	}
	return b.inks.Warn.On("READ-ONLY since " + from + " (" + views.Seconds(lasted) + ")")
}

// bar shows how many deployments are done as a bar over the whole width, where the site counts
// them.
func (b *board) bar() []string {
	p := &b.snapshot.Progress
	switch {
	case b.awaitsBegin() || p.Total == 0 && (b.over() || !b.roomy()):
		return nil
	case p.Total == 0 && p.RolledBack:
		return []string{b.inks.Muted.On("rolling back; deployments are not counted yet")}
	case p.Total == 0: // an empty bar would read as 0 %
		done, all := 0, b.phases()
		for _, phase := range all {
			if phase.State == progress.PhaseDone {
				done++
			}
		}
		return []string{b.inks.Muted.On(fmt.Sprintf("%d of %d phases done; deployments are not counted yet", done, len(all)))}
	case p.RolledBack:
		return []string{b.inks.Muted.On("rolled back " + counted(p.Done, p.Total))}
	case b.snapshot.Meaning == progress.StateFailed:
		return []string{b.inks.Muted.On("last count: " + counted(p.Done, p.Total))}
	}
	label := "  " + counted(p.Done, p.Total)
	if p.Done < p.Total {
		label += fmt.Sprintf("  %d %%", int64(100)*int64(p.Done)/int64(p.Total))
	}
	cells := max(10, b.Inner()-len(label))
	return []string{b.inks.Bar(cells, int(int64(cells)*int64(p.Done)/int64(p.Total))) + label}
}

// notes returns what must be known to understand the rest.
func (b *board) notes() []string {
	var notes []string
	switch {
	case b.awaitsBegin():
		notes = append(notes, "the site still reports the previous upgrade")
	case b.over() && !b.snapshot.Seen:
		none := "none is running"
		if b.silent() {
			none = "none was running then" // the headline says when
		}
		notes = append(notes, "this is the last upgrade; "+none)
	}
	// The times of messages are by the site's clock.
	if ahead := b.snapshot.Ahead; ahead.Abs() >= 2*time.Second && !b.record {
		side := " ahead of"
		if ahead < 0 {
			side = " behind"
		}
		notes = append(notes, "the site's clock is "+views.Seconds(ahead.Abs())+side+" this machine's")
	}
	if b.snapshot.Resumed && !b.record {
		notes = append(notes, "resumed")
	}
	if len(notes) > 0 {
		notes[0] = plain.Capital(notes[0])
	}
	return b.flowMuted(notes, 2)
}

// facts returns the notes, with what else is known of the log.
func (b *board) facts() []string {
	p := &b.snapshot.Progress
	facts := []string{plain.Plural(b.log.Len(), "message")}
	if p.UnknownCodes > 0 {
		facts = append(facts, plain.Plural(p.UnknownCodes, "unknown code"))
	}
	switch {
	case p.Began.IsZero():
	case b.hasBegin():
		facts = append(facts, "began "+b.log.begin())
	default:
		facts = append(facts, "first message "+b.log.begin()+", start not reported")
	}
	if lasted, was := p.ReadOnlyFor(b.now()); was && b.over() && !p.ReadOnly.To.IsZero() {
		facts = append(facts, "read-only "+views.Seconds(lasted))
	}
	if b.goesOn() {
		facts = append(facts, "now "+b.log.minute(b.now()))
	}
	return append(b.notes(), b.flowMuted(facts, 1)...)
}

// flowMuted joins facts into at most so many lines.
func (b *board) flowMuted(facts []string, maxLines int) []string {
	for i, fact := range facts {
		facts[i] = b.inks.Muted.On(fact)
	}
	lines := flow(facts, b.inks.Muted.On(" "+b.inks.Glyphs.Dot+" "), b.Inner())
	return lines[:min(len(lines), maxLines)]
}

// detail is how much the strip shows of each phase.
type detail int

const (
	shortNames detail = iota
	names             // and the time of the open phase
	times             // of every phase that has begun
	usuals            // and how long each usually takes
)

// stripLayouts are the layouts of the strip, the fullest first.
var stripLayouts = []struct {
	detail   detail
	gap      string
	maxLines int
}{{usuals, "  ", 1}, {times, "  ", 1}, {times, " ", 1}, {times, "  ", 2}, {times, "  ", 3}, {names, "  ", 2}, {shortNames, " ", 2}}

// strip draws the phases in their order in two lines, with as much of each as fits.
func (b *board) strip() []string {
	var lines []string
	for _, layout := range stripLayouts {
		var items []string
		for _, phase := range b.phases() {
			items = append(items, b.phase(phase, layout.detail))
		}
		lines = flow(items, layout.gap, b.Inner())
		if len(lines) <= layout.maxLines {
			return evenly(items, layout.gap, lines)
		}
	}
	return lines[:min(len(lines), 2)]
}

// evenly joins items into lines of about one width, as many as there are, so that none is left
// for a line of its own.
func evenly(items []string, gap string, lines []string) []string {
	width := ansi.StringWidth(strings.Join(items, gap)) / max(1, len(lines))
	for ; ; width++ {
		if even := flow(items, gap, width); len(even) <= len(lines) {
			return even
		}
	}
}

// shortName is how many cells a short name of a phase has.
const shortName = 4

func (b *board) phase(phase progress.PhaseProgress, d detail) string {
	name := phase.Name
	if d == shortNames {
		name = ansi.Truncate(name, shortName, "")
	}
	text := b.inks.Signed(phaseStatus[phase.State], name)
	began := phase.State != progress.PhaseAhead
	if began && (d >= times || d == names && phase.State == progress.PhaseOpen) {
		spent := views.Seconds(b.snapshot.Progress.SpentBy(phase.Name, b.now()))
		if phase.State == progress.PhaseOpen && b.goesOn() {
			spent = views.Fit(spent, max(countedWidth, len(spent)), "")
		}
		text += " " + b.inks.Muted.On(spent)
	}
	usual, known := b.snapshot.Usual.Of(b.snapshot.Progress, phase.Name)
	switch {
	case d < usuals || !known || usual == 0:
	case !began:
		text += " " + b.inks.Muted.On("~"+views.Seconds(usual))
	case phase.State == progress.PhaseOpen:
		text += b.inks.Muted.On(" of ~" + views.Seconds(usual))
	}
	return text
}

var phaseStatus = map[progress.PhaseState]rows.Status{
	progress.PhaseAhead: rows.StatusSkipped, progress.PhaseOpen: rows.StatusRunning,
	progress.PhaseDone: rows.StatusPassed, progress.PhaseStopped: rows.StatusFailed,
}

// countedWidth is the room of a time that is counted, below an hour: what is beside it
// stays where it is.
const countedWidth = len("59 min 59 s")

// present says what the run does, or where it has stopped. While the run goes on it has a line
// also between two steps, so that the log below stays where it is.
func (b *board) present() []string {
	p := &b.snapshot.Progress
	switch {
	case b.snapshot.Meaning == progress.StateSucceeded:
		return nil
	case len(p.Open) == 0 && b.goesOn():
		return []string{""}
	case len(p.Open) == 0:
		return nil
	}
	dot, step := " "+b.inks.Glyphs.Dot+" ", p.Open[len(p.Open)-1]
	if b.over() {
		return []string{b.inks.Fail.On("Failed during: " + step.Noun() + " (" + b.log.clock(step.Since) + ")")}
	}
	if now, ok := p.Now(); ok {
		step = now
	}
	if !b.goesOn() {
		seen := ""
		if !b.record && b.trouble() == "" { // else the headline has it
			seen = "Last seen: "
		}
		return []string{b.inks.Warn.On(seen + step.Doing() + dot + "since " + b.log.clock(step.Since))}
	}
	text := b.inks.Running.On(step.Doing()) + dot + views.Seconds(b.now().Time().Sub(step.Since.Time()))
	if more := len(p.Open) - 1; more > 0 {
		text += b.inks.Muted.On(dot + strconv.Itoa(more) + " more")
	}
	if line := plain.Line(step.Text); line != "" && b.Inner() >= roomyWidth-2 {
		text += b.inks.Muted.On("   " + line)
	}
	return []string{text}
}

// warnings returns a stall, why the run is at fault with the next step, and a failure to record,
// each in a few lines at most.
func (b *board) warnings() []string {
	if b.record {
		return b.whyLines()
	}
	var lines []string
	warn := func(text string) {
		lines = append(lines, wrapped(b.inks.Warn, b.inks.Glyphs.Warn+" "+text, b.Inner(), 2)...)
	}
	if s := b.Env.Upgrade.Stall; s != nil && b.trouble() == "" {
		warn(s.Basis())
	}
	lines = append(lines, b.whyLines()...)
	if err := b.Env.Upgrade.Snapshot.TranscriptErr; err != nil {
		text := "Not recorded: " + plain.Line(err.Error()) + ". The log is lost when you quit."
		if operation.NoRoom(err) {
			text += " Make room on that disk."
		}
		warn(text)
	}
	return lines
}
