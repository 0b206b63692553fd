package simulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// codeOfNotes is what notes are about: a deployment gets a new image.
const codeOfNotes = 2038

// logWriter writes a run's log: what its script says, and what is said beside it.
type logWriter struct {
	run     *upgradeRun
	remarks []timedRemark // in order of time
	notes   *Notes        // nil where there are none
	noted   int
	begin   time.Duration // of the notes, after the start of the run
	about   []string      // the deployments that notes are about
}

type timedRemark struct {
	Remark
	at time.Duration
}

// record writes the log of a run.
func (w *world) record(r *upgradeRun) {
	course := w.courseOf(r)
	to := newLogWriter(r, course)
	for i, line := range r.lines {
		to.until(line.at)
		text := line.text
		if course.Hostile {
			text = hostileMessage(text, i)
		}
		r.log.say(line.code, text, r.start.Add(line.at))
	}
	to.until(forever)
}

func newLogWriter(r *upgradeRun, c Course) *logWriter {
	to := &logWriter{run: r}
	for _, remark := range c.Also {
		if at, ok := remark.At.since(r.lines); ok {
			to.remarks = append(to.remarks, timedRemark{remark, at})
		}
	}
	slices.SortStableFunc(to.remarks, func(a, b timedRemark) int { return cmp.Compare(a.at, b.at) })
	if c.Notes == nil {
		return to
	}
	if at, ok := c.Notes.From.since(r.lines); ok {
		to.notes, to.begin = c.Notes, at
		r.log.reserve(c.Notes.Count)
		for _, line := range r.lines {
			if line.code == codeOfNotes && !slices.Contains(to.about, line.component) {
				to.about = append(to.about, line.component)
			}
		}
	}
	return to
}

// since is in for moments that may be without a code: after the start of the run.
func (m Moment) since(lines []scriptLine) (time.Duration, bool) {
	if m.Code == 0 {
		return m.Plus.Duration, true
	}
	return m.in(lines)
}

// until writes what is said beside the script before something else is.
func (to *logWriter) until(end time.Duration) {
	for {
		note, noting := to.nextNote()
		remarking := len(to.remarks) > 0 && to.remarks[0].at < end
		switch {
		case remarking && (!noting || to.remarks[0].at <= note):
			at := to.run.start.Add(to.remarks[0].at)
			to.run.log.put(to.remarks[0].written(at), at)
			to.remarks = to.remarks[1:]
		case noting && note < end:
			to.note(to.run.start.Add(note))
		default:
			return
		}
	}
}

func (to *logWriter) nextNote() (time.Duration, bool) {
	if to.notes == nil || to.noted == to.notes.Count {
		return 0, false
	}
	return to.begin + time.Duration(float64(to.notes.For.Duration)*float64(to.noted)/float64(to.notes.Count)), true
}

func (to *logWriter) note(at time.Time) {
	what := "A deployment"
	if len(to.about) > 0 {
		what = to.about[to.noted%len(to.about)]
	}
	to.noted++
	to.run.log.say(codeOfNotes, what+" runs its new image on one more node, "+strconv.Itoa(to.noted)+" of "+strconv.Itoa(to.notes.Count)+".", at)
}

// written is the remark as it is told.
func (m Remark) written(at time.Time) []byte {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(m.Message, &members) // was checked
	when := strconv.AppendInt(nil, millis(at), 10)
	if _, told := members["when"]; !told && !m.Timeless {
		members["when"] = when
	}
	text, _ := json.Marshal(members)
	return bytes.ReplaceAll(text, []byte("{when}"), when)
}
