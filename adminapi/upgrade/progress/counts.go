package progress

import (
	"hash/maphash"
	"math/bits"

	"geodeck/adminapi"
)

// identity is a hash of what makes messages equal. Its 96 bits have secret seeds, so no
// two messages share one; the texts themselves would double the memory of a long log.
type identity struct {
	high uint64
	low  uint32
}

// identities makes identities: those of two makers differ.
type identities [2]maphash.Seed

func newIdentities() identities { return identities{maphash.MakeSeed(), maphash.MakeSeed()} }

func (seeds identities) of(message adminapi.UpgradeMessage) identity {
	var sums [2]uint64
	for i, seed := range seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		maphash.WriteComparable(&h, message.Code)
		maphash.WriteComparable(&h, message.When)
		_, _ = h.WriteString(message.Message)
		sums[i] = h.Sum64()
	}
	return identity{sums[0], uint32(sums[1])}
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

// counts is how often each message of a log occurs. It is a hash table without deletion in
// 16 bytes a place: a map takes twice the room, which is most of what a log needs beside its
// texts.
type counts struct {
	places   []place // in the order of the hashes; none is followed through an empty one
	used     int
	repeated []count // of the messages that are not once in the log and in a snapshot
}

// place is that of one identity. Its value is 0 while it is empty, else one more than the
// number of the snapshot that had the message once, or with isRepeated an index of repeated.
type place struct {
	high  uint64
	low   uint32
	value uint32
}

const isRepeated = 1 << 31

// find returns how often a message occurs, and its place for set, which comes before the
// next find.
func (t *counts) find(id identity) (at int, c count) {
	if t.used >= len(t.places)/5*4 {
		t.grow()
	}
	at = t.placeOf(id)
	switch value := t.places[at].value; {
	case value == 0:
		return at, count{}
	case value&isRepeated != 0:
		return at, t.repeated[value&^isRepeated]
	case value == 1:
		return at, count{inLog: 1}
	default:
		return at, count{inLog: 1, inSnapshot: 1, snapshot: int32(value - 1)}
	}
}

// set stores how often a message occurs: at least once in the log.
func (t *counts) set(at int, id identity, c count) {
	p := &t.places[at]
	if p.value == 0 {
		t.used++
		p.high, p.low = id.high, id.low
	}
	switch {
	case p.value&isRepeated != 0:
		t.repeated[p.value&^isRepeated] = c
	case c.inLog == 1 && (c.inSnapshot == 1 || c.snapshot == 0):
		p.value = uint32(c.snapshot) + 1
	default:
		p.value = isRepeated | uint32(len(t.repeated))
		t.repeated = append(t.repeated, c)
	}
}

// placeOf returns where an identity is, or else the empty place where it belongs.
func (t *counts) placeOf(id identity) int {
	first, _ := bits.Mul64(id.high, uint64(len(t.places)))
	at := int(first)
	for {
		p := &t.places[at]
		if p.value == 0 || p.high == id.high && p.low == id.low {
			return at
		}
		if at++; at == len(t.places) {
			at = 0
		}
	}
}

// grow makes room by a quarter: by half of it or more would be empty for long.
func (t *counts) grow() {
	old := t.places
	t.places = make([]place, max(40, len(old)+len(old)/4))
	for _, p := range old {
		if p.value != 0 {
			t.places[t.placeOf(identity{p.high, p.low})] = p
		}
	}
}
