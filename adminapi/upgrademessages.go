package adminapi

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// longestMessage is how many bytes of the text of a message are kept, and of the
// members that this program does not know: more than anybody reads, and some hundred
// times as much as a site has been seen to tell.
const longestMessage = 64 << 10

// keptMessages makes messages that a site has told those that are shown and kept:
// secrets are masked, and of what is too long the beginning is there with its length.
// What was told as one text is one text again with the next reading.
func (s scrubber) keptMessages(told []UpgradeMessage) {
	for i := range told {
		m := &told[i]
		m.Message = keptText(m.Message, s.text(m.Message))
		m.Unknown = keptMembers(m.Unknown, s.json(m.Unknown))
		m.LeftOut = 0 // for us to say
	}
}

func (s scrubber) keptStatus(told *UpgradeStatus) {
	s.keptMessages(told.Messages)
	told.State = keptText(told.State, s.text(told.State))
	told.Unknown = keptMembers(told.Unknown, s.json(told.Unknown))
}

// keptText returns the beginning of a text that is too long, with the length that was
// told and a checksum: two that begin alike are two.
func keptText(told, clean string) string {
	if len(clean) <= longestMessage {
		return clean
	}
	end := longestMessage
	for !utf8.RuneStart(clean[end]) {
		end--
	}
	sum := sha256.Sum256([]byte(clean))
	// Joined, so that the whole text is not held by its beginning.
	return fmt.Sprintf("%s… (%s bytes, the first %s are kept; checksum %x)", clean[:end], inThousands(len(told)), inThousands(end), sum[:6])
}

// keptMembers leaves out members that are too long, and says so.
func keptMembers(told, clean Unknown) Unknown {
	if len(clean) <= longestMessage {
		return clean
	}
	return Unknown(fmt.Sprintf(`{"geodeckLeftOut":"members of %s bytes"}`, inThousands(len(told))))
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
