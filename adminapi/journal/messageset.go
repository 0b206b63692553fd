package journal

import (
	"hash/maphash"
	"math/bits"

	"geodeck/adminapi"
)

// messageSet is a set of messages. It holds a 64-bit hash of each with a secret seed: no server
// can make two messages collide. It is a hash table with linear probing, which takes half the
// memory of a map.
type messageSet struct {
	seed   maphash.Seed
	places []uint64 // about in the order of the hashes; 0 is an empty one
	used   int
}

func newMessageSet() messageSet { return messageSet{seed: maphash.MakeSeed()} }

// key hashes what distinguishes messages. It is never 0.
func (s *messageSet) key(m storedMessage) uint64 {
	return max(1, maphash.Comparable(s.seed, struct {
		code, nth int
		when      adminapi.Millis
		text      string
	}{m.Message.Code, max(1, m.Nth), m.Message.When, m.Message.Message}))
}

// add reports whether a message is new.
func (s *messageSet) add(m storedMessage) bool {
	if s.used >= len(s.places)/5*4 {
		s.grow()
	}
	key := s.key(m)
	at := s.find(key)
	if s.places[at] == key {
		return false
	}
	s.places[at] = key
	s.used++
	return true
}

// drop removes messages that are in the set.
func (s *messageSet) drop(messages []storedMessage) {
	for _, m := range messages {
		s.remove(s.find(s.key(m)))
	}
}

// remove empties a place, and moves those behind it that are found through it.
func (s *messageSet) remove(gap int) {
	s.used--
	s.places[gap] = 0
	for at := s.next(gap); s.places[at] != 0; at = s.next(at) {
		key := s.places[at]
		s.places[at] = 0
		s.places[s.find(key)] = key
	}
}

// find returns where a key is, or else the empty place where it belongs.
func (s *messageSet) find(key uint64) int {
	first, _ := bits.Mul64(key, uint64(len(s.places)))
	at := int(first)
	for s.places[at] != 0 && s.places[at] != key {
		at = s.next(at)
	}
	return at
}

func (s *messageSet) next(at int) int {
	if at++; at < len(s.places) {
		return at
	}
	return 0
}

// grow makes room by a quarter: by half of it or more would be empty for long.
func (s *messageSet) grow() {
	old := s.places
	s.places = make([]uint64, max(40, len(old)+len(old)/4))
	for _, key := range old {
		if key != 0 {
			s.places[s.find(key)] = key
		}
	}
}
