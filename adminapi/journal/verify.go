package journal

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Verification is what [Journal.Verify] found. Its tags, and those of [Fault], are for scripts.
type Verification struct {
	Lines    int       `json:"lines"`    // of the log that were read, up to the first that is not as it was written
	Records  int       `json:"records"`  // that they hold
	Last     string    `json:"checksum"` // of the last line; empty without any
	From, To time.Time `json:"-"`
	// Ending reports whether lines that are missing at the end would have been found: not in a
	// log that no program has written to since an earlier version.
	Ending bool `json:"endingKnown"`
	// Uncounted is how many lines at the end the head does not count yet: a program was cut off
	// before it could.
	Uncounted   int `json:"uncounted"`
	Backups     int `json:"backups"`     // that belong to a record
	Transcripts int `json:"transcripts"` // of upgrades that were sent from here, that belong to a record
	// Unnamed counts backups that name no record and fit none: their edit was not sent, or an
	// earlier version saved them.
	Unnamed    int       `json:"unnamed"`
	Anchors    int       `json:"anchors"`  // that fit
	Anchored   int       `json:"anchored"` // the last line that one of them proves
	AnchoredAt time.Time `json:"-"`        // when that was made
	Unread     error     `json:"-"`        // why a transcript could not be read; nil where all were
	Faults     []Fault   `json:"-"`        // lines in their order, then what is missing beside them; empty where all is well
}

// Fault is where a log is not as it was written.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Line is the number of the line, from 1. For [FaultEnding] it is the last that was there
	// once, for other faults of the head the line that says so, 0 where it is so now.
	Line      int       `json:"line"`
	Left      int       `json:"left"`      // of [FaultEnding]: how many lines are left
	Time      time.Time `json:"-"`         // that the line names, or the last one before that names one; zero for none
	Operation string    `json:"operation"` // as far as it can be read; clean
	Record    string    `json:"record"`    // of [FaultRecord]: its id, empty where nothing names it
	Anchor    int       `json:"anchor"`    // of [FaultAnchor]: its line in the file
	Of        string    `json:"of"`        // of [FaultRecord] what belongs to it, and of [FaultBackup]: "the backup of a service"; clean
}

// FaultKind is what is wrong.
type FaultKind string

// The kinds of faults.
const (
	// FaultChanged: bytes of the line were changed.
	FaultChanged FaultKind = "changed"
	// FaultOrder: the line is whole, but does not follow the one before: lines were removed,
	// added or moved.
	FaultOrder FaultKind = "order"
	// FaultEnding: lines at the end were removed. Time is when the last of them was written.
	FaultEnding FaultKind = "ending"
	// FaultHead: the file that says how the log ends was changed.
	FaultHead FaultKind = "head"
	// FaultHeadMissing: that file is missing.
	FaultHeadMissing FaultKind = "headMissing"
	// FaultHeadOlder: that file counts fewer lines than there are, and no crash explains it.
	FaultHeadOlder FaultKind = "headOlder"
	// FaultLog: there is no line, though backups or transcripts of writes are there.
	FaultLog FaultKind = "log"
	// FaultRecord: the record of a write is missing that a backup or a transcript belongs to.
	FaultRecord FaultKind = "record"
	// FaultBackup: what a backup holds is missing, or was changed.
	FaultBackup FaultKind = "backup"
	// FaultAnchor: the line that an anchor counts to is another one, or missing; Left are there. Where Line is 0
	// the line of the file is no anchor of a site.
	FaultAnchor FaultKind = "anchor"
)

// Sentence says what is wrong and where, without a full stop; at writes a time.
func (f Fault) Sentence(at func(time.Time) string) string {
	line, about := "line "+strconv.Itoa(f.Line)+" of the record", ""
	if !f.Time.IsZero() {
		about = ", " + at(f.Time)
	}
	if f.Operation != "" {
		about += ", " + f.Operation
	}
	switch f.Kind {
	case FaultOrder:
		return line + " does not follow the one before it" + about
	case FaultEnding:
		if f.Left+1 < f.Line {
			return "lines " + strconv.Itoa(f.Left+1) + " to " + strconv.Itoa(f.Line) + " of the record, once its last, are missing" + about
		}
		return line + ", once its last, is missing" + about
	case FaultHead, FaultHeadMissing, FaultHeadOlder:
		if f.Line > 0 {
			return "the file " + HeadName + " " + headFaults[f.Kind][1] + " when line " + strconv.Itoa(f.Line) + " was written" + about
		}
		return "the file " + HeadName + ", which says how the record ends, " + headFaults[f.Kind][0]
	case FaultLog:
		return "the record is missing or empty, though writes have left other files"
	case FaultRecord:
		return strings.TrimSuffix(f.Of+about+", belongs to a missing record: "+f.Record, ": ")
	case FaultBackup:
		return f.Of + about + ", is missing or was changed"
	case FaultAnchor:
		anchor := "line " + strconv.Itoa(f.Anchor) + " of the anchors"
		switch {
		case f.Line == 0:
			return anchor + " is no anchor of a site"
		case f.Left < f.Line:
			return anchor + about + ", does not fit: of " + plain.Plural(f.Line, "line") + " the record has " + strconv.Itoa(f.Left)
		}
		return anchor + about + ", does not fit: line " + strconv.Itoa(f.Line) + " of the record is another one"
	}
	return line + " was changed after it was written" + about
}

