package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
)

// transcriptFormat is the newest form of a file that this program understands.
// What only adds members is no new form.
const transcriptFormat = 1

// transcriptHead is the first line of a file.
type transcriptHead struct {
	Format int             `json:"transcript"`
	Opened time.Time       `json:"opened"`
	Began  adminapi.Millis `json:"began,omitzero"`
	Start  string          `json:"start,omitzero"`
	From   string          `json:"from,omitzero"`
	To     string          `json:"to,omitzero"`
	Here   bool            `json:"here,omitzero"`
}

// keptLine is every other line. SoFar stands last, where a list of transcripts
// finds it without reading the messages in front of it.
type keptLine struct {
	Time     time.Time     `json:"time"`
	State    string        `json:"state,omitzero"`
	Code     int           `json:"code,omitzero"`
	Meaning  string        `json:"meaning,omitzero"`
	Ahead    string        `json:"ahead,omitzero"` // such as 1h2m3s
	Away     string        `json:"away,omitzero"`
	Back     bool          `json:"back,omitzero"`
	Ended    bool          `json:"ended,omitzero"`
	Messages []keptMessage `json:"messages,omitempty"`
	SoFar    soFar         `json:"soFar"`
}

// keptMessage holds a message in an object of its own: a server may tell any
// member, also one that is called like ours.
type keptMessage struct {
	Nth     int                     `json:"nth,omitzero"` // from 2
	Message adminapi.UpgradeMessage `json:"message"`
}

// soFar is what all lines up to one tell together.
type soFar struct {
	Last     time.Time `json:"last"`
	Messages int       `json:"messages"`
	LeftOut  int       `json:"leftOut,omitzero"`
	State    string    `json:"state,omitzero"`
	Meaning  string    `json:"meaning,omitzero"`
	Ended    bool      `json:"ended,omitzero"`
	Here     bool      `json:"here,omitzero"`
}

const soFarMember = `,"soFar":`

// fold adds what a line tells besides its messages.
func (s *soFar) fold(l keptLine) {
	s.Last = l.Time
	if l.State != "" || l.Code != 0 || l.Meaning != "" {
		s.State, s.Meaning = l.State, l.Meaning
	}
	s.Ended = s.Ended || l.Ended
	s.Here = s.Here || l.SoFar.Here
}

// add counts the messages of a line. One that stands for others is none.
func (s *soFar) add(messages []keptMessage) {
	for _, m := range messages {
		if s.LeftOut += m.Message.LeftOut; m.Message.LeftOut == 0 {
			s.Messages++
		}
	}
}

func headOf(of TranscriptOf, now time.Time) transcriptHead {
	return transcriptHead{transcriptFormat, now, of.Began, of.Start, of.From, of.To, of.Here}
}

// summary returns what the head tells with what the lines have told.
func (h transcriptHead) summary(id string, s soFar) TranscriptSummary {
	if s.Last.IsZero() {
		s.Last = h.Opened
	}
	return TranscriptSummary{
		TranscriptOf: TranscriptOf{h.Began, h.Start, h.From, h.To, h.Here || s.Here},
		ID:           id, Opened: h.Opened, Last: s.Last,
		State: s.State, Meaning: s.Meaning, Messages: s.Messages, LeftOut: s.LeftOut, Ended: s.Ended,
	}
}

func (of TranscriptOf) untold() bool { return of.Began.IsZero() && of.Start == "" }

func (of TranscriptOf) id() string {
	shown := "began"
	if !of.Began.IsZero() {
		shown = readableTime(of.Began.Time())
	}
	return fileName(shown, strconv.FormatInt(int64(of.Began), 10)+"\n"+of.Start)
}

func readableTime(t time.Time) string { return t.UTC().Format("2006-01-02-1504") }

// begin makes the file of a transcript where there is none, or none that was
// finished; otherwise it looks whether the file can be gone on with. The lock must
// be held.
func begin(path string, head transcriptHead) error {
	f, err := openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return explain(path, err)
	}
	defer f.Close()
	_, err = readHead(path, f)
	if !errors.Is(err, io.EOF) {
		return err
	}
	err = writeFrom(f, 0, func(out io.Writer) error { return writeJSON(out, head) })
	if err != nil {
		return explain(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// writeJSON writes a value as a line, in one go.
func writeJSON(out io.Writer, value any) error {
	data, err := json.Marshal(value, jsonx.AsWritten)
	if err != nil {
		return failed(err, "the record cannot be written: %v", err)
	}
	if len(data) >= longestLine {
		return failed(nil, "the record is too long to be kept: %d bytes", len(data))
	}
	_, err = out.Write(append(data, '\n'))
	return err
}

// openTranscriptFile opens a transcript to read it.
func (j *Journal) openTranscriptFile(id string) (*os.File, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	path := j.TranscriptPath(id)
	if name, ok := transcriptID(filepath.Base(path)); !ok || name != id {
		return nil, noTranscript(fs.ErrNotExist, id)
	}
	f, err := openPrivate(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noTranscript(err, id)
	}
	return f, explain(path, err)
}

func noTranscript(err error, id string) error {
	return failed(err, "the journal has no transcript %s", id)
}
