package adminapi

import (
	"maps"
	"strings"

	"geodeck/adminapi/secrets"
)

// NumberedMessage is a message with its number among those of equal code, time and text.
type NumberedMessage struct {
	UpgradeMessage
	Nth int // from 1
	// Among is its number among itself and its copies with and without a mask in place of a secret,
	// as far as its writer knows; 0 where it has none.
	Among int
}

// MessageCopies counts the messages of an upgrade that are one, in which a secret stands in some
// and a mask in others: whether it was known differs from session to session. Only those of the
// codes and times at which a masked message was seen can have copies. The zero value is empty.
type MessageCopies struct {
	at map[copyPlace][]*CopyCount
}

// copyPlace is where a message and its copies stand.
type copyPlace struct {
	code int
	when Millis
}

// CopyCount is how often a message and its copies occur.
type CopyCount struct {
	All     int
	InBatch int              // in the batch of that number, which has each as often as the site
	Batch   int64            // the newest
	Own     map[string]int32 // of those in All, by their text
}

// Expect prepares for the copies of a message where it is masked, and reports whether that is new.
func (c *MessageCopies) Expect(m UpgradeMessage) bool {
	at := copyPlace{m.Code, m.When}
	if _, expected := c.at[at]; expected || !strings.Contains(m.Message, secrets.Mask) {
		return false
	}
	if c.at == nil {
		c.at = map[copyPlace][]*CopyCount{}
	}
	c.at[at] = nil
	return true
}

// Of returns how often a message and its copies occur, nil where it has none, and whether the
// text itself is new. Where it is a copy of several, which differ in what it has masked, they
// become one.
func (c *MessageCopies) Of(m UpgradeMessage) (count *CopyCount, isNew bool) {
	at, text := copyPlace{m.Code, m.When}, m.Message
	known, expected := c.at[at]
	if !expected {
		return nil, false
	}
	var others []*CopyCount
	for _, k := range known {
		if _, found := k.Own[text]; found {
			return k, false
		}
		copied := false
		for other := range k.Own {
			copied = copied || secrets.Covers(other, text) || secrets.Covers(text, other)
		}
		switch {
		case !copied:
			others = append(others, k)
		case count == nil:
			count = k
		default:
			count.Join(*k)
		}
	}
	if count == nil {
		count = &CopyCount{}
	}
	count.Join(CopyCount{Own: map[string]int32{text: 0}})
	c.at[at] = append(others, count)
	return count, true
}

// Join adds how often another message occurs.
func (c *CopyCount) Join(other CopyCount) {
	if c.Own == nil {
		c.Own = map[string]int32{}
	}
	maps.Copy(c.Own, other.Own)
	c.All += other.All
	switch {
	case other.Batch > c.Batch:
		c.InBatch, c.Batch = other.InBatch, other.Batch
	case other.Batch == c.Batch:
		c.InBatch += other.InBatch
	}
}

// See counts one in a batch, and returns its number there.
func (c *CopyCount) See(batch int64) int {
	if c.Batch != batch {
		c.InBatch, c.Batch = 0, batch
	}
	c.InBatch++
	return c.InBatch
}

// Reach notes that there are so many, and reports whether that is more than were known.
func (c *CopyCount) Reach(all int) bool {
	isNew := all > c.All
	c.All = max(c.All, all)
	return isNew
}
