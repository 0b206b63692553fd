package activity

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// detail is one job or one record, whole.
type detail struct {
	child
	pager *rows.Pager

	title  string
	key    string // of what is shown; empty for nothing
	job    *jobRow
	record *journal.Record
	about  operation.Subject
	why    explain.Explanation  // of a run that failed; empty until it is read
	logged []journal.RecordLine // of the record
	err    error                // why they could not be read
	copies bool                 // copied once they are read

	revision int // counts what is shown
	cache    views.Drawn[made, []string]
}

// made is what the lines of a detail are made of.
type made struct {
	revision, width int
	stamp           views.Stamp
	runs            string // how long the job has been running
}

// SetSize gives the detail its cells.
func (d *detail) SetSize(width, height int) {
	d.child.SetSize(width, height)
	d.pager.SetSize(width, max(0, height-detailHead))
}

// Commands returns the commands that scroll.
func (d *detail) Commands() []views.Command {
	list := d.pager.MovesOver(d.lines)
	for i, row := range list {
		if row.HintText() != "" {
			list[i].Word = views.ScrollHint
		}
	}
	return list
}

func (d *detail) clear() {
	d.title, d.key, d.job, d.record, d.about, d.logged, d.err, d.copies = "", "", nil, nil, operation.Subject{}, nil, nil, false
	d.why = explain.Explanation{}
	d.revision++
}

// to begins to show something else of a kind, or the same as it is now.
func (d *detail) to(kind, id string, about operation.Subject) (other bool) {
	key := kind + " " + id
	if other = key != d.key; other {
		d.clear()
		d.pager.Home()
	}
	d.key, d.title, d.about = key, kind+" "+plain.Clip(id, 40), about
	d.revision++
	return other
}

// showJob shows a job, and reads why a run has failed.
func (d *detail) showJob(row jobRow) tea.Cmd {
	kind := "job"
	if row.run != nil {
		kind = "upgrade"
	}
	other := d.to(kind, row.id, row.job.About)
	d.job = &row
	if row.run == nil || !row.job.Failed() || !other && (d.why.Fault || d.err != nil) || !row.run.Newest && row.run.Transcript == "" {
		return nil
	}
	site, id, around, key := d.Env.Site, row.run.Transcript, whatnow.Around(d.Env), d.key
	if row.run.Newest && !d.Env.Offline { // the site tells more
		id = ""
	}
	return d.Scope.Work("why", func(ctx context.Context) func() tea.Cmd {
		x, err := incident.ExplainRun(ctx, site, id, around)
		return func() tea.Cmd {
			if d.key == key {
				d.why, d.err = x, err
				d.revision++
			}
			return nil
		}
	})
}

// showRecord shows a record, and reads its lines. They may be more than before.
func (d *detail) showRecord(r journal.Record, jobs *operation.JobTable) tea.Cmd {
	before := d.record
	other := d.to("record", r.ID, subjectOf(r, jobs))
	d.record = &r
	memory := d.Env.Site.Memory.Journal
	if memory == nil || !other && before != nil && before.Finished.Equal(r.Finished) && before.Overridden == r.Overridden {
		return nil
	}
	return d.Scope.Work("lines", func(context.Context) func() tea.Cmd {
		lines, err := memory.RecordLines(r.ID)
		return func() tea.Cmd {
			if d.key != "record "+r.ID {
				return nil
			}
			d.logged, d.err = lines, err
			d.revision++
			if d.copies {
				d.copies = false
				return d.copy()
			}
			return nil
		}
	})
}

// copy copies what is shown, without styles.
func (d *detail) copy() tea.Cmd {
	lines := d.content()
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return views.CopyText(d.Env.Origin()+strings.Join(lines, "\n"), "text")
}

// View draws the detail below its heading.
func (d *detail) View() string {
	pager := *d.pager // a copy: View changes nothing
	pager.Set(d.lines())
	head := d.inks.Beside(d.inks.Accent.On(plain.Capital(d.title)), pager.Position(), d.Width)
	return d.inks.Headed(d.Width, d.Height, pager.View(), head, "")
}

// lines returns the lines, from the cache where nothing changed.
func (d *detail) lines() []string {
	return d.cache.For(made{d.revision, d.Width, d.Env.Times.Stamp(), d.runs()}, d.content)
}

// runs returns how long the job has been running, empty where it does not.
func (d *detail) runs() string {
	if d.job == nil || !d.job.running() || d.job.job.StartTime.IsZero() {
		return ""
	}
	return views.Seconds(d.Env.Times.Site().Now().Sub(d.job.job.StartTime.Time()))
}

