package adminapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/secrets"
)

// The operations of this file, with the privilege and the version that they require.
var opUpgrades = operation{name: "read the status of upgrades", watches: true}

// UpgradeReader polls the Upgrades resource. The log of an upgrade usually only grows, to
// megabytes: what an earlier fetch returned is recognized by its checksum while it streams
// in, and is neither stored nor decoded again. It serves one caller at a time.
type UpgradeReader struct {
	client      *Client
	seen        seenPrefix
	fullFetches int // how many more fetches read everything, since the beginning of the log changed
}

// maxFullFetches is how many fetches read everything after the beginning of a log has
// changed, so that a site that reorders its messages is not fetched twice each time.
const maxFullFetches = 10

// NewReader returns a reader whose first fetch reads everything.
func (u Upgrades) NewReader() *UpgradeReader { return &UpgradeReader{client: u.client} }

// Read fetches the status as [Upgrades.Status] does. If continues is true, the answer
// begins with all messages of the fetch before, and Messages has only the new ones.
func (r *UpgradeReader) Read(ctx context.Context) (status UpgradeStatus, continues bool, err error) {
	if r.seen.length > 0 && r.fullFetches == 0 {
		status, err = r.read(ctx, &r.seen)
		if !errors.Is(err, errPrefixChanged) {
			return status, err == nil && r.seen.skipped, err
		}
		r.fullFetches = maxFullFetches
	}
	r.fullFetches = max(0, r.fullFetches-1)
	status, err = r.read(ctx, nil)
	return status, false, err
}

// upgradesResource is the answer of the Upgrades resource.
type upgradesResource struct {
	Status *UpgradeStatus `json:"status"`
}

func hasStatus(r *upgradesResource) bool { return r.Status != nil }

func (r *UpgradeReader) read(ctx context.Context, seen *seenPrefix) (UpgradeStatus, error) {
	k := Call{operation: opUpgrades, path: []string{"system", "upgrades"}, prefix: seen}
	resource, body, err := readRaw(ctx, r.client, k, "status", hasStatus)
	skipped := seen != nil && seen.skipped
	if err != nil {
		if skipped && errors.Is(err, KindNotJSON) {
			err = errPrefixChanged // the rest does not continue what was left out
		}
		return UpgradeStatus{}, err
	}
	next, fits := r.seen.next(body, len(resource.Status.Messages), skipped)
	if !fits {
		return UpgradeStatus{}, errPrefixChanged
	}
	r.seen = next
	boundStatus(resource.Status, r.client.Secrets())
	return *resource.Status, nil
}

// errPrefixChanged is the error of an answer that does not begin as the one before, and
// has to be read in full.
var errPrefixChanged = errors.New("the answer is not as it was before")

// minPrefix is the shortest beginning of an answer that is left out, and how many bytes of
// an answer are buffered before they are compared with it.
const minPrefix = 64 << 10

// seenPrefix is the beginning of an earlier answer, up to the end of its last message.
type seenPrefix struct {
	length  int64
	sum     hash.Hash // of so many bytes
	head    []byte    // what precedes the first message
	skipped bool      // in the fetch that was made with it
	comma   bool      // a comma followed in that fetch
}

// open returns a body without the known messages: its head, and what follows the last
// message. A short body is returned whole. The error is errPrefixChanged if a long body
// begins differently.
func (s *seenPrefix) open(body io.Reader) (io.Reader, error) {
	if s.length == 0 {
		return body, nil
	}
	var first bytes.Buffer
	first.Grow(minPrefix + bytes.MinRead) // or it would grow once more to find the end
	if _, err := io.CopyN(&first, body, minPrefix); errors.Is(err, io.EOF) {
		return &first, nil
	} else if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, _ = sum.Write(first.Bytes())
	if _, err := io.CopyN(sum, body, s.length-minPrefix); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(sum.Sum(nil), s.sum.Sum(nil)) {
		return nil, errPrefixChanged
	}
	s.skipped = true
	rest := bufio.NewReader(body)
	next, err := rest.Peek(1)
	s.comma = err == nil && next[0] == ','
	if s.comma {
		_, _ = rest.Discard(1)
	}
	return io.MultiReader(bytes.NewReader(s.head), rest), nil
}