// headFaults say what is wrong with a head, and what was wrong with it earlier.
var headFaults = map[FaultKind][2]string{
	FaultHead:        {"was changed", "was damaged"},
	FaultHeadMissing: {"is missing", "was missing"},
	FaultHeadOlder:   {"is older than its lines", "was older than its lines"},
}

// Meaning says what follows from it, in sentences.
func (f Fault) Meaning() string {
	switch f.Kind {
	case FaultOrder:
		return "Lines were removed, added or moved there. Those before it are as they were written; those after it prove nothing."
	case FaultEnding:
		if f.Left == 0 {
			return "Every line was removed."
		}
		return "Lines were removed from the end. Those that are left are as they were written."
	case FaultHead, FaultHeadMissing, FaultHeadOlder:
		return "The lines are as they were written. Some may be missing at the end."
	case FaultLog:
		return "What was sent from this machine is no longer recorded."
	case FaultRecord:
		return "The lines are as they were written. Some are missing."
	case FaultBackup:
		return "What it held cannot be restored."
	case FaultAnchor:
		if f.Line == 0 {
			return "Correct that line of the file, or remove it: what it proved is not known."
		}
		return "Since that anchor was made the record was written anew, or cut."
	}
	return "The lines before it are as they were written; those from there on prove nothing."
}

// Empty says what it means that a log has no records, a sentence each.
func (v Verification) Empty() []string {
	switch none := "Nothing was sent to this site from this machine yet."; {
	case len(v.Faults) > 0:
		return []string{"No record is left here of what was sent to this site."}
	case !v.Ending:
		return []string{none, "Without " + HeadName + " it is not known whether there was a record."}
	default:
		return []string{none}
	}
}

// Proof says what a log without faults proves and what it does not, a sentence each; at writes
// a time. Of a log without lines it is [Verification.Empty].
func (v Verification) Proof(at func(time.Time) string) []string {
	if v.Lines == 0 {
		return v.Empty()
	}
	told := []string{
		"The record is as it was written: " + plain.Plural(v.Records, "record") + " in " + plain.Plural(v.Lines, "line") + ", from " + at(v.From) + " to " + at(v.To) + ".",
		"No line was changed, added, removed or cut from its end.",
	}
	if !v.Ending {
		told[1] = "No line was changed, added or removed. Whether its end was cut is known after the next write."
	}
	if v.Uncounted > 0 {
		last := "the last line"
		if v.Uncounted > 1 {
			last = "the last " + strconv.Itoa(v.Uncounted) + " lines"
		}
		told = append(told, "A program was cut off before "+HeadName+" counted "+last+".")
	}
	if v.Backups+v.Transcripts > 0 {
		told = append(told, fmt.Sprintf("Every backup (%d) and transcript (%d) belongs to a recorded write.", v.Backups, v.Transcripts))
	}
	if v.Unnamed > 0 {
		told = append(told, plain.Plural(v.Unnamed, "backup")+" without a record: never sent, or of an earlier version.")
	}
	if v.Unread != nil {
		told = append(told, "Not checked: "+v.Unread.Error()+".")
	}
	switch {
	case v.Anchors == 0:
		return append(told, "Not proven: anyone who can write to the folder can forge a record that fits.")
	case v.Anchored < v.Lines:
		told = append(told, "Not proven: anyone who can write to the folder can forge the lines after "+strconv.Itoa(v.Anchored)+".")
	}
	return append(told, fmt.Sprintf("Anchors that fit: %d. Since %s nothing up to line %d was changed or cut.",
		v.Anchors, at(v.AnchoredAt), v.Anchored))
}

