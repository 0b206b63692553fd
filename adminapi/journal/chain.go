package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
)

// The files of the log of writes, in the folder of the journal.
const (
	LogName  = "actions.jsonl"
	HeadName = "actions.head" // how the log ends, see [Journal.Verify]
)

// Verification is what [Journal.Verify] found.
type Verification struct {
	Lines int    // of the log that were read, up to the fault
	Fault *Fault // the first; nil where the log is as it was written
	// Ending reports whether lines that are missing at the end would have been found: not in a
	// log that no program has written to since an earlier version.
	Ending bool
}

// Fault is where a log is not as it was written.
type Fault struct {
	Kind      FaultKind
	Line      int       // its number, from 1
	Time      time.Time // that the line names, or the last one before that names one; zero for none
	Operation string    // as far as it can be read; clean
}

// FaultKind is what is wrong with a line.
type FaultKind string

// The kinds of faults.
const (
	// FaultChanged: bytes of the line were changed.
	FaultChanged FaultKind = "changed"
	// FaultOrder: the line is whole, but does not follow the one before: lines were removed,
	// added or moved.
	FaultOrder FaultKind = "order"
	// FaultEnding: lines at the end were removed. Line is the last one that was there once, Time
	// when it was written.
	FaultEnding FaultKind = "ending"
	// FaultHead: the file that holds how the log ends was changed, see [Journal.Verify].
	FaultHead FaultKind = "head"
)

// Sentence names the first line that is not as it was written, without a full stop; at writes a
// time.
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
		return line + ", once its last, is missing" + about
	case FaultHead:
		return "the file " + HeadName + ", which says how the record ends, was changed"
	}
	return line + " was changed after it was written" + about
}

// Meaning says what follows from it, in sentences.
func (f Fault) Meaning() string {
	switch f.Kind {
	case FaultOrder:
		return "Lines were removed, added or moved there. Those before it are as they were written; those after it prove nothing."
	case FaultEnding:
		return "Lines were removed from the end. Those that are left are as they were written."
	case FaultHead:
		return "The lines are as they were written, but some may be missing at the end."
	}
	return "The lines before it are as they were written; those from there on prove nothing."
}

// Verify reads the whole log of writes and finds the first line that was changed, or that
// follows a line that was removed or added. How the log ends is in a file beside it, its head:
// lines removed from the end are found as well. A last line that a crash has cut off does not
// count: its write was never sent. Who can write to the folder can also make a log that fits:
// it shows accidents and careless hands, and proves nothing against the user of this machine.
func (j *Journal) Verify() (Verification, error) {
	if err := j.isOpen(); err != nil {
		return Verification{}, err
	}
	h, state := j.readHead() // before the log, which only grows
	v := Verification{Ending: state == headKnown}
	previous, last := firstLink(j.site), time.Time{}
	atHead := previous
	err := j.disk.eachLine(j.actionsPath(), func(number int, line []byte) bool {
		hash, unchanged := sealOf(line)
		if !unchanged || !follows(line, previous) {
			v.Fault = faultOf(line, number, unchanged, last)
			return false
		}
		v.Lines, previous, last = number, hash, timeOf(line, last)
		if number == h.Lines {
			atHead = hash
		}
		return true
	})
	switch {
	case err != nil || v.Fault != nil:
	case state == headDamaged:
		v.Fault = &Fault{Kind: FaultHead, Time: last}
	case state == headKnown && (v.Lines < h.Lines || atHead != h.Last):
		v.Fault = &Fault{Kind: FaultEnding, Line: h.Lines, Time: h.Time}
	}
	return v, err
}

// faultOf describes a line that is not as it was written; last is the time of the one before.
func faultOf(line []byte, number int, unchanged bool, last time.Time) *Fault {
	e, _ := readEntry(line)
	f := &Fault{Kind: FaultChanged, Line: number, Time: cmp.Or(e.Time, last), Operation: sentence(e.Operation)}
	if unchanged {
		f.Kind = FaultOrder
	}
	return f
}

