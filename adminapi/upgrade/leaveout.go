package upgrade

import "geodeck/adminapi"

const (
	// logBudget bounds the memory for the messages of a log, in bytes. No site has been
	// seen to tell a tenth of it; one answer holds no more.
	logBudget = 64 << 20
	// Of a log that is cut the beginning and the end stay; the rest is room until it is
	// cut again.
	headBudget, tailBudget = logBudget / 4, logBudget / 2
	// mostKnown is how many messages are known again when they are told again, be they
	// in the log or left out of it: more than one answer can hold.
	mostKnown = 3 << 19
)

// sizeOf is what a message takes in memory, in bytes.
func sizeOf(m Message) int { return 128 + len(m.Message) + len(m.Unknown) }

// leaveOut takes the middle out of the log.
func (m *Merger) leaveOut() {
	run := m.log.Run()
	m.log.entries = withoutMiddle(replaced(nil, m.log.entries[:run]), m.log.entries[run:])
	m.log.order, m.size = orders.Add(1), 0
	for _, message := range m.log.entries {
		m.size += sizeOf(message)
	}
	if len(m.counts) > mostKnown {
		m.forget()
	}
}

// Bounded returns messages that wait to be kept as they are, up to 64 MiB of them, and
// without their middle beyond it.
func Bounded(messages []Message) []Message {
	size := 0
	for _, message := range messages {
		size += sizeOf(message)
	}
	if size <= logBudget {
		return messages
	}
	return withoutMiddle(nil, messages)
}

// withoutMiddle appends the beginning and the end of a list to entries.
func withoutMiddle(entries, list []Message) []Message {
	head, tail := 0, len(list)
	for size := 0; head < tail && size < headBudget; head++ {
		size += sizeOf(list[head])
	}
	for size := 0; tail > head; tail-- {
		if size += sizeOf(list[tail-1]); size > tailBudget {
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
