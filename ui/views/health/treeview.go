package health

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// View draws the heading and the rows.
func (t *testTree) View() string {
	width, height := t.Width, t.Height-treeHead
	body := ""
	switch {
	case t.rows.All() == 0:
		body = t.inks.Sentences(t.emptyText(), width, height)
	case t.rows.Len() == 0 && !t.rows.Filtering():
		body = t.inks.Sentences(t.noMatchText(), width, height)
	case t.rows.Len() == 0:
		body = t.rows.Unmatched(t.noMatchText()...)
	default:
		body = t.rows.View()
	}
	head := t.heading(width - len(indent))
	for i := range head {
		head[i] = indent + head[i]
	}
	return t.inks.Headed(width, t.Height, body, head[:]...)
}

// heading returns the name and the result of the report.
func (t *testTree) heading(width int) (head [treeHead]string) {
	k := &t.inks
	title := k.title(t.rows.Focused())
	switch {
	case t.showsRun():
		return t.runHeading(width)
	case t.key == entryKey{}:
		return head
	case t.shown == nil:
		return [treeHead]string{k.Fit(title.On(views.NameOf(t.summary.Name, t.summary.ID)), width)}
	}
	r := t.shown.report
	name := title.On(views.NameOf(r.Name, r.ID))
	if t.key.origin == fromFile {
		name = k.Muted.On("file") + "  " + name
	}
	mark := t.mode(width)
	facts := []string{countsIn(t.shown.count, width-markRoom(mark))}
	if t.shown.count.Total() == 0 {
		facts[0] = passedOf(t.shown.count)
	}
	if text := took(r.StartTime, r.EndTime); text != "" {
		facts = append(facts, text)
	}
	if state := health.StateWords(r.State); state != r.State {
		facts = append(facts, plain.Line(state))
	}
	facts = append(facts, t.Env.Times.Site().Minute(r.StartTime.Time()))
	by, owner := plain.Line(r.CreatedBy), plain.Line(r.Owner)
	if by != "" {
		facts = append(facts, "by "+by)
	}
	if owner != "" && owner != by {
		facts = append(facts, "owner "+owner)
	}
	return [treeHead]string{k.Fit(k.signed(t.shown.verdict)+"  "+name, width), k.marked(mark, facts, width)}
}

func (t *testTree) runHeading(width int) [treeHead]string {
	k, r := &t.inks, t.run
	now := t.Env.Clock.Now()
	line := k.signed(r.verdict()) + "  " + k.title(t.rows.Focused()).On(views.NameOf(r.name, ""))
	mark := ""
	facts := append(r.progress(now), r.status(now))
	if r.troubled() {
		slices.Reverse(facts)
	}
	if t.shown != nil {
		mark = t.mode(width)
	}
	bar, cells := "", min(width, maxBar)
	switch usually, total := r.usually(), r.expected.total(); {
	case r.troubled():
	case t.shown != nil && total > 0:
		bar = k.Bar(cells, cells*(t.shown.count.Total()-t.shown.count[health.Running])/total)
	case usually > 0 && !r.overdue(now): // by time; a whole bar would say that it has ended
		bar = k.Bar(cells, int(time.Duration(cells)*min(now.Sub(r.started), usually*95/100)/usually))
	}
	return [treeHead]string{k.Fit(line, width), k.marked(mark, facts, width), bar}
}

// mode returns the filters and the order in brackets: "[not passed · general]".
func (t *testTree) mode(width int) string {
	var words []string
	if t.failed {
		words = []string{"not passed"}
	}
	if t.outline != nil && t.outline.order != worstFirst {
		words = append(words, t.outline.order.String())
	}
	if len(words) == 0 {
		return ""
	}
	return ansi.Truncate("["+strings.Join(words, " "+t.inks.Glyphs.Dot+" ")+"]", width, t.inks.Glyphs.Ellipsis)
}

// emptyText returns why there is no tree.
func (t *testTree) emptyText() []string {
	switch {
	case t.showsRun():
		return t.run.text()
	case t.err != nil:
		why := "The report could not be read."
		if t.Env.Kept != nil {
			why = "This report was not kept on this machine."
		}
		return []string{why, "", views.Sentence(t.err.Error()), "", views.Keys("Press {key:health.refresh} to refresh.")}
	case t.loading:
		return []string{"Reading the report" + t.inks.Glyphs.Ellipsis}
	case t.shown != nil:
		return []string{"The report has no tests."}
	}
	return nil
}

// noMatchText returns why no test of the report is shown, and what shows them again.
func (t *testTree) noMatchText() []string {
	switch filtered := t.rows.Filter() != ""; {
	case !filtered:
		return []string{"No test matches the view: not passed only.", "", views.Keys("{key:health.failed} shows all tests again.")}
	case !t.failed:
		return []string{"No test matches.", "", views.Keys("{key:health.back} shows all again.")}
	}
	return []string{"No test in the view matches the text: not passed only.", "", views.Keys("{key:health.back} clears the text; then {key:health.failed} shows all.")}
}