// timeOf is the time that a line names, otherwise that of the one before.
func timeOf(line []byte, before time.Time) time.Time {
	var e struct {
		Time time.Time `json:"time"`
	}
	if json.Unmarshal(line, &e) != nil {
		return before
	}
	return cmp.Or(e.Time, before)
}

// firstLink begins the chain, so that the log of another site does not fit.
func firstLink(site string) string { return hashOf([]byte(site)) }

// logHead is how the log ends. It is replaced after each line is on disk, so after a crash it
// may be of an earlier line, never of a later one.
type logHead struct {
	Lines int       `json:"lines"`
	Last  string    `json:"last"` // the link of that line
	Time  time.Time `json:"time"`
}

// headState is what is known of the head.
type headState int

const (
	headMissing headState = iota
	headKnown
	headDamaged
)

func (j *Journal) headPath() string { return filepath.Join(j.folder, HeadName) }

func (j *Journal) readHead() (h logHead, state headState) {
	text, err := j.disk.readWhole(j.headPath())
	if errors.Is(err, fs.ErrNotExist) {
		return h, headMissing
	}
	line, whole := bytes.CutSuffix(text, []byte("\n"))
	if err != nil || !whole || !follows(line, firstLink(j.site)) || json.Unmarshal(line, &h) != nil || h.Lines <= 0 {
		return logHead{}, headDamaged
	}
	return h, headKnown
}

// advanceHead makes a line that was just appended the head: previous is what it follows. A head
// that does not fit the log stays, for Verify to find. The lock must be held. An error is none
// of the record, which is on disk: the next line makes up for it.
func (j *Journal) advanceHead(previous, link string, at time.Time) {
	h, state := j.readHead()
	if state == headDamaged {
		return
	}
	if state == headKnown && h.Last == previous {
		h.Lines++
	} else {
		// The first head, or lines without one: a crash came before it, or an earlier version.
		lines, fits := 0, state == headMissing
		err := j.disk.eachLine(j.actionsPath(), func(number int, line []byte) bool {
			lines = number
			fits = fits || number == h.Lines && linkOf(line) == h.Last
			return true
		})
		if err != nil || !fits {
			return
		}
		h.Lines = lines
	}
	h.Last, h.Time = link, at
	if object, err := adminapi.JSONLine(h); err == nil {
		_ = j.disk.replaceWhole(j.headPath(), append(seal(object, firstLink(j.site)), '\n'))
	}
}

// A sealed line is a JSON object that begins with the hash of the rest of the line, then has
// the hash of the line before:
//
//	{"hash":"…","previous":"…",…}
const (
	hashMember     = `{"hash":"`
	previousMember = `"previous":"`
	memberEnd      = `",`
	hashSize       = 2 * sha256.Size // as written
	sealedFrom     = len(hashMember) + hashSize + len(memberEnd)
)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// seal makes a line of a JSON object that has members.
func seal(object []byte, previous string) []byte {
	sealed := append([]byte(previousMember+previous+memberEnd), object[1:]...)
	return append([]byte(hashMember+hashOf(sealed)+memberEnd), sealed...)
}

// linkOf returns what the next line must hold as previous. A damaged line does not stop the
// log: the next one is chained to it as it is.
func linkOf(line []byte) string {
	if hash, ok := sealOf(line); ok {
		return hash
	}
	return hashOf(line)
}

// sealOf returns the hash of an unchanged line.
func sealOf(line []byte) (hash string, unchanged bool) {
	if len(line) <= sealedFrom || !bytes.HasPrefix(line, []byte(hashMember)) {
		return "", false
	}
	hash = string(line[len(hashMember) : len(hashMember)+hashSize])
	return hash, hash == hashOf(line[sealedFrom:]) && string(line[sealedFrom-len(memberEnd):sealedFrom]) == memberEnd
}

// follows reports whether a line is unchanged and follows the one with the hash previous.
func follows(line []byte, previous string) bool {
	_, unchanged := sealOf(line)
	return unchanged && bytes.HasPrefix(line[sealedFrom:], []byte(previousMember+previous+memberEnd))
}
