package simulator

import (
	"fmt"
	"strconv"
	"time"
)

// telling is how messages are told at a moment.
type telling struct {
	recorded int // how many there are in truth
	from     int // those before it are not told
	repeats  int
	shuffled bool
}

func (t telling) plain() bool { return t.from == 0 && t.repeats == 0 && !t.shuffled }

// lastTold is what was told last: it is told again until something changes.
type lastTold struct {
	telling
	text []byte
}

// statusOf writes the status of a run as the site tells it now.
func (w *world) statusOf(r *upgradeRun, now time.Time) written {
	s := w.stateOf(r, now)
	head := `{"status":{"code":` + strconv.Itoa(s.Code) + `,"messages":[`
	word := appendText(nil, s.State)
	return written{[]byte(head), w.tell(r, now), []byte(`],"state":`), word, []byte("}}")}
}

// messagesOf writes the messages alone.
func (w *world) messagesOf(r *upgradeRun, now time.Time) written {
	return written{[]byte("["), w.tell(r, now), []byte("]")}
}

func (w *world) stateOf(r *upgradeRun, now time.Time) UpgradeState {
	if !r.runs(now) {
		return r.final
	}
	for _, spell := range w.courseOf(r).States {
		if w.within(spell.Window, now) {
			return spell.UpgradeState
		}
	}
	return UpgradeState{statusRunning, statusRunningCode}
}

// tell writes the messages that the site tells of now, with commas between them.
func (w *world) tell(r *upgradeRun, now time.Time) []byte {
	t := w.tellingOf(r, now)
	if t.plain() {
		return r.log.first(t.recorded)
	}
	if r.told.text == nil || r.told.telling != t {
		r.told = lastTold{t, r.log.arranged(w.orderOf(t))}
	}
	return r.told.text
}

func (w *world) tellingOf(r *upgradeRun, now time.Time) telling {
	t := telling{recorded: r.log.by(now)}
	for _, told := range w.courseOf(r).Told {
		if !w.within(told.Window, now) {
			continue
		}
		if told.Newest > 0 {
			t.from = max(t.from, t.recorded-told.Newest)
		}
		if told.Forgets {
			begin, _ := w.timeOf(*told.From)
			t.from = max(t.from, r.log.by(begin.Add(-time.Millisecond)))
		}
		t.repeats = max(t.repeats, told.Repeats)
		t.shuffled = t.shuffled || told.Shuffled
	}
	return t
}

// orderOf returns which message is told when: some come twice.
func (w *world) orderOf(t telling) []int {
	order := make([]int, 0, t.recorded-t.from)
	for i := t.from; i < t.recorded; i++ {
		order = append(order, i)
		if t.repeats > 0 && (i+1)%t.repeats == 0 {
			order = append(order, i)
		}
	}
	if t.shuffled {
		draw := w.random(fmt.Sprint("told ", t.recorded))
		draw.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	}
	return order
}

// arranged writes messages in an order, never nil.
func (l *messageLog) arranged(order []int) []byte {
	text := make([]byte, 0, len(l.text)/max(len(l.ends), 1)*len(order)+1)
	for i, n := range order {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, l.at(n)...)
	}
	return text
}