// content makes the lines.
func (d *detail) content() []string {
	p := &rows.Page{Inks: d.inks, Width: d.Width, Names: 13}
	switch {
	case d.job != nil:
		d.jobPage(p)
	case d.record != nil:
		d.recordPage(p)
	}
	return p.Lines
}

func (d *detail) jobPage(p *rows.Page) {
	times, job := d.Env.Times.Site(), d.job.job
	ink, state := d.state(d.job)
	p.Line(ink.On(state))
	p.Gap()
	if !d.job.read || job.Gone() {
		p.Fact("Job", d.job.id)
		p.Gap()
		why := "The site no longer has this job."
		if !d.job.read {
			why = "This job was not read yet. It is once it comes onto the screen."
		}
		p.Text(d.inks.Muted, why)
		return
	}
	p.Facts(
		"Name", job.Name,
		"User", job.Username,
		"Started", moments(times, job.StartTime))
	if job.Ended() {
		p.Facts(
			"Ended", moments(times, job.EndTime),
			"Took", adminapi.FormatElapsed(d.job.took))
	} else {
		p.Facts(
			"Updated", moments(times, job.UpdatedTime),
			"Runs for", d.runs())
		if percent, is := job.Percent(); is {
			p.Fact("Progress", strconv.Itoa(percent)+" %, "+strconv.Itoa(job.Done)+" of "+strconv.Itoa(job.Total)+" tests")
		}
	}
	if run := d.job.run; run != nil && run.ReadOnly > 0 {
		p.Fact("Read-only", adminapi.FormatElapsed(run.ReadOnly))
	}
	p.Facts(
		"About", cmp.Or(d.about.Service, d.about.Name),
		"Resource", job.Resource.Name,
		"Operation", job.OperationURI,
		"Job", d.job.id,
		"Request", job.RequestID)
	if run := d.job.run; run != nil && job.Failed() {
		p.Gap()
		switch {
		case d.why.Fault:
			whatnow.Brief(p, d.why)
			whatnow.Forbid(p, d.why)
			whatnow.Rest(p, d.why)
		case d.err != nil:
			p.Fact("Why", "Not known: "+views.Sentence(d.err.Error()))
		case d.why.Title != "" || !run.Newest && run.Transcript == "":
			p.Fact("Why", "Not known: this machine did not see it fail.")
		}
	}
	if len(job.Says) > 0 {
		p.Heading("Log of the job")
		for _, text := range job.Says {
			p.Text(rows.Ink{}, text)
		}
	}
}

// moments writes a moment of the site's clock, nothing for none.
func moments(times *views.Times, at adminapi.Millis) string {
	if at.IsZero() {
		return ""
	}
	return times.Moment(at.Time())
}

func (d *detail) recordPage(p *rows.Page) {
	times, r := d.Env.Times, d.record
	ink, result := outcome(d.inks, *r)
	p.Line(ink.On(result))
	p.Gap()
	p.Facts(
		"Operation", r.Operation,
		"Subject", r.Subject,
		"Sent", times.Moment(r.Time),
		"Site's clock", moments(times.Site(), r.Server))
	if !r.Pending() {
		p.Fact("Recorded", times.Moment(r.Finished))
	}
	if r.Verdict != "" {
		p.Facts(
			"Ended", times.Moment(r.Settled)+", "+string(r.Verdict),
			"", r.Because)
	}
	for _, a := range r.Accepted {
		p.Fact("Accepted", a.String())
	}
	p.Facts(
		"By", r.By,
		"Site's user", r.User,
		"Program", r.Program,
		"Error", r.Message,
		"Note", r.Note,
		"Path", r.Path,
		"Record", r.ID)
	switch {
	case r.Open():
		p.Gap()
		p.Text(d.inks.Warn, "No further change of it is sent until this one is settled.")
	case r.Overridden:
		p.Gap()
		p.Text(d.inks.Muted, "You allowed the next change all the same.")
	}
	if len(r.Fields) > 0 {
		p.Heading("Fields, as they were recorded")
		for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
			p.Member(name, strings.Join(r.Fields[name], ", "))
		}
	}
	if d.err != nil || len(d.logged) > 0 {
		p.Heading("Lines of the record")
	}
	if d.err != nil {
		p.Text(d.inks.Warn, views.Sentence(d.err.Error()))
		return
	}
	for _, line := range d.logged {
		text := plain.Clip(line.Event, 12)
		if !line.Time.IsZero() {
			text += ", " + times.Moment(line.Time)
		}
		if !line.Intact {
			text += ", changed since it was written"
		}
		p.Member("line "+strconv.Itoa(line.Number), text)
	}
}
