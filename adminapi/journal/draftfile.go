package journal

import (
	"cmp"
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

// Draft is one that is kept. Each program keeps its own, so that several can stand
// beside each other for the same kind and key.
type Draft struct {
	Kind, Key string
	Saved     time.Time
	Program   Program   // whose it is
	Since     time.Time // when that program began to edit; zero where it is not known
	Mine      bool      // it is of this journal
	Life      Life      // of the program
	Damaged   error     // why it cannot be read; nil where it can

	name  string // of the file
	junk  bool   // what it holds is no draft
	turn  int    // the programs that run take turns: the highest has the edit
	value jsontext.Value
}

// draftFile is what a draft is on disk.
type draftFile struct {
	Kind    string         `json:"kind"`
	Key     string         `json:"key"`
	Saved   time.Time      `json:"saved"`
	Program Program        `json:"program,omitzero"`
	Since   time.Time      `json:"since,omitzero"`
	Turn    int            `json:"turn,omitempty"`
	Value   jsontext.Value `json:"value"`
}

// Read reads what was saved into what into points to. After an error that may hold a
// part of it.
func (d Draft) Read(into any) error {
	if d.Damaged != nil {
		return d.Damaged
	}
	if err := json.Unmarshal(d.value, into); err != nil {
		return failed(err, "the draft does not hold what was expected: %s", d.name)
	}
	return nil
}

// running reports whether the program of a draft runs, or may.
func (d Draft) running() bool { return d.Life != Ended }

// Holder returns the draft of the program that has the edit: of those that run, or
// may, the one that began, or took it over, last. It is nil where none does.
func Holder(drafts []Draft) *Draft {
	var holder *Draft
	for i := range drafts {
		d := &drafts[i]
		if d.running() && d.Damaged == nil && (holder == nil || d.before(*holder)) {
			holder = d
		}
	}
	return holder
}

// before reports whether d has the edit rather than o.
func (d Draft) before(o Draft) bool { return byTurn(d, o) < 0 }

func byTurn(a, b Draft) int {
	return cmp.Or(cmp.Compare(b.turn, a.turn), a.Since.Compare(b.Since), cmp.Compare(a.name, b.name))
}

// inOrder compares drafts of one key: this program's, then those of programs that
// run, then those that were left, the newest first. Damaged ones are last.
func inOrder(a, b Draft) int {
	if first := cmp.Compare(rankOf(a), rankOf(b)); first != 0 {
		return first
	}
	if a.running() {
		return byTurn(a, b)
	}
	return cmp.Or(b.Saved.Compare(a.Saved), cmp.Compare(a.name, b.name))
}

func rankOf(d Draft) int {
	switch {
	case d.Damaged != nil:
		return 3
	case d.Mine:
		return 0
	case d.running():
		return 1
	}
	return 2
}

const draftEnd = ".json"

func (j *Journal) draftFolder(kind string) string {
	return filepath.Join(j.folder, "drafts", fileName(kind, kind))
}

// draftPath is the file of this program's draft. Its name begins as those of all
// programs do for the same key, and as that of earlier versions.
func (j *Journal) draftPath(kind, key string) string {
	return filepath.Join(j.draftFolder(kind), fileName(key, key)+"."+j.run+draftEnd)
}

// draftFiles lists the files of a kind whose names begin so.
func (j *Journal) draftFiles(kind, begin string) (paths []string, err error) {
	folder := j.draftFolder(kind)
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = checkFolder(folder, info)
	}
	if err != nil {
		return nil, explain(folder, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, explain(folder, err)
	}
	for _, entry := range entries {
		// A name that begins with a point is not finished.
		if name := entry.Name(); !strings.HasPrefix(name, ".") && strings.HasPrefix(name, begin) && strings.HasSuffix(name, draftEnd) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths, nil
}

// draftsOf reads all drafts of a key, in order. The lock must be held, else one that
// is taken over meanwhile may be missed.
func (j *Journal) draftsOf(kind, key string) ([]Draft, error) {
	paths, err := j.draftFiles(kind, fileName(key, key)+".")
	if err != nil {
		return nil, err
	}
	var drafts []Draft
	for _, path := range paths {
		d := j.readDraft(path)
		if errors.Is(d.Damaged, fs.ErrNotExist) {
			continue
		}
		d.Kind, d.Key = kind, key
		drafts = append(drafts, d)
	}
	slices.SortFunc(drafts, inOrder)
	return drafts, nil
}

// readDraft reads a file of drafts. Whose it is stands in its name too, so that this
// is known where it is damaged.
func (j *Journal) readDraft(path string) Draft {
	d := Draft{name: path, Mine: strings.HasSuffix(path, "."+j.run+draftEnd)}
	data, err := readWhole(path)
	if err != nil {
		d.Damaged = err
		return d
	}
	var file draftFile
	if err := json.Unmarshal(data, &file); err != nil {
		d.Damaged, d.junk = failed(err, "the draft is damaged: %s", path), true
		return d
	}
	if file.Value == nil {
		d.Damaged, d.junk = failed(nil, "the draft is damaged: %s", path), true
	}
	if !strings.HasSuffix(path, "."+file.Program.Run+draftEnd) {
		file.Program = Program{} // of an earlier version, or a copy that somebody has made
	}
	d.Kind, d.Key, d.Saved, d.value = file.Kind, file.Key, file.Saved, file.Value
	d.Program, d.Since, d.turn = file.Program, file.Since, file.Turn
	if d.Life = Alive; !d.Mine {
		d.Life = j.life(d.Program)
	}
	return d
}

// writeDraft puts a draft of this program on disk. The lock must be held.
func (j *Journal) writeDraft(d Draft) (Draft, error) {
	if err := j.announce(); err != nil {
		return Draft{}, err
	}
	folder := j.draftFolder(d.Kind)
	for _, path := range []string{filepath.Dir(folder), folder} {
		if err := privateFolder(path); err != nil {
			return Draft{}, err
		}
	}
	d.Program, d.Mine, d.Life, d.Damaged, d.name = j.program, true, Alive, nil, j.draftPath(d.Kind, d.Key)
	data, err := json.Marshal(draftFile{Kind: d.Kind, Key: d.Key, Saved: d.Saved, Program: d.Program, Since: d.Since, Turn: d.turn, Value: d.value})
	if err != nil {
		return Draft{}, failed(err, "the draft cannot be written as JSON: %v", err)
	}
	removeUnfinished(filepath.Join(folder, fileName(d.Key, d.Key))) // also of other programs
	return d, replaceWhole(d.name, data)
}

// removeDraft removes a file of drafts; there being none is no error.
func removeDraft(path string) error {
	err := os.Remove(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return explain(path, err)
	}
	return syncFolder(filepath.Dir(path))
}
