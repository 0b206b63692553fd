package upgrade

import (
	"cmp"
	"slices"
	"sync/atomic"

	"geodeck/adminapi"
)

// Merger makes one log of many readings. A server may tell its messages out of
// order, twice, cut, or begin anew after a restart; nothing that was seen is lost
// and nothing is there more often than a single reading told it: messages are a
// multiset by code, when and text, each as often as the reading that told it most
// often. It belongs to one caller at a time.
type Merger struct {
	log     Log
	counts  map[identity]count
	told    []adminapi.UpgradeMessage // by the last reading
	reading int32                     // numbers the readings that were counted from their beginning
}

// identity is what makes messages equal.
type identity struct {
	code int
	when adminapi.Millis
	text string
}

// count is how often a message is there.
type count struct {
	kept    int32 // in the log
	told    int32 // in the reading of that number
	reading int32
}

// orders numbers the orders of all logs, so that those of two mergers never pass
// for one.
var orders atomic.Int64

// NewMerger returns a merger with an empty log.
func NewMerger() *Merger {
	return &Merger{counts: map[identity]count{}, log: Log{order: orders.Add(1)}}
}

// Log returns the log as it stands.
func (m *Merger) Log() Log {
	l := m.log
	l.entries = slices.Clip(l.entries) // what is appended later is not of this snapshot
	return l
}

// Merge takes the messages of one reading and returns those that are new, in the
// order of the log. Where told begins with the very messages of the reading before
// (see [adminapi.UpgradeReader]) only the rest is looked at.
func (m *Merger) Merge(told []adminapi.UpgradeMessage) []Message {
	rest := told
	if goesOn(told, m.told) {
		rest = told[len(m.told):]
	} else {
		m.reading++
	}
	m.told = told
	var added []Message
	for _, message := range rest {
		id := identity{message.Code, message.When, message.Message}
		c := m.counts[id]
		if c.reading != m.reading {
			c.told, c.reading = 0, m.reading
		}
		if c.told++; c.told > c.kept {
			c.kept = c.told
			added = append(added, Message{message, int(c.kept)})
		}
		m.counts[id] = c
	}
	return m.add(added)
}

// goesOn tells whether a reading begins with the one before it. A reading in the
// same memory does so without a look at each message.
func goesOn(told, before []adminapi.UpgradeMessage) bool {
	if len(told) < len(before) || len(before) == 0 {
		return len(before) == 0
	}
	return &told[0] == &before[0] || slices.EqualFunc(told[:len(before)], before, func(a, b adminapi.UpgradeMessage) bool {
		return a.Code == b.Code && a.When == b.When && a.Message == b.Message
	})
}

// Restore takes what was seen in an earlier life, as a transcript keeps it; what
// is there already is not added again.
func (m *Merger) Restore(seen []Message) {
	var added []Message
	for _, message := range seen {
		id := identity{message.Code, message.When, message.Message}
		if c := m.counts[id]; int32(message.Nth) > c.kept {
			c.kept = int32(message.Nth)
			m.counts[id] = c
			added = append(added, message)
		}
	}
	m.add(added)
}

// add puts messages into their places, behind those of the same time, and returns
// them in their order.
func (m *Merger) add(added []Message) []Message {
	byTime := func(a, b Message) int { return cmp.Compare(a.When, b.When) }
	if !slices.IsSortedFunc(added, byTime) {
		slices.SortStableFunc(added, byTime)
	}
	for _, message := range added {
		if Begins(message.UpgradeMessage) {
			m.log.begins = max(m.log.begins, message.When)
		}
	}
	entries := m.log.entries
	if n := len(entries); n == 0 || len(added) == 0 || added[0].When >= entries[n-1].When {
		m.log.entries = append(entries, added...)
		return added
	}
	m.log.entries, m.log.order = interleave(entries, added), orders.Add(1)
	return added
}

// interleave makes one of two lists that are in order; those of a stand before
// those of b where times are equal.
func interleave(a, b []Message) []Message {
	all := make([]Message, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0].When < a[0].When {
			all, b = append(all, b[0]), b[1:]
		} else {
			all, a = append(all, a[0]), a[1:]
		}
	}
	return append(append(all, a...), b...)
}
