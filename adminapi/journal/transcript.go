package journal

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
)

// TranscriptRun identifies the run of a transcript: two runs differ in Began or in Start.
type TranscriptRun struct {
	Began adminapi.Millis `json:"began,omitzero"` // of its first message, by the server's clock; zero where not known
	Start string          `json:"start,omitzero"` // text of its first message, 2010 or 2072; empty where not known
	From  string          `json:"from,omitzero"`  // versions; empty where not known
	To    string          `json:"to,omitzero"`
	Here  bool            `json:"here,omitzero"` // it was started by this journal's user, on this machine
	// Record is the id of the write that started it, empty where that is not known.
	Record string `json:"record,omitzero"`
}

// TranscriptMessage is a message of a transcript.
type TranscriptMessage = adminapi.NumberedMessage

// TranscriptLine is what a fetch, or its failure, has added.
type TranscriptLine struct {
	Time        time.Time           `json:"time"`           // by this machine's clock; set by Append
	State       string              `json:"state,omitzero"` // of the site, where it has changed
	Code        int                 `json:"code,omitzero"`
	Meaning     string              `json:"meaning,omitzero"` // of the state, such as "in progress"
	Ahead       time.Duration       `json:"-"`                // the server's clock less ours, where that is new; 0 for none
	Messages    []TranscriptMessage `json:"-"`
	Unreachable string              `json:"away,omitzero"`  // why the API does not answer from now on, without secrets
	Back        bool                `json:"back,omitzero"`  // it answers again
	Ended       bool                `json:"ended,omitzero"` // the run has ended
	// Stalled is the time of the last message before a silence that was alarmed, by the
	// server's clock; zero where none was.
	Stalled adminapi.Millis `json:"stalled,omitzero"`
}

// TranscriptSummary is a transcript in a list.
type TranscriptSummary struct {
	TranscriptRun
	TranscriptTotals
	ID      string // in this journal
	Opened  time.Time
	Ahead   time.Duration // the newest difference of the clocks
	Damaged int           // lines that could not be read, of those that were read
}

// TranscriptTotals is what the lines of a transcript come to.
type TranscriptTotals struct {
	Last     time.Time `json:"last"` // of the last line, else when it was opened
	State    string    `json:"state,omitzero"`
	Meaning  string    `json:"meaning,omitzero"`
	Messages int       `json:"messages"`
	LeftOut  int       `json:"leftOut,omitzero"` // messages that were too many and are not in it any more
	Ended    bool      `json:"ended,omitzero"`   // one of its lines says so
}

// Transcript is the record of a run that is being watched. Several programs may write to the
// same one. It is safe for concurrent use.
type Transcript struct {
	journal *Journal
	id      string
	of      TranscriptRun
	state   fileState // guarded by the lock of the journal
}

