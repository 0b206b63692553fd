package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/sorting"
)

// trace is what a write has left beside the log.
type trace struct {
	of         string // what it is; clean
	transcript bool
	time       time.Time
	records    []string  // that it names; those of earlier versions name none
	sent       bool      // a write was certainly recorded before it
	target     string    // of the write; empty where path says it
	path       string    // a part of its path
	from, to   time.Time // when that was recorded; zero for any time
}

// fits reports whether a write may be that of a trace.
func (t trace) fits(l entry) bool {
	same := t.target != "" && l.Target == t.target || t.path != "" && strings.Contains(l.Path, t.path) || l.Target == AnyTarget
	return same && !l.Time.Before(t.from) && (t.to.IsZero() || !l.Time.After(t.to))
}

// traces returns the backups, and the transcripts of upgrades that were sent from here, the
// oldest first. unread is why a transcript is left out that is damaged.
func (j *Journal) traces() (all []trace, unread, err error) {
	root := filepath.Join(j.folder, "backups")
	kinds, err := j.disk.foldersIn(root)
	for _, kind := range kinds {
		var folders []string
		if folders, err = j.disk.foldersIn(kind); err != nil {
			break
		}
		for _, folder := range folders {
			backups, err := j.disk.backupTraces(folder)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, backups...)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	transcripts, unread := j.transcripts()
	for _, s := range transcripts {
		if !s.Here {
			continue
		}
		t := trace{of: "the transcript " + sentence(s.ID), transcript: true, time: s.Opened, sent: true, path: "/system/upgrades/", to: s.Last}
		if s.Record != "" {
			t.records = []string{s.Record}
		}
		all = append(all, t)
	}
	sorting.Stable(all, func(a, b trace) int { return a.time.Compare(b.time) })
	return all, unread, nil
}

// backupTraces reads the list of a folder.
func (d disk) backupTraces(folder string) (all []trace, err error) {
	at := map[string]int{}
	err = d.eachLine(indexPath(folder), func(_ int, line []byte) bool {
		var b Backup
		var named backupRecord
		if json.Unmarshal(line, &named) == nil && named.Record != "" {
			if i, known := at[named.Backup]; known {
				all[i].records = append(all[i].records, named.Record)
			}
		} else if json.Unmarshal(line, &b) == nil && b.ID != "" {
			at[b.ID] = len(all)
			service, _ := adminapi.ParseServicePath(b.Key)
			all = append(all, trace{of: "the backup of " + sentence(b.Key), time: b.Saved, target: adminapi.TargetService(service), from: b.Saved})
		}
		return true
	})
	return all, err
}

// foldersIn returns the paths of the folders in a folder, none where that does not exist.
func (d disk) foldersIn(path string) (folders []string, err error) {
	entries, err := d.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, filepath.Join(path, entry.Name()))
		}
	}
	return folders, explain(path, err)
}
