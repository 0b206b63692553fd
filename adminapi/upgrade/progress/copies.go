package progress

import (
	"maps"
	"sort"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/redact"
)

// copies counts the messages of which copies may have a secret masked: those of the codes and
// times at which a masked message was seen. All others are told apart by their identities alone.
type copies = redact.Copies[copyPlace, together]

// together is how often a message and its copies occur.
type together struct {
	count
	own map[string]int32 // in the log, by their text
}

// copyPlace is where a message and its copies stand.
type copyPlace struct {
	code int
	when adminapi.Millis
}

// expect prepares for the copies of masked messages.
func (m *Merger) expect(messages []adminapi.UpgradeMessage) {
	for _, message := range messages {
		at := copyPlace{message.Code, message.When}
		if !strings.Contains(message.Message, redact.Mask) || !m.copies.Expect(at) {
			continue
		}
		entries := m.log.entries
		for i := sort.Search(len(entries), func(i int) bool { return entries[i].when >= at.when }); i < len(entries) && entries[i].when == at.when; i++ {
			if entries[i].fullCode() == at.code && entries[i].leftOut() == 0 {
				m.copiesOf(entries[i].message().UpgradeMessage)
			}
		}
	}
}

// copiesOf returns how often a message and its copies occur together; nil where it has none.
func (m *Merger) copiesOf(message adminapi.UpgradeMessage) *together {
	at := copyPlace{message.Code, message.When}
	if !m.copies.Expected(at) {
		return nil
	}
	all, isNew := m.copies.Of(at, message.Message, (*together).join)
	if isNew {
		_, alone := m.counts.find(m.ids.of(message)) // until now
		all.join(together{alone, map[string]int32{message.Message: alone.inLog}})
	}
	return all
}

// number numbers a message that is new in the log; own is its number among those of the same
// text, at least.
func (c *together) number(message adminapi.UpgradeMessage, own int) Message {
	c.own[message.Message] = max(c.own[message.Message]+1, int32(own))
	return Message{message, int(c.own[message.Message]), int(c.inLog)}
}

// join adds how often another message occurs.
func (c *together) join(other together) {
	if c.own == nil {
		c.own = map[string]int32{}
	}
	maps.Copy(c.own, other.own)
	c.inLog += other.inLog
	switch {
	case other.snapshot > c.snapshot:
		c.inSnapshot, c.snapshot = other.inSnapshot, other.snapshot
	case other.snapshot == c.snapshot:
		c.inSnapshot += other.inSnapshot
	}
}
