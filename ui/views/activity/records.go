package activity

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// recordList is what this machine has sent to change the site.
type recordList struct {
	child

	rows  *rows.List[string]
	order int
	items *recordRows
	all   []journal.Record     // newest first
	read  time.Time            // zero before the first time
	err   error                // of the last read; the records of the one before are still shown
	none  journal.Verification // why there is none, where there is none
}

// recordsRead are the records of this machine.
type recordsRead struct {
	all  []journal.Record
	err  error
	none journal.Verification // where there is none
}

// fetch reads the record. It is on this machine: the site need not answer.
func (l *recordList) fetch() tea.Cmd {
	memory := l.Env.Site.Memory.Journal
	if memory == nil {
		return nil
	}
	return l.Scope.Do("records", func(context.Context) tea.Msg {
		r := recordsRead{}
		if r.all, r.err = memory.Actions(0); r.err == nil && len(r.all) == 0 {
			r.none, r.err = memory.Verify()
		}
		return r
	})
}

// Update takes the records that were read.
func (l *recordList) Update(r recordsRead) tea.Cmd {
	first := l.err == nil
	if l.err = r.err; r.err != nil {
		if first && !l.read.IsZero() {
			return views.TellError(r.err)
		}
		return nil
	}
	l.all, l.none, l.read = r.all, r.none, l.Env.Clock.Now()
	l.arrange()
	return nil
}

// arrange updates the rows.
func (l *recordList) arrange() {
	l.items = newRecordRows(&l.child, l.all, l.order)
	l.rows.Steady(func() { l.rows.Set(l.items) })
}

func (l *recordList) selected() (r journal.Record, ok bool) {
	i, ok := l.rows.Selected()
	if ok {
		r = l.items.list[i]
	}
	return r, ok
}

// noJournal is why there is no record.
const noJournal = "Nothing is recorded here: geodeck runs without a journal."

func (l *recordList) verify() tea.Cmd {
	memory := l.Env.Site.Memory.Journal
	return l.Scope.Work("verify", func(context.Context) func() tea.Cmd {
		v, err := memory.Verify()
		return func() tea.Cmd { return l.tell(v, err) }
	})
}

// tell says what a check of the record has found.
func (l *recordList) tell(v journal.Verification, err error) tea.Cmd {
	switch {
	case err != nil:
		return views.TellError(err)
	case len(v.Faults) > 0:
		first := v.Faults[0]
		text := plain.Capital(first.Sentence(l.Env.Times.Moment)) + ". " + first.Meaning()
		if more := len(v.Faults) - 1; more > 0 {
			text += " " + plain.Plural(more, "other fault") + l.Env.Commands("; to see all: {command:log --verify}")
		}
		return views.Tell(views.Failure, text)
	}
	return views.Tell(views.Success, strings.Join(v.Proof(l.Env.Times.Moment), " "))
}

func (l *recordList) emptyText() []string {
	switch {
	case l.Env.Offline:
		return []string{"There is no site.", "", "A record belongs to a site."}
	case l.Env.Site.Memory.Journal == nil:
		return []string{noJournal}
	case l.err != nil:
		return []string{views.Sentence(l.err.Error()), "", operation.Advice(&operation.UnrecordedError{Err: l.err})}
	case l.read.IsZero():
		return []string{"Reading the record" + l.inks.Glyphs.Ellipsis}
	}
	next := "Each change is recorded here before it is sent."
	if len(l.none.Faults) > 0 {
		next = ":verify record says what is missing."
	}
	return append(l.none.Empty(), "", next)
}

// subjectOf tells what a write was about.
func subjectOf(r journal.Record, jobs *operation.JobTable) operation.Subject {
	about := operation.SubjectOf(r.Path)
	if about.Health {
		about.Name, about.Report = r.Subject, jobs.Report(r.Subject)
	}
	return about
}

// linesJSON are the lines of a record as a JSON array. A line that is damaged is a text.
func linesJSON(memory *journal.Journal, id string) ([]byte, error) {
	lines, err := memory.RecordLines(id)
	if err != nil {
		return nil, err
	}
	text := []byte("[")
	for i, line := range lines {
		if i > 0 {
			text = append(text, ',')
		}
		if value := jsontext.Value(line.JSON); value.IsValid() {
			text = append(text, value...)
		} else {
			quoted, _ := jsontext.AppendQuote(nil, plain.Line(string(line.JSON)))
			text = append(text, quoted...)
		}
	}
	return append(text, ']'), nil
}

// outcome is the result of a record in a word or two, with its sign, and their style.
func outcome(k *rows.Inks, r journal.Record) (ink rows.Ink, text string) {
	result := operation.ResultOf(r)
	glyph, ink := k.Tone(result.Tone())
	return ink, glyph + " " + result.Word()
}
