package activity

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// How the jobs are sorted. Those that run stand first in each order.
const (
	byStart = iota
	byState // what failed first
	byUser
	byDuration // the longest first
)

// jobOrders names the orders for the heading of the list.
var jobOrders = [...]string{byStart: "by start", byState: "by state", byUser: "by user", byDuration: "by duration"}

// jobRow is one job of the list.
type jobRow struct {
	id   string
	job  operation.KnownJob
	read bool
	took time.Duration // of one that has ended
	// start is when it was submitted; of a job that was not read that of the one before it in
	// the site's list, so that it is about in its place.
	start adminapi.Millis
}

func (r *jobRow) running() bool { return r.read && !r.job.Ended() && !r.job.Gone() }

// jobRows are the jobs as rows.
type jobRows struct {
	rows.Flat
	*child
	list []jobRow
	runs int // how many of them run
}

func newJobRows(c *child, table *operation.JobTable, order int) *jobRows {
	r := &jobRows{child: c}
	if table == nil {
		return r
	}
	r.list = make([]jobRow, len(table.IDs))
	before := adminapi.Millis(0)
	for i, id := range table.IDs {
		job, read := table.Job(id)
		took, _ := adminapi.Span(job.StartTime, job.EndTime)
		if read && !job.Gone() {
			before = job.StartTime
		}
		if r.list[i] = (jobRow{id, job, read, took, before}); r.list[i].running() {
			r.runs++
		}
	}
	slices.SortStableFunc(r.list, func(a, b jobRow) int {
		by := cmp.Compare(a.place(order), b.place(order))
		if by != 0 {
			return by
		}
		switch order {
		case byState:
			by = cmp.Compare(a.rank(), b.rank())
		case byUser:
			by = cmp.Compare(strings.ToLower(a.job.Username), strings.ToLower(b.job.Username))
		case byDuration:
			by = cmp.Compare(b.took, a.took)
		}
		return cmp.Or(by, cmp.Compare(b.start, a.start))
	})
	return r
}

// place orders what runs, what has ended, and what is not known.
func (r *jobRow) place(order int) int {
	switch {
	case r.running():
		return 0
	case order != byStart && (!r.read || r.job.Gone()):
		return 2
	}
	return 1
}

func (r *jobRow) rank() int {
	if r.job.Failed() {
		return 0
	}
	return 1
}

// Len returns the number of jobs.
func (r *jobRows) Len() int { return len(r.list) }

// Key returns the id of a job.
func (r *jobRows) Key(i int) string { return r.list[i].id }

// Matches reports whether a filter finds the job by its id, status, user, work or subject.
func (r *jobRows) Matches(i int, has func(string) bool) bool {
	job := &r.list[i].job
	return has(r.list[i].id) || has(job.Status) || has(job.Username) || has(work(job.Job)) || has(job.Resource.Name) || has(job.About.Service) || has(job.About.Name)
}

// Version changes with the format of times, and each second while the job runs.
func (r *jobRows) Version(i int) uint64 { return version(r.Env.Times, r.list[i].running()) }

// Where columns of the rows begin to be shown, and their widths.
const (
	stateWidth = len("? unavailable")
	tookWidth  = len("12 min 34 s")
	userWidth  = 12
	userFrom   = 90
)

// Draw draws a row: state, start, duration, user, and what the job does.
func (r *jobRows) Draw(i int, look rows.Look) string {
	k, row := r.inks, &r.list[i]
	ink, state := row.state(k)
	line := ink.On(k.Fit(state, stateWidth)) + "  "
	room := look.Width - stateWidth - 2
	if !row.read {
		return line + k.Muted.On(k.Fit(plain.Line(row.id), room))
	}
	line += k.Muted.On(k.Fit(r.Env.Times.Site().Short(row.job.StartTime.Time()), momentWidth)) + "  " + k.Fit(r.took(row), tookWidth) + "  "
	room -= momentWidth + tookWidth + 4
	if look.Width >= userFrom {
		line += k.Fit(plain.Line(row.job.Username), userWidth) + "  "
		room -= userWidth + 2
	}
	// What it works on differs from row to row; then what it does.
	text := plain.Line(cmp.Or(work(row.job.Job), row.job.ID))
	if of := cmp.Or(row.job.About.Service, row.job.About.Name); of != "" && !strings.Contains(text, of) {
		text = plain.Line(of) + ": " + text
	}
	return line + k.Fit(text, max(0, room))
}

func (l *jobList) heading() string {
	k := l.inks
	line := indent + k.Fit("State", stateWidth) + "  " + k.Fit("Started", momentWidth) + "  " + k.Fit("Took", tookWidth) + "  "
	if l.Width-len(indent) >= userFrom {
		line += k.Fit("User", userWidth) + "  "
	}
	return k.Label.On(k.Fit(line+"Job", l.Width))
}

// state is the sign and the word of a job, and their style.
func (r *jobRow) state(k *rows.Inks) (ink rows.Ink, text string) {
	job, status := &r.job, rows.StatusRunning
	switch {
	case !r.read:
		return k.Muted, k.Glyphs.Unknown + " unread"
	case job.Gone():
		return k.Muted, k.Glyphs.Unknown + " gone"
	case job.Completed():
		status = rows.StatusPassed
	case job.Failed():
		status = rows.StatusFailed
	case job.Status == adminapi.JobUnavailable:
		status = rows.StatusUnknown
	}
	glyph, ink := k.Mark(status)
	if percent, is := job.Percent(); is {
		return ink, glyph + " " + strconv.Itoa(percent) + " % done"
	}
	return ink, glyph + " " + strings.ToLower(plain.Line(job.Status))
}

// took writes how long a job took, or has been running.
func (r *jobRows) took(row *jobRow) string {
	switch {
	case row.job.Ended() && (row.took > 0 || row.job.EndTime >= row.job.StartTime && !row.job.EndTime.IsZero()):
		return adminapi.FormatElapsed(row.took)
	case row.running() && !row.job.StartTime.IsZero():
		return views.Seconds(r.Env.Times.Site().Now().Sub(row.job.StartTime.Time()))
	}
	return "-"
}

// work is what a job does: the site names a job only once it has ended.
func work(job adminapi.Job) string {
	_, name, _ := strings.Cut(job.OperationURI, "/admin/")
	return cmp.Or(job.Name, name, job.OperationURI)
}
