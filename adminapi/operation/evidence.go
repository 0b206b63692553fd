package operation

import (
	"context"
	"io"
	"time"
)

// Evidence is what can be shown of a run to somebody who was not there.
type Evidence struct {
	Name   string    // of the file, such as geodeck-evidence-12.0.0.7286-20261120T143107Z.zip
	Made   time.Time // of every file in it
	Absent []string  // what could not be put in, a sentence each; it is in the summary too
	files  []evidenceFile
}

type evidenceFile struct {
	name    string
	content []byte
}

// GatherEvidence collects what is known of a run: a summary with phases and times,
// all messages as the API told them, the transcript, what was sent with secrets
// masked, the health reports before and after, the containers with their checksums
// where the site tells them, and the checksums of all of these. id names a
// transcript; empty is the newest run that the site tells of. The site is only
// read; what it does not tell is absent, and said so.
func (s Site) GatherEvidence(ctx context.Context, id string) (Evidence, error) {
	panic("contract only")
}

// Files lists the names of the files in it.
func (e Evidence) Files() []string { panic("contract only") }

// Write writes one zip.
func (e Evidence) Write(w io.Writer) error { panic("contract only") }
