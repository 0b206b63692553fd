package journal

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
)

// Backup is an earlier content of something, such as a definition before an edit.
type Backup struct {
	ID    string    `json:"id"`
	Saved time.Time `json:"saved"`
	Who   string    `json:"who,omitempty"` // the name of the user at the site; empty where it is not known
	Why   string    `json:"why,omitempty"` // such as "before an edit"
	Bytes int       `json:"bytes"`
	Hash  string    `json:"sha256"`
	Key   string    `json:"key"`
}

// backupRecord is another line of a list: the write of which record a backup was saved for. It
// has no id, so that earlier versions leave it out.
type backupRecord struct {
	Backup string `json:"backup"`
	Record string `json:"record"`
}

// SaveBackup saves the bytes of something, named by kind (such as "definition") and key (such
// as the path of a service), and returns when they are on disk. Where the newest backup is
// the same it returns that, which is written anew.
func (j *Journal) SaveBackup(kind, key string, content []byte, who, why string) (Backup, error) {
	b := Backup{Who: sentence(who), Why: sentence(why), Bytes: len(content), Hash: hashOf(content), Key: key}
	err := j.locked(func() error {
		folder := j.backupFolder(kind, key)
		for _, path := range []string{filepath.Dir(filepath.Dir(folder)), filepath.Dir(folder), folder} {
			if err := j.disk.privateFolder(path); err != nil {
				return err
			}
		}
		earlier, _, err := j.disk.backupsIn(folder)
		if err != nil {
			return err
		}
		if n := len(earlier); n > 0 && earlier[n-1].Hash == b.Hash {
			b = earlier[n-1]
			return j.disk.renewBackup(folder, b, content)
		}
		b.Saved = j.now()
		b.ID = b.Saved.Format("20060102T150405.000Z") + "-" + b.Hash[:nameHash]
		if err := j.disk.replaceWhole(contentPath(folder, b.ID), content); err != nil {
			return err
		}
		return j.disk.appendLine(indexPath(folder), func([]byte) ([]byte, error) { return adminapi.JSONLine(b) })
	})
	return b, err
}

// renewBackup writes a backup anew, and the list that has it: the disk may have spoiled the one, and lost the other.
func (d disk) renewBackup(folder string, b Backup, content []byte) error {
	if err := d.replaceWhole(contentPath(folder, b.ID), content); err != nil {
		return err
	}
	return d.syncFile(indexPath(folder))
}

// Backups returns the backups of a kind and key, newest first.
func (j *Journal) Backups(kind, key string) ([]Backup, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	all, _, err := j.disk.backupsIn(j.backupFolder(kind, key))
	slices.Reverse(all)
	return all, err
}

// ReadBackup returns the bytes of a backup. It is an error where they were changed.
func (j *Journal) ReadBackup(kind, key, id string) ([]byte, error) {
	all, err := j.Backups(kind, key)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b Backup) bool { return b.ID == id })
	if at < 0 {
		return nil, failed(nil, "there is no backup %s of %s on this machine", id, key)
	}
	path := j.BackupPath(kind, key, id)
	content, err := j.disk.readWhole(path)
	if err != nil {
		return nil, err
	}
	if hashOf(content) != all[at].Hash {
		return nil, failed(nil, "the backup has changed since it was saved: %s", path)
	}
	return content, nil
}

// BackupPath is the path of the file with the bytes of a backup.
func (j *Journal) BackupPath(kind, key, id string) string {
	return contentPath(j.backupFolder(kind, key), id)
}

// intact reports whether a backup can be read as it was saved.
func (d disk) intact(folder string, b Backup) bool {
	content, err := d.readWhole(contentPath(folder, b.ID))
	return err == nil && hashOf(content) == b.Hash
}

// backupsIn reads the list of a folder, oldest first, and the records that each names by its id.
// Lines that cannot be read are left out.
func (d disk) backupsIn(folder string) (all []Backup, records map[string][]string, err error) {
	records = map[string][]string{}
	err = d.eachLine(indexPath(folder), func(_ int, line []byte) bool {
		var b Backup
		var of backupRecord
		if json.Unmarshal(line, &b) == nil && b.ID != "" {
			all = append(all, b)
		} else if json.Unmarshal(line, &of) == nil && of.Record != "" {
			records[of.Backup] = append(records[of.Backup], of.Record)
		}
		return true
	})
	return all, records, err
}

func (j *Journal) backupFolder(kind, key string) string {
	return filepath.Join(j.folder, "backups", fileName(kind, kind), fileName(key, key))
}

func contentPath(folder, id string) string {
	return filepath.Join(folder, fileName(id, id)+".json")
}

func indexPath(folder string) string { return filepath.Join(folder, "index.jsonl") }
