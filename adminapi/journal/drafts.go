package journal

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoDraft says that a draft does not exist any more: it was sent or discarded, or another
// program has taken it over.
var ErrNoDraft = errors.New("the draft no longer exists: it was sent, discarded or taken over")

// DraftHeldError says that another program, which runs or may run, has the edit open.
type DraftHeldError struct{ Draft Draft }

// Error names the program.
func (e *DraftHeldError) Error() string { return e.Draft.Program.Who() + " has this edit open" }

// SaveDraft saves value, as JSON, as this program's draft of a kind (such as "upgrade
// settings") and key (such as the id of the update), in place of its draft before. Drafts of
// other programs stay as they are. A value must hold no secret and no content of a file.
//
// holder is the draft of another program that has the edit open; nil where this program has.
func (j *Journal) SaveDraft(kind, key string, value any) (holder *Draft, err error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, failed(err, "the draft cannot be written as JSON: %v", err)
	}
	err = j.locked(func() error {
		mine, others, err := j.drafts.ownAndOthers(kind, key)
		if err != nil {
			return err
		}
		now := j.now()
		holder = rival(mine, others)
		if mine == nil {
			mine = &Draft{Kind: kind, Key: key, Since: now}
		}
		if holder == nil {
			mine.turn = nextTurn(others, mine.turn)
		}
		mine.Saved, mine.value, mine.Text = now, content, nil
		_, err = j.drafts.write(*mine)
		return err
	})
	return holder, err
}

// TakeDraft gives the edit of a draft of [Journal.Drafts] to this program, and returns its
// draft: with the value of the other, or with its own where it has one. The draft of a
// program that runs, or may run, stays; that of one that has ended is removed. Errors are
// [ErrNoDraft], and [*DraftHeldError] where another program than that of from has the edit.
func (j *Journal) TakeDraft(from Draft) (taken Draft, err error) {
	err = j.locked(func() error {
		mine, others, err := j.drafts.ownAndOthers(from.Kind, from.Key)
		if err != nil {
			return err
		}
		now := findDraft(others, from)
		switch holder := rival(mine, others); {
		case holder != nil && (holder.name != from.name || from.Liveness == Ended):
			return &DraftHeldError{*holder}
		case now == nil:
			return ErrNoDraft
		case now.Damaged != nil:
			return now.Damaged
		}
		adopts := mine == nil
		if adopts {
			mine = &Draft{Kind: from.Kind, Key: from.Key, Since: j.now(), Saved: now.Saved, Text: now.Text, value: now.value}
		}
		mine.turn = nextTurn(others, mine.turn)
		if taken, err = j.drafts.write(*mine); err != nil {
			return err
		}
		if adopts && !now.running() {
			return j.drafts.removeTaken(*now, others)
		}
		return nil
	})
	return taken, err
}

// DiscardDraft removes a draft of [Journal.Drafts] whose program has ended. One that does not
// exist is no error. The error is a [*DraftHeldError] where the program runs, or has saved
// since. A draft that was damaged already is renamed instead.
func (j *Journal) DiscardDraft(d Draft) error {
	return j.locked(func() error {
		_, others, err := j.drafts.ownAndOthers(d.Kind, d.Key)
		now := findDraft(others, d)
		switch {
		case err != nil || now == nil:
			return err
		case now.Damaged != nil && d.Damaged == nil: // whether its program runs is not known any more
			return now.Damaged
		case now.Damaged != nil:
			return j.disk.setAside(*now)
		case now.Liveness == Alive, !now.Saved.Equal(d.Saved):
			return &DraftHeldError{*now}
		}
		return j.disk.remove(*now)
	})
}

// removeTaken removes the draft of a program that has ended, and of a text the draft that its
// editor was given.
func (s draftStore) removeTaken(taken Draft, others []Draft) error {
	err := s.disk.remove(taken)
	for _, o := range others {
		if taken.Outside && !o.Outside && o.Program == taken.Program && bytes.Equal(o.value, taken.value) {
			err = errors.Join(err, s.disk.remove(o))
		}
	}
	return err
}

// DeleteDraft removes this program's draft; one that does not exist is no error.
func (j *Journal) DeleteDraft(kind, key string) error {
	return j.locked(func() error { return j.disk.removeDraft(j.drafts.path(kind, key)) })
}

// Drafts returns all drafts of a key: this program's first, then those of programs that run,
// then those of programs that have ended, newest first. Damaged ones are last.
func (j *Journal) Drafts(kind, key string) (drafts []Draft, err error) {
	err = j.locked(func() error {
		drafts, err = j.drafts.of(kind, key)
		return err
	})
	return drafts, err
}

