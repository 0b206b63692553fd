package operation

import (
	"geodeck/adminapi/journal"
)

// WatchedRuns returns the runs of which this machine keeps a transcript, the newest
// first.
func (s Site) WatchedRuns() ([]journal.TranscriptSummary, error) { panic("contract only") }

// Unfinished returns the newest transcript where its run has not been seen to end,
// false otherwise: the watch of it was cut off, and can be resumed.
func (s Site) Unfinished() (journal.TranscriptSummary, bool, error) { panic("contract only") }

// Replay returns the last reading of a transcript, with its log and its progress, as
// the watch would have returned it. At is when it was written.
func (s Site) Replay(id string) (UpgradeReading, error) { panic("contract only") }