// Verify reads the whole log of writes and finds every line that was changed, or that follows a
// line that was removed or added. How the log ends is in a file beside it, its head: lines
// removed from the end are found as well. So is a head that was removed or replaced by an older
// one, also before later lines, a record that a backup or a transcript belongs to, and a backup
// whose content is gone. A last line that a crash has cut off does not count: its write was never
// sent. Anyone who can write to the folder can also make a log that fits: it shows accidents and
// careless hands, and proves nothing against the user of this machine. Anchors of the log prove the lines that
// they count against that user, too.
func (j *Journal) Verify(anchors ...Anchor) (Verification, error) {
	if err := j.isOpen(); err != nil {
		return Verification{}, err
	}
	traces, unread, err := j.traces() // before the log, which has the records that they name
	if err != nil {
		return Verification{}, err
	}
	anchors = slices.SortedStableFunc(slices.Values(anchors), func(a, b Anchor) int {
		return cmp.Compare(uint(a.Lines-1), uint(b.Lines-1)) // what counts no lines comes last
	})
	c := check{Verification: Verification{Unread: unread}, link: firstLink(j.site), held: map[string]bool{}, anchors: anchors}
	before, _ := j.readHead() // before the log, which only grows
	err = j.disk.eachLine(j.actionsPath(), func(_ int, line []byte) bool {
		c.line(line)
		c.anchored(false)
		if c.total == before.Lines {
			c.counted = c.link
		}
		return true
	})
	after, _ := j.readHead()
	c.ending(before, after, len(traces) > 0)
	c.anchored(true)
	c.belonging(traces)
	if c.Records = len(c.held); c.total > 0 {
		c.Last = c.link
	}
	return c.Verification, err
}

// check is a log that is being verified.
type check struct {
	Verification
	total   int    // lines
	link    string // that the next line holds
	counted string // that of the last line that the head counts
	broken  bool   // a line is not as it was written, or does not follow the one before
	changed bool   // the last line is not as it was written: what followed it is not known

	// What the programs that wrote the last lines knew of the head.
	found   *int // by the last line; nil where that does not say it
	says    bool // a line says what it found
	counts  bool // the program of the last line keeps a head
	counter int  // the newest line before the last whose program does

	held  map[string]bool // the ids of the records
	lines []Record        // that began a record: when, and of what

	anchors []Anchor // that are left, in order
}

// line takes the next line of the log.
func (c *check) line(line []byte) {
	hash, unchanged := sealOf(line)
	e, _ := readEntry(line)
	if !unchanged { // whatever it was before
		e = entry{Event: eventBefore, Record: Record{Time: e.Time, ID: e.ID, Operation: e.Operation, Target: AnyTarget}}
		hash = linkOf(line)
	}
	e.Time = cmp.Or(e.Time, c.To)
	c.From = cmp.Or(c.From, e.Time)
	lines := c.total
	c.total++
	f := Fault{Line: c.total, Time: e.Time, Operation: sentence(e.Operation)}
	switch {
	case !unchanged:
		f.Kind, c.broken = FaultChanged, true
	case !c.changed && !isChained(line, c.link):
		f.Kind, c.broken = FaultOrder, true
	case e.Head != nil:
		f.Kind, f.Operation = c.headFault(*e.Head, lines), ""
		if f.Kind == FaultEnding {
			f = Fault{Kind: FaultEnding, Line: *e.Head, Left: lines}
		}
		if c.broken && (f.Kind == FaultEnding || f.Kind == FaultHeadOlder) {
			f.Kind = "" // lines before it are missing anyway
		}
	}
	if f.Kind != "" {
		c.Faults = append(c.Faults, f)
	}
	if c.counts {
		c.counter = lines
	}
	c.found, c.says, c.counts = e.Head, c.says || e.Head != nil, e.Head != nil || e.Program != ""
	c.changed, c.link, c.To = !unchanged, hash, e.Time
	if !c.broken {
		c.Lines = c.total
	}
	if e.ID != "" {
		c.held[e.ID] = true
	}
	if e.Event == eventBefore {
		c.lines = append(c.lines, Record{Time: e.Time, Path: e.Path, Target: e.Target})
	}
}

// headFault says what is wrong with a head that counts some of the lines so far, nothing where
// it counts them all, or as many as the last line says: its program was cut off before it could
// count that, or what is wrong was told there.
func (c *check) headFault(counts, lines int) FaultKind {
	switch {
	case counts == lines, c.found != nil && *c.found == counts:
		return ""
	case counts > lines:
		return FaultEnding
	case counts == headDamaged:
		return FaultHead
	case lines > 0 && c.found == nil && (c.counter <= max(0, counts) || c.ignored(counts)): // earlier versions, or a crash of one
		return ""
	case counts == headMissing:
		return FaultHeadMissing
	}
	return FaultHeadOlder
}

// ignored reports whether a head without lines stands beside lines of earlier versions alone,
// which do not replace it.
func (c *check) ignored(counts int) bool { return counts == 0 && c.total > 0 && !c.says }

