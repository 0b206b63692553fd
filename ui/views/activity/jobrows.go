package activity

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
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
	run   *watching.EarlierRun // nil for a job
}

func (r *jobRow) running() bool {
	if r.run != nil {
		return r.job.Status == adminapi.JobExecuting
	}
	return r.read && !r.job.Ended() && !r.job.Gone()
}

// runRow is an upgrade among the jobs, written as one.
func runRow(run *watching.EarlierRun) jobRow {
	r := jobRow{id: cmp.Or(run.Transcript, run.Began.Time().UTC().Format(time.DateTime)), read: true, took: run.Took, start: run.Began, run: run}
	r.job.StartTime, r.job.Username, r.job.About.Upgrade = run.Began, run.By, run.Newest
	r.job.Name = run.Name()
	if run.Took > 0 {
		r.job.EndTime = run.Began + adminapi.Millis(run.Took/time.Millisecond)
	}
	switch result := strings.ToLower(run.Result); { // in whose words it may be
	case strings.HasPrefix(result, "succe"):
		r.job.Status = adminapi.JobCompleted
	case strings.HasPrefix(result, "fail"):
		r.job.Status = adminapi.JobFailed
	case run.Newest && result == progress.StateRunning.String():
		r.job.Status = adminapi.JobExecuting
	default:
		r.job.Status = adminapi.JobUnavailable
	}
	return r
}

// jobRows are the jobs as rows.
type jobRows struct {
	rows.Flat
	*child
	list []jobRow
	runs int // how many of them run
}

func newJobRows(c *child, table *operation.JobTable, runs []watching.EarlierRun, order int) *jobRows {
	r := &jobRows{child: c}
	for i := range runs {
		r.list = append(r.list, runRow(&runs[i]))
	}
	if table != nil {
		before := adminapi.Millis(0)
		for _, id := range table.IDs {
			job, read := table.Job(id)
			took, _ := adminapi.Span(job.StartTime, job.EndTime)
			if read && !job.Gone() {
				before = job.StartTime
			}
			r.list = append(r.list, jobRow{id: id, job: job, read: read, took: took, start: before})
		}
	}
	for i := range r.list {
		if r.list[i].running() {
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
	return has(r.list[i].id) || has(job.Status) || has(job.Username) || has(job.Work()) || has(job.Resource.Name) || has(job.About.Service) || has(job.About.Name)
}

// Version changes with the format of times, and each second while the job runs.
func (r *jobRows) Version(i int) uint64 { return r.Env.Times.Version(r.list[i].running()) }

// Where columns of the rows begin to be shown, and their widths.
const (
	stateWidth = len("? unavailable")
	tookWidth  = len("12 min 34 s")
	userFrom   = 74
)

// userWidth is the width of the users in a list of so many cells.
func userWidth(list int) int {
	if list < 90 {
		return 8
	}
	return 12
}

// Draw draws a row: state, start, duration, user, and what the job does.
func (r *jobRows) Draw(i int, look rows.Look) string {
	k, row := r.inks, &r.list[i]
	ink, state := r.state(row)
	line := ink.On(k.Fit(state, stateWidth)) + "  "
	room := look.Width - stateWidth - 2
	if !row.read {
		return line + k.Muted.On(k.Fit(plain.Line(row.id), room))
	}
	line += k.Muted.On(k.Fit(r.Env.Times.Site().Short(row.job.StartTime.Time()), momentWidth)) + "  " + k.Fit(r.took(row), tookWidth) + "  "
	room -= momentWidth + tookWidth + 4
	if look.Width >= userFrom {
		users := userWidth(look.Width)
		line += k.Fit(cmp.Or(plain.Line(row.job.Username), "-"), users) + "  "
		room -= users + 2
	}
	return line + k.Fit(row.does(room), max(0, room))
}

func (l *jobList) heading() string {
	k := l.inks
	line := indent + k.Fit("State", stateWidth) + "  " + k.Fit("Started", momentWidth) + "  " + k.Fit("Took", tookWidth) + "  "
	if l.Width-len(indent) >= userFrom {
		line += k.Fit("User", userWidth(l.Width-len(indent))) + "  "
	}
	return k.Label.On(k.Fit(line+"Job", l.Width))
}

// state is the sign and the word of a job, and their style.
func (c *child) state(r *jobRow) (ink rows.Ink, text string) {
	k := c.inks
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
	word := strings.ToLower(plain.Line(job.Status))
	if run := r.run; run != nil {
		if word = plain.Line(run.Result); r.running() {
			word = "running"
		}
		if run.RolledBack && job.Failed() {
			word = string(journal.VerdictRolledBack)
		}
		if r.running() && c.Env.State.Upgrade.Value.Stall != nil {
			status, word = rows.StatusWarning, "stalled"
		}
	}
	glyph, ink := k.Mark(status)
	if percent, is := job.Percent(); is {
		return ink, glyph + " " + strconv.Itoa(percent) + " % done"
	}
	return ink, glyph + " " + word
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

// does says in a few words what a row does, and to what; that comes first where there is little room.
func (r *jobRow) does(room int) string {
	const little = 20
	text := cmp.Or(r.job.Work(), r.job.ID)
	verb, _, _ := strings.Cut(text, " ")
	of := cmp.Or(r.job.About.Service, r.job.About.Name)
	switch {
	case r.run != nil:
	case r.job.About.Health:
		text = "health " + cmp.Or(of, "check")
	case of == "" || strings.Contains(text, of):
	case room < little:
		text = of + " " + strings.ToLower(verb)
	default:
		text = strings.ToLower(verb) + " " + of
	}
	return plain.Line(text)
}
