package simulator

import (
	"fmt"
	"math/rand/v2"
)

const idLetters = "abcdefghijklmnopqrstuvwxyz0123456789"

// shortID is an id of n letters and digits that starts with a letter, as
// reports (10) and deployments (21) have.
func shortID(r *rand.Rand, n int) string {
	id := make([]byte, n)
	for i := range id {
		id[i] = idLetters[r.IntN(len(idLetters))]
	}
	id[0] = idLetters[r.IntN(26)]
	return string(id)
}

// longID is an id in the form of a UUID, as uploads have.
func longID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		uint32(a>>32), uint16(a>>16), uint16(a)&0xfff, uint16(b>>48)&0x3fff|0x8000, b&0xffffffffffff)
}
