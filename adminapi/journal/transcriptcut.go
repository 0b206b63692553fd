package journal

import (
	"bufio"
	"io"
	"os"

	"geodeck/adminapi"
)

const (
	// transcriptBudget bounds a transcript on disk, in bytes, where nobody says
	// otherwise. No upgrade has been seen to tell a tenth of it.
	transcriptBudget = 64 << 20
	// mostKnown is how many messages are known again when they are given again.
	mostKnown = 3 << 19
)

// WithTranscriptBudget bounds a transcript on disk, in bytes, instead of 64 MiB. Of one
// that is cut the first quarter of that and the last half stay; the rest is room until it
// is cut again.
func WithTranscriptBudget(bytes int64) Option { return func(j *Journal) { j.budget = bytes } }

// TranscriptBudget is how large a transcript may grow, in bytes.
func (j *Journal) TranscriptBudget() int64 { return j.budget }

// leaveOut takes the middle out of a transcript and puts a line in its place that says
// how many messages that were. What else the lines told is in it too. The lock must be
// held.
func (k *known) leaveOut(path string, f *os.File, budget int64) error {
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
	newest, whole := readKept(last)
	if !whole || end < to {
		return nil // the next line will be
	}
	cut, messages, err := middle(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return err
	}
	total := k.soFar
	total.Messages -= messages
	total.LeftOut += messages
	newest.SoFar = total
	err = replaceWith(path, func(out io.Writer) error {
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
	info, err := os.Lstat(path)
	if err != nil {
		k.file = nil // to be read anew
		return err
	}
	k.file, k.end, k.soFar = info, info.Size(), total
	if len(k.seen.keys) > mostKnown {
		k.file = nil // reading it anew forgets what was left out
	}
	return nil
}

// middle makes one line of those that are left out, and counts the messages in them
// that were no such line's.
func middle(lines io.Reader) (cut keptLine, messages int, err error) {
	leftOut, when := 0, adminapi.Millis(0)
	err = linesIn(lines, func(_ int, text []byte) bool {
		line, ok := readKept(text)
		if !ok {
			return true
		}
		for _, m := range line.Messages {
			if m.Message.LeftOut == 0 {
				messages++
			}
			leftOut += max(1, m.Message.LeftOut)
			when = m.Message.When
		}
		cut.Time, cut.SoFar.Here = line.Time, cut.SoFar.Here || line.SoFar.Here
		cut.Ended = cut.Ended || line.Ended
		if line.Meaning != "" {
			cut.State, cut.Code, cut.Meaning = line.State, line.Code, line.Meaning
		}
		if line.Ahead != "" {
			cut.Ahead = line.Ahead
		}
		return true
	})
	if leftOut > 0 {
		cut.Messages = []keptMessage{{Message: adminapi.MessagesLeftOut(leftOut, when)}}
	}
	return cut, messages, err
}

// lineEndAfter returns where the line that holds an offset ends, end where none does.
func lineEndAfter(f *os.File, at, end int64) (int64, error) {
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
