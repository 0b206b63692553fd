package journal

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
)

// trace is what a write has left beside the log.
type trace struct {
	of         string // what it is; clean
	transcript bool
	lost       func() bool // whether its content is missing or was changed; nil where it has none
	time       time.Time
	records    []string  // that it names; those of earlier versions name none
	sent       bool      // a write was certainly recorded before it
	target     string    // of the write; empty where path says it
	path       string    // a part of its path
	from, to   time.Time // when that was recorded; zero for any time
}

// fits reports whether a write may be that of a trace.
func (t trace) fits(l Record) bool {
	same := t.target != "" && l.Target == t.target || t.path != "" && strings.Contains(l.Path, t.path) || l.Target == AnyTarget
	return same && !l.Time.Before(t.from) && (t.to.IsZero() || !l.Time.After(t.to))
}

// traces returns the backups, and the transcripts of upgrades that were sent from here, the
// oldest first. unread is why a transcript is left out that is damaged.
func (j *Journal) traces() (all []trace, unread, err error) {
	kinds, err := j.disk.foldersIn(filepath.Join(j.folder, "backups"))
	if err != nil {
		return nil, nil, err
	}
	folders, err := j.disk.foldersIn(kinds...)
	for _, folder := range folders {
		backups, records, failed := j.disk.backupsIn(folder)
		for _, b := range backups {
			service, _ := adminapi.ParseServicePath(b.Key)
			all = append(all, trace{
				of: "the backup of " + sentence(b.Key), time: b.Saved, records: records[b.ID], target: adminapi.TargetService(service), from: b.Saved,
				lost: func() bool { return !j.disk.intact(folder, b) },
			})
		}
		err = cmp.Or(err, failed)
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
	slices.SortStableFunc(all, func(a, b trace) int { return a.time.Compare(b.time) })
	return all, unread, nil
}

// foldersIn returns the paths of the folders in some folders, none where one does not exist.
func (d disk) foldersIn(paths ...string) (folders []string, err error) {
	for _, path := range paths {
		entries, failed := d.ReadDir(path)
		if failed != nil && !absent(failed) {
			err = cmp.Or(err, explain(path, failed))
		}
		for _, entry := range entries {
			if entry.IsDir() {
				folders = append(folders, filepath.Join(path, entry.Name()))
			}
		}
	}
	return folders, err
}
