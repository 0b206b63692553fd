package journal

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
)

const (
	mostInLine  = 1000      // messages
	longInLine  = 1 << 20   // bytes of messages, after which the next line begins
	longestText = 512 << 10 // bytes of one text; as masked JSON at most six times as many
)

// tells is false for a line that adds nothing to a transcript.
func (l keptLine) tells() bool {
	return l.State != "" || l.Code != 0 || l.Meaning != "" || l.Ahead != "" || l.Away != "" || l.Back || l.Ended || len(l.Messages) > 0
}

// split makes lines of moderate length. The first says what happened before the
// messages, the last what they have led to: a crash between them leaves no end
// without its messages.
func split(line TranscriptLine, messages []keptMessage) []keptLine {
	var lines []keptLine
	for len(lines) == 0 || len(messages) > 0 {
		n := fitting(messages)
		lines = append(lines, keptLine{Time: line.Time, Messages: messages[:n]})
		messages = messages[n:]
	}
	first, last := &lines[0], &lines[len(lines)-1]
	if line.Ahead != 0 {
		first.Ahead = line.Ahead.String()
	}
	first.Away, first.Back = sentence(maskText(line.Away)), line.Back
	last.State, last.Code, last.Meaning = storableText(line.State, longestMessage), line.Code, storableText(line.Meaning, longestMessage)
	last.Ended = line.Ended
	return lines
}

// fitting returns how many of the first messages go into one line.
func fitting(messages []keptMessage) int {
	size := 0
	for i, m := range messages {
		if i == mostInLine || size > longInLine {
			return i
		}
		size += len(m.Message.Message) + len(m.Message.Unknown)
	}
	return len(messages)
}

func storableRun(of TranscriptOf) TranscriptOf {
	of.Start = storableText(of.Start, longestText)
	of.From, of.To = storableText(of.From, longestMessage), storableText(of.To, longestMessage)
	return of
}

func storableMessage(m TranscriptMessage) keptMessage {
	kept := keptMessage{Message: Storable(m.UpgradeMessage)}
	if m.Nth > 1 {
		kept.Nth = m.Nth
	}
	return kept
}

// Storable returns a message as a transcript keeps it: secrets masked, a text that is
// too long cut. What is kept already stays as it is.
func Storable(m adminapi.UpgradeMessage) adminapi.UpgradeMessage {
	m.Message, m.Unknown = storableText(m.Message, longestText), storableMembers(m.Unknown)
	return m
}

// storableText is the same for a text that was stored already: runs and messages
// are told apart by theirs. A mask takes at most twice the room of what it hides.
func storableText(text string, most int) string {
	text = maskText(shortened(text, most))
	if len(text) > most {
		text = maskText(shortened(text, most/2))
	}
	return text
}

// storableMembers masks secrets in the members that this program does not know.
// What is no object or too long to be kept is left out: a message must not be lost
// for what hangs on it.
func storableMembers(members jsontext.Value) jsontext.Value {
	switch {
	case len(members) > longestText, members.Kind() != jsontext.KindBeginObject, !members.IsValid(jsonx.AsWritten):
		return nil
	case !maySecret(string(members)):
		return members
	}
	var out bytes.Buffer
	in := jsonx.NewDecoder(members)
	masking := jsontext.NewEncoder(&out, jsonx.AsWritten)
	secret := false // the value that comes next
	for in.PeekKind() != jsontext.KindInvalid {
		token, err := in.ReadToken()
		if err != nil {
			return nil
		}
		token, secret = storableToken(in, token, secret)
		if masking.WriteToken(token) != nil {
			return nil
		}
	}
	return bytes.TrimSpace(out.Bytes())
}

// storableToken returns a token as it may be stored, and whether a value that comes
// next is a secret by its name.
func storableToken(in *jsontext.Decoder, token jsontext.Token, secret bool) (jsontext.Token, bool) {
	within, count := in.StackIndex(in.StackDepth())
	switch isText := token.Kind() == jsontext.KindString; {
	case isText && within == jsontext.KindBeginObject && count%2 == 1:
		return token, secretNames.MatchString(token.String())
	case secret && (isText || token.Kind() == jsontext.KindNumber):
		return jsontext.String(masked), secret
	case isText:
		return jsontext.String(maskText(token.String())), secret
	}
	return token, secret
}
