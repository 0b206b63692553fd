package journal

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
)

// MaxSnapshot bounds the value of a snapshot, in bytes.
const MaxSnapshot = 8 << 20

// maxSnapshotFile is larger than any file of a snapshot.
const maxSnapshotFile = MaxSnapshot + 1<<16

// ErrNoSnapshot says that nothing of a kind was kept; it matches [fs.ErrNotExist].
var ErrNoSnapshot error = failure{"nothing was kept of the site on this machine", fs.ErrNotExist}

// Snapshot is what one kind of fetch returned, such as the list of reports, kept for when the
// site does not answer. There is one of each kind: the newest.
type Snapshot struct {
	Read  time.Time     // when the site returned it, by this machine's clock
	Ahead time.Duration // the site's clock less this machine's at that time
	value jsontext.Value
}

// Decode decodes the value into a pointer. After an error a part of it may be set.
func (s Snapshot) Decode(into any) error {
	if err := json.Unmarshal(s.value, into); err != nil {
		return failed(err, "what was kept of the site does not hold what was expected")
	}
	return nil
}

// snapshotHead is the first line of the file of a snapshot. The value follows it.
type snapshotHead struct {
	Kind  string    `json:"kind"`
	Read  time.Time `json:"read"`
	Ahead int64     `json:"aheadMillis"`
	Hash  string    `json:"sha256"`
}

// hashWith is the checksum of a value together with what the head says of it.
func (h snapshotHead) hashWith(value []byte) string {
	return hashOf(fmt.Appendf(nil, "%s\n%s\n%d\n%s", h.Kind, h.Read.Format(time.RFC3339Nano), h.Ahead, value))
}

// SaveSnapshot keeps value, as JSON, in place of the snapshot of a kind before. Read is when the
// site returned it, ahead how far the site's clock was ahead of this machine's. A value must hold
// no secret and no definition. One of more than [MaxSnapshot] is an error, and an older one stays.
func (j *Journal) SaveSnapshot(kind string, read time.Time, ahead time.Duration, value any) error {
	content, err := adminapi.JSONLine(value)
	if err != nil {
		return failed(err, "the snapshot cannot be written as JSON: %v", err)
	}
	if len(content) > MaxSnapshot {
		return failed(nil, "the snapshot of %s is larger than %d MiB and is not kept", kind, MaxSnapshot>>20)
	}
	head := snapshotHead{Kind: kind, Read: read.UTC().Round(0), Ahead: ahead.Milliseconds()}
	head.Hash = head.hashWith(content)
	line, err := adminapi.JSONLine(head)
	if err != nil {
		return failed(err, "the snapshot cannot be written as JSON: %v", err)
	}
	content = append(append(line, '\n'), content...)
	return j.locked(func() error {
		if err := j.disk.privateFolder(j.snapshotFolder()); err != nil {
			return err
		}
		return j.disk.replaceWhole(j.SnapshotPath(kind), content)
	})
}

// Snapshot returns the snapshot of a kind. The error is [ErrNoSnapshot] where none was kept. A
// file that was changed, cut off, replaced by a link, or is from the future is an error too: its
// age is not known, and so nothing of it is used.
func (j *Journal) Snapshot(kind string) (Snapshot, error) {
	if err := j.isOpen(); err != nil {
		return Snapshot{}, err
	}
	path := j.SnapshotPath(kind)
	_, err := j.disk.folderInfo(j.snapshotFolder(), j.snapshotFolder())
	var content []byte
	if err == nil {
		content, err = j.disk.readUpTo(maxSnapshotFile+1, path)
	}
	if absent(err) {
		return Snapshot{}, ErrNoSnapshot
	}
	if err != nil {
		return Snapshot{}, err
	}
	line, value, _ := bytes.Cut(content, []byte("\n"))
	var head snapshotHead
	switch err := json.Unmarshal(line, &head); {
	case err != nil, len(content) > maxSnapshotFile, head.Kind != kind, head.Read.IsZero(),
		head.Hash != head.hashWith(value):
		return Snapshot{}, failed(nil, "what was kept of the site is damaged and is not used: %s", path)
	case head.Read.After(j.clock.Now().Add(maxSnapshotAhead)):
		return Snapshot{}, failed(nil, "what was kept of the site is from the future and is not used: %s", path)
	}
	return Snapshot{Read: head.Read, Ahead: time.Duration(head.Ahead) * time.Millisecond, value: value}, nil
}

// maxSnapshotAhead is how far the clock of this machine may have been set back since a snapshot.
const maxSnapshotAhead = time.Minute

// SnapshotPath is the path of the file with the snapshot of a kind.
func (j *Journal) SnapshotPath(kind string) string {
	return filepath.Join(j.snapshotFolder(), fileName(kind, kind)+".json")
}

func (j *Journal) snapshotFolder() string { return filepath.Join(j.folder, "snapshots") }
