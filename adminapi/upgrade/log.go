package upgrade

import (
	"sort"

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

// Extends tells whether earlier stands unchanged at the beginning of l, so that
// only what came after it is new.
func (l Log) Extends(earlier Log) bool {
	return len(earlier.entries) == 0 || l.order == earlier.order && len(l.entries) >= len(earlier.entries)
}