// ListDrafts returns the drafts of a kind, of all programs, newest first. Damaged ones are
// left out.
func (j *Journal) ListDrafts(kind string) ([]Draft, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	drafts, err := j.drafts.all(kind, "")
	drafts = slices.DeleteFunc(drafts, func(d Draft) bool { return d.Damaged != nil || d.Kind != kind })
	slices.SortStableFunc(drafts, func(a, b Draft) int { return b.Saved.Compare(a.Saved) })
	return drafts, err
}

// ownAndOthers reads the drafts of a key before a change; mine is nil where this program has
// none that can be read.
func (s draftStore) ownAndOthers(kind, key string) (mine *Draft, others []Draft, err error) {
	drafts, err := s.of(kind, key)
	for _, d := range drafts {
		switch {
		case !d.Mine:
			others = append(others, d)
		case d.Damaged == nil:
			mine = &d
		case d.junk:
			err = errors.Join(err, s.disk.setAside(d))
		default:
			err = errors.Join(err, d.Damaged)
		}
	}
	return mine, others, err
}

// setAside gives a damaged draft a name that nothing reads or replaces, for a person to look
// at.
func (d disk) setAside(of Draft) error {
	return explain(of.name, d.Rename(of.name, of.name+".damaged"))
}

// rival returns the draft of another program that has the edit rather than mine.
func rival(mine *Draft, others []Draft) *Draft {
	holder := Holder(others)
	if holder == nil || mine != nil && mine.before(*holder) {
		return nil
	}
	return holder
}

// findDraft finds a draft that was returned earlier.
func findDraft(drafts []Draft, wanted Draft) *Draft {
	at := slices.IndexFunc(drafts, func(d Draft) bool { return d.name == wanted.name })
	if at < 0 {
		return nil
	}
	return &drafts[at]
}

// nextTurn returns a turn that is higher than those of others.
func nextTurn(others []Draft, turn int) int {
	for _, o := range others {
		turn = max(turn, o.turn+1)
	}
	return max(turn, 1)
}

// Draft is unsent work on disk. Each program has its own, so there may be several of a kind
// and key.
type Draft struct {
	Kind     string    `json:"kind"`
	Key      string    `json:"key"`
	Saved    time.Time `json:"saved"`
	Program  Program   `json:"program,omitzero"` // its owner
	Since    time.Time `json:"since,omitzero"`   // when the owner began to edit; zero where that is not known
	Mine     bool      `json:"-"`                // this journal is the owner
	Liveness Liveness  `json:"-"`                // of the owner
	Damaged  error     `json:"-"`                // why it cannot be read; nil where it can
	Text     []byte    `json:"text,omitempty"`   // what an editor has saved of the value; nil for none
	Outside  bool      `json:"-"`                // Text is in no file but that of the editor, see [Journal.OpenText]

	name  string // of the file
	junk  bool   // its content is no draft
	turn  int    // of the programs that run, the one with the highest turn has the edit
	value jsontext.Value
}

// draftFile is a draft on disk.
type draftFile struct {
	Draft
	Turn  int            `json:"turn,omitempty"`
	Value jsontext.Value `json:"value"`
	openedText
}

// Read decodes the value into a pointer. After an error a part of it may be set.
func (d Draft) Read(into any) error {
	if d.Damaged != nil {
		return d.Damaged
	}
	if err := json.Unmarshal(d.value, into); err != nil {
		return failed(err, "the draft does not hold what was expected: %s", d.name)
	}
	return nil
}

// running reports whether the program of a draft runs, or may run.
func (d Draft) running() bool { return d.Liveness != Ended }

// Holder returns the draft of the program that has the edit open: of those that run, or may
// run, the one that has taken it over last, else the first. It is nil for none.
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
	return cmp.Or(cmp.Compare(b.turn, a.turn), a.Since.Compare(b.Since), textFirst(a, b), cmp.Compare(a.name, b.name))
}

// textFirst compares drafts of one program: an editor was given the other.
func textFirst(a, b Draft) int {
	switch {
	case a.Outside == b.Outside:
		return 0
	case a.Outside:
		return -1
	}
	return 1
}

