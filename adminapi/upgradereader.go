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
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json/jsontext"
)

// UpgradeReader reads the Upgrades resource again and again. The log of an upgrade
// only grows as a rule, and has been seen with megabytes: what was read before is
// recognized by its checksum while it comes in, and neither kept nor decoded again.
// It belongs to one caller at a time.
type UpgradeReader struct {
	client *Client
	seen   seenPart
	whole  int // so many fetches more are taken in whole: the log has just changed its beginning
}

// wholeFetches is how many fetches are taken in whole after the beginning of a log
// has changed: a site that tells its messages in another order each time is not
// asked twice each time.
const wholeFetches = 10

// NewUpgradeReader returns a reader that has read nothing yet.
func (c *Client) NewUpgradeReader() *UpgradeReader { return &UpgradeReader{client: c} }

// Read is [Client.UpgradeStatus]. With goesOn the answer begins with all messages of
// the fetch before, and Messages holds only what is new behind them.
func (r *UpgradeReader) Read(ctx context.Context) (status UpgradeStatus, goesOn bool, err error) {
	if r.seen.length > 0 && r.whole == 0 {
		status, err = r.read(ctx, &r.seen)
		if !errors.Is(err, errNotAsBefore) {
			return status, err == nil && r.seen.skipped, err
		}
		r.whole = wholeFetches
	}
	r.whole = max(0, r.whole-1)
	status, err = r.read(ctx, nil)
	return status, false, err
}

func (r *UpgradeReader) read(ctx context.Context, seen *seenPart) (UpgradeStatus, error) {
	var resource struct {
		Status *UpgradeStatus `json:"status"`
	}
	k := call{operation: opUpgrades, method: http.MethodGet, path: []string{"system", "upgrades"}, seen: seen}
	body, err := r.client.readWhole(ctx, k, &resource, func() string {
		if resource.Status == nil {
			return "status"
		}
		return ""
	})
	skipped := seen != nil && seen.skipped
	if err != nil {
		if skipped && errors.Is(err, KindNotJSON) {
			err = errNotAsBefore // what was left out and the rest do not fit together
		}
		return UpgradeStatus{}, err
	}
	next, fits := r.seen.after(body, len(resource.Status.Messages), skipped)
	if !fits {
		return UpgradeStatus{}, errNotAsBefore
	}
	r.seen = next
	scrubber{known: r.client.secrets}.boundedStatus(resource.Status)
	return *resource.Status, nil
}

// errNotAsBefore says that an answer does not begin as the one before did, and was
// not taken in: it has to be read whole.
var errNotAsBefore = errors.New("the answer is not as it was before")

// minSeen is from how many bytes on the beginning of an answer is left out. It is
// also what is kept of any answer until it is known to begin as the one before.
const minSeen = 64 << 10

// seenPart is the beginning of an answer that was read before: all up to the end of
// its last message.
type seenPart struct {
	length  int64
	sum     hash.Hash // of so many bytes
	head    []byte    // what stands before the first message
	skipped bool      // in the fetch that was made with it
	comma   bool      // a comma followed in that fetch
}

