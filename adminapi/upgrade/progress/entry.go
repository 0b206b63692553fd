package progress

import (
	"strings"

	"geodeck/adminapi"
)

// entry is a message as a log keeps it: most have nothing but these four, and a long log
// has 100,000 of them.
type entry struct {
	when      adminapi.Millis
	text      string
	code, nth int32
	rest      *rest // nil for most
}

// rest is what few messages have, all of it where anything does not fit into an entry.
type rest struct {
	code, nth, among, leftOut int
	unknown                   adminapi.Unknown
}

func entryOf(m Message) entry {
	e := entry{when: m.When, text: m.Message, code: int32(m.Code), nth: int32(m.Nth)}
	if m.Unknown != nil || m.LeftOut != 0 || m.Among != 0 || int(e.code) != m.Code || int(e.nth) != m.Nth {
		e.rest = &rest{m.Code, m.Nth, m.Among, m.LeftOut, m.Unknown}
	}
	return e
}

func (e *entry) message() (m Message) {
	m.Code, m.Message, m.When, m.Nth = int(e.code), e.text, e.when, int(e.nth)
	if r := e.rest; r != nil {
		m.Code, m.Nth, m.Among, m.LeftOut, m.Unknown = r.code, r.nth, r.among, r.leftOut, r.unknown
	}
	return m
}

func (e *entry) fullCode() int {
	if e.rest != nil {
		return e.rest.code
	}
	return int(e.code)
}

// leftOut returns how many messages an entry replaces; 0 for those of a site.
func (e *entry) leftOut() int {
	if e.rest == nil {
		return 0
	}
	return e.rest.leftOut
}

// Texts up to maxJoined bytes share strings of up to joinedSize bytes: each alone takes a fifth
// more memory. What is left out of a log later frees all but the strings at its ends.
const (
	maxJoined  = 1 << 10
	joinedSize = 32 << 10
)

// joinTexts joins the texts of messages, which remain the same.
func joinTexts(messages []Message) {
	for len(messages) > 0 {
		n, size := 1, joinedLength(messages[0].Message)
		for n < len(messages) && size+joinedLength(messages[n].Message) <= joinedSize {
			size += joinedLength(messages[n].Message)
			n++
		}
		if n > 1 {
			joinInto(messages[:n], size)
		}
		messages = messages[n:]
	}
}

func joinInto(messages []Message, size int) {
	var b strings.Builder
	b.Grow(size)
	for _, m := range messages {
		if joinedLength(m.Message) > 0 {
			b.WriteString(m.Message)
		}
	}
	all := b.String()
	for i := range messages {
		n := joinedLength(messages[i].Message)
		if n > 0 {
			messages[i].Message, all = all[:n], all[n:]
		}
	}
}

// joinedLength returns the length of a text that is joined, 0 for one that is not.
func joinedLength(text string) int {
	if len(text) > maxJoined {
		return 0
	}
	return len(text)
}
