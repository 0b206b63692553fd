package upgrade

import "geodeck/adminapi"

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
	order   int // differs where the order of what was there before has changed
}

// Len is the number of messages.
func (l Log) Len() int { return len(l.entries) }

// At returns the i-th message.
func (l Log) At(i int) Message { return l.entries[i] }

// Run returns the index of the first message of the newest run: that of the last
// 2010 by time, with all that is not older than it; 0 where there is no 2010.
func (l Log) Run() int { panic("contract only") }

// Extends tells whether earlier stands unchanged at the beginning of l, so that
// only what came after it is new.
func (l Log) Extends(earlier Log) bool { panic("contract only") }

// Merger makes one log of many readings. A server may tell its messages out of
// order, twice, cut, or begin anew after a restart; nothing that was seen is lost
// and nothing is there more often than a single reading told it: messages are a
// multiset by code, when and text, each as often as the reading that told it most
// often. It belongs to one caller at a time.
type Merger struct{}

// NewMerger returns a merger with an empty log.
func NewMerger() *Merger { panic("contract only") }

// Merge takes the messages of one reading and returns those that are new, in the
// order of the log. Where told begins with the very messages of the reading before
// (see [adminapi.Client.UpgradeStatusAfter]) only the rest is looked at.
func (m *Merger) Merge(told []adminapi.UpgradeMessage) []Message { panic("contract only") }

// Restore takes what was seen in an earlier life, as a transcript keeps it; what
// is there already is not added again.
func (m *Merger) Restore(seen []Message) { panic("contract only") }

// Log returns the log as it stands.
func (m *Merger) Log() Log { panic("contract only") }