// open returns a body without the part that was seen: its head, and what follows
// the last message. A body that ends early comes whole. errNotAsBefore where the
// body begins in another way and too much of it has gone by.
func (s *seenPart) open(body io.Reader) (io.Reader, error) {
	if s.length == 0 {
		return body, nil
	}
	var first bytes.Buffer
	first.Grow(minSeen + bytes.MinRead) // or it would grow once more to find the end
	if _, err := io.CopyN(&first, body, minSeen); errors.Is(err, io.EOF) {
		return &first, nil
	} else if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, _ = sum.Write(first.Bytes())
	if _, err := io.CopyN(sum, body, s.length-minSeen); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(sum.Sum(nil), s.sum.Sum(nil)) {
		return nil, errNotAsBefore
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

// after returns the part that the next fetch need not take in. body is what was
// decoded to a number of messages: all of the answer, or with skipped what open has
// left of it. fits is false where something was left out that should not have been.
func (s seenPart) after(body []byte, messages int, skipped bool) (next seenPart, fits bool) {
	list, found := messagesIn(body)
	known := found && list.elements == messages // more than one list has another number
	switch {
	case skipped && !known:
		return seenPart{}, false
	case !known || !skipped && list.end < minSeen:
		return seenPart{}, true
	case !skipped:
		sum := sha256.New()
		_, _ = sum.Write(body[:list.end])
		return seenPart{length: int64(list.end), sum: sum, head: bytes.Clone(body[:list.begin])}, true
	}
	fresh := body[len(s.head):list.end]
	if s.comma {
		fresh = slices.Concat([]byte{','}, fresh)
	}
	_, _ = s.sum.Write(fresh)
	return seenPart{length: s.length + int64(len(fresh)), sum: s.sum, head: s.head, skipped: true}, true
}

// elementsIn is where the elements of a list stand in a text.
type elementsIn struct{ begin, end, elements int }

// messagesIn finds the elements of status.messages, with their exact names. found is
// false where there is no such list.
func messagesIn(body []byte) (list elementsIn, found bool) {
	dec := jsonx.NewDecoder(body)
	if !enter(dec, "status", jsontext.KindBeginObject) || !enter(dec, "messages", jsontext.KindBeginObject) {
		return list, false
	}
	if dec.PeekKind() != jsontext.KindBeginArray {
		return list, false
	}
	if _, err := dec.ReadToken(); err != nil {
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
func enter(dec *jsontext.Decoder, name string, kind jsontext.Kind) bool {
	if token, err := dec.ReadToken(); err != nil || token.Kind() != kind {
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

// maxMessage is how many bytes of the text of a message are kept, and of the
// members that this program does not know: more than anybody reads, and some hundred
// times as much as a site has been seen to tell.
const maxMessage = 64 << 10

// boundedMessages makes messages that a site has told those that are shown and kept:
// secrets are masked, and of what is too long the beginning is there with its length.
// What was told as one text is one text again with the next fetch.
func (s scrubber) boundedMessages(sent []UpgradeMessage) {
	for i := range sent {
		m := &sent[i]
		m.Message = boundedText(m.Message, s.text(m.Message))
		m.Unknown = boundedMembers(m.Unknown, s.json(m.Unknown))
		m.LeftOut = 0 // for us to say
	}
}

func (s scrubber) boundedStatus(sent *UpgradeStatus) {
	s.boundedMessages(sent.Messages)
	sent.State = boundedText(sent.State, s.text(sent.State))
	sent.Unknown = boundedMembers(sent.Unknown, s.json(sent.Unknown))
}

// boundedText returns the beginning of a text that is too long, with the length that was
// told and a checksum: two that begin alike are two.
func boundedText(sent, clean string) string {
	if len(clean) <= maxMessage {
		return clean
	}
	end := maxMessage
	for !utf8.RuneStart(clean[end]) {
		end--
	}
	sum := sha256.Sum256([]byte(clean))
	// Joined, so that the whole text is not held by its beginning.
	return fmt.Sprintf("%s… (%s bytes, the first %s are kept; checksum %x)", clean[:end], inThousands(len(sent)), inThousands(end), sum[:6])
}

// boundedMembers leaves out members that are too long, and says so.
func boundedMembers(sent, clean Unknown) Unknown {
	if len(clean) <= maxMessage {
		return clean
	}
	return Unknown(fmt.Sprintf(`{"geodeckLeftOut":"members of %s bytes"}`, inThousands(len(sent))))
}

// inThousands writes a number as people read it: 1,048,576.
func inThousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// MessagesLeftOut returns the message that stands where so many others were left out
// because they are too many to be kept. when is that of the last of them.
func MessagesLeftOut(count int, when Millis) UpgradeMessage {
	what := " messages are"
	if count == 1 {
		what = " message is"
	}
	return UpgradeMessage{
		Message: "… " + inThousands(count) + what + " left out here: there were too many to keep.",
		When:    when, LeftOut: count,
	}
}
