package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
)

// The files of the log of writes, in the folder of the journal.
const (
	LogName  = "actions.jsonl"
	HeadName = "actions.head" // how the log ends
)

// firstLink begins the chain, so that the log of another site does not fit.
func firstLink(site string) string { return hashOf([]byte(site)) }

// logHead is how the log ends. It is there before the first line, with none, and is replaced
// after each line is on disk: after a crash it may count a line less than there are, never one
// more.
//
// Each line says what the head counted when it was written ([entry].Head). So a head that was
// removed, or replaced by an older one, stays known after the next line has made it anew.
type logHead struct {
	Lines int       `json:"lines"`
	Last  string    `json:"last"` // the link of that line
	Time  time.Time `json:"time"`
}

// What a head counts where there is none that can be read.
const (
	headMissing = -1
	headDamaged = -2 // or of another log
)

func (j *Journal) headPath() string { return filepath.Join(j.folder, HeadName) }

// readHead reads the head. With an error it could not be read: what it counts is not known.
func (j *Journal) readHead() (logHead, error) {
	if _, err := j.disk.Lstat(j.headPath()); absent(err) {
		return logHead{Lines: headMissing}, nil
	}
	var h logHead
	text, err := j.disk.readWhole(j.headPath())
	line, whole := bytes.CutSuffix(text, []byte("\n"))
	if err != nil || !whole || !follows(line, firstLink(j.site)) || json.Unmarshal(line, &h) != nil || h.Lines < 0 {
		return logHead{Lines: headDamaged}, err
	}
	return h, nil
}

// writeHead replaces the head. The lock must be held.
func (j *Journal) writeHead(h logHead) error {
	object, err := adminapi.JSONLine(h)
	if err == nil {
		err = j.disk.replaceWhole(j.headPath(), append(seal(object, firstLink(j.site)), '\n'))
	}
	j.headLasts = err == nil
	return err
}

// standing compares a head with the log, whose last link is given: it returns how many lines
// the head counts, and how many there are.
func (j *Journal) standing(h logHead, last string) (counts, lines int, err error) {
	if h.Last == last {
		return h.Lines, h.Lines, nil
	}
	fits := h.Lines == 0
	err = j.disk.eachLine(j.actionsPath(), func(number int, line []byte) bool {
		lines = number
		fits = fits || number == h.Lines && linkOf(line) == h.Last
		return true
	})
	if h.Lines <= lines && h.Lines > 0 && !fits {
		return headDamaged, lines, err
	}
	return h.Lines, lines, err
}

// settleHead begins the head of a new log, and counts a line whose program was cut off before
// it could: the line itself says so. Another head stays as it is: the next line says what it
// was. The lock must be held.
func (j *Journal) settleHead() error {
	h, err := j.readHead()
	if err != nil || h.Lines == headDamaged {
		return nil
	}
	last, err := j.disk.lastOf(j.actionsPath())
	if last == nil && h.Lines == headMissing {
		traces, _, failed := j.traces()
		if err = cmp.Or(err, failed); err != nil || len(traces) > 0 { // of a log that is missing
			return err
		}
		return j.writeHead(logHead{Last: firstLink(j.site)})
	}
	if err != nil || last == nil || h.Last == linkOf(last) {
		return nil
	}
	counts, lines, err := j.standing(h, linkOf(last))
	e, intact := readEntry(last)
	if err != nil || !intact || e.Head == nil || *e.Head != counts {
		return nil
	}
	if err := j.disk.syncFile(j.actionsPath()); err == nil { // what is counted may no longer get lost
		_ = j.writeHead(logHead{lines, linkOf(last), e.Time}) // else the next line does
	}
	return nil
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
	return unchanged && isChained(line, previous)
}

// isChained is follows of a line that is unchanged.
func isChained(line []byte, previous string) bool {
	return bytes.HasPrefix(line[sealedFrom:], []byte(previousMember+previous+memberEnd))
}
