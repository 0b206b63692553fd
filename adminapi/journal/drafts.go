package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Draft names a draft that is kept.
type Draft struct {
	Kind, Key string
	Saved     time.Time
}

// draftFile is what a draft is on disk.
type draftFile struct {
	Kind  string         `json:"kind"`
	Key   string         `json:"key"`
	Saved time.Time      `json:"saved"`
	Value jsontext.Value `json:"value"`
}

// SaveDraft keeps value, as JSON, in place of an earlier draft of the same kind
// (such as "upgrade settings") and key (such as the id of the update). It is the
// caller's duty to give no secret and no content of a file: its path will do.
func (j *Journal) SaveDraft(kind, key string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return failed(err, "the draft cannot be written as JSON: %v", err)
	}
	return j.locked(func() error {
		file := draftFile{Kind: kind, Key: key, Saved: j.clock.Now().UTC(), Value: content}
		data, err := json.Marshal(file)
		if err != nil {
			return failed(err, "the draft cannot be written as JSON: %v", err)
		}
		folder := j.draftFolder(kind)
		for _, path := range []string{filepath.Dir(folder), folder} {
			if err := privateFolder(path); err != nil {
				return err
			}
		}
		return replaceWhole(j.draftPath(kind, key), data)
	})
}

// LoadDraft reads a draft into what into points to. found is false where there
// is none; a draft that cannot be read as such is an error, and into may hold a
// part of it.
func (j *Journal) LoadDraft(kind, key string, into any) (saved time.Time, found bool, err error) {
	if err := j.isOpen(); err != nil {
		return time.Time{}, false, err
	}
	path := j.draftPath(kind, key)
	file, err := readDraft(path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, err
	}
	if err := json.Unmarshal(file.Value, into); err != nil {
		return time.Time{}, false, failed(err, "the draft does not hold what was expected: %s", path)
	}
	return file.Saved, true, nil
}

// DeleteDraft removes a draft; there being none is no error.
func (j *Journal) DeleteDraft(kind, key string) error {
	return j.locked(func() error {
		path := j.draftPath(kind, key)
		err := os.Remove(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return explain(path, err)
		}
		return syncFolder(filepath.Dir(path))
	})
}

// ListDrafts returns the drafts of a kind, newest first. Damaged ones are left
// out.
func (j *Journal) ListDrafts(kind string) ([]Draft, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	folder := j.draftFolder(kind)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(folder, err)
	}
	var drafts []Draft
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue // not finished
		}
		file, err := readDraft(filepath.Join(folder, entry.Name()))
		if err == nil && file.Kind == kind {
			drafts = append(drafts, Draft{Kind: file.Kind, Key: file.Key, Saved: file.Saved})
		}
	}
	slices.SortStableFunc(drafts, func(a, b Draft) int { return b.Saved.Compare(a.Saved) })
	return drafts, nil
}

func readDraft(path string) (draftFile, error) {
	var file draftFile
	data, err := readWhole(path)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return file, failed(err, "the draft is damaged: %s", path)
	}
	return file, nil
}

func (j *Journal) draftFolder(kind string) string {
	return filepath.Join(j.folder, "drafts", fileName(kind, kind))
}

func (j *Journal) draftPath(kind, key string) string {
	return filepath.Join(j.draftFolder(kind), fileName(key, key)+".json")
}
