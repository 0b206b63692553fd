package journal_test

import (
	"bytes"
	"os"
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
	if err != nil || len(all) != 1 || all[0] != saved || saved.Who != "admin" || saved.Bytes != len(content) {
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
		if _, err := j.SaveBackup(kind, key, []byte(content), "", ""); err != nil {
			t.Fatal(err)
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
