package progress

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
	"sync/atomic"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
)

// Message is a message of a log.
type Message = adminapi.NumberedMessage

// Log is every message seen of a site's upgrades, by time and, where times are equal, by
// which was seen first. It never changes, is cheap to copy, and can be read while a
// [Merger] makes the next.
type Log struct {
	entries []Message
	order   int64           // changes when messages are inserted or left out
	begins  adminapi.Millis // of the last message that begins a run; 0 where there is none
}

// Len returns the number of messages.
func (l Log) Len() int { return len(l.entries) }

// At returns the i-th message.
func (l Log) At(i int) Message { return l.entries[i] }

// Last returns the newest message, the zero one where there is none.
func (l Log) Last() (newest adminapi.UpgradeMessage) {
	if n := l.Len(); n > 0 {
		newest = l.At(n - 1).UpgradeMessage
	}
	return newest
}

// CodeAt returns the code of the i-th message: a search by code reads little else.
func (l Log) CodeAt(i int) int { return l.entries[i].Code }

// LeftOut returns how many messages of the newest run are not in the log because there
// were too many. Messages with LeftOut take their places.
func (l Log) LeftOut() (count int) {
	for i := l.Run(); i < len(l.entries); i++ {
		count += l.entries[i].LeftOut
	}
	return count
}

// Run returns the index of the first message of the newest run: all that is not older than
// its first message. It is 0 where there is none.
func (l Log) Run() int {
	if l.begins == 0 {
		return 0
	}
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].When >= l.begins })
}

// OfRun returns the messages of the newest run.
func (l Log) OfRun() []Message { return slices.Clone(l.entries[l.Run():]) }

// Start returns the message that begins the newest run, and false where the log has none.
func (l Log) Start() (Message, bool) {
	run := l.Run()
	for i := run; i < len(l.entries) && l.entries[i].When == l.entries[run].When; i++ {
		if m := l.At(i); IsStart(m.UpgradeMessage) {
			return m, true
		}
	}
	return Message{}, false
}

// Extends reports whether l begins with all of earlier, unchanged.
func (l Log) Extends(earlier Log) bool {
	return len(earlier.entries) == 0 || l.order == earlier.order && len(l.entries) >= len(earlier.entries)
}

// Merger makes one log of many snapshots. A server may send its messages out of order,
// twice, cut, or from the beginning after a restart. Messages are a multiset by code, time
// and text: each is in the log as often as in the snapshot that has it most often. A text in
// which a secret is masked is the same as the one in which it is not. Where that takes too
// much memory, the middle is left out, see [Merger.Log]. A Merger must not be used
// concurrently.
type Merger struct {
	log      Log
	size     int // of the log
	budget   Budget
	seed     maphash.Seed
	counts   map[identity]count
	copies   adminapi.MessageCopies // all others are told apart by their identities alone
	snapshot int32                  // numbers the snapshots that were counted from their beginning, from 1
}

// orders numbers the orders of all logs: those of two mergers are never equal.
var orders atomic.Int64

// NewMerger returns a merger with an empty log, which keeps within a budget.
func NewMerger(budget Budget) *Merger {
	return &Merger{budget: budget, seed: maphash.MakeSeed(), counts: map[identity]count{}, snapshot: 1, log: Log{order: orders.Add(1)}}
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
	m.expect(messages)
	for _, message := range messages {
		if c := m.copiesOf(message); c != nil {
			if c.Reach(c.See(int64(m.snapshot))) {
				added = append(added, numberedOf(c, message, 1))
			}
			continue
		}
		id := m.identify(message)
		c := m.counts[id]
		if c.see(m.snapshot) {
			added = append(added, Message{UpgradeMessage: message, Nth: int(c.inLog)})
		}
		m.counts[id] = c
	}
	return m.add(added)
}

// Restore adds messages from the transcript of an earlier process, without those that are
// known.
func (m *Merger) Restore(seen []Message) {
	var added []Message
	here := map[*adminapi.CopyCount]int{}
	m.expect(lists.Each(seen, func(message Message) adminapi.UpgradeMessage { return message.UpgradeMessage }))
	for _, message := range seen {
		if c := m.copiesOf(message.UpgradeMessage); c != nil {
			here[c]++
			if c.Reach(max(message.Nth, here[c])) {
				added = append(added, numberedOf(c, message.UpgradeMessage, message.Nth))
			}
			continue
		}
		id := m.identify(message.UpgradeMessage)
		if c := m.counts[id]; int32(message.Nth) > c.inLog {
			c.inLog = int32(message.Nth)
			m.counts[id] = c
			added = append(added, message)
		}
	}
	m.add(added)
}

// expect prepares for the copies of masked messages.
func (m *Merger) expect(messages []adminapi.UpgradeMessage) {
	for _, message := range messages {
		if !m.copies.Expect(message) {
			continue
		}
		entries, when := m.log.entries, message.When
		for i := sort.Search(len(entries), func(i int) bool { return entries[i].When >= when }); i < len(entries) && entries[i].When == when; i++ {
			if entries[i].Code == message.Code && entries[i].LeftOut == 0 {
				m.copiesOf(entries[i].UpgradeMessage)
			}
		}
	}
}

