package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

var _ adminapi.WriteObserver = (*Journal)(nil)

// maxMessage bounds the text of an error or a note, in bytes.
const maxMessage = 4 << 10

// BeforeWrite records on disk a write that is about to be sent. After an error it must not be
// sent. A write that changes a target needs a claim on it, see [Journal.Claim].
func (j *Journal) BeforeWrite(w adminapi.Write) error {
	whole, part := partOf[w.Kind]
	held, _ := j.claims.Load(cmp.Or(w.Target, whole))
	claim, claimed := held.(*claimInfo)
	if w.Target != "" && !claimed {
		return failed(nil, "another request may be changing this: %s", w.Target)
	}
	if !claimed {
		claim = &claimInfo{}
	}
	id := j.writes.begin(j.run, w)
	e := entry{Event: eventBefore, Record: Record{
		ID: id, Kind: w.Kind, Operation: w.Operation, Path: maskText(w.Path), Fields: storable(w.Fields), Target: w.Target,
		Subject: sentence(maskText(claim.subject)), By: j.signature(), User: sentence(w.User),
		Sender: j.sent(), Accepted: claim.accepted, Program: j.version, Server: w.Server,
	}}
	return j.locked(func() error {
		err := j.appendEntry(e)
		if err == nil && !part {
			claim.recorded(j.disk, id)
		}
		return err
	})
}

// partOf are the targets of the changes that writes without one are a part of: the files of an upgrade are
// uploaded under its claim, and their records say which start they belong to.
var partOf = map[adminapi.WriteKind]string{adminapi.WriteUpload: adminapi.TargetSite, adminapi.WriteUploadDeletion: adminapi.TargetSite}

// AfterWrite records the outcome of a write. Where that fails the write stays pending, and
// [Journal.Problem] says why.
func (j *Journal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	id, begun := j.writes.end(w)
	if !begun {
		id = j.writes.begin(j.run, w)
		j.writes.end(w)
	}
	// Operation and path come again, in case the line before could not be stored.
	e := entry{Event: eventAfter, Outcome: outcome.String(), Record: Record{
		ID: id, Kind: w.Kind, Operation: w.Operation, Path: maskText(w.Path), Target: w.Target,
	}}
	if err != nil {
		api, answered := errors.AsType[*adminapi.Error](err)
		e.Explicit = answered && api.Explicit
		if kind, known := adminapi.KindOf(err); known {
			e.ErrorKind = kind.String()
		}
		e.Message = sentence(without(secretsIn(w.Fields), err.Error()))
	}
	err = j.locked(func() error { return j.appendEntry(e) })
	j.writes.mu.Lock()
	defer j.writes.mu.Unlock()
	j.writes.problem = err
}

// Problem returns why the last outcome could not be recorded, nil where it was.
func (j *Journal) Problem() error {
	j.writes.mu.Lock()
	defer j.writes.mu.Unlock()
	return j.writes.problem
}

// Settle records how the work ended that an accepted write began: because is a sentence for the
// reader without its end, such as "job j1 ended as FAILED". A verdict that is recorded already
// stays.
func (j *Journal) Settle(id string, verdict Verdict, because string) error {
	return j.locked(func() error {
		r, err := j.recordOf(id)
		switch {
		case err != nil:
			return err
		case r.Outcome != adminapi.OutcomeDone:
			return failed(nil, "%s was not accepted as far as is known: %s", id, r.Outcome)
		case r.Verdict != "": // who saw the end first is right
			return nil
		}
		return j.appendEntry(entry{Event: eventSettled, Record: Record{
			ID: id, Verdict: verdict, Because: sentence(maskText(because)),
		}})
	})
}

// Resolve records the outcome of a write whose outcome was unknown: how is a sentence for the
// reader, such as "the upgrade runs".
func (j *Journal) Resolve(id string, outcome adminapi.Outcome, how string) error {
	return j.logOpen(entry{Event: eventResolved, Outcome: outcome.String(), Record: Record{
		ID: id, Note: sentence(maskText(how)),
	}})
}

// Override records that the next write on the target of this one may be sent although its
// outcome is unknown: why is a sentence for the reader.
func (j *Journal) Override(id, why string) error {
	return j.logOpen(entry{Event: eventOverride, Record: Record{ID: id, Note: sentence(maskText(why))}})
}

// logOpen appends a line about a write of unknown outcome. It checks that under the lock: of
// two programs that find it out at once, the first is right.
func (j *Journal) logOpen(e entry) error {
	return j.locked(func() error {
		r, err := j.recordOf(e.ID)
		switch {
		case err != nil:
			return err
		case r.Outcome != adminapi.OutcomeUnknown:
			return failed(nil, "the outcome of %s is known already: %s", e.ID, r.Outcome)
		}
		return j.appendEntry(e)
	})
}

// recordOf reads the record of a write by its id.
func (j *Journal) recordOf(id string) (Record, error) {
	records, err := j.records()
	at := slices.IndexFunc(records, func(r Record) bool { return r.ID == id })
	switch {
	case err != nil:
		return Record{}, err
	case at < 0:
		return Record{}, failed(nil, "the journal has no write %s", id)
	}
	return records[at], nil
}

