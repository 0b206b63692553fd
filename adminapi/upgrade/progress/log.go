package progress

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
	"sync/atomic"

	"geodeck/adminapi/sorting"

	"geodeck/adminapi"
)

// Message is a message of a log.
type Message struct {
	adminapi.UpgradeMessage
	// Nth tells messages of equal code, time and text apart: 1 for the first, 2 for the
	// second.
	Nth int
}

// Log is every message seen of a site's upgrades, by time and, where times are equal, by
// which was seen first. It never changes, is cheap to copy, and can be read while a
// [Merger] makes the next.
type Log struct {
	entries []Message
	order   int64           // changes when messages are inserted or left out
	begins  adminapi.Millis // of the last 2010; 0 where there is none
}

// Len returns the number of messages.
func (l Log) Len() int { return len(l.entries) }

// At returns the i-th message.
func (l Log) At(i int) Message { return l.entries[i] }

// LeftOut returns how many messages of the newest run are not in the log because there
// were too many. Messages with LeftOut take their places.
func (l Log) LeftOut() (count int) {
	for _, message := range l.entries[l.Run():] {
		count += message.LeftOut
	}
	return count
}

// Run returns the index of the first message of the newest run: all that is not older than
// its 2010. It is 0 where there is no 2010.
func (l Log) Run() int {
	if l.begins == 0 {
		return 0
	}
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].When >= l.begins })
}

// Extends reports whether l begins with all of earlier, unchanged.
func (l Log) Extends(earlier Log) bool {
	return len(earlier.entries) == 0 || l.order == earlier.order && len(l.entries) >= len(earlier.entries)
}

// Merger makes one log of many snapshots. A server may send its messages out of order,
// twice, cut, or from the beginning after a restart. Messages are a multiset by code, time
// and text: each is in the log as often as in the snapshot that has it most often. Where
// that takes too much memory, the middle is left out, see [Merger.Log]. A Merger must not
// be used concurrently.
type Merger struct {
	log      Log
	size     int // of the log
	budget   Budget
	counts   map[identity]count
	seed     [2]maphash.Seed
	snapshot int32 // numbers the snapshots that were counted from their beginning
}

// identity is a hash of what makes messages equal. Its 128 bits have secret seeds, so no
// two messages share one; the texts themselves would double the memory of a long log.
type identity [2]uint64

func (m *Merger) identityOf(message adminapi.UpgradeMessage) (id identity) {
	for i, seed := range m.seed {
		var h maphash.Hash
		h.SetSeed(seed)
		maphash.WriteComparable(&h, message.Code)
		maphash.WriteComparable(&h, message.When)
		_, _ = h.WriteString(message.Message)
		id[i] = h.Sum64()
	}
	return id
}

// count is how often a message occurs.
type count struct {
	inLog      int32
	inSnapshot int32 // in the snapshot of that number
	snapshot   int32
}

// orders numbers the orders of all logs: those of two mergers are never equal.
var orders atomic.Int64

// NewMerger returns a merger with an empty log, which keeps within a budget.
func NewMerger(budget Budget) *Merger {
	return &Merger{budget: budget, counts: map[identity]count{}, seed: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, log: Log{order: orders.Add(1)}}
}

// Log returns the log. Beyond its budget it lacks the middle: what is older than the
// newest run, and what is between the first and the newest messages of that run. A message
// with LeftOut takes its place.
func (m *Merger) Log() Log {
	l := m.log
	l.entries = slices.Clip(l.entries) // nobody appends to what was returned
	return l
}

// Merge takes the messages of one snapshot and returns those that are new, in the
// order of the log.
func (m *Merger) Merge(messages []adminapi.UpgradeMessage) []Message {
	m.snapshot++
	return m.Extend(messages)
}

// Extend takes what a snapshot has appended to the one before, see
// [adminapi.UpgradeReader]. Its cost is that of the new messages.
func (m *Merger) Extend(messages []adminapi.UpgradeMessage) []Message {
	var added []Message
	for _, message := range messages {
		id := m.identityOf(message)
		c := m.counts[id]
		if c.snapshot != m.snapshot {
			c.inSnapshot, c.snapshot = 0, m.snapshot
		}
		if c.inSnapshot++; c.inSnapshot > c.inLog {
			c.inLog = c.inSnapshot
			added = append(added, Message{message, int(c.inLog)})
		}
		m.counts[id] = c
	}
	return m.add(added)
}

