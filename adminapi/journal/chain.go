package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A sealed line is a JSON object that begins with the hash of all that follows
// it in the line, and goes on with the hash of the line before:
//
//	{"hash":"…","previous":"…",…}
const (
	hashMember     = `{"hash":"`
	previousMember = `"previous":"`
	memberEnd      = `",`
	hashSize       = 2 * sha256.Size // as written
	sealedFrom     = len(hashMember) + hashSize + len(memberEnd)
)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// seal makes a line of a JSON object that has members.
func seal(object []byte, previous string) []byte {
	sealed := append([]byte(previousMember+previous+memberEnd), object[1:]...)
	return append([]byte(hashMember+hashOf(sealed)+memberEnd), sealed...)
}

// linkOf returns what the line after must hold as previous. A damaged line must
// not stop the log: the next one is chained to the damage as it is.
func linkOf(line []byte) string {
	if hash, ok := sealOf(line); ok {
		return hash
	}
	return hashOf(line)
}

// sealOf returns the hash of an unchanged line.
func sealOf(line []byte) (hash string, unchanged bool) {
	if len(line) <= sealedFrom || !bytes.HasPrefix(line, []byte(hashMember)) {
		return "", false
	}
	hash = string(line[len(hashMember) : len(hashMember)+hashSize])
	return hash, hash == hashOf(line[sealedFrom:]) && string(line[sealedFrom-len(memberEnd):sealedFrom]) == memberEnd
}

// follows tells whether a line is unchanged and comes right after the one that
// previous is the hash of.
func follows(line []byte, previous string) bool {
	_, unchanged := sealOf(line)
	return unchanged && bytes.HasPrefix(line[sealedFrom:], []byte(previousMember+previous+memberEnd))
}