// Actions returns the writes, newest first, at most limit (0: all). A line that was changed
// since it was written gives no outcome. One that may have been a write counts as a write of
// unknown outcome, on [AnyTarget].
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

// records reads all writes, oldest first.
func (j *Journal) records() ([]Record, error) {
	var records []Record
	at := map[string]int{}
	var last time.Time // of the lines so far
	err := j.disk.eachLine(j.actionsPath(), func(number int, line []byte) bool {
		e, intact := readEntry(line)
		if !intact {
			_, begun := at[e.ID]
			if len(bytes.TrimSpace(line)) == 0 && line != nil || begun && e.Event != eventBefore {
				return true // nothing, or an outcome that is unknown without it
			}
			e = e.damaged(number, begun)
			e.Time = last
		}
		last = e.Time
		index, known := at[e.ID]
		if !known {
			index = len(records)
			at[e.ID] = index
			records = append(records, Record{})
		}
		e.fill(&records[index])
		return true
	})
	var next time.Time
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if r.Time.IsZero() { // the first lines were damaged: it was sent before the next one, and before its outcome came
			if r.Time = cmp.Or(next, r.Finished); !r.Finished.IsZero() && r.Finished.Before(r.Time) {
				r.Time = r.Finished
			}
		}
		next = r.Time
	}
	return records, err
}

// RecordLine is one line of the log about a write.
type RecordLine struct {
	Number int       // in the log, from 1
	Event  string    // before, after, resolved or overridden
	Time   time.Time // when it was written
	Intact bool      // as it was written
	JSON   []byte    // the line itself
}

// RecordLines returns the lines of the log about one write, oldest first.
func (j *Journal) RecordLines(id string) ([]RecordLine, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	var lines []RecordLine
	err := j.disk.eachLine(j.actionsPath(), func(number int, line []byte) bool {
		if !bytes.Contains(line, []byte(id)) && id != damagedName(number) {
			return true
		}
		if e, intact := readEntry(line); e.ID == id || id == damagedName(number) {
			lines = append(lines, RecordLine{number, e.Event, e.Time, intact, bytes.Clone(line)})
		}
		return true
	})
	return lines, err
}

// OpenRecords returns the open writes on a target, newest first; with an empty target those on
// all targets. See [Record.Open].
func (j *Journal) OpenRecords(target string) ([]Record, error) {
	records, err := j.Actions(0)
	return slices.DeleteFunc(records, func(r Record) bool {
		return !r.Open() || target != "" && r.Target != target && r.Target != AnyTarget
	}), err
}

func (j *Journal) actionsPath() string { return filepath.Join(j.folder, LogName) }

// appendEntry appends a line. The lock must be held, so that lines are in the order of their
// times.
func (j *Journal) appendEntry(e entry) error {
	if !j.headLasts { // its writer may have been killed before its name was on disk
		_ = j.disk.syncFolder(j.folder)
	}
	e.Time = j.now()
	var next logHead
	err := j.disk.appendLine(j.actionsPath(), func(last []byte) ([]byte, error) {
		previous := firstLink(j.site)
		if last != nil {
			previous = linkOf(last)
		}
		h, unread := j.readHead()
		counts, lines, err := j.standing(h, previous)
		if err == nil {
			next.Lines = lines + 1
		}
		if unread == nil { // also where the lines cannot be counted now: else the next line finds a head that nothing explains
			e.Head = &counts
		}
		line, err := e.line(previous)
		next.Last, next.Time = linkOf(line), e.Time
		return line, err
	})
	if err == nil && next.Lines > 0 {
		_ = j.writeHead(next) // the line is on disk: the next one makes up for it
	}
	return err
}

// sentence makes one line of a text, of limited length.
func sentence(text string) string { return shortened(plain.Line(text), maxMessage) }

// shortened cuts a text to at most limit bytes.
func shortened(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(mark)], "") + mark
}

// inFlight holds the writes of this journal that have begun.
type inFlight struct {
	mu      sync.Mutex
	last    uint64
	ids     map[writeKey][]string
	problem error // see [Journal.Problem]
}

// writeKey identifies a write by what an observer gets both before and after. Every client
// numbers its writes from one, so the number alone is not enough.
type writeKey struct {
	id              uint64
	sent            int64 // nanoseconds
	operation, path string
}

func keyOf(w adminapi.Write) writeKey {
	return writeKey{w.ID, w.Sent.UnixNano(), w.Operation, w.Path}
}

// begin gives a write its id in the journal.
func (f *inFlight) begin(run string, w adminapi.Write) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		f.ids = map[writeKey][]string{}
	}
	f.last++
	id := fmt.Sprintf("%s-%d", run, f.last)
	f.ids[keyOf(w)] = append(f.ids[keyOf(w)], id)
	return id
}

// end returns the id that begin gave, and false without one.
func (f *inFlight) end(w adminapi.Write) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := f.ids[keyOf(w)]
	if len(ids) == 0 {
		return "", false
	}
	if len(ids) == 1 {
		delete(f.ids, keyOf(w))
	} else {
		f.ids[keyOf(w)] = ids[1:]
	}
	return ids[0], true
}
