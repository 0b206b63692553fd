package journal

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

var _ adminapi.WriteObserver = (*Journal)(nil)

// longestMessage is the most that is kept of an error or a note, in bytes.
const longestMessage = 4 << 10

// BeforeWrite records a write that is about to be sent, on disk. After an error
// it must not be sent, for nobody would know of it. What changes a target is not sent
// without a claim on that: see [Journal.Claim].
func (j *Journal) BeforeWrite(w adminapi.Write) error {
	claim, claimed := j.claims.of(w.Target)
	if w.Target != "" && !claimed {
		return failed(nil, "another request may be changing this: %s", w.Target)
	}
	id := j.writes.begin(j.run, w)
	return j.log(entry{
		Event: eventBefore, ID: id, Operation: w.Operation, Path: maskText(w.Path), Fields: storable(w.Fields),
		Target: w.Target, Subject: sentence(maskText(claim.subject)), By: claim.by,
	})
}

// AfterWrite records what became of a write. Where that cannot be stored the
// write stays pending, and [Journal.Problem] says why.
func (j *Journal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	id, begun := j.writes.end(w)
	if !begun {
		id = j.writes.begin(j.run, w)
		j.writes.end(w)
	}
	// Operation and path are told again, for a write whose line before could not
	// be stored.
	e := entry{Event: eventAfter, ID: id, Operation: w.Operation, Path: maskText(w.Path), Target: w.Target, Outcome: outcome.String()}
	if err != nil {
		api, answered := errors.AsType[*adminapi.Error](err)
		e.Explicit = answered && api.Explicit
		if kind, known := adminapi.KindOf(err); known {
			e.Kind = kind.String()
		}
		e.Message = sentence(without(secretsIn(w.Fields), err.Error()))
	}
	j.writes.setProblem(j.log(e))
}

// Problem returns the last failure to record an outcome, nil since one was
// recorded.
func (j *Journal) Problem() error { return j.writes.lastProblem() }

// Resolve records what was found out later of a write whose outcome was not
// known: how is a sentence for the reader, such as "the upgrade runs".
func (j *Journal) Resolve(id string, outcome adminapi.Outcome, how string) error {
	return j.logOfOpen(entry{Event: eventResolved, ID: id, Outcome: outcome.String(), Note: sentence(maskText(how))})
}

// Override records that the next write on the target of this one may be sent though its
// outcome is not known: why is a sentence for the reader, such as who said so.
func (j *Journal) Override(id, why string) error {
	return j.logOfOpen(entry{Event: eventOverride, ID: id, Note: sentence(maskText(why))})
}

// logOfOpen appends a line about a write whose outcome is not known. That is looked at
// under the lock: of two programs that find it out at once the first is right.
func (j *Journal) logOfOpen(e entry) error {
	return j.locked(func() error {
		if err := j.isUnknown(e.ID); err != nil {
			return err
		}
		return j.appendEntry(e)
	})
}

func (j *Journal) isUnknown(id string) error {
	records, err := j.records()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(records, func(r Record) bool { return r.ID == id })
	switch {
	case at < 0:
		return failed(nil, "the journal has no write %s", id)
	case records[at].Outcome != adminapi.OutcomeUnknown:
		return failed(nil, "the outcome of %s is known already: %s", id, records[at].Outcome)
	}
	return nil
}

// Actions returns the newest writes first, at most limit of them, all of them
// with a limit of 0. Lines that cannot be read are left out; see [Journal.Verify].
func (j *Journal) Actions(limit int) ([]Record, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	records, err := j.records()
	if err != nil {
		return nil, err
	}
	slices.Reverse(records)
	if limit > 0 && limit < len(records) {
		records = records[:limit]
	}
	return records, nil
}

// records reads all writes, the oldest first.
func (j *Journal) records() ([]Record, error) {
	var records []Record
	at := map[string]int{}
	err := eachLine(j.actionsPath(), func(_ int, line []byte) bool {
		var e entry
		if json.Unmarshal(line, &e) != nil || e.ID == "" {
			return true
		}
		index, known := at[e.ID]
		if !known {
			index = len(records)
			at[e.ID] = index
			records = append(records, Record{})
		}
		e.fill(&records[index])
		return true
	})
	return records, err
}

// Pending returns the writes without an outcome, newest first: a program ended
// between sending and recording, or one is still waiting for its answer.
func (j *Journal) Pending() ([]Record, error) {
	records, err := j.Actions(0)
	return slices.DeleteFunc(records, func(r Record) bool { return !r.Pending() }), err
}

// OpenOn returns the writes on a target of which nobody knows what became, newest first;
// with an empty target those on all targets. See [Record.Open].
func (j *Journal) OpenOn(target string) ([]Record, error) {
	records, err := j.Actions(0)
	return slices.DeleteFunc(records, func(r Record) bool { return !r.Open() || target != "" && r.Target != target }), err
}

// Verify reads the whole log of writes and returns the number of the first line
// that was changed, or that follows a line that was removed or added; 0 where
// the log is as it was written. A last line that was cut off by a crash is no
// change: nothing was ever sent on its strength. Lines removed from the end
// cannot be noticed.
func (j *Journal) Verify() (line int, err error) {
	err = j.locked(func() error {
		previous := j.firstLink()
		return eachLine(j.actionsPath(), func(number int, text []byte) bool {
			if !follows(text, previous) {
				line = number
				return false
			}
			previous = linkOf(text)
			return true
		})
	})
	return line, err
}

func (j *Journal) actionsPath() string { return filepath.Join(j.folder, "actions.jsonl") }

// firstLink begins the chain, so that the log of another site does not fit.
func (j *Journal) firstLink() string { return hashOf([]byte(j.site)) }

// log appends a line to the log of writes.
func (j *Journal) log(e entry) error {
	return j.locked(func() error { return j.appendEntry(e) })
}

// appendEntry appends a line. The lock must be held: so lines are in the order of their
// times.
func (j *Journal) appendEntry(e entry) error {
	e.Time = j.clock.Now().UTC()
	return appendLine(j.actionsPath(), func(last []byte) ([]byte, error) {
		previous := j.firstLink()
		if last != nil {
			previous = linkOf(last)
		}
		return e.line(previous)
	})
}

// sentence makes one line of a text, of a length that is worth keeping.
func sentence(text string) string { return shortened(plain.Line(text), longestMessage) }

// shortened returns a text in at most so many bytes.
func shortened(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(mark)], "") + mark
}
