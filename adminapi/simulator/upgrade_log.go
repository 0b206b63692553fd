package simulator

import (
	"slices"
	"sort"
	"strconv"
	"time"
)

// messageLog is the log of an upgrade in order of time, written once as JSON:
// an answer of a hundred thousand messages is a piece of it.
type messageLog struct {
	text []byte  // the messages, each followed by a comma
	ends []int   // where each ends in text, before its comma
	when []int64 // when each was recorded, whatever it says itself
}

// say adds a message.
func (l *messageLog) say(code int, text string, at time.Time) {
	l.text = append(l.text, `{"code":`...)
	l.text = strconv.AppendInt(l.text, int64(code), 10)
	l.text = append(l.text, `,"message":`...)
	l.text = appendText(l.text, text)
	l.text = append(l.text, `,"when":`...)
	l.text = strconv.AppendInt(l.text, millis(at), 10)
	l.text = append(l.text, '}')
	l.end(at)
}

// put adds a message that was written elsewhere.
func (l *messageLog) put(message []byte, at time.Time) {
	l.text = append(l.text, message...)
	l.end(at)
}

func (l *messageLog) end(at time.Time) {
	l.ends = append(l.ends, len(l.text))
	l.when = append(l.when, millis(at))
	l.text = append(l.text, ',')
}

// by returns how many messages were recorded until now.
func (l *messageLog) by(now time.Time) int {
	return sort.Search(len(l.when), func(i int) bool { return l.when[i] > now.UnixMilli() })
}

// first returns the first n messages with commas between them.
func (l *messageLog) first(n int) []byte {
	if n == 0 {
		return nil
	}
	return l.text[:l.ends[n-1]]
}

// at returns the i-th message.
func (l *messageLog) at(i int) []byte {
	from := 0
	if i > 0 {
		from = l.ends[i-1] + 1
	}
	return l.text[from:l.ends[i]]
}

// reserve makes room for so many messages more.
func (l *messageLog) reserve(n int) {
	const usual = 128 // bytes of a message
	l.text = slices.Grow(l.text, n*usual)
	l.ends = slices.Grow(l.ends, n)
	l.when = slices.Grow(l.when, n)
}
