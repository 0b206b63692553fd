package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What a scenario says of backups.
const (
	backupsRecent     = "recent"
	backupsNone       = "none"
	backupsOld        = "old"
	backupsUnreadable = "unreadable"
)

// backupStore is the name of the one store for backups.
const backupStore = "nightly"

func (s Scenario) checkBackups() error {
	kinds := []string{"", backupsRecent, backupsNone, backupsOld, backupsUnreadable}
	if !slices.Contains(kinds, s.Backups) {
		return fmt.Errorf("backups: %q is none of %s", s.Backups, strings.Join(kinds[1:], ", "))
	}
	return nil
}

func recoveryRoutes(w *world) []route {
	return []route{
		get("/system/disasterrecovery/stores", "Backup stores", w.showBackupStores).needing(privSecurity),
		get("/system/disasterrecovery/stores/{store}/backups", "Backups", w.showBackups).needing(privSecurity),
	}
}

type backupStoreBody struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
}

type backupBody struct {
	Name   string `json:"backupName"`
	Start  int64  `json:"startTime"`
	Status string `json:"status"`
}

func (w *world) showBackupStores(*request) (answer, error) {
	stores := []backupStoreBody{}
	if w.scenario.Backups != backupsNone {
		stores = append(stores, backupStoreBody{backupStore, true})
	}
	return answer{body: map[string][]backupStoreBody{"backupStores": stores}}, nil
}

// showBackups lists one backup a day, made at two in the morning UTC, oldest
// first; one of them broke off.
func (w *world) showBackups(q *request) (answer, error) {
	if q.vars["store"] != backupStore || w.scenario.Backups == backupsNone {
		return answer{}, notFound("no such store", "there is no backup store "+q.vars["store"])
	}
	if w.scenario.Backups == backupsUnreadable {
		return answer{}, &refusal{code: 500, message: "The backup store cannot be read.", details: []string{"the store did not answer within 30 s"}}
	}
	return answer{body: map[string][]backupBody{"backups": w.backups(q.now)}}, nil
}

func (w *world) backups(now time.Time) []backupBody {
	last, list := now, []backupBody{}
	if w.scenario.Backups == backupsOld {
		last = w.started.AddDate(0, -2, 0)
	}
	night := last.UTC().Truncate(24 * time.Hour).Add(2 * time.Hour)
	if night.After(last) {
		night = night.AddDate(0, 0, -1)
	}
	for age := 6; age >= 0; age-- {
		at := night.AddDate(0, 0, -age)
		list = append(list, backupBody{"backup-" + at.Format("20060102-1504"), millis(at), "completed"})
	}
	list[4].Status = "failed"
	if now.Sub(night) < 40*time.Minute {
		list[6].Status = "in_progress"
	}
	return list
}
