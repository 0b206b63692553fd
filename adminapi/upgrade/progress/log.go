package progress

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"geodeck/adminapi"
)

// Message is a message of a log.
type Message = adminapi.NumberedMessage

// Log is every message seen of a site's upgrades, by time and, where times are equal, by
// which was seen first. It never changes, is cheap to copy, and can be read while a
// [Merger] makes the next.
type Log struct {
	entries []entry
	order   int64           // changes when messages are inserted or left out
	begins  adminapi.Millis // of the last message that begins a run; 0 where there is none
}

// Len returns the number of messages.
func (l Log) Len() int { return len(l.entries) }

// At returns the i-th message.
func (l Log) At(i int) Message { return l.entries[i].message() }

// Last returns the newest message, the zero one where there is none.
func (l Log) Last() (newest adminapi.UpgradeMessage) {
	if n := l.Len(); n > 0 {
		newest = l.At(n - 1).UpgradeMessage
	}
	return newest
}

// CodeAt returns the code of the i-th message: a search by code reads little else.
func (l Log) CodeAt(i int) int { return l.entries[i].fullCode() }

// LeftOut returns how many messages of the newest run are not in the log because there
// were too many. Messages with LeftOut take their places.
func (l Log) LeftOut() (count int) {
	for i := l.Run(); i < len(l.entries); i++ {
		count += l.entries[i].leftOut()
	}
	return count
}

// Run returns the index of the first message of the newest run: all that is not older than
// its first message. It is 0 where there is none.
func (l Log) Run() int {
	if l.begins == 0 {
		return 0
	}
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].when >= l.begins })
}

// Start returns the message that begins the newest run, and false where the log has none.
func (l Log) Start() (Message, bool) {
	run := l.Run()
	for i := run; i < len(l.entries) && l.entries[i].when == l.entries[run].when; i++ {
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
	messages := make([]adminapi.UpgradeMessage, len(seen))
	for i, message := range seen {
		messages[i] = message.UpgradeMessage
	}
	m.expect(messages)
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
		for i := sort.Search(len(entries), func(i int) bool { return entries[i].when >= when }); i < len(entries) && entries[i].when == when; i++ {
			if entries[i].fullCode() == message.Code && entries[i].leftOut() == 0 {
				m.copiesOf(entries[i].message().UpgradeMessage)
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
	joinTexts(added)
	for _, message := range added {
		if IsStart(message.UpgradeMessage) {
			m.log.begins = max(m.log.begins, message.When)
		}
		m.size += sizeOf(message)
	}
	entries := m.log.entries
	if n := len(entries); n == 0 || len(added) == 0 || added[0].When >= entries[n-1].when {
		entries = slices.Grow(entries, len(added))
		for _, message := range added {
			entries = append(entries, entryOf(message))
		}
		m.log.entries = entries
	} else {
		m.log.entries, m.log.order = interleave(entries, added), orders.Add(1)
	}
	if m.size > int(m.budget) {
		m.leaveOut()
	}
	return added
}

// interleave merges two ordered lists; where times are equal, those of a come first.
func interleave(a []entry, b []Message) []entry {
	all := make([]entry, 0, len(a)+len(b))
	for _, message := range b {
		for len(a) > 0 && a[0].when <= message.When {
			all, a = append(all, a[0]), a[1:]
		}
		all = append(all, entryOf(message))
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

// sizeOf returns what a message takes in memory, in bytes.
func sizeOf(m Message) int { return 128 + len(m.Message) + len(m.Unknown) }

// leaveOut removes the middle of the log, and the counts of messages that are not in it
// where there are too many.
func (m *Merger) leaveOut() {
	run, list := m.log.Run(), m.log.entries
	head, tail := m.budget.middle(len(list)-run, func(i int) int { return sizeOf(list[run+i].message()) })
	var kept []entry
	if run > 0 {
		kept = append(kept, entryOf(leftOut(run, m.log.At)))
	}
	kept = append(kept, list[run:run+head]...)
	if head < tail {
		kept = append(kept, entryOf(leftOut(tail-head, func(i int) Message { return m.log.At(run + head + i) })))
	}
	m.log.entries = append(kept, list[run+tail:]...)
	m.log.order, m.size = orders.Add(1), 0
	for i := range m.log.entries {
		m.size += sizeOf(m.log.At(i))
	}
	if len(m.counts) > maxCounts {
		before := m.counts
		m.counts = map[identity]count{}
		for i := range m.log.entries {
			id := m.identify(m.log.At(i).UpgradeMessage)
			if c, counted := before[id]; counted {
				m.counts[id] = c
			}
		}
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
	head, tail := b.middle(len(messages), func(i int) int { return sizeOf(messages[i]) })
	if head == tail {
		return messages
	}
	cut := leftOut(tail-head, func(i int) Message { return messages[head+i] })
	return slices.Concat(messages[:head], []Message{cut}, messages[tail:])
}

// middle returns which messages of a list exceed the budget: from head up to tail.
func (b Budget) middle(n int, sizeAt func(i int) int) (head, tail int) {
	tail = n
	for size := 0; head < tail && size < int(b)/4; head++ {
		size += sizeAt(head)
	}
	for size := 0; tail > head; tail-- {
		if size += sizeAt(tail - 1); size > int(b)/2 {
			break
		}
	}
	return head, tail
}

// leftOut returns one message in place of n that are left out, at least one.
func leftOut(n int, at func(i int) Message) Message {
	count := 0
	for i := range n {
		count += max(1, at(i).LeftOut)
	}
	return Message{UpgradeMessage: adminapi.MessagesLeftOut(count, at(n-1).When), Nth: 1}
}

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
