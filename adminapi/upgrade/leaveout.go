package upgrade

import "geodeck/adminapi"

// Budget bounds the memory for the messages of a log, in bytes. Of a log that is cut the
// first quarter of it and the last half stay; the rest is room until it is cut again.
type Budget int

// LogBudget is the budget of a log where nobody says otherwise. No site has been seen to
// tell a tenth of it; one answer holds no more.
const LogBudget Budget = 64 << 20

// mostKnown is how many messages are known again when they are told again, be they
// in the log or left out of it: more than one answer can hold.
const mostKnown = 3 << 19

// sizeOf is what a message takes in memory, in bytes.
func sizeOf(m Message) int { return 128 + len(m.Message) + len(m.Unknown) }

// leaveOut takes the middle out of the log.
func (m *Merger) leaveOut() {
	run := m.log.Run()
	m.log.entries = m.budget.withoutMiddle(replaced(nil, m.log.entries[:run]), m.log.entries[run:])
	m.log.order, m.size = orders.Add(1), 0
	for _, message := range m.log.entries {
		m.size += sizeOf(message)
	}
	if len(m.counts) > mostKnown {
		m.forget()
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
	entries = replaced(entries, list[head:tail])
	return append(entries, list[tail:]...)
}

// replaced puts one message in place of those that are left out.
func replaced(entries, out []Message) []Message {
	if len(out) == 0 {
		return entries
	}
	count := 0
	for _, message := range out {
		count += max(1, message.LeftOut)
	}
	return append(entries, Message{adminapi.MessagesLeftOut(count, out[len(out)-1].When), 1})
}

// forget gives up knowing again what was left out.
func (m *Merger) forget() {
	kept := make(map[identity]count, len(m.log.entries))
	for _, message := range m.log.entries {
		id := m.identityOf(message.UpgradeMessage)
		kept[id] = m.counts[id]
	}
	m.counts = kept
}