// inOrder compares drafts for [Journal.Drafts].
func inOrder(a, b Draft) int {
	if first := cmp.Compare(rankOf(a), rankOf(b)); first != 0 {
		return first
	}
	if a.running() {
		return byTurn(a, b)
	}
	return cmp.Or(b.Saved.Compare(a.Saved), textFirst(a, b), cmp.Compare(a.name, b.name))
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

// draftStore holds the files of the drafts of all programs, in a folder for each kind.
type draftStore struct {
	disk   *disk
	folder string
	self   *presence
}

func (s draftStore) kindFolder(kind string) string {
	return filepath.Join(s.folder, fileName(kind, kind))
}

// path is the file of this program's draft. Those of all programs for a key, also of earlier
// versions, begin with the same name.
func (s draftStore) path(kind, key string) string {
	return filepath.Join(s.kindFolder(kind), fileName(key, key)+"."+s.self.program.Run+draftEnd)
}

// files lists the files of a kind whose names end so, those of a key or all where that is empty.
func (s draftStore) files(kind, key, end string) (paths []string, err error) {
	begin := ""
	if key != "" {
		begin = fileName(key, key) + "."
	}
	folder := s.kindFolder(kind)
	_, err = s.disk.folderInfo(folder, folder)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := s.disk.ReadDir(folder)
	if err != nil {
		return nil, explain(folder, err)
	}
	for _, entry := range entries {
		// A file whose name begins with a dot is not finished.
		if name := entry.Name(); !strings.HasPrefix(name, ".") && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths, nil
}

// of reads all drafts of a key, in order. The lock must be held, else a draft that is being
// taken over may be missed.
func (s draftStore) of(kind, key string) ([]Draft, error) {
	drafts, err := s.all(kind, key)
	if err != nil {
		return nil, err
	}
	for i := range drafts {
		drafts[i].Kind, drafts[i].Key = kind, key
	}
	slices.SortStableFunc(drafts, inOrder)
	return drafts, nil
}

// all reads all drafts of a key, or of all keys where that is empty: first what editors have saved,
// then the others.
func (s draftStore) all(kind, key string) (drafts []Draft, err error) {
	folders, err := s.files(kind, key, textEnd)
	for _, folder := range folders {
		if d := s.readOpened(folder); d.Outside {
			drafts = append(drafts, d)
		}
	}
	paths, failed := s.files(kind, key, draftEnd)
	for _, path := range paths {
		if d := s.read(path); !absent(d.Damaged) {
			drafts = append(drafts, d)
		}
	}
	return drafts, errors.Join(err, failed)
}

// read reads the file of a draft. Its name has the owner too, for a damaged one.
func (s draftStore) read(path string) Draft {
	d, _ := s.readFile(path, runOf(path, draftEnd))
	return d
}

// runOf is the run of the program that the name of a draft has.
func runOf(path, end string) string {
	name := strings.TrimSuffix(path, end)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// readFile is read of a file whose owner is known.
func (s draftStore) readFile(path, owner string) (Draft, openedText) {
	d := Draft{name: path, Mine: owner == s.self.program.Run}
	data, err := s.disk.readWhole(path)
	if err != nil {
		d.Damaged = err
		return d, openedText{}
	}
	file := draftFile{Draft: d}
	if err := json.Unmarshal(data, &file); err != nil {
		d.Damaged, d.junk = failed(err, "the draft is damaged: %s", path), true
		return d, openedText{}
	}
	d = file.Draft
	d.turn, d.value = file.Turn, file.Value
	if d.value == nil {
		d.Damaged, d.junk = failed(nil, "the draft is damaged: %s", path), true
	}
	if owner != d.Program.Run {
		d.Program = Program{} // of an earlier version, or a copy
	}
	if d.Liveness = Alive; !d.Mine {
		d.Liveness = s.self.liveness(d.Program)
	}
	return d, file.openedText
}

// prepare readies the folder of a kind for a draft of this program. The lock must be held.
func (s draftStore) prepare(kind string) error {
	if err := s.self.markAlive(); err != nil {
		return err
	}
	folder := s.kindFolder(kind)
	for _, path := range []string{filepath.Dir(folder), folder} {
		if err := s.disk.privateFolder(path); err != nil {
			return err
		}
	}
	return nil
}

// write saves a draft of this program. The lock must be held.
func (s draftStore) write(d Draft) (Draft, error) {
	if err := s.prepare(d.Kind); err != nil {
		return Draft{}, err
	}
	d.Program, d.Mine, d.Liveness, d.Damaged, d.Outside, d.name = s.self.program, true, Alive, nil, false, s.path(d.Kind, d.Key)
	s.disk.removeUnfinished(filepath.Join(s.kindFolder(d.Kind), fileName(d.Key, d.Key))) // also of other programs
	return d, s.writeFile(d.name, d, openedText{})
}

func (s draftStore) writeFile(path string, d Draft, opened openedText) error {
	d.Program = s.self.program
	data, err := json.Marshal(draftFile{d, d.turn, d.value, opened})
	if err != nil {
		return failed(err, "the draft cannot be written as JSON: %v", err)
	}
	return s.disk.replaceWhole(path, data)
}

// remove removes a draft; one that does not exist is no error.
func (d disk) remove(draft Draft) error {
	if draft.Outside {
		return d.removeText(draft.name)
	}
	return d.removeDraft(draft.name)
}

// removeDraft removes the file of a draft; one that does not exist is no error.
func (d disk) removeDraft(path string) error {
	err := d.Remove(path)
	switch {
	case absent(err):
		return nil
	case err != nil:
		return explain(path, err)
	}
	return d.syncFolder(filepath.Dir(path))
}
