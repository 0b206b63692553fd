package operation

import (
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade/progress"
)

// mostPast bounds how many earlier runs the usual times are made of: the newest
// ones, for a site changes.
const mostPast = 10

// WatchedRuns returns the runs of which this machine keeps a transcript, the newest
// first. What is damaged is left out; the error names the first of it.
func (s Site) WatchedRuns() ([]journal.TranscriptSummary, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.Transcripts()
}

// Unfinished returns the newest transcript where its run has not been seen to end,
// false otherwise: the watch of it was cut off, and can be resumed.
func (s Site) Unfinished() (journal.TranscriptSummary, bool, error) {
	runs, err := s.WatchedRuns()
	if len(runs) == 0 || runs[0].Ended {
		return journal.TranscriptSummary{}, false, err
	}
	return runs[0], true, nil
}

// Dismiss closes a transcript whose end nobody wants to hear of any more: it is not
// offered again. What it holds stays.
func (s Site) Dismiss(id string) error {
	summary, _, err := s.Journal.ReadTranscript(id)
	if err != nil {
		return err
	}
	transcript, err := s.Journal.OpenTranscript(summary.TranscriptOf)
	if err != nil {
		return err
	}
	return transcript.Append(journal.TranscriptLine{Ended: true})
}

// Replay returns the last reading of a transcript, with its log and its progress, as
// the watch would have returned it. At is when it was written.
func (s Site) Replay(id string) (UpgradeReading, error) {
	summary, lines, err := s.Journal.ReadTranscript(id)
	if err != nil {
		return UpgradeReading{}, err
	}
	merger := progress.NewMergerWithin(s.logBudget())
	merger.Restore(messagesIn(lines))
	r := UpgradeReading{
		Status: lastStatus(lines), At: summary.Last, Seen: true, Ended: summary.Ended,
		Ahead: lastAhead(lines), Log: merger.Log(), Transcript: id, Resumed: true,
	}
	r.Meaning = progress.StateOf(r.Status)
	r.Progress = progress.Of(r.Log, r.Meaning)
	r.Usual = s.usual(r.Progress.Kind, id)
	return r, nil
}

// logBudget is how much of a log is kept: as much as of its transcript.
func (s Site) logBudget() progress.Budget {
	if s.Journal == nil {
		return progress.LogBudget
	}
	return progress.Budget(s.Journal.TranscriptBudget())
}

// usual returns how long runs of a kind take here, by the transcripts of those that
// have succeeded; except names one that is left out.
func (s Site) usual(kind progress.RunKind, except string) progress.Usual {
	runs, _ := s.WatchedRuns() // what is damaged tells nothing
	var past []progress.Past
	for _, run := range runs {
		if run.ID == except || !run.Ended || run.Meaning != progress.StateSucceeded.String() {
			continue
		}
		_, lines, err := s.Journal.ReadTranscript(run.ID)
		if err != nil {
			continue
		}
		merger := progress.NewMergerWithin(s.logBudget())
		merger.Restore(messagesIn(lines))
		past = append(past, progress.Of(merger.Log(), progress.StateSucceeded).Past(true))
		if len(past) == mostPast {
			break
		}
	}
	return progress.UsualOf(kind, past)
}

// usual looks once for each kind: the transcripts of earlier runs do not change.
func (r *recording) usual(kind progress.RunKind) progress.Usual {
	if kind != "" && kind != r.usualOf && r.site.Journal != nil {
		r.usualOf, r.usualTimes = kind, r.site.usual(kind, r.id())
	}
	return r.usualTimes
}

// messagesIn returns the messages of a transcript in the order in which they were
// kept.
func messagesIn(lines []journal.TranscriptLine) []progress.Message {
	var all []progress.Message
	for _, line := range lines {
		all = slices.Grow(all, len(line.Messages))
		for _, m := range line.Messages {
			all = append(all, progress.Message{UpgradeMessage: m.UpgradeMessage, Nth: m.Nth})
		}
	}
	return all
}

// lastAhead returns the newest difference of the clocks that a transcript tells of.
func lastAhead(lines []journal.TranscriptLine) time.Duration {
	for _, line := range slices.Backward(lines) {
		if line.Ahead != 0 {
			return line.Ahead
		}
	}
	return 0
}

// lastStatus returns the newest state that a transcript tells of.
func lastStatus(lines []journal.TranscriptLine) adminapi.UpgradeStatus {
	for _, line := range slices.Backward(lines) {
		if line.Meaning != "" {
			return adminapi.UpgradeStatus{State: line.State, Code: line.Code}
		}
	}
	return adminapi.UpgradeStatus{}
}
