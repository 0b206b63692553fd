package journal

import (
	"bufio"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
)

const (
	// transcriptBudget is the default bound of a transcript on disk, in bytes, ten times what
	// any upgrade was seen to need.
	transcriptBudget = 64 << 20
	// maxKnown bounds the messages that are known for duplicates.
	maxKnown = 3 << 19
)

// WithTranscriptBudget bounds a transcript on disk, in bytes, instead of 64 MiB. A cut leaves
// the first quarter of that and the last half; the rest is room until the next cut.
func WithTranscriptBudget(bytes int64) Option { return func(j *Journal) { j.budget = bytes } }

// TranscriptBudget returns how large a transcript may grow, in bytes.
func (j *Journal) TranscriptBudget() int64 { return j.budget }

// leaveOut replaces the middle of a transcript by a line with the number of its messages, and
// with the state that its lines led to. The lock must be held.
func (k *fileState) leaveOut(d disk, path string, f File, budget int64) error {
	from, err := lineEndAfter(f, budget/4, k.end)
	if err != nil {
		return err
	}
	to, err := lineEndAfter(f, k.end-budget/2, k.end)
	if err != nil || to <= from {
		return err
	}
	last, _, err := lastLine(f)
	if err != nil {
		return err
	}
	end := k.end - int64(len(last)) - 1
	newest, whole := readStored(last)
	if !whole || end < to {
		return nil // the next line may be whole
	}
	cut, messages, err := middle(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return err
	}
	total := k.soFar
	total.Messages -= messages
	total.LeftOut += messages
	newest.SoFar = total
	err = d.replaceWith(path, func(out io.Writer) error {
		if _, err := io.Copy(out, io.NewSectionReader(f, 0, from)); err != nil {
			return err
		}
		if err := writeJSON(out, cut); err != nil {
			return err
		}
		if _, err := io.Copy(out, io.NewSectionReader(f, to, end-to)); err != nil {
			return err
		}
		return writeJSON(out, newest)
	})
	if err != nil {
		return err
	}
	info, err := d.Lstat(path)
	if err != nil {
		k.file = nil // read it again
		return err
	}
	k.file, k.end, k.soFar = info, info.Size(), total
	if len(k.seen.keys) > maxKnown {
		k.file = nil // reading it again forgets what was left out
	}
	return nil
}

// middle makes one line of those that are left out, and counts their messages, without those
// that stand for others.
func middle(lines io.Reader) (cut storedLine, messages int, err error) {
	var sum totals
	var when adminapi.Millis
	err = linesIn(lines, func(_ int, text []byte) bool {
		line, ok := readStored(text)
		if !ok {
			return true
		}
		sum.fold(line)
		sum.add(line.Messages)
		if n := len(line.Messages); n > 0 {
			when = line.Messages[n-1].Message.When
		}
		if line.hasState() {
			cut.Code = line.Code
		}
		cut.Stalled = max(cut.Stalled, line.Stalled)
		return true
	})
	cut.Time, cut.State, cut.Meaning, cut.Ended, cut.Ahead = sum.Last, sum.State, sum.Meaning, sum.Ended, sum.Ahead
	cut.SoFar.Here, cut.SoFar.Record = sum.Here, sum.Record
	if leftOut := sum.Messages + sum.LeftOut; leftOut > 0 {
		cut.Messages = []storedMessage{{Message: adminapi.MessagesLeftOut(leftOut, when)}}
	}
	return cut, sum.Messages, err
}

// lineEndAfter returns where the line at an offset ends, end where that is none.
func lineEndAfter(f File, at, end int64) (int64, error) {
	in := bufio.NewReader(io.NewSectionReader(f, at, end-at))
	for {
		part, err := in.ReadSlice('\n')
		at += int64(len(part))
		switch err {
		case nil, io.EOF:
			return at, nil
		case bufio.ErrBufferFull:
		default:
			return 0, err
		}
	}
}

const (
	maxLineMessages = 1000
	maxLineBytes    = 1 << 20   // of messages, after which the next line begins
	maxText         = 512 << 10 // bytes of a text; as masked JSON at most six times as many
)

// hasContent reports whether a line adds anything to a transcript.
func (l storedLine) hasContent() bool {
	return l.hasState() || l.Ahead != "" || l.Unreachable != "" || l.Back || l.Ended || l.Stalled != 0 ||
		len(l.Messages) > 0
}

// split makes lines of moderate length. The first holds what happened before the messages, the
// last what they led to: a crash between them leaves no end without its messages.
func split(line TranscriptLine, messages []storedMessage) []storedLine {
	var lines []storedLine
	for len(lines) == 0 || len(messages) > 0 {
		n := fitting(messages)
		lines = append(lines, storedLine{TranscriptLine: TranscriptLine{Time: line.Time}, Messages: messages[:n]})
		messages = messages[n:]
	}
	first, last := &lines[0], &lines[len(lines)-1]
	if line.Ahead != 0 {
		first.Ahead = line.Ahead.String()
	}
	first.Unreachable, first.Back, first.Stalled = sentence(maskText(line.Unreachable)), line.Back, line.Stalled
	last.State, last.Code, last.Meaning = storableText(line.State, maxMessage), line.Code, storableText(line.Meaning, maxMessage)
	last.Ended = line.Ended
	return lines
}

// fitting returns how many of the first messages fit into a line.
func fitting(messages []storedMessage) int {
	size := 0
	for i, m := range messages {
		if i == maxLineMessages || size > maxLineBytes {
			return i
		}
		size += len(m.Message.Message) + len(m.Message.Unknown)
	}
	return len(messages)
}

func storableRun(of TranscriptRun) TranscriptRun {
	of.Start = storableText(of.Start, maxText)
	of.From, of.To = storableText(of.From, maxMessage), storableText(of.To, maxMessage)
	return of
}

func storableMessage(m TranscriptMessage) storedMessage {
	kept := storedMessage{Message: Storable(m.UpgradeMessage)}
	if m.Nth > 1 {
		kept.Nth = m.Nth
	}
	if m.Among > 1 {
		kept.Among = m.Among
	}
	return kept
}

// Storable returns a message as a transcript stores it: secrets masked, a long text cut. A
// message that was stored stays as it is.
func Storable(m adminapi.UpgradeMessage) adminapi.UpgradeMessage {
	m.Message, m.Unknown = storableText(m.Message, maxText), storableMembers(m.Unknown)
	return m
}

// storableText masks and cuts a text. A text that was stored stays as it is, since runs and
// messages are identified by theirs: it is cut until it fits with the masks in it.
func storableText(text string, limit int) string {
	for room := limit; ; room /= 2 {
		if masked := maskText(shortened(text, room)); len(masked) <= limit {
			return masked
		}
	}
}

// storableMembers masks secrets in the members that this program does not know. What is no
// object, or too long, is left out: the message must not be lost for it.
func storableMembers(members jsontext.Value) jsontext.Value {
	if len(members) > maxText || members.Kind() != jsontext.KindBeginObject {
		return nil
	}
	masked, ok := (&secrets.ByName{Kept: true}).JSON(members, false)
	if !ok {
		return nil
	}
	return masked
}
