package progress

import (
	"hash/maphash"

	"geodeck/adminapi"
)

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
