package progress

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
	"sync/atomic"

	"geodeck/adminapi"
)

// Message is a message in its place in a log.
type Message struct {
	adminapi.UpgradeMessage
	// Nth tells equal messages apart (code, when and text): 1 for the first of
	// them, 2 for the second.
	Nth int
}

// Log is every message that was seen of a site's upgrades, ordered by when and,
// where times are equal, by which was seen first. It is a snapshot: it never
// changes, is cheap to copy, and can be read while a [Merger] makes the next.
type Log struct {
	entries []Message
	order   int64           // another one where the order of what was there has changed
	begins  adminapi.Millis // of the last 2010; 0 where there is none
}

// Len is the number of messages.
func (l Log) Len() int { return len(l.entries) }

// At returns the i-th message.
func (l Log) At(i int) Message { return l.entries[i] }

// LeftOut is how many messages of the newest run are not in the log because there were
// too many to keep; each message with LeftOut says where.
func (l Log) LeftOut() (count int) {
	for _, message := range l.entries[l.Run():] {
		count += message.LeftOut
	}
	return count
}

// Run returns the index of the first message of the newest run: that of the last
// 2010 by time, with all that is not older than it; 0 where there is no 2010.
func (l Log) Run() int { return l.since(l.begins) }

// since returns the index of the first message that is not older than a moment.
func (l Log) since(when adminapi.Millis) int {
	if when == 0 {
		return 0
	}
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].When >= when })
}

// Extends reports whether earlier stands unchanged at the beginning of l, so that
// only what came after it is new.
func (l Log) Extends(earlier Log) bool {
	return len(earlier.entries) == 0 || l.order == earlier.order && len(l.entries) >= len(earlier.entries)
}

// Merger makes one log of many snapshots. A server may tell its messages out of
// order, twice, cut, or begin anew after a restart; nothing that was seen is lost
// and nothing is there more often than a single snapshot told it: messages are a
// multiset by code, when and text, each as often as the snapshot that told it most
// often. Only where there is more than memory should hold, the middle is left out,
// see [Merger.Log]. It belongs to one caller at a time.
type Merger struct {
	log      Log
	size     int // of the log
	budget   Budget
	counts   map[identity]count
	seed     [2]maphash.Seed
	snapshot int32 // numbers the snapshots that were counted from their beginning
}

// identity stands for what makes messages equal. Of 128 bits and with seeds that
// nobody knows, no two messages share one; the texts themselves would double the
// memory of a long log.
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

// count is how often a message is there.
type count struct {
	inLog      int32
	inSnapshot int32 // of that number
	snapshot   int32
}

// orders numbers the orders of all logs, so that those of two mergers never pass
// for one.
var orders atomic.Int64

// NewMerger returns a merger with an empty log, which keeps within a budget.
func NewMerger(budget Budget) *Merger {
	return &Merger{budget: budget, counts: map[identity]count{}, seed: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, log: Log{order: orders.Add(1)}}
}

// Log returns the log as it stands. One of more than its budget lacks its middle: what is
// older than the newest run, and of that run what stands between its first messages and
// its newest. A message with LeftOut says so in its place.
func (m *Merger) Log() Log {
	l := m.log
	l.entries = slices.Clip(l.entries) // what is appended later is not of this snapshot
	return l
}

// Merge takes the messages of one snapshot and returns those that are new, in the
// order of the log.
func (m *Merger) Merge(messages []adminapi.UpgradeMessage) []Message {
	m.snapshot++
	return m.Extend(messages)
}

// Extend takes what a snapshot has told behind all messages of the one before, see
// [adminapi.UpgradeReader]. It costs what is new.
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

// Restore adds messages of an earlier process from its transcript; known ones are not
// added again.
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

// add puts messages into their places, behind those of the same time, and returns
// them in their order.
func (m *Merger) add(added []Message) []Message {
	byTime := func(a, b Message) int { return cmp.Compare(a.When, b.When) }
	if !slices.IsSortedFunc(added, byTime) {
		slices.SortStableFunc(added, byTime)
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

// Budget bounds the memory for the messages of a log, in bytes. Of a log that is cut the
// first quarter of it and the last half stay; the rest is room until it is cut again.
type Budget int

// LogBudget is the budget of a log where nobody says otherwise. No site has been seen to
// tell a tenth of it; one answer holds no more.
const LogBudget Budget = 64 << 20

// maxCounts is how many messages are known again when they are told again, be they
// in the log or left out of it: more than one answer can hold.
const maxCounts = 3 << 19

// sizeOf is what a message takes in memory, in bytes.
func sizeOf(m Message) int { return 128 + len(m.Message) + len(m.Unknown) }

// leaveOut takes the middle out of the log.
func (m *Merger) leaveOut() {
	run := m.log.Run()
	m.log.entries = m.budget.withoutMiddle(appendLeftOut(nil, m.log.entries[:run]), m.log.entries[run:])
	m.log.order, m.size = orders.Add(1), 0
	for _, message := range m.log.entries {
		m.size += sizeOf(message)
	}
	if len(m.counts) > maxCounts {
		m.dropCounts()
	}
}

// Bounded returns messages that wait to be kept as they are, and without their middle
// where they are more than the budget.
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

// withoutMiddle appends the beginning and the end of a list to entries.
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

// appendLeftOut puts one message in place of those that are left out.
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

// dropCounts deletes the counts of messages that were left out.
func (m *Merger) dropCounts() {
	kept := make(map[identity]count, len(m.log.entries))
	for _, message := range m.log.entries {
		id := m.identityOf(message.UpgradeMessage)
		kept[id] = m.counts[id]
	}
	m.counts = kept
}
