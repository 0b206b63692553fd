package operation

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade/progress"
)

// Evidence is what can be shown of a run to somebody who was not there.
type Evidence struct {
	Name   string    // of the file, such as geodeck-evidence-12.0.0.7286-20261120T143107Z.zip
	Made   time.Time // of every file in it
	Absent []string  // what could not be put in, a sentence each; they are in the summary too
	files  []evidenceFile
	client *adminapi.Client // knows what is secret
}

type evidenceFile struct {
	name    string
	content []byte
}

// GatherEvidence collects what is known of a run: a summary with phases and times,
// all messages in the form of the API, the transcript, what was sent, the health
// reports before and after, the containers with their checksums, and the checksums of
// all of these; secrets are masked everywhere. id names a transcript; empty is the
// newest run that the site tells of. The site is only read; what it does not tell is
// absent, and said so. An error is returned only where there is no run.
func (s Site) GatherEvidence(ctx context.Context, id string) (Evidence, error) {
	run, err := s.runFor(ctx, id)
	if err != nil {
		return Evidence{}, err
	}
	e := &Evidence{Made: s.Clock.Now().UTC().Truncate(time.Second), client: s.Client}
	if n := run.Log.LeftOut(); n > 0 {
		e.absent("%d messages from the middle of the run: there were too many to keep.", n)
	}
	e.addMessages(run)
	e.addTranscript(s.Journal, run)
	e.addSent(s, run)
	e.addHealth(ctx, s, run)
	e.addContainers(ctx, s, run)
	e.addProgress(run)
	e.files = append([]evidenceFile{{"summary.md", []byte(e.client.Clean(e.summary(s, run)))}}, e.files...)
	e.files = append(e.files, evidenceFile{"SHA256SUMS", e.sums()})
	e.Name = evidenceName(run.Progress, e.Made)
	return *e, nil
}

// runFor finds the run that is asked for: a transcript, or what the site tells now
// together with a transcript of the same run.
func (s Site) runFor(ctx context.Context, id string) (UpgradeReading, error) {
	if id != "" {
		if s.Journal == nil {
			return UpgradeReading{}, fmt.Errorf("there is no journal, so there is no transcript %q", id)
		}
		return s.Replay(id)
	}
	status, err := s.Client.UpgradeStatus(ctx)
	if err != nil {
		return UpgradeReading{}, err
	}
	merger := progress.NewMergerWithin(s.logBudget())
	merger.Merge(storable(status.Messages))
	r := UpgradeReading{Status: status, Meaning: progress.StateOf(status), At: s.Clock.Now()}
	r.Ahead, _ = s.Client.ServerTime()
	if of := runIn(merger.Log()); merger.Log().Len() > 0 {
		r.Transcript = s.restore(merger, of)
	}
	r.Log = merger.Log()
	r.Progress = progress.Of(r.Log, r.Meaning)
	r.Usual = s.usual(r.Progress.Kind, r.Transcript)
	if r.Log.Len() == 0 {
		return r, fmt.Errorf("the site tells of no upgrade (%s), so there is nothing to show", r.Meaning)
	}
	return r, nil
}

// restore adds to a log what a transcript of the run holds, and names it.
func (s Site) restore(merger *progress.Merger, of journal.TranscriptOf) (id string) {
	runs, _ := s.WatchedRuns() // without a journal, or a damaged one, there is none
	for _, run := range runs {
		if run.Began != of.Began || run.Start != of.Start {
			continue
		}
		if _, lines, err := s.Journal.ReadTranscript(run.ID); err == nil {
			merger.Restore(messagesIn(lines))
			return run.ID
		}
	}
	return ""
}

// add adds a file, with secrets masked once more: a transcript may be from a time
// when less of them was known.
func (e *Evidence) add(name string, content []byte) {
	switch path.Ext(name) {
	case ".json", ".jsonl":
		content = e.client.CleanJSON(content)
	default:
		content = []byte(e.client.Clean(string(content)))
	}
	e.files = append(e.files, evidenceFile{name, content})
}

func (e *Evidence) absent(format string, args ...any) {
	e.Absent = append(e.Absent, fmt.Sprintf(format, args...))
}

// Files lists the names of the files in it.
func (e Evidence) Files() []string {
	names := make([]string, len(e.files))
	for i, f := range e.files {
		names[i] = f.name
	}
	return names
}

// Write writes one zip.
func (e Evidence) Write(w io.Writer) error {
	archive := zip.NewWriter(w)
	for _, f := range e.files {
		in, err := archive.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: e.Made})
		if err != nil {
			return err
		}
		if _, err := in.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// sums are the checksums of all files so far, in the form that sha256sum checks.
func (e *Evidence) sums() []byte {
	var out bytes.Buffer
	for _, f := range e.files {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(f.content), f.name)
	}
	return out.Bytes()
}

func evidenceName(p progress.Progress, made time.Time) string {
	version := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, p.To)
	if version == "" {
		version = "upgrade"
	}
	return "geodeck-evidence-" + version + "-" + made.Format("20060102T150405Z") + ".zip"
}

// ended is when a run has ended, zero while it goes on or nobody knows.
func ended(r UpgradeReading) adminapi.Millis {
	if r.Meaning == progress.StateSucceeded || r.Meaning == progress.StateFailed {
		return r.Progress.Last
	}
	return 0
}
