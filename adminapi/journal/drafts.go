package journal

import (
	"errors"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
)

// ErrNoDraft says that a draft is not there any more: it was sent or discarded, or
// another program goes on with it.
var ErrNoDraft = errors.New("the draft is not there any more: it was sent or discarded, or somebody else goes on with it")

// HeldError says that a program which runs, or may, has the edit.
type HeldError struct{ Draft Draft }

// Error names who has it.
func (e *HeldError) Error() string { return e.Draft.Program.Who() + " has this edit open" }

// SaveDraft keeps value, as JSON, as this program's draft of a kind (such as
// "upgrade settings") and key (such as the id of the update), in place of what it
// saved before. Drafts of other programs stay as they are. It is the caller's duty to
// give no secret and no content of a file: its path will do.
//
// holder is the draft of another program that has the edit: then this one is kept
// beside it. It is nil where this program has the edit.
func (j *Journal) SaveDraft(kind, key string, value any) (holder *Draft, err error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, failed(err, "the draft cannot be written as JSON: %v", err)
	}
	err = j.locked(func() error {
		mine, others, err := j.ownAndOthers(kind, key)
		if err != nil {
			return err
		}
		now := j.clock.Now().UTC()
		holder = rival(mine, others)
		if mine == nil {
			mine = &Draft{Kind: kind, Key: key, Since: now}
		}
		if holder == nil {
			mine.turn = nextTurn(others, mine.turn)
		}
		mine.Saved, mine.value = now, content
		_, err = j.writeDraft(*mine)
		return err
	})
	return holder, err
}

// TakeDraft gives the edit of a draft that [Journal.Drafts] has told of to this
// program, and returns its own draft: with the text of the other, or with its own
// where it has one. The draft of a program that runs, or may, stays; one that was
// left is gone on with. It is [ErrNoDraft] where it is gone, and a [*HeldError] where
// a program has the edit that from does not tell of.
func (j *Journal) TakeDraft(from Draft) (taken Draft, err error) {
	err = j.locked(func() error {
		mine, others, err := j.ownAndOthers(from.Kind, from.Key)
		if err != nil {
			return err
		}
		now := same(others, from)
		switch holder := rival(mine, others); {
		case holder != nil && (holder.name != from.name || from.Life == Ended):
			return &HeldError{*holder}
		case now == nil:
			return ErrNoDraft
		case now.Damaged != nil:
			return now.Damaged
		}
		adopts := mine == nil
		if adopts {
			mine = &Draft{Kind: from.Kind, Key: from.Key, Since: j.clock.Now().UTC(), Saved: now.Saved, value: now.value}
		}
		mine.turn = nextTurn(others, mine.turn)
		if taken, err = j.writeDraft(*mine); err != nil {
			return err
		}
		if adopts && !now.running() {
			return removeDraft(now.name)
		}
		return nil
	})
	return taken, err
}

// DiscardDraft removes a draft that [Journal.Drafts] has told of, of a program that
// does not run. There being none is no error. It is a [*HeldError] where the program
// runs, or has saved since. A damaged one is kept under another name.
func (j *Journal) DiscardDraft(d Draft) error {
	return j.locked(func() error {
		_, others, err := j.ownAndOthers(d.Kind, d.Key)
		now := same(others, d)
		switch {
		case err != nil || now == nil:
			return err
		case now.Damaged != nil:
			return setAside(*now)
		case now.Life == Alive, !now.Saved.Equal(d.Saved):
			return &HeldError{*now}
		}
		return removeDraft(now.name)
	})
}

// DeleteDraft removes this program's draft; there being none is no error.
func (j *Journal) DeleteDraft(kind, key string) error {
	return j.locked(func() error { return removeDraft(j.draftPath(kind, key)) })
}

// Drafts returns all drafts of a key: this program's first, then those of programs
// that run, then those that were left, the newest first. Damaged ones are last.
func (j *Journal) Drafts(kind, key string) (drafts []Draft, err error) {
	err = j.locked(func() error {
		drafts, err = j.draftsOf(kind, key)
		return err
	})
	return drafts, err
}

// ListDrafts returns the drafts of a kind, of all programs, newest first. Damaged
// ones are left out.
func (j *Journal) ListDrafts(kind string) ([]Draft, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	paths, err := j.draftFiles(kind, "")
	var drafts []Draft
	for _, path := range paths {
		if d := j.readDraft(path); d.Damaged == nil && d.Kind == kind {
			drafts = append(drafts, d)
		}
	}
	slices.SortStableFunc(drafts, func(a, b Draft) int { return b.Saved.Compare(a.Saved) })
	return drafts, err
}

// ownAndOthers reads the drafts of a key, to write one; mine is nil where this
// program has none that can be read.
func (j *Journal) ownAndOthers(kind, key string) (mine *Draft, others []Draft, err error) {
	drafts, err := j.draftsOf(kind, key)
	for _, d := range drafts {
		switch {
		case !d.Mine:
			others = append(others, d)
		case d.Damaged == nil:
			mine = &d
		case d.junk:
			err = errors.Join(err, setAside(d))
		default:
			err = errors.Join(err, d.Damaged)
		}
	}
	return mine, others, err
}

// setAside gives a damaged draft a name that nothing reads or replaces: somebody may
// make something of it.
func setAside(d Draft) error { return explain(d.name, os.Rename(d.name, d.name+".damaged")) }

// rival is the draft of another program that has the edit; mine is nil for none.
func rival(mine *Draft, others []Draft) *Draft {
	holder := Holder(others)
	if holder == nil || mine != nil && mine.before(*holder) {
		return nil
	}
	return holder
}

// same finds a draft that was told of before.
func same(drafts []Draft, told Draft) *Draft {
	at := slices.IndexFunc(drafts, func(d Draft) bool { return d.name == told.name })
	if at < 0 {
		return nil
	}
	return &drafts[at]
}

// nextTurn is a turn after those of others, the same where it is so already.
func nextTurn(others []Draft, turn int) int {
	for _, o := range others {
		turn = max(turn, o.turn+1)
	}
	return max(turn, 1)
}
