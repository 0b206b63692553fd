package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

// stepsOf returns what do does to the disk below folder: the steps by their names, of a
// temporary file with what is in it at that moment.
func stepsOf(t *testing.T, j *journal.Journal, folder string, do func() error) (seen []string) {
	t.Helper()
	journal.BetweenDisk(t, j, func(step, path string) error {
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if base := filepath.Base(name); strings.HasPrefix(base, ".") && base != "." {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name = fmt.Sprintf("temporary of %d bytes", len(content))
		}
		seen = append(seen, step+" "+name)
		return nil
	})
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestWhatReplacesAFileIsOnDiskBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	draft := saveOne(t, j)
	old, err := os.ReadFile(draft)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(draft)
	name := filepath.Base(draft)
	var between []byte // what a reader finds right before the new content has the name
	seen := stepsOf(t, j, folder, func() error {
		_, err := j.SaveDraft("k", "key", answers{"another text", 2})
		return err
	})
	now, err := os.ReadFile(draft)
	if err != nil || bytes.Equal(now, old) {
		t.Fatalf("%s, %v", now, err)
	}
	whole := fmt.Sprintf("temporary of %d bytes", len(now))
	want := []string{"sync " + whole, "close " + whole, "rename " + name, "sync ."}
	if !slices.Equal(seen, want) {
		t.Errorf("the steps are %q, want %q", seen, want)
	}

	journal.BetweenDisk(t, j, func(step, path string) error {
		if step == "rename" {
			between, err = os.ReadFile(path)
		}
		return err
	})
	if _, err := j.SaveDraft("k", "key", answers{"a third text", 3}); err != nil || !bytes.Equal(between, now) {
		t.Errorf("before it is renamed a reader finds %s, %v", between, err)
	}
}

func TestABackupIsOnDiskBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	content := []byte(`{"type":"MapServer"}`)
	seen := stepsOf(t, j, j.Folder(), func() error {
		_, err := j.SaveBackup(kind, key, content, "me", "before an edit")
		return err
	})
	whole := fmt.Sprintf("temporary of %d bytes", len(content))
	at := slices.Index(seen, "sync "+whole)
	if at < 0 || len(seen) < at+4 || seen[at+1] != "close "+whole || !strings.HasPrefix(seen[at+2], "rename ") || !strings.HasPrefix(seen[at+3], "sync ") {
		t.Errorf("the steps are %q", seen)
	}
}

// A power cut behind the return leaves neither a content without its line nor a line that is half there, also
// where the same was saved before.
func TestTheListOfBackupsIsOnDiskOnceABackupIsSaved(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for range 2 {
		seen := stepsOf(t, j, j.Folder(), func() error {
			_, err := j.SaveBackup(kind, key, []byte(`{"type":"MapServer"}`), "me", "before an edit")
			return err
		})
		if !slices.ContainsFunc(seen, func(step string) bool {
			return strings.HasPrefix(step, "sync ") && strings.HasSuffix(step, "index.jsonl")
		}) {
			t.Errorf("the steps are %q", seen)
		}
	}
}

func TestARecordIsOnDiskBeforeItsWriteIsSent(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	var recorded []byte
	seen := stepsOf(t, j, j.Folder(), func() error {
		journal.BetweenDisk(t, j, func(step, path string) (err error) {
			if step == "sync" && path == logOf(j) {
				recorded, err = os.ReadFile(path)
			}
			return err
		})
		return j.BeforeWrite(write(1, nil))
	})
	if !bytes.HasSuffix(recorded, []byte("\n")) || !bytes.Contains(recorded, []byte("start the upgrade")) {
		t.Errorf("what is made to last is %q, after %q", recorded, seen)
	}
	// The name of the new file as well, and the head after it.
	if len(seen) != 6 || !slices.Equal(seen[:2], []string{"sync .", "sync actions.jsonl"}) || seen[4] != "rename actions.head" {
		t.Errorf("the steps are %q", seen)
	}
}

// What cannot be made to last is not put in place of what was there.
func TestAFailedWriteReplacesNothing(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"sync", "close", "rename"} {
		j := open(t, place(t))
		draft := saveOne(t, j)
		old, err := os.ReadFile(draft)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(broken, func(t *testing.T) {
			journal.BetweenDisk(t, j, func(step, _ string) error {
				if step == broken {
					return syscall.EIO
				}
				return nil
			})
			_, err := j.SaveDraft("k", "key", answers{"another text", 2})
			wantSentence(t, err, "the disk reports an error")
		})
		now, err := os.ReadFile(draft)
		if err != nil || !bytes.Equal(now, old) {
			t.Errorf("%s fails, and the draft is %s, %v", broken, now, err)
		}
		if left, err := os.ReadDir(filepath.Dir(draft)); err != nil || len(left) != 1 {
			t.Errorf("%s fails, and %v is left behind, %v", broken, left, err)
		}
	}
}

// A crash in the middle of a replacement leaves a part of it beside the file.
func TestWhatACrashHasLeftOfAReplacementIsRemovedByTheNext(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	left := filepath.Join(j.Folder(), ".actions.head123")
	put(t, left, "{")
	begin(t, j, write(1, nil))
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestWhatBelongsToAnotherUserIsNotUsed(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	begin(t, j, write(1, nil))
	draft := saveOne(t, j)
	journal.UseFiles(j, journal.OfOthers{})
	_, err := journal.Open(folder, site, journal.WithFiles(journal.OfOthers{}))
	wantSentence(t, err, "the state folder belongs to another user: "+folder)
	wantSentence(t, j.BeforeWrite(write(2, nil)), " belongs to another user")
	_, err = j.Actions(0)
	wantSentence(t, err, " belongs to another user")
	_, err = j.SaveDraft("k", "key", answers{"another text", 2})
	wantSentence(t, err, " belongs to another user")
	if drafts, err := j.Drafts("k", "key"); err == nil && len(drafts) > 0 && drafts[0].Damaged == nil {
		t.Errorf("the draft %s is read", draft)
	}
	_, err = j.Claim(adminapi.TargetSite, "12.0.0.7286")
	wantSentence(t, err, " belongs to another user")
}

func TestASmallFileOfNoSiteIsPrivateBoundedAndItsOwn(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "above", "state")
	load := func() string {
		content, err := journal.LoadState(journal.SystemFiles{}, folder, "small", 4<<10)
		if err != nil {
			t.Error(err)
		}
		return string(content)
	}
	if _, err := journal.LoadState(journal.SystemFiles{}, folder, "small", 4<<10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first save: %v", err)
	}
	for _, content := range []string{"one", "", "two"} {
		if err := journal.SaveState(journal.SystemFiles{}, folder, "small", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := load(); got != content {
			t.Errorf("%q instead of %q", got, content)
		}
	}
	path := filepath.Join(folder, "small")
	for name, want := range map[string]fs.FileMode{folder: 0o700, path: 0o600} {
		if info, err := os.Lstat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v is left, %v", files, err)
	}
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := load(); len(got) != 4<<10 {
		t.Errorf("%d bytes were read", len(got))
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	wantSentence(t, journal.SaveState(journal.SystemFiles{}, folder, "small", []byte("three")), path+" is not a regular file")
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, nil, 0o600), os.Remove(path), os.Symlink(other, path)); err != nil {
		t.Fatal(err)
	}
	_, err := journal.LoadState(journal.SystemFiles{}, folder, "small", 4<<10)
	if saved := journal.SaveState(journal.SystemFiles{}, folder, "small", []byte("three")); err == nil || saved == nil {
		t.Errorf("a link is followed: %v, %v", err, saved)
	}
}
