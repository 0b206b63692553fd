package journal

import (
	"bytes"
	"hash/maphash"
	"io"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

// messageSet is a set of messages. It holds a 64-bit hash of each with a secret seed, not its
// text: no server can make two messages collide.
type messageSet struct {
	seed maphash.Seed
	keys map[uint64]struct{}
}

func newMessageSet() messageSet { return messageSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

// key hashes what distinguishes messages.
func (s messageSet) key(m storedMessage) uint64 {
	return maphash.Comparable(s.seed, struct {
		code, nth int
		when      adminapi.Millis
		text      string
	}{m.Message.Code, max(1, m.Nth), m.Message.When, m.Message.Message})
}

// add reports whether a message is new.
func (s messageSet) add(m storedMessage) bool {
	before := len(s.keys)
	s.keys[s.key(m)] = struct{}{}
	return len(s.keys) > before
}

// drop removes messages.
func (s messageSet) drop(messages []storedMessage) {
	for _, m := range messages {
		delete(s.keys, s.key(m))
	}
}

// expect prepares for the copies of masked messages: two programs that write to a transcript need
// not know the same secrets. It reports whether what was taken already may hold some.
func (t *tally) expect(messages []storedMessage) (late bool) {
	for _, m := range messages {
		if t.copies.Expect(m.Message) {
			late = late || t.soFar.Messages > 0 && m.Message.When <= t.latest
		}
	}
	return late
}

// expectIn is expect of the messages in lines.
func (t *tally) expectIn(lines io.Reader) (late bool, err error) {
	err = linesIn(lines, func(_ int, text []byte) bool {
		if bytes.Contains(text, []byte(secrets.Mask)) {
			if line, ok := readStored(text); ok {
				late = t.expect(line.Messages) || late
			}
		}
		return true
	})
	return late, err
}

// add reports whether a message of a line is new: neither it nor a copy of it came before. A new
// one gets its number among its copies. What is written at one time comes from one writer, who
// has each message once.
func (t *tally) add(at time.Time, m *storedMessage) bool {
	t.latest = max(t.latest, m.Message.When)
	isNew := t.seen.add(*m)
	c, _ := t.copies.Of(m.Message)
	if c == nil {
		return isNew
	}
	n := max(c.See(at.UnixNano()), m.Nth, m.Among)
	if isNew = c.Reach(n) && isNew; isNew && n > 1 {
		m.Among = n
	}
	return isNew
}

// hasCopies reports whether a message that was added may have copies.
func (t *tally) hasCopies(m storedMessage) bool {
	c, _ := t.copies.Of(m.Message)
	return c != nil
}