// next returns the prefix that the next fetch can skip. body is what was decoded to a
// number of messages: the whole answer, or with skipped what open returned of it. fits is
// false if something was left out by mistake.
func (s seenPrefix) next(body []byte, messages int, skipped bool) (next seenPrefix, fits bool) {
	list, found := messagesIn(body)
	known := found && list.elements == messages // more than one list has another number
	switch {
	case skipped && !known:
		return seenPrefix{}, false
	case !known || !skipped && list.end < minPrefix:
		return seenPrefix{}, true
	case !skipped:
		sum := sha256.New()
		_, _ = sum.Write(body[:list.end])
		return seenPrefix{length: int64(list.end), sum: sum, head: bytes.Clone(body[:list.begin])}, true
	}
	fresh := body[len(s.head):list.end]
	if s.comma {
		fresh = slices.Concat([]byte{','}, fresh)
	}
	_, _ = s.sum.Write(fresh)
	return seenPrefix{length: s.length + int64(len(fresh)), sum: s.sum, head: s.head, skipped: true}, true
}

// elementSpan is the position of the elements of a list in a text.
type elementSpan struct{ begin, end, elements int }

// messagesIn finds the elements of status.messages, with exactly these names. found is
// false if there is no such list.
func messagesIn(body []byte) (list elementSpan, found bool) {
	dec := jsonx.NewDecoder(body)
	if !enter(dec, "status") || !enter(dec, "messages") {
		return list, false
	}
	if token, err := dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginArray {
		return list, false
	}
	list.begin = int(dec.InputOffset())
	list.end = list.begin
	for dec.PeekKind() != jsontext.KindEndArray {
		if dec.SkipValue() != nil {
			return list, false
		}
		list.end = int(dec.InputOffset())
		list.elements++
	}
	return list, true
}

// enter reads an object up to the value of a member.
func enter(dec *jsontext.Decoder, name string) bool {
	if token, err := dec.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return false
	}
	for dec.PeekKind() == jsontext.KindString {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if token.String() == name {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

// maxMessage limits the bytes of the text of a message, and of the members that this
// program does not know: about a hundred times as much as sites are known to send.
const maxMessage = 64 << 10

// boundStatus masks secrets in a status and cuts what is long, in the same way in every fetch.
func boundStatus(sent *UpgradeStatus, mask secrets.ByValue) {
	for i := range sent.Messages {
		m := &sent.Messages[i]
		m.Message = boundedText(m.Message, mask.Text(m.Message, secrets.InKept))
		m.Unknown = boundedMembers(m.Unknown, mask.JSON(m.Unknown, secrets.InKept))
		m.LeftOut = 0 // set by this program only
	}
	sent.State = boundedText(sent.State, mask.Text(sent.State, secrets.InNames))
	sent.Unknown = boundedMembers(sent.Unknown, mask.JSON(sent.Unknown, secrets.InKept))
}

// boundedText returns a long text cut, with its length and a checksum, so that different
// texts with the same beginning remain different.
func boundedText(sent, clean string) string {
	if len(clean) <= maxMessage {
		return clean
	}
	end := maxMessage
	for !utf8.RuneStart(clean[end]) {
		end--
	}
	sum := sha256.Sum256([]byte(clean))
	// A new string, so that the whole text does not stay in memory.
	return fmt.Sprintf("%s… (%s bytes, the first %s are kept; checksum %x)", clean[:end], groupDigits(len(sent)), groupDigits(end), sum[:6])
}

// boundedMembers replaces members that are too long by a note.
func boundedMembers(sent, clean Unknown) Unknown {
	if len(clean) <= maxMessage {
		return clean
	}
	return Unknown(fmt.Sprintf(`{"geodeckLeftOut":"members of %s bytes"}`, groupDigits(len(sent))))
}

// groupDigits formats a number in groups of three digits: 1,048,576.
func groupDigits(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// MessagesLeftOut returns a message in place of a number of others that were left out
// because there are too many. when is the time of the last of them.
func MessagesLeftOut(count int, when Millis) UpgradeMessage {
	what := " messages are"
	if count == 1 {
		what = " message is"
	}
	return UpgradeMessage{
		Message: "… " + groupDigits(count) + what + " left out: too many to keep.",
		When:    when, LeftOut: count,
	}
}

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