// copiesOf returns how often a message and its copies occur together; nil where it has none.
func (m *Merger) copiesOf(message adminapi.UpgradeMessage) *adminapi.CopyCount {
	c, isNew := m.copies.Of(message)
	if isNew {
		alone := m.counts[m.identify(message)] // until now
		c.Join(adminapi.CopyCount{
			All: int(alone.inLog), InBatch: int(alone.inSnapshot), Batch: int64(alone.snapshot), Own: map[string]int32{message.Message: alone.inLog},
		})
	}
	return c
}

// numberedOf numbers a message that is new in the log; own is its number among those of the same
// text, at least.
func numberedOf(c *adminapi.CopyCount, message adminapi.UpgradeMessage, own int) Message {
	c.Own[message.Message] = max(c.Own[message.Message]+1, int32(own))
	return Message{UpgradeMessage: message, Nth: int(c.Own[message.Message]), Among: c.All}
}

// add inserts messages, each behind those of the same time, and returns them in order.
func (m *Merger) add(added []Message) []Message {
	byTime := func(a, b Message) int { return cmp.Compare(a.When, b.When) }
	if !slices.IsSortedFunc(added, byTime) {
		slices.SortStableFunc(added, byTime)
	}
	for _, message := range added {
		if IsStart(message.UpgradeMessage) {
			m.log.begins = max(m.log.begins, message.When)
		}
	}
	m.size += sizeOf(added...)
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
	for _, message := range b {
		for len(a) > 0 && a[0].When <= message.When {
			all, a = append(all, a[0]), a[1:]
		}
		all = append(all, message)
	}
	return append(all, a...)
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

// sizeOf returns what messages take in memory, in bytes.
func sizeOf(messages ...Message) (size int) {
	for i := range messages {
		size += 128 + len(messages[i].Message) + len(messages[i].Unknown)
	}
	return size
}

// leaveOut removes the middle of the log, and the counts of messages that are not in it
// where there are too many.
func (m *Merger) leaveOut() {
	run, list := m.log.Run(), m.log.entries
	var kept []Message
	if run > 0 {
		kept = append(kept, leftOut(list[:run]))
	}
	m.log.entries = append(kept, m.budget.withoutMiddle(list[run:])...)
	m.log.order, m.size = orders.Add(1), sizeOf(m.log.entries...)
	if len(m.counts) > maxCounts {
		before := m.counts
		m.counts = map[identity]count{}
		for i := range m.log.entries {
			id := m.identify(m.log.entries[i].UpgradeMessage)
			if c, counted := before[id]; counted {
				m.counts[id] = c
			}
		}
	}
}

// Bounded returns the messages, without their middle where they exceed the budget.
func (b Budget) Bounded(messages []Message) []Message {
	if sizeOf(messages...) <= int(b) {
		return messages
	}
	return b.withoutMiddle(messages)
}

// withoutMiddle replaces by one message those that exceed the shares of the first and of the last.
func (b Budget) withoutMiddle(messages []Message) []Message {
	head, tail := 0, len(messages)
	for size := 0; head < tail && size < int(b)/4; head++ {
		size += sizeOf(messages[head])
	}
	for size := 0; tail > head; tail-- {
		if size += sizeOf(messages[tail-1]); size > int(b)/2 {
			break
		}
	}
	if head == tail {
		return messages
	}
	return slices.Concat(messages[:head], []Message{leftOut(messages[head:tail])}, messages[tail:])
}

// leftOut returns one message in place of others that are left out, at least one.
func leftOut(messages []Message) Message {
	count := 0
	for i := range messages {
		count += max(1, messages[i].LeftOut)
	}
	return Message{UpgradeMessage: adminapi.MessagesLeftOut(count, messages[len(messages)-1].When), Nth: 1}
}

// identity is a hash of what makes messages equal, with a secret seed: that two of a million
// messages share one is less likely than one in ten million. The texts themselves would double
// the memory of a long log, and a map needs less room for two halves than for one number.
type identity [2]uint32

// identify returns the identity of a message: those of two mergers differ.
func (m *Merger) identify(message adminapi.UpgradeMessage) identity {
	var h maphash.Hash
	h.SetSeed(m.seed)
	maphash.WriteComparable(&h, message.Code)
	maphash.WriteComparable(&h, message.When)
	_, _ = h.WriteString(message.Message)
	sum := h.Sum64()
	return identity{uint32(sum >> 32), uint32(sum)}
}

// count is how often a message occurs.
type count struct {
	inLog      int32 // 0 for a message that was never seen
	inSnapshot int32 // in the snapshot of that number
	snapshot   int32 // 0 for none
}

// see counts a message in a snapshot, and reports whether it is one more than in the log.
func (c *count) see(snapshot int32) (isNew bool) {
	if c.snapshot != snapshot {
		c.inSnapshot, c.snapshot = 0, snapshot
	}
	c.inSnapshot++
	isNew = c.inSnapshot > c.inLog
	c.inLog = max(c.inLog, c.inSnapshot)
	return isNew
}