// OpenTranscript opens the transcript of a run, or creates it. A run of which nothing is known
// yet (neither Began nor Start) is taken for that of the newest transcript, if that is
// unknown too and has not ended.
func (j *Journal) OpenTranscript(of TranscriptRun) (*Transcript, error) {
	of = storableRun(of)
	t := &Transcript{journal: j, of: of}
	err := j.locked(func() error {
		if err := j.disk.privateFolder(j.transcriptFolder()); err != nil {
			return err
		}
		now := j.now()
		if t.id = of.id(); of.unidentified() {
			t.id = j.unidentifiedID(now)
		}
		return j.disk.begin(j.TranscriptPath(t.id), transcriptHead{transcriptFormat, now, of})
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ID names the transcript in its journal.
func (t *Transcript) ID() string { return t.id }

// Append adds a line and returns when it is on disk. Long lists of messages become several
// lines. Messages that the transcript has, from any writer, also with or without a mask in place
// of a secret, are not written again, nor is a line without anything else. Secrets in texts are
// masked, and texts of more than half a megabyte cut. The errors are sentences: nothing of the line is written then, and it can be
// given again. An empty line only checks that the file can be written.
//
// In a transcript that grows beyond its budget the middle is replaced by a message with
// LeftOut.
func (t *Transcript) Append(line TranscriptLine) error {
	path := t.journal.TranscriptPath(t.id)
	messages := lists.Each(line.Messages, storableMessage)
	return t.journal.locked(func() error {
		f, err := t.journal.disk.openPrivate(path, os.O_RDWR)
		if absent(err) {
			return failed(err, "the transcript no longer exists: %s", path)
		}
		if err != nil {
			return err
		}
		defer f.Close()
		if err := t.state.catchUp(t.journal.disk, path, f, messages); err != nil {
			return explain(path, err)
		}
		line.Time = t.journal.now()
		err = t.state.write(t.journal.disk, f, line, messages, t.of)
		if err == nil && t.state.end > t.journal.budget {
			// Where this fails, it is tried again with the next line.
			_ = t.state.leaveOut(t.journal.disk, path, f, t.journal.budget)
		}
		return explain(path, err)
	})
}

// TranscriptPath is the path of the file of a transcript, which need not exist.
func (j *Journal) TranscriptPath(id string) string {
	return filepath.Join(j.transcriptFolder(), filepath.Base(id)+transcriptEnding)
}

// TranscriptContent returns the file of a transcript as it is.
func (j *Journal) TranscriptContent(id string) ([]byte, error) {
	return j.disk.readWhole(j.TranscriptPath(id))
}

const transcriptEnding = ".jsonl"

func (j *Journal) transcriptFolder() string { return filepath.Join(j.folder, "transcripts") }

// transcriptID returns the id of a file, false where its name is not that of a transcript.
func transcriptID(name string) (string, bool) {
	id, ok := strings.CutSuffix(name, transcriptEnding)
	return id, ok && id != "" && id[0] != '.'
}

// transcriptFormat is the newest format that this program reads. New members alone make no new
// format.
const transcriptFormat = 1

// transcriptHead is the first line of a file.
type transcriptHead struct {
	Format int       `json:"transcript"`
	Opened time.Time `json:"opened"`
	TranscriptRun
}

// storedLine is every other line. SoFar is last, where a list of transcripts finds it without
// reading the messages.
type storedLine struct {
	TranscriptLine
	Ahead    string          `json:"ahead,omitzero"` // such as 1h2m3s
	Messages []storedMessage `json:"messages,omitempty"`
	SoFar    totals          `json:"soFar"`
}

// storedMessage holds a message in its own object: a server may send a member of any name.
type storedMessage struct {
	Nth     int                     `json:"nth,omitzero"`   // from 2
	Among   int                     `json:"among,omitzero"` // from 2, see [adminapi.NumberedMessage]
	Message adminapi.UpgradeMessage `json:"message"`
}

// totals sums up all lines up to one.
type totals struct {
	TranscriptTotals
	Ahead  string `json:"ahead,omitzero"` // the newest
	Here   bool   `json:"here,omitzero"`
	Record string `json:"record,omitzero"`
}

const soFarMember = `,"soFar":`

// hasState reports whether a line says in which state the site is.
func (l storedLine) hasState() bool { return l.State != "" || l.Code != 0 || l.Meaning != "" }

// fold adds what a line holds besides its messages.
func (s *totals) fold(l storedLine) {
	s.Last, s.Ahead = l.Time, cmp.Or(l.Ahead, s.Ahead)
	if l.hasState() {
		s.State, s.Meaning = l.State, l.Meaning
	}
	s.Ended = s.Ended || l.Ended
	s.Here, s.Record = s.Here || l.SoFar.Here, cmp.Or(s.Record, l.SoFar.Record)
}

// add counts the messages of a line. One that stands for others does not count.
func (s *totals) add(messages []storedMessage) {
	for _, m := range messages {
		if s.LeftOut += m.Message.LeftOut; m.Message.LeftOut == 0 {
			s.Messages++
		}
	}
}

// summary joins the head and the totals of the lines.
func (h transcriptHead) summary(id string, s totals) TranscriptSummary {
	if s.Last.IsZero() {
		s.Last = h.Opened
	}
	h.Here, h.Record = h.Here || s.Here, cmp.Or(h.Record, s.Record)
	ahead, _ := time.ParseDuration(s.Ahead) // zero where it is damaged
	return TranscriptSummary{
		TranscriptRun: h.TranscriptRun, TranscriptTotals: s.TranscriptTotals, ID: id, Opened: h.Opened, Ahead: ahead,
	}
}

func (of TranscriptRun) unidentified() bool { return of.Began.IsZero() && of.Start == "" }

func (of TranscriptRun) id() string {
	shown := "began"
	if !of.Began.IsZero() {
		shown = readableTime(of.Began.Time())
	}
	return fileName(shown, strconv.FormatInt(int64(of.Began), 10)+"\n"+of.Start)
}

func readableTime(t time.Time) string { return t.UTC().Format("2006-01-02-1504") }

// begin creates the file of a transcript where there is none with a whole first line; else it
// checks that the file can be continued. The lock must be held.
func (d disk) begin(path string, head transcriptHead) error {
	f, err := d.openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = readHead(path, f)
	if !errors.Is(err, io.EOF) {
		return err
	}
	if err := d.syncFolder(filepath.Dir(path)); err != nil { // first, as for a line
		return err
	}
	return explain(path, d.writeFrom(f, 0, func(out io.Writer) error { return writeJSON(out, head) }))
}

// writeJSON writes a value as a line, in one call.
func writeJSON(out io.Writer, value any) error {
	data, err := adminapi.JSONLine(value)
	if err != nil {
		return failed(err, "the record cannot be written: %v", err)
	}
	if len(data) >= maxLine {
		return failed(nil, "the record is too long to save: %d bytes", len(data))
	}
	_, err = out.Write(append(data, '\n'))
	return err
}

// openTranscriptFile opens a transcript to read it.
func (j *Journal) openTranscriptFile(id string) (File, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	path := j.TranscriptPath(id)
	if name, ok := transcriptID(filepath.Base(path)); !ok || name != id {
		return nil, noTranscript(fs.ErrNotExist, id)
	}
	f, err := j.disk.openPrivate(path, os.O_RDONLY)
	if absent(err) {
		return nil, noTranscript(err, id)
	}
	return f, explain(path, err)
}

func noTranscript(err error, id string) error {
	return failed(err, "there is no transcript %s on this machine", id)
}
