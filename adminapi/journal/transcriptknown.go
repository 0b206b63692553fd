package journal

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
)

// known is what a writer knows of its file. With it a line costs the same however
// long the file is.
type known struct {
	file fs.FileInfo // nil before the first look
	end  int64       // of the last whole line
	tally
}

// catchUp reads what others have written since the last look; all of it where
// the file is another one or has become shorter. The lock must be held.
func (k *known) catchUp(path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if k.file == nil || !os.SameFile(k.file, info) || info.Size() < k.end {
		*k = known{tally: newTally()}
		_, err := readHead(path, f)
		if errors.Is(err, io.EOF) {
			return failed(err, "the transcript is damaged: %s", path)
		}
		if err != nil {
			return err
		}
	}
	k.file = info
	if info.Size() == k.end {
		return nil
	}
	_, end, err := lastLine(f)
	if err != nil {
		return err
	}
	err = linesIn(io.NewSectionReader(f, k.end, end-k.end), func(_ int, text []byte) bool {
		if line, ok := readKept(text); ok {
			k.take(&line)
		}
		return true
	})
	if k.end = end; err != nil {
		k.file = nil // to be read anew
	}
	return err
}

// write puts a line, as several where it is long, behind the last one. Where that
// fails nothing has happened.
func (k *known) write(f *os.File, line TranscriptLine, here bool) error {
	fresh := k.unseen(line.Messages)
	total, at := k.soFar, k.end
	total.Here = total.Here || here
	lines := split(line, fresh)
	if !lines[0].tells() {
		return nil
	}
	err := writeFrom(f, k.end, func(out io.Writer) error {
		for _, l := range lines {
			total.fold(l)
			total.add(l.Messages)
			l.SoFar = total
			if err := writeJSON(out, l); err != nil {
				return err
			}
		}
		var err error
		at, err = f.Seek(0, io.SeekEnd)
		return err
	})
	if err != nil {
		k.seen.drop(fresh)
		return err
	}
	k.soFar, k.end = total, at
	return nil
}

// unseen returns the messages that the file does not hold, as they are kept.
func (k *known) unseen(messages []TranscriptMessage) []keptMessage {
	fresh := make([]keptMessage, 0, len(messages))
	for _, m := range messages {
		if kept := storableMessage(m); k.seen.add(kept) {
			fresh = append(fresh, kept)
		}
	}
	return fresh
}

// readKept reads a line; false where it is damaged.
func readKept(text []byte) (keptLine, bool) {
	var line keptLine
	err := json.Unmarshal(text, &line, jsonx.AsWritten)
	return line, err == nil && !line.Time.IsZero()
}

// tally is what the lines of a transcript tell together, and which messages.
type tally struct {
	seen  seen
	soFar soFar
}

func newTally() tally { return tally{seen: newSeen()} }

// take adds a line, and takes the messages out of it that were there before.
func (t *tally) take(line *keptLine) {
	line.Messages = slices.DeleteFunc(line.Messages, func(m keptMessage) bool { return !t.seen.add(m) })
	t.soFar.fold(*line)
	t.soFar.add(line.Messages)
}

// seen tells whether a message was there before. It keeps 64 bits of each, by a
// secret seed: no server can make two messages look alike.
type seen struct {
	seed maphash.Seed
	keys map[uint64]struct{}
}

// identity tells messages apart.
type identity struct {
	code int
	when adminapi.Millis
	text string
	nth  int
}

func newSeen() seen { return seen{maphash.MakeSeed(), map[uint64]struct{}{}} }

func (s seen) key(m keptMessage) uint64 {
	return maphash.Comparable(s.seed, identity{m.Message.Code, m.Message.When, m.Message.Message, max(1, m.Nth)})
}

// add tells whether a message is new.
func (s seen) add(m keptMessage) bool {
	before := len(s.keys)
	s.keys[s.key(m)] = struct{}{}
	return len(s.keys) > before
}

func (s seen) drop(messages []keptMessage) {
	for _, m := range messages {
		delete(s.keys, s.key(m))
	}
}
