package journal

import (
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
	Last     time.Time // of the last line
	State    string
	Meaning  string
	Messages int
	Ended    bool
}

// Transcript is the record of one run that is being watched. Several programs may
// write to the same one.
type Transcript struct{}

// OpenTranscript opens the transcript of a run, or makes it.
func (j *Journal) OpenTranscript(of TranscriptOf) (*Transcript, error) { panic("contract only") }

// ID names the transcript in its journal.
func (t *Transcript) ID() string { panic("contract only") }

// Append adds a line and returns when it is on disk. Long lists of messages become
// several lines.
func (t *Transcript) Append(line TranscriptLine) error { panic("contract only") }

// Transcripts returns all transcripts, the newest run first. Damaged files are left
// out; the error names the first of them beside what could be read.
func (j *Journal) Transcripts() ([]TranscriptSummary, error) { panic("contract only") }

// ReadTranscript gives the summary of a transcript and its lines in the order in
// which they were written. A last line that was cut off by a crash is left out. A
// message that two writers have kept comes once.
func (j *Journal) ReadTranscript(id string) (TranscriptSummary, []TranscriptLine, error) {
	panic("contract only")
}

// TranscriptPath is the file of a transcript.
func (j *Journal) TranscriptPath(id string) string { panic("contract only") }
