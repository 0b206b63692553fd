package journal

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
)

const (
	textEnd    = ".editor" // of the folder of a text
	textRecord = ".opened" // the draft that the editor was given, in that folder
	maxEdited  = 64 << 20  // bytes of a text that are read
)

// Text is an edit in a file for an editor, in a private folder of its own. Once this program
// has ended, what the editor has saved in it is a draft of that program, see [Draft.Outside].
type Text struct {
	disk    *disk
	folder  string
	path    string
	checked string // the checksum of what the editor was given
}

// OpenText writes a text to a new file of that name, for an editor. value is what
// [Journal.SaveDraft] would save of it.
func (j *Journal) OpenText(kind, key, name string, text []byte, value any) (*Text, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, failed(err, "the draft cannot be written as JSON: %v", err)
	}
	t := &Text{disk: &j.disk, checked: hashOf(text)}
	err = j.locked(func() error {
		now := j.now()
		d := Draft{Kind: kind, Key: key, Saved: now, Since: now, value: content}
		if mine := j.drafts.read(j.drafts.path(kind, key)); mine.Damaged == nil {
			d.Since, d.turn = mine.Since, mine.turn
		}
		if err := j.drafts.prepare(kind); err != nil {
			return err
		}
		j.drafts.sweepTexts(kind)
		folder, err := j.drafts.newTextFolder(kind, key)
		if err != nil {
			return err
		}
		t.folder, t.path = folder, filepath.Join(folder, name)
		building := unfinished(folder)
		if err = j.disk.privateFolder(building); err == nil {
			err = j.drafts.writeFile(filepath.Join(building, textRecord), d, openedText{File: name, Hash: t.checked})
		}
		if err == nil {
			err = j.disk.replaceWhole(filepath.Join(building, name), text)
		}
		if err == nil {
			err = explain(t.folder, j.disk.Rename(building, t.folder))
		}
		if err != nil {
			_ = j.disk.removeTree(building)
			return err
		}
		return j.disk.syncFolder(filepath.Dir(t.folder))
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Path is the path of the file.
func (t *Text) Path() string { return t.path }

// Read returns what the editor has saved, and whether it differs from what it was given. The
// error matches [fs.ErrNotExist] where there is no file any more.
func (t *Text) Read() (text []byte, changed bool, err error) {
	text, err = t.disk.readText(t.path)
	return text, err == nil && hashOf(text) != t.checked, err
}

// Remove removes the folder, with all that the editor has left in it.
func (t *Text) Remove() error { return t.disk.removeText(t.folder) }

// openedText is what a draft on disk has beside, where it is what an editor was given.
type openedText struct {
	File string `json:"file,omitempty"` // the name of the file
	Hash string `json:"hash,omitempty"` // of what was written to it first
}

// unfinished is the name of a folder that is being made, or removed.
func unfinished(folder string) string {
	return filepath.Join(filepath.Dir(folder), "."+filepath.Base(folder))
}

// newTextFolder returns a name that is free, beside that of this program's draft.
func (s draftStore) newTextFolder(kind, key string) (string, error) {
	begin := strings.TrimSuffix(s.path(kind, key), draftEnd)
	for n := 1; ; n++ {
		folder := begin + "-" + strconv.Itoa(n) + textEnd
		switch _, err := s.disk.Lstat(folder); {
		case absent(err):
			return folder, nil
		case err != nil:
			return "", explain(folder, err)
		}
	}
}

// readOpened reads the folder of a text. Where there is no edit in it the draft is not Outside: the
// program runs, or what its editor has saved was not changed, is gone, or is empty.
func (s draftStore) readOpened(folder string) Draft {
	run, _, _ := strings.Cut(runOf(folder, textEnd), "-")
	if _, err := s.disk.folderInfo(folder, folder); err != nil {
		return Draft{name: folder, Damaged: err, Outside: !absent(err)}
	}
	d, opened := s.readFile(filepath.Join(folder, textRecord), run)
	switch d.name = folder; {
	case absent(d.Damaged) || d.Mine || d.Liveness == Alive:
		return d
	case d.Damaged != nil:
		d.Outside = true
		return d
	case filepath.Base(opened.File) != opened.File:
		d.Damaged, d.junk, d.Outside = failed(nil, "the draft is damaged: %s", folder), true, true
		return d
	}
	path := filepath.Join(folder, opened.File)
	text, err := s.disk.readText(path)
	if absent(err) {
		return d
	}
	if info, err := s.disk.Lstat(path); err == nil && info.ModTime().After(d.Saved) {
		d.Saved = info.ModTime().UTC()
	}
	d.Text, d.Damaged = text, err
	d.Outside = err != nil || len(bytes.TrimSpace(text)) > 0 && hashOf(text) != opened.Hash
	return d
}

// readText reads what an editor has saved, which may be a new file.
func (d disk) readText(path string) ([]byte, error) {
	text, err := d.readUpTo(maxEdited+1, path)
	if err == nil && len(text) > maxEdited {
		return nil, failed(syscall.EFBIG, "the editor saved more than %d MiB: %s", maxEdited>>20, path)
	}
	return text, err
}

// removeText removes the folder of a text; one that does not exist is no error. A part of it
// is never taken for the whole.
func (d disk) removeText(folder string) error {
	err := d.Rename(folder, unfinished(folder))
	if absent(err) {
		return nil
	}
	if err == nil {
		err = d.removeTree(unfinished(folder))
	}
	if err == nil {
		err = d.syncFolder(filepath.Dir(folder))
	}
	return explain(folder, err)
}

// removeTree removes a file, or a folder with all that is in it. It follows no link.
func (d disk) removeTree(path string) error {
	err := d.Remove(path)
	if err == nil || absent(err) {
		return nil
	}
	entries, listed := d.ReadDir(path)
	if listed != nil {
		return err
	}
	for _, entry := range entries {
		if err := d.removeTree(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return d.Remove(path)
}

// sweepTexts removes folders in which programs that have ended left no edit, and what was being
// removed. Where an editor has left other files, such as those of a crash, they stay. The lock
// must be held.
func (s draftStore) sweepTexts(kind string) {
	folders, _ := s.files(kind, "", textEnd)
	for _, folder := range folders {
		entries, err := s.disk.ReadDir(folder)
		if d := s.readOpened(folder); err == nil && len(entries) <= 2 && d.Damaged == nil && !d.Outside && !d.running() {
			_ = s.disk.removeText(folder)
		}
	}
	entries, _ := s.disk.ReadDir(s.kindFolder(kind))
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, ".") && strings.HasSuffix(name, textEnd) {
			_ = s.disk.removeTree(filepath.Join(s.kindFolder(kind), name))
		}
	}
}
