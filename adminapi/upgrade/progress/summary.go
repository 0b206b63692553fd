package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Summary returns a page in Markdown about the newest run of a log: versions, state,
// times, phases, open steps, stores, unknown codes. times formats times of the server's
// clock. Texts of the server are clean and escaped.
func Summary(p Progress, l Log, meaning State, u UsualTimes, times func(adminapi.Millis) string) string {
	page := summary{times: times}
	title := "Upgrade"
	if p.Kind == RollbackRun {
		title = "Rollback"
	}
	if p.From != "" {
		title += " from " + plain.Markdown(p.From) + " to " + plain.Markdown(p.To)
	}
	page.line("# %s\n", title)
	page.facts(p, meaning, u)
	page.phases(p, u)
	page.open(p)
	page.stores(p.Stores)
	page.foreign(l)
	return page.String()
}

// summary writes the page.
type summary struct {
	strings.Builder
	times func(adminapi.Millis) string
}

func (s *summary) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func (s *summary) facts(p Progress, meaning State, u UsualTimes) {
	s.fact("State", "**"+meaning.String()+"**")
	s.fact("Kind", string(p.Kind))
	s.fact("First message", s.moment(p.Began))
	s.fact("Last message", s.moment(p.Last))
	if elapsed, ok := adminapi.Span(p.Began, p.Last); ok {
		s.fact("Time between them", span(elapsed))
	}
	s.fact("Failure seen", s.moment(p.FailedBy))
	if p.Took > 0 {
		s.fact("Took (reported by the site)", span(p.Took))
	}
	s.fact("Read-only", s.readOnly(p))
	if p.Total > 0 {
		note := ""
		switch {
		case p.RolledBack:
			note = " rolled back after the failure"
		case meaning == StateFailed:
			note = " at the last count before the failure"
		}
		s.fact("Deployments", fmt.Sprintf("%d of %d", p.Done, p.Total)+note)
	}
	s.fact("Messages", fmt.Sprintf("%d (with unknown codes: %d)", p.Messages, p.UnknownCodes))
	switch u.Runs {
	case 0:
		s.fact("Usual time", "unknown, no earlier run of this kind is recorded here")
	case 1:
		s.fact("Usual time", span(u.TookFor(p))+", from one earlier run")
	default:
		s.fact("Usual time", fmt.Sprintf("%s, the median of %d earlier runs", span(u.TookFor(p)), u.Runs))
	}
}

func (s *summary) fact(label, text string) {
	if text != "" {
		s.line("- %s: %s", label, text)
	}
}

func (s *summary) moment(m adminapi.Millis) string {
	if m.IsZero() {
		return ""
	}
	return plain.Markdown(s.times(m))
}

func (s *summary) readOnly(p Progress) string {
	lasted, ok := p.ReadOnlyFor(max(p.Last, p.FailedBy))
	switch {
	case !ok:
		return "never, according to the messages"
	case p.ReadOnly.To.IsZero():
		return fmt.Sprintf("from %s, its end is not reported (at least %s)", s.moment(p.ReadOnly.From), span(lasted))
	}
	return fmt.Sprintf("from %s to %s (%s)", s.moment(p.ReadOnly.From), s.moment(p.ReadOnly.To), span(lasted))
}

// span writes a duration as the screen does.
func span(d time.Duration) string { return adminapi.FormatSeconds(d) }

func (s *summary) phases(p Progress, u UsualTimes) {
	s.line("\n## Phases\n\n| Phase | State | First message | Time | Usual | Longest silence | Messages |")
	s.line("| --- | --- | --- | ---: | ---: | ---: | ---: |")
	for _, phase := range p.Phases {
		usual, spent, silence := "", "", ""
		if d, known := u.Of(p, phase.Name); known {
			usual = span(d)
		}
		if phase.Messages > 0 {
			spent, silence = span(p.SpentBy(phase.Name, p.Last)), span(phase.Silence)
		}
		s.line("| %s | %s | %s | %s | %s | %s | %d |", phase.Name, stateText(phase.State, p), s.moment(phase.Began), spent, usual, silence, phase.Messages)
	}
}

func stateText(state PhaseState, p Progress) string {
	switch state {
	case PhaseOpen:
		return "open"
	case PhaseDone:
		return "done"
	case PhaseStopped:
		return "**stopped**"
	case PhaseAbsent:
		return "not in this " + string(p.Kind)
	}
	if p.Meaning == StateRunning {
		return "no message yet"
	}
	return "no message"
}

func (s *summary) open(p Progress) {
	if len(p.Open) == 0 {
		return
	}
	s.line("\n## Started and never completed\n\n| Since | Phase | Code | Meaning | Message |\n| --- | --- | ---: | --- | --- |")
	for _, step := range p.Open {
		s.line("| %s | %s | %d | %s | %s |", s.moment(step.Since), step.Phase, step.Code.Code, step.Meaning, plain.Markdown(step.Text))
	}
}

// maxSummaryRows bounds the tables of the page.
const maxSummaryRows = 200

func (s *summary) stores(t *Table) {
	if t == nil {
		return
	}
	s.line("\n## Stores\n")
	if t.Before != "" {
		s.line("%s\n", plain.Markdown(t.Before))
	}
	s.row(t.Columns)
	s.line("|%s", strings.Repeat(" --- |", len(t.Columns)))
	for _, row := range t.Rows[:min(len(t.Rows), maxSummaryRows)] {
		s.row(row)
	}
	s.more(len(t.Rows))
}

func (s *summary) row(cells []string) {
	s.WriteString("|")
	for _, cell := range cells {
		s.WriteString(" " + plain.Markdown(cell) + " |")
	}
	s.WriteString("\n")
}

// more says how many of the rows are not on the page.
func (s *summary) more(rows int) {
	if rows > maxSummaryRows {
		s.line("\nand %d more", rows-maxSummaryRows)
	}
}

// foreign lists the codes of the newest run that are not in the catalogue.
func (s *summary) foreign(l Log) {
	first, count := map[int]Message{}, map[int]int{}
	for i := l.Run(); i < l.Len(); i++ {
		m := l.At(i)
		if _, known := CodeOf(m.Code); known {
			continue
		}
		if count[m.Code]++; count[m.Code] == 1 {
			first[m.Code] = m
		}
	}
	if len(count) == 0 {
		return
	}
	s.line("\n## Unknown codes\n\n| Code | Messages | First at | First message |\n| ---: | ---: | --- | --- |")
	codes := slices.Sorted(maps.Keys(first))
	for _, code := range codes[:min(len(codes), maxSummaryRows)] {
		s.line("| %d | %d | %s | %s |", code, count[code], s.moment(first[code].When), plain.Markdown(first[code].Message))
	}
	s.more(len(codes))
}