// Restore adds messages from the transcript of an earlier process, without those that are
// known.
func (m *Merger) Restore(seen []Message) {
	var added []Message
	for _, message := range seen {
		id := m.identityOf(message.UpgradeMessage)
		if c := m.counts[id]; int32(message.Nth) > c.inLog {
			c.inLog = int32(message.Nth)
			m.counts[id] = c
			added = append(added, message)
		}
	}
	m.add(added)
}

// add inserts messages, each behind those of the same time, and returns them in order.
func (m *Merger) add(added []Message) []Message {
	byTime := func(a, b Message) int { return cmp.Compare(a.When, b.When) }
	if !slices.IsSortedFunc(added, byTime) {
		sorting.Stable(added, byTime)
	}
	for _, message := range added {
		if IsStart(message.UpgradeMessage) {
			m.log.begins = max(m.log.begins, message.When)
		}
		m.size += sizeOf(message)
	}
	entries := m.log.entries
	if n := len(entries); n == 0 || len(added) == 0 || added[0].When >= entries[n-1].When {
		m.log.entries = append(entries, added...)
	} else {
		m.log.entries, m.log.order = interleave(entries, added), orders.Add(1)
	}
	if m.size > int(m.budget) {
		m.leaveOut()
	}
	return added
}

// interleave merges two ordered lists; where times are equal, those of a come first.
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

// Budget bounds the memory for the messages of a log, in bytes. A log that is cut keeps a
// quarter for its first messages and half for its last, so that it can grow again.
type Budget int

// LogBudget is the usual budget: ten times the largest log that was seen. No answer is
// larger.
const LogBudget Budget = 64 << 20

// maxCounts is how many messages are recognised when they are sent again, in the log or
// left out of it: more than an answer can hold.
const maxCounts = 3 << 19

// sizeOf returns what a message takes in memory, in bytes.
func sizeOf(m Message) int { return 128 + len(m.Message) + len(m.Unknown) }

// leaveOut removes the middle of the log, and the counts of messages that are not in it
// where there are too many.
func (m *Merger) leaveOut() {
	run := m.log.Run()
	m.log.entries = m.budget.withoutMiddle(appendLeftOut(nil, m.log.entries[:run]), m.log.entries[run:])
	m.log.order, m.size = orders.Add(1), 0
	for _, message := range m.log.entries {
		m.size += sizeOf(message)
	}
	if len(m.counts) > maxCounts {
		counts := make(map[identity]count, len(m.log.entries))
		for _, message := range m.log.entries {
			id := m.identityOf(message.UpgradeMessage)
			counts[id] = m.counts[id]
		}
		m.counts = counts
	}
}

// Bounded returns the messages, without their middle where they exceed the budget.
func (b Budget) Bounded(messages []Message) []Message {
	size := 0
	for _, message := range messages {
		size += sizeOf(message)
	}
	if size <= int(b) {
		return messages
	}
	return b.withoutMiddle(nil, messages)
}

// withoutMiddle appends the beginning and the end of the list to entries.
func (b Budget) withoutMiddle(entries, list []Message) []Message {
	head, tail := 0, len(list)
	for size := 0; head < tail && size < int(b)/4; head++ {
		size += sizeOf(list[head])
	}
	for size := 0; tail > head; tail-- {
		if size += sizeOf(list[tail-1]); size > int(b)/2 {
			break
		}
	}
	entries = append(entries, list[:head]...)
	entries = appendLeftOut(entries, list[head:tail])
	return append(entries, list[tail:]...)
}

// appendLeftOut appends one message in place of those that are left out.
func appendLeftOut(entries, out []Message) []Message {
	if len(out) == 0 {
		return entries
	}
	count := 0
	for _, message := range out {
		count += max(1, message.LeftOut)
	}
	return append(entries, Message{adminapi.MessagesLeftOut(count, out[len(out)-1].When), 1})
}
