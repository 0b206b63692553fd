package journal

import (
	"bytes"
	"io"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/redact"
)

// copyPlace is where a message stands whose copies may have a secret masked: two programs that
// write to a transcript need not know the same secrets.
type copyPlace struct {
	code int
	when adminapi.Millis
}

func placeOf(m storedMessage) copyPlace { return copyPlace{m.Message.Code, m.Message.When} }

// expect prepares for the copies of masked messages, and reports whether what was taken already
// may hold some.
func (t *tally) expect(messages []storedMessage) (late bool) {
	for _, m := range messages {
		if strings.Contains(m.Message.Message, redact.Mask) && t.copies.Expect(placeOf(m)) {
			late = late || t.soFar.Messages > 0 && m.Message.When <= t.latest
		}
	}
	return late
}

// expectIn is expect of the messages in lines.
func (t *tally) expectIn(lines io.Reader) (late bool, err error) {
	err = linesIn(lines, func(_ int, text []byte) bool {
		if bytes.Contains(text, []byte(redact.Mask)) {
			if line, ok := readStored(text); ok {
				late = t.expect(line.Messages) || late
			}
		}
		return true
	})
	return late, err
}

// together is how often a message and its copies occur. What is written at one time comes from
// one writer, who has each message once.
type together struct {
	all    int
	atTime int
	time   time.Time
}

func (c *together) join(other together) {
	c.all += other.all
	switch {
	case c.time.Equal(other.time):
		c.atTime += other.atTime
	case other.time.After(c.time):
		c.atTime, c.time = other.atTime, other.time
	}
}

// add reports whether a message of a line is new: neither it nor a copy of it came before. A new
// one gets its number among its copies.
func (t *tally) add(at time.Time, m *storedMessage) bool {
	t.latest = max(t.latest, m.Message.When)
	isNew, place := t.seen.add(*m), placeOf(*m)
	if !t.copies.Expected(place) {
		return isNew
	}
	c, _ := t.copies.Of(place, m.Message.Message, (*together).join)
	if !c.time.Equal(at) {
		c.atTime, c.time = 0, at
	}
	c.atTime++
	n := max(c.atTime, m.Nth, m.Among)
	isNew = isNew && n > c.all
	if c.all = max(c.all, n); isNew && n > 1 {
		m.Among = n
	}
	return isNew
}

// hasCopies reports whether any of the messages may have copies.
func (t *tally) hasCopies(messages []storedMessage) bool {
	for _, m := range messages {
		if t.copies.Expected(placeOf(m)) {
			return true
		}
	}
	return false
}
