package batching

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
)

// batchKind is the kind of draft that names a batch while it is sent; its key is the path of its plan.
const batchKind = "batch"

// batchDraft is a batch on disk: its plan lies beside it.
type batchDraft struct {
	Part     editing.Part `json:"part"`
	Services []string     `json:"services"`       // paths of those that are sent, in their order
	Sums     []string     `json:"sums"`           // SHA-256 of what each is sent
	Began    time.Time    `json:"began,omitzero"` // of one that its program has stopped; else it is as old as its draft
	// Records is how many the log had when it began; nil where they could not be read. The clock may be set
	// back while it is sent.
	Records *int `json:"records,omitempty"`
}

// after returns the records, newest first, that were made since the batch began, and the time since when
// others count.
func (d batchDraft) after(records []journal.Record, saved time.Time) ([]journal.Record, time.Time) {
	if d.Records == nil || *d.Records > len(records) {
		return records, cmp.Or(d.Began, saved)
	}
	return records[:len(records)-*d.Records], time.Time{}
}

// Interrupted is an edit of several services that ended before all were sent: its program was killed or
// left, the user stopped it, or one of the services failed.
type Interrupted struct {
	Part  editing.Part
	Plan  string   // path of the file that holds all of it, see [ReadPlanFile]
	Sent  []string // paths of services that a request was sent to, whatever came of it
	Left  []string // of those that none was sent to
	draft journal.Draft
	kept  batchDraft
}

// Begin keeps a batch of two or more edits before the first is sent, so that the next program can
// say what was sent, and go on. What it continues of an interrupted one is no longer that one's. end
// forgets it where all of it was sent, or nothing of one that is new; what is left of another waits as that of an
// interrupted one.
func Begin(s operation.Site, edits []PlannedEdit) (end func(), err error) {
	if s.Memory.Journal == nil || len(edits) < 2 {
		return func() {}, nil
	}
	batch := batchDraft{Part: edits[0].Part}
	if records, err := s.Memory.Journal.Actions(0); err == nil {
		n := len(records)
		batch.Records = &n
	}
	for _, e := range edits {
		batch.Services, batch.Sums = append(batch.Services, e.Service.Path()), append(batch.Sums, operation.SumOf(e.Edited.Text()))
	}
	continued, _ := AllInterrupted(s.Memory) // what cannot be read is told at the next start
	continued = slices.DeleteFunc(continued, func(b Interrupted) bool { return !batch.holds(b) })
	for _, b := range continued { // what that one has sent was sent
		batch.Records = b.kept.Records
	}
	path, err := keepPlan(s, edits)
	if err != nil {
		return nil, &operation.UnrecordedError{Err: err}
	}
	if _, err = s.Memory.Journal.SaveDraft(batchKind, path, batch); err != nil {
		s.Memory.Journal.RemoveFile(path)
		return nil, &operation.UnrecordedError{Err: err}
	}
	for _, b := range continued {
		if b.Plan != path {
			_ = Forget(s.Memory, b)
		}
	}
	return func() {
		own, _ := left(s.Memory, func(d journal.Draft, _ batchDraft) bool { return d.Mine && d.Key == path }) // else the next start tells
		for _, b := range own {
			if len(b.Sent) == 0 && len(continued) == 0 {
				_ = Forget(s.Memory, b)
				continue
			}
			b.kept.Began = b.draft.Saved
			_, _ = s.Memory.Journal.SaveDraft(batchKind, path, b.kept)
		}
	}, nil
}

// keepPlan writes the plan of a batch beside the log.
func keepPlan(s operation.Site, edits []PlannedEdit) (path string, err error) {
	plan, err := planOf(s, edits)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(plan, jsontext.WithIndent("  "))
	if err != nil {
		return "", err
	}
	name := "batch-" + s.Clock.Now().UTC().Format("20060102T150405.000") + "-" + plan.Checksum[:8] + ".json"
	return s.Memory.Journal.KeepFile(name, text)
}

// holds reports whether a batch sends all that an interrupted one has not sent.
func (d batchDraft) holds(b Interrupted) bool {
	for i, path := range b.kept.Services {
		at := slices.Index(d.Services, path)
		if slices.Contains(b.Left, path) && (d.Part != b.Part || at < 0 || d.Sums[at] != b.kept.Sums[i]) {
			return false
		}
	}
	return true
}

// AllInterrupted returns the batches that were stopped in this program, and those that programs have left
// which have ended since, newest first.
func AllInterrupted(m operation.Memory) ([]Interrupted, error) {
	return left(m, func(d journal.Draft, kept batchDraft) bool {
		return d.Liveness == journal.Ended || d.Mine && !kept.Began.IsZero()
	})
}

// Elsewhere returns the batches that other programs have, which run or may run, and that are not sent whole,
// newest first.
func Elsewhere(m operation.Memory) ([]Interrupted, error) {
	return left(m, func(d journal.Draft, _ batchDraft) bool { return !d.Mine && d.Liveness != journal.Ended })
}

// left returns those of some of the batches that have not been sent whole, newest first. It forgets the others,
// except those of other programs that run.
func left(m operation.Memory, of func(journal.Draft, batchDraft) bool) (all []Interrupted, err error) {
	if m.Journal == nil {
		return nil, nil
	}
	drafts, err := m.Journal.ListDrafts(batchKind)
	if err != nil || len(drafts) == 0 {
		return nil, err
	}
	records, err := m.Journal.Actions(0)
	if err != nil { // what was sent is not known
		return nil, err
	}
	for _, d := range drafts {
		var kept batchDraft
		if d.Read(&kept) != nil || !of(d, kept) || int(kept.Part) >= len(editing.Parts) || len(kept.Sums) != len(kept.Services) {
			continue
		}
		b := Interrupted{Part: kept.Part, Plan: d.Key, draft: d, kept: kept}
		made, since := kept.after(records, d.Saved)
		for i, path := range kept.Services {
			service, err := adminapi.ParseServicePath(path)
			if err != nil {
				continue
			}
			if _, sent := operation.EditSentSince(made, editing.Target{Service: service, Part: b.Part}, kept.Sums[i], since); sent {
				b.Sent = append(b.Sent, path)
			} else {
				b.Left = append(b.Left, path)
			}
		}
		if len(b.Left) == 0 { // what became of the last is told as of any request
			if d.Mine || d.Liveness == journal.Ended {
				_ = Forget(m, b)
			}
			continue
		}
		all = append(all, b)
	}
	return all, nil
}

// Forget deletes what is kept of an interrupted batch. What was sent stays in the record.
func Forget(m operation.Memory, b Interrupted) error {
	m.Journal.RemoveFile(b.Plan)
	if b.draft.Mine {
		return m.Journal.DeleteDraft(batchKind, b.Plan)
	}
	return m.Journal.DiscardDraft(b.draft)
}

// Text says what was sent, and what was not, and which other program has it.
func (b Interrupted) Text() string {
	how := "was interrupted"
	switch d := b.draft; {
	case !d.Mine && d.Liveness == journal.Alive:
		how = "is open in another geodeck, " + d.Program.String()
	case !d.Mine && d.Liveness == journal.MaybeAlive:
		how = "may be open in another geodeck, " + d.Program.String()
	case !b.kept.Began.IsZero():
		how = "was stopped"
	}
	return fmt.Sprintf("An edit of %d services %s: %d sent, %d not sent", len(b.Sent)+len(b.Left), how, len(b.Sent), len(b.Left))
}

// Command is the command that goes on with the batch.
func (b Interrupted) Command() operation.CommandLine { return CommandOfPlan(b.Plan, b.Part) }
