package journal

import (
	"io/fs"
	"slices"
	"testing"
)

// between calls see before each step that is done to the files of a journal, "sync",
// "close" or "rename" of a path, where the order decides what a crash leaves. An error of
// it is that of the step.
type between struct {
	Files
	see func(step, path string) error
}

type betweenFile struct {
	File
	see func(step, path string) error
}

// newFile is one that is written anew.
type newFile struct{ betweenFile }

func (b between) Open(path string, flags int, mode fs.FileMode) (File, error) {
	f, err := b.Files.Open(path, flags, mode)
	return betweenFile{f, b.see}, err
}

func (b between) CreateTemp(folder, pattern string) (File, error) {
	f, err := b.Files.CreateTemp(folder, pattern)
	return newFile{betweenFile{f, b.see}}, err
}

func (b between) Rename(from, to string) error {
	if err := b.see("rename", to); err != nil {
		return err
	}
	return b.Files.Rename(from, to)
}

func (b between) SyncFolder(path string) error {
	if err := b.see("sync", path); err != nil {
		return err
	}
	return b.Files.SyncFolder(path)
}

func (f betweenFile) Sync() error {
	if err := f.see("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f newFile) Close() error {
	if err := f.see("close", f.Name()); err != nil {
		_ = f.File.Close()
		return err
	}
	return f.File.Close()
}

// BetweenDisk calls see before each step that j does to the disk until the test ends.
func BetweenDisk(t testing.TB, j *Journal, see func(step, path string) error) {
	t.Helper()
	before := j.disk
	t.Cleanup(func() { j.disk = before })
	j.disk = disk{Files: between{before.Files, see}}
}

// OfOthers are the files of another user.
type OfOthers struct{ SystemFiles }

// Owned is never so.
func (OfOthers) Owned(fs.FileInfo) bool { return false }

// UseFiles puts a journal on another file system.
func UseFiles(j *Journal, files Files) { j.disk = disk{Files: files} }

// MessageSet gives tests the set of the messages that a transcript has.
type MessageSet struct{ messageSet }

// NewMessageSet returns an empty set.
func NewMessageSet() *MessageSet { return &MessageSet{newMessageSet()} }

// Add reports whether a message is new.
func (s *MessageSet) Add(m TranscriptMessage) bool { return s.add(storableMessage(m)) }

// Drop removes messages that are in the set.
func (s *MessageSet) Drop(messages []TranscriptMessage) {
	for _, m := range messages {
		s.drop([]storedMessage{storableMessage(m)})
	}
}

// Len is the number of messages.
func (s *MessageSet) Len() int { return len(s.keys) }

// Pending returns the writes without a recorded outcome, newest first: a program has ended
// before it recorded it, or still waits for the answer.
func (j *Journal) Pending() ([]Record, error) {
	records, err := j.Actions(0)
	return slices.DeleteFunc(records, func(r Record) bool { return !r.Pending() }), err
}
