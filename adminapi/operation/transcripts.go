package operation

import (
	"cmp"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade/progress"
)

// maxPast bounds the earlier runs that the usual times are computed from.
const maxPast = 10

// WatchedRuns returns the runs with a transcript on this machine, newest first. Damaged ones
// are left out; the error names the first of them.
func (s Memory) WatchedRuns() ([]journal.TranscriptSummary, error) {
	if s.Journal == nil {
		return nil, nil
	}
	return s.Journal.Transcripts()
}

// Unfinished returns the newest transcript if the end of its run was not seen: its watch was
// cut off, and can be resumed.
func (s Memory) Unfinished() (journal.TranscriptSummary, bool, error) {
	runs, err := s.WatchedRuns()
	if len(runs) == 0 || runs[0].Ended {
		return journal.TranscriptSummary{}, false, err
	}
	return runs[0], true, nil
}

// Dismiss closes a transcript, so that it is not offered again. It stays on disk.
func (s Memory) Dismiss(id string) error {
	summary, _, err := s.Journal.ReadTranscript(id)
	if err != nil {
		return err
	}
	transcript, err := s.Journal.OpenTranscript(summary.TranscriptRun)
	if err != nil {
		return err
	}
	return transcript.Append(journal.TranscriptLine{Ended: true})
}

// RunResult says how a watched run ended, and reports whether its success or failure was seen.
// Where it was not, it says what was seen last: a transcript that was dismissed has ended too.
func RunResult(t journal.TranscriptSummary) (result string, seen bool) {
	if seen = t.Ended && (t.Meaning == progress.StateSucceeded.String() || t.Meaning == progress.StateFailed.String()); seen {
		return t.Meaning, true
	}
	unknown := progress.StateUnknown.String()
	if cmp.Or(t.Meaning, unknown) == unknown {
		return "state unknown", false
	}
	return "last seen " + t.Meaning, false
}

// SeenFailed returns when a watch saw that its run had failed, by the server's clock; zero where
// it did not.
func SeenFailed(run journal.TranscriptSummary) adminapi.Millis {
	if !run.Ended || run.Meaning != progress.StateFailed.String() {
		return 0
	}
	return adminapi.MillisOf(run.Last.Add(run.Ahead))
}

// FailedBy returns when the run that began at a time was seen to have failed, by its transcript.
func (s Memory) FailedBy(began adminapi.Millis) adminapi.Millis {
	runs, _ := s.WatchedRuns() // damaged ones do not count
	for _, run := range runs {
		if by := SeenFailed(run); by > 0 && run.Began == began {
			return by
		}
	}
	return 0
}

// ReadTranscript reads a transcript, and the log of its messages.
func (s Memory) ReadTranscript(id string, client *adminapi.Client) (summary journal.TranscriptSummary, lines []journal.TranscriptLine, log progress.Log, err error) {
	summary, lines, err = s.Journal.ReadTranscript(id)
	merger := progress.NewMerger(s.LogBudget())
	merger.Restore(MessagesIn(lines, client))
	return summary, lines, merger.Log(), err
}

// LogBudget bounds a log in memory as its transcript on disk.
func (s Memory) LogBudget() progress.Budget {
	if s.Journal == nil {
		return progress.LogBudget
	}
	return progress.Budget(s.Journal.TranscriptBudget())
}

// Usual returns how long runs of a kind take, by the transcripts of those that succeeded and
// began before a run, which is no history of itself; zero for all.
func (s Memory) Usual(kind progress.RunKind, before adminapi.Millis) progress.UsualTimes {
	runs, _ := s.WatchedRuns() // damaged ones do not count
	var past []progress.PastRun
	for _, run := range runs {
		if run.Began >= before && !before.IsZero() || !run.Ended || run.Meaning != progress.StateSucceeded.String() {
			continue
		}
		_, _, log, err := s.ReadTranscript(run.ID, nil)
		if err != nil {
			continue
		}
		past = append(past, progress.Of(log, progress.StateSucceeded).PastRun(true))
		if len(past) == maxPast {
			break
		}
	}
	return progress.UsualTimesOf(kind, past)
}

// MessagesIn returns the messages of a transcript in their order, as they would arrive now: with a
// mask in place of the secrets that a client knows, nil for none.
func MessagesIn(lines []journal.TranscriptLine, client *adminapi.Client) []progress.Message {
	var all []progress.Message
	for _, line := range lines {
		all = slices.Grow(all, len(line.Messages))
		for _, m := range line.Messages {
			if client != nil {
				mask := client.Secrets()
				m.Message, m.Unknown = mask.Text(m.Message, secrets.InKept), mask.JSON(m.Unknown, secrets.InKept)
			}
			all = append(all, m)
		}
	}
	return all
}

// keptDismissed is the kind of what is kept of the end of a run that is not shown again.
const keptDismissed = "dismissed end"

// DismissEnd keeps that the end of the run that began at a time, and of those before it, was seen.
func (s Memory) DismissEnd(now time.Time, began adminapi.Millis) error {
	if s.Journal == nil {
		return nil
	}
	return s.Journal.SaveSnapshot(keptDismissed, now, 0, began)
}

// DismissedEnd returns when the newest run began whose end was dismissed; zero for none, and where
// that cannot be read.
func (s Memory) DismissedEnd() (began adminapi.Millis) {
	if s.Journal == nil {
		return 0
	}
	if snapshot, err := s.Journal.Snapshot(keptDismissed); err != nil || snapshot.Decode(&began) != nil {
		return 0
	}
	return began
}
