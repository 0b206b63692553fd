package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kind, key = "definition", "Hosted/Bäume.MapServer"

func TestABackupHoldsTheExactBytes(t *testing.T) {
	t.Parallel()
	folder := place(t)
	content := []byte("{\"a\": 1.0,\r\n \"b\":\"\xff\"}\n")
	saved, err := open(t, folder).SaveBackup(kind, key, content, "admin", "before an edit")
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, folder)
	got, err := j.ReadBackup(kind, key, saved.ID)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%q, %v", got, err)
	}
	all, err := j.Backups(kind, key)
	if err != nil || len(all) != 1 || all[0] != saved || saved.Who != "admin" || saved.Why != "before an edit" || saved.Bytes != len(content) {
		t.Errorf("%+v, %v", all, err)
	}
	info, err := os.Stat(j.BackupPath(kind, key, saved.ID))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestBackupsAreListedNewestFirstWithoutRepeats(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for _, content := range []string{"one", "two", "two", "one"} {
		saved, err := j.SaveBackup(kind, key, []byte(content), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := j.ReadBackup(kind, key, saved.ID); err != nil || string(got) != content { // also where it was saved before
			t.Errorf("%q is read as %q, %v", content, got, err)
		}
	}
	all, err := j.Backups(kind, key)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if newest, err := j.ReadBackup(kind, key, all[0].ID); err != nil || string(newest) != "one" {
		t.Errorf("%q, %v", newest, err)
	}
	if other, err := j.Backups(kind, "another"); err != nil || len(other) != 0 {
		t.Errorf("%+v, %v", other, err)
	}
}

// Other file systems, such as that of a backup of this machine, do not take any name.
func TestTheNamesOfFilesAreThoseOfAnyFileSystem(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	for key, want := range map[string]string{"Hosted/Zäune:z9.MapServer": "hosted-z-une-z9.mapserver-", "{a|b}~_Ω\\\"*?<>\x00": "a-b-"} {
		name := filepath.Base(filepath.Dir(j.BackupPath(kind, key, "id")))
		if !strings.HasPrefix(name, want) || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			t.Errorf("%q is below %q", key, name)
		}
	}
}

// Nothing in place of what was there would be restored as such.
func TestABackupThatIsGoneIsAnErrorThatSaysSo(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	saved, err := j.SaveBackup(kind, key, []byte("one"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.ReadBackup(kind, key, "20261120T120000.000Z-0")
	wantSentence(t, err, "there is no backup 20261120T120000.000Z-0 of "+key)
	path := j.BackupPath(kind, key, saved.ID)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = j.ReadBackup(kind, key, saved.ID)
	wantSentence(t, err, path+" no longer exists")
}

func TestAChangedBackupIsAnError(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	saved, err := j.SaveBackup(kind, key, []byte("one"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.BackupPath(kind, key, saved.ID), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := j.ReadBackup(kind, key, saved.ID); err == nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
	again, err := j.SaveBackup(kind, key, []byte("one"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := j.ReadBackup(kind, key, again.ID); err != nil || string(got) != "one" {
		t.Errorf("%q, %v: what was damaged is not kept anew", got, err)
	}
}
