package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"geodeck/adminapi"
)

// TranscriptOf says which run a transcript is of. Two runs differ in Began or in
// Start.
type TranscriptOf struct {
	Began adminapi.Millis // of its first message, by the server's clock; zero where none was told
	Start string          // text of its 2010; empty where none was told
	From  string          // versions; empty where not told
	To    string
	Here  bool // it was started by this journal's user, on this machine
}

// TranscriptMessage is a message and which of the equal ones it is, from 1.
type TranscriptMessage struct {
	adminapi.UpgradeMessage
	Nth int
}

// TranscriptLine is what one reading, or the lack of one, has added.
type TranscriptLine struct {
	Time     time.Time // by this machine's clock; set when it is written
	State    string    // where it has changed, as the site says it
	Code     int
	Meaning  string        // of the state, such as "in progress"
	Ahead    time.Duration // the server's clock less ours, with the first line of a writer
	Messages []TranscriptMessage
	Away     string // the API went away: why, in a sentence without secrets
	Back     bool   // and came back
	Ended    bool   // the run has ended
}

// TranscriptSummary is a transcript in a list.
type TranscriptSummary struct {
	TranscriptOf
	ID       string // names it in this journal
	Opened   time.Time
	Last     time.Time // of the last line; that of Opened without one
	State    string
	Meaning  string
	Messages int
	LeftOut  int  // messages that are not in it any more, because there were too many
	Ended    bool // one of its lines says so
	Damaged  int  // lines that cannot be read and are left out, as far as it was read
}

// Transcript is the record of one run that is being watched. Several programs may
// write to the same one. It is safe for concurrent use.
type Transcript struct {
	journal *Journal
	id      string
	here    bool
	known   known // guarded by the lock of the journal
}

// OpenTranscript opens the transcript of a run, or makes it. Where nothing is told
// of a run yet (neither Began nor Start) it is taken for the one of the newest
// transcript, if nothing is told there either and no end was seen.
func (j *Journal) OpenTranscript(of TranscriptOf) (*Transcript, error) {
	of = storableRun(of)
	t := &Transcript{journal: j, here: of.Here}
	err := j.locked(func() error {
		if err := privateFolder(j.transcriptFolder()); err != nil {
			return err
		}
		now := j.clock.Now().UTC()
		if t.id = of.id(); of.untold() {
			t.id = j.untoldID(now)
		}
		return begin(j.TranscriptPath(t.id), headOf(of, now))
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ID names the transcript in its journal.
func (t *Transcript) ID() string { return t.id }

// Append adds a line and returns when it is on disk. Long lists of messages become
// several lines. Messages that the transcript has already, from whatever writer,
// are not written again, nor is a line that tells nothing else. Secrets in texts
// are masked; of a text of more than half a megabyte the beginning is kept. The errors
// are sentences: nothing of the line is kept then, and it can be given again. An
// empty line is not written, but says whether the file could be.
//
// Of a transcript that grows beyond its budget the middle is left out: the beginning of the
// run and the newest messages stay, and a message with LeftOut stands between them.
func (t *Transcript) Append(line TranscriptLine) error {
	path := t.journal.TranscriptPath(t.id)
	return t.journal.locked(func() error {
		f, err := openPrivate(path, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			return failed(err, "the transcript is gone: %s", path)
		}
		if err != nil {
			return explain(path, err)
		}
		defer f.Close()
		if err := t.known.catchUp(path, f); err != nil {
			return explain(path, err)
		}
		line.Time = t.journal.clock.Now().UTC()
		err = t.known.write(f, line, t.here)
		if err == nil && t.known.end > t.journal.budget {
			// The line is kept also where the rest cannot be shortened; that is tried
			// again with the next one.
			_ = t.known.leaveOut(path, f, t.journal.budget)
		}
		return explain(path, err)
	})
}

// TranscriptPath is the file of a transcript, whether there is one or not.
func (j *Journal) TranscriptPath(id string) string {
	return filepath.Join(j.transcriptFolder(), filepath.Base(id)+transcriptEnding)
}

const transcriptEnding = ".jsonl"

func (j *Journal) transcriptFolder() string { return filepath.Join(j.folder, "transcripts") }

// transcriptID returns the id of a file, and false for what is no transcript by
// its name.
func transcriptID(name string) (string, bool) {
	id, ok := strings.CutSuffix(name, transcriptEnding)
	return id, ok && id != "" && id[0] != '.'
}
