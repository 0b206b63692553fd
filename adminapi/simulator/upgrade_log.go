package simulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"
)

// messageLog is the log of an upgrade in order of time, written once as JSON: an
// answer of a hundred thousand messages is a slice of it.
type messageLog struct {
	text []byte  // the messages, each followed by a comma
	ends []int   // where each ends in text, before its comma
	when []int64 // when each was recorded; its own time may differ
}

// add adds a message.
func (l *messageLog) add(code int, text string, at time.Time) {
	l.text = append(l.text, `{"code":`...)
	l.text = strconv.AppendInt(l.text, int64(code), 10)
	l.text = append(l.text, `,"message":`...)
	l.text = appendText(l.text, text)
	l.text = append(l.text, `,"when":`...)
	l.text = strconv.AppendInt(l.text, millis(at), 10)
	l.addRaw([]byte("}"), at)
}

// addRaw adds a message that is JSON already, or the end of one.
func (l *messageLog) addRaw(message []byte, at time.Time) {
	l.text = append(l.text, message...)
	l.ends = append(l.ends, len(l.text))
	l.when = append(l.when, millis(at))
	l.text = append(l.text, ',')
}

// by returns how many messages were recorded until now.
func (l *messageLog) by(now time.Time) int {
	return sort.Search(len(l.when), func(i int) bool { return l.when[i] > now.UnixMilli() })
}

// first returns the first n messages, with commas between them.
func (l *messageLog) first(n int) []byte {
	if n == 0 {
		return nil
	}
	return l.text[:l.ends[n-1]]
}

// codeOfNotes is what notes are about: a deployment gets a new image.
const codeOfNotes = 2038

// logEntry is a message of a log that is being written.
type logEntry struct {
	at    time.Duration // after the start of the run
	code  int
	text  string
	extra *ExtraMessage // instead of code and text
}

// writeLog writes the log of a run: the messages of its script, and those that a scenario adds,
// which come behind them at the same time.
func (r *upgradeRun) writeLog() {
	var all []logEntry
	for i, line := range r.lines {
		text := line.text
		if r.changes.Hostile {
			text = hostileMessage(text, i)
		}
		all = append(all, logEntry{at: line.at, code: line.code, text: text})
	}
	for _, extra := range r.changes.Also {
		if at, ok := extra.At.in(r.lines); ok {
			all = append(all, logEntry{at: at, extra: &extra})
		}
	}
	all = append(all, r.notes()...)
	slices.SortStableFunc(all, func(a, b logEntry) int { return cmp.Compare(a.at, b.at) })
	for _, e := range all {
		at := r.start.Add(e.at)
		if e.extra != nil {
			r.log.addRaw(e.extra.text(at), at)
		} else {
			r.log.add(e.code, e.text, at)
		}
	}
}

// notes are the notes of the scenario, one after the other about each deployment that gets an
// image.
func (r *upgradeRun) notes() []logEntry {
	notes := r.changes.Notes
	if notes == nil {
		return nil
	}
	begins, ok := notes.From.in(r.lines)
	if !ok {
		return nil
	}
	var about []string
	for _, line := range r.lines {
		if line.code == codeOfNotes && !slices.Contains(about, line.component) {
			about = append(about, line.component)
		}
	}
	if len(about) == 0 {
		about = []string{"A deployment"}
	}
	list := make([]logEntry, notes.Count)
	for i := range list {
		at := begins + time.Duration(float64(notes.For.Duration)*float64(i)/float64(notes.Count))
		text := fmt.Sprintf("%s runs its new image on one more node, %d of %d.", about[i%len(about)], i+1, notes.Count)
		list[i] = logEntry{at: at, code: codeOfNotes, text: text}
	}
	return list
}

// text is the message as the site shows it.
func (m ExtraMessage) text(at time.Time) []byte {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(m.Message, &members) // checked with the scenario
	when := strconv.AppendInt(nil, millis(at), 10)
	if _, given := members["when"]; !given && !m.Timeless {
		members["when"] = when
	}
	text, _ := json.Marshal(members)
	return bytes.ReplaceAll(text, []byte("{when}"), when)
}

// logView is which messages are shown at a moment, and how.
type logView struct {
	recorded int // how many there really are
	from     int // those before it are not shown
	repeats  int
	shuffled bool
}

// statusOf writes the status of a run as the site shows it now.
func (a *upgrades) statusOf(r *upgradeRun, now time.Time) pieces {
	s := a.stateOf(r, now)
	head := `{"status":{"code":` + strconv.Itoa(s.Code) + `,"messages":[`
	state := append(appendText([]byte(`],"state":`), s.State), "}}\n"...)
	return pieces{[]byte(head), a.messages(r, now), state}
}

func (a *upgrades) stateOf(r *upgradeRun, now time.Time) UpgradeState {
	if !r.runs(now) {
		return r.final
	}
	for _, other := range r.changes.States {
		if a.within(other.Window, now) {
			return other.UpgradeState
		}
	}
	return UpgradeState{"in_progress", 1}
}

// messages writes the messages that the site shows now, with commas between them.
func (a *upgrades) messages(r *upgradeRun, now time.Time) []byte {
	v := a.viewAt(r, now)
	switch {
	case v.recorded == 0:
		return nil
	case v == (logView{recorded: v.recorded}):
		return r.log.first(v.recorded)
	}
	return r.log.arranged(a.order(v))
}

func (a *upgrades) viewAt(r *upgradeRun, now time.Time) logView {
	v := logView{recorded: r.log.by(now)}
	for _, d := range r.changes.Deliveries {
		if !a.within(d.Window, now) {
			continue
		}
		if d.Newest > 0 {
			v.from = max(v.from, v.recorded-d.Newest)
		}
		if d.Forgets {
			begins, _ := a.timeOf(*d.From)
			v.from = max(v.from, r.log.by(begins.Add(-time.Millisecond)))
		}
		v.repeats = max(v.repeats, d.Repeats)
		v.shuffled = v.shuffled || d.Shuffled
	}
	return v
}

// order returns the messages of a view in the order in which they are shown.
func (a *upgrades) order(v logView) []int {
	order := make([]int, 0, v.recorded-v.from)
	for i := v.from; i < v.recorded; i++ {
		order = append(order, i)
		if v.repeats > 0 && (i+1)%v.repeats == 0 {
			order = append(order, i)
		}
	}
	if v.shuffled {
		draw := a.random(fmt.Sprint("told ", v.recorded))
		draw.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	}
	return order
}

// arranged writes messages in an order.
func (l *messageLog) arranged(order []int) []byte {
	text := make([]byte, 0, len(l.text))
	for i, n := range order {
		if i > 0 {
			text = append(text, ',')
		}
		from := 0
		if n > 0 {
			from = l.ends[n-1] + 1
		}
		text = append(text, l.text[from:l.ends[n]]...)
	}
	return text
}