// ending compares the head, as it was before and after the log was read, with the lines.
func (c *check) ending(before, after logHead, traces bool) {
	c.Ending = after.Lines >= 0 && !c.ignored(after.Lines)
	if after.Last == c.link || c.total == 0 && after.Lines == headMissing && !traces {
		return
	}
	counts, same := after.Lines, before.Lines == after.Lines && before.Last == after.Last
	if !same {
		counts = min(counts, c.total) // lines have come meanwhile
	}
	other := same && !c.broken && counts > 0 && counts <= c.total && c.counted != after.Last
	if other {
		counts = headDamaged
	}
	f := Fault{Kind: c.headFault(counts, c.total), Time: c.To}
	switch {
	case f.Kind == "":
		if c.Ending {
			c.Uncounted = c.total - counts
		}
		return
	case c.total == 0 && counts == headMissing:
		f = Fault{Kind: FaultLog}
	case f.Kind == FaultEnding, other:
		f = Fault{Kind: FaultEnding, Line: after.Lines, Left: min(c.total, after.Lines-1), Time: after.Time}
	case f.Kind == FaultHeadOlder && c.broken:
		return // the lines say nothing of it
	}
	c.Faults = append(c.Faults, f)
}

// belonging looks for the records that the traces belong to.
func (c *check) belonging(traces []trace) {
	none := slices.ContainsFunc(c.Faults, func(f Fault) bool { return f.Kind == FaultLog })
	for _, t := range traces {
		if t.lost != nil && t.lost() {
			c.Faults = append(c.Faults, Fault{Kind: FaultBackup, Time: t.time, Of: t.of})
		}
		missing := slices.DeleteFunc(slices.Clone(t.records), func(id string) bool { return c.held[id] })
		switch {
		case len(missing) > 0:
		case len(t.records) > 0 || slices.ContainsFunc(c.lines, t.fits):
			if t.transcript {
				c.Transcripts++
			} else {
				c.Backups++
			}
		case t.sent || none:
			missing = []string{""}
		default:
			c.Unnamed++
		}
		for _, id := range missing {
			c.Faults = append(c.Faults, Fault{Kind: FaultRecord, Time: t.time, Record: sentence(id), Of: t.of})
		}
	}
}

// trace is what a write has left beside the log.
type trace struct {
	of         string // what it is; clean
	transcript bool
	lost       func() bool // whether its content is missing or was changed; nil where it has none
	time       time.Time
	records    []string  // that it names; those of earlier versions name none
	sent       bool      // a write was certainly recorded before it
	target     string    // of the write; empty where path says it
	path       string    // a part of its path
	from, to   time.Time // when that was recorded; zero for any time
}

// fits reports whether a write may be that of a trace.
func (t trace) fits(l Record) bool {
	same := t.target != "" && l.Target == t.target || t.path != "" && strings.Contains(l.Path, t.path) || l.Target == AnyTarget
	return same && !l.Time.Before(t.from) && (t.to.IsZero() || !l.Time.After(t.to))
}

// traces returns the backups, and the transcripts of upgrades that were sent from here, the
// oldest first. unread is why a transcript is left out that is damaged.
func (j *Journal) traces() (all []trace, unread, err error) {
	kinds, err := j.disk.foldersIn(filepath.Join(j.folder, "backups"))
	if err != nil {
		return nil, nil, err
	}
	folders, err := j.disk.foldersIn(kinds...)
	for _, folder := range folders {
		backups, records, failed := j.disk.backupsIn(folder)
		for _, b := range backups {
			service, _ := adminapi.ParseServicePath(b.Key)
			all = append(all, trace{
				of: "the backup of " + sentence(b.Key), time: b.Saved, records: records[b.ID], target: adminapi.TargetService(service), from: b.Saved,
				lost: func() bool { return !j.disk.intact(folder, b) },
			})
		}
		err = cmp.Or(err, failed)
	}
	if err != nil {
		return nil, nil, err
	}
	transcripts, unread := j.transcripts()
	for _, s := range transcripts {
		if !s.Here {
			continue
		}
		t := trace{of: "the transcript " + sentence(s.ID), transcript: true, time: s.Opened, sent: true, path: "/system/upgrades/", to: s.Last}
		if s.Record != "" {
			t.records = []string{s.Record}
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b trace) int { return a.time.Compare(b.time) })
	return all, unread, nil
}

// foldersIn returns the paths of the folders in some folders, none where one does not exist.
func (d disk) foldersIn(paths ...string) (folders []string, err error) {
	for _, path := range paths {
		entries, failed := d.ReadDir(path)
		if failed != nil && !absent(failed) {
			err = cmp.Or(err, explain(path, failed))
		}
		for _, entry := range entries {
			if entry.IsDir() {
				folders = append(folders, filepath.Join(path, entry.Name()))
			}
		}
	}
	return folders, err
}
