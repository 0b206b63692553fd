package journal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"time"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
)

// ReadTranscript gives the summary of a transcript and its lines in the order in
// which they were written. A last line that was cut off by a crash is left out. A
// message that two writers have kept comes once. Other lines that cannot be read
// are left out and counted.
func (j *Journal) ReadTranscript(id string) (TranscriptSummary, []TranscriptLine, error) {
	f, err := j.openTranscriptFile(id)
	if err != nil {
		return TranscriptSummary{}, nil, err
	}
	defer f.Close()
	head, err := readHead(f.Name(), f)
	if errors.Is(err, io.EOF) {
		err = noTranscript(err, id) // nothing was ever kept in it
	}
	if err != nil {
		return TranscriptSummary{}, nil, err
	}
	r := reading{tally: newTally()}
	if err := r.lines(f); err != nil {
		return TranscriptSummary{}, nil, explain(f.Name(), err)
	}
	summary := head.summary(id, r.soFar)
	summary.Damaged = r.damaged
	return summary, r.told, nil
}

// reading is what was read of a transcript.
type reading struct {
	tally
	told    []TranscriptLine
	damaged int
}

// lines reads up to where the file ends now: a line that is cut off there may be
// replaced at any moment.
func (r *reading) lines(f *os.File) error {
	_, end, err := lastLine(f)
	if err != nil {
		return err
	}
	return linesIn(io.NewSectionReader(f, 0, end), func(number int, text []byte) bool {
		if number == 1 {
			return true // the head
		}
		line, ok := readKept(text)
		if !ok {
			r.damaged++
			return true
		}
		r.take(&line)
		r.told = append(r.told, line.told())
		return true
	})
}

func (kept keptLine) told() TranscriptLine {
	line := TranscriptLine{
		Time: kept.Time, State: kept.State, Code: kept.Code, Meaning: kept.Meaning,
		Away: kept.Away, Back: kept.Back, Ended: kept.Ended,
	}
	line.Ahead, _ = time.ParseDuration(kept.Ahead) // damaged, it is not told
	if len(kept.Messages) > 0 {
		line.Messages = make([]TranscriptMessage, 0, len(kept.Messages))
	}
	for _, m := range kept.Messages {
		line.Messages = append(line.Messages, TranscriptMessage{m.Message, max(1, m.Nth)})
	}
	return line
}

// readHead reads the first line of a transcript. The error is io.EOF where it was
// never finished.
func readHead(path string, f *os.File) (transcriptHead, error) {
	var head transcriptHead
	line, err := readLine(bufio.NewReader(io.NewSectionReader(f, 0, longestLine)), nil)
	switch {
	case errors.Is(err, io.EOF) && isShort(f):
		return head, io.EOF
	case err != nil && !errors.Is(err, io.EOF):
		return head, explain(path, err)
	}
	err = json.Unmarshal(line, &head, jsonx.AsWritten)
	switch {
	case head.Format > transcriptFormat:
		return head, failed(nil, "the transcript was written by a newer version of this program: %s", path)
	case err != nil || head.Format < 1 || head.Opened.IsZero():
		return head, failed(err, "the transcript is damaged: %s", path)
	}
	return head, nil
}

// isShort tells whether a file can be the beginning of a first line. Whatever else
// it is must not be overwritten.
func isShort(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Size() < longestLine
}
