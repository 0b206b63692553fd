package document

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ByMeaning leaves out the changes that only write a value in another way.
func ByMeaning(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Kind == Rewritten })
}

// Digest is a checksum of what the document means, in hexadecimal: two documents have the same
// where [ByMeaning] leaves nothing of what [Diff] finds between them.
func (d *Document) Digest() string {
	sum := sha256.Sum256(d.Root().canonical(nil, byValue))
	return hex.EncodeToString(sum[:])
}
