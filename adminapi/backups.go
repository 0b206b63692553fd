package adminapi

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// BackupStore is where the site stores backups.
type BackupStore struct {
	Name    string  `json:"name"`
	Default bool    `json:"default"`
	Unknown Unknown `json:",embed"`
}

// BackupCompleted is the status of a backup that can be used. Other words exist.
const BackupCompleted = "completed"

// Backup is one backup of the site.
type Backup struct {
	Name    string  `json:"backupName"`
	Status  string  `json:"status"` // see BackupCompleted
	Start   Millis  `json:"startTime"`
	End     Millis  `json:"endTime"` // zero where unknown
	Unknown Unknown `json:",embed"`
}

// BackupStores reads the places that hold backups (disaster recovery).
func (c *Client) BackupStores(ctx context.Context) ([]BackupStore, error) {
	var list struct {
		Stores jsontext.Value `json:"backupStores"`
	}
	k := call{operation: opBackupStores, method: http.MethodGet, path: []string{"system", "disasterrecovery", "stores"}}
	var stores []BackupStore
	err := c.readAnswer(ctx, k, func(a answer) *Error {
		if e := a.decode(&list, func() string { return ifAbsent(list.Stores, "backupStores") }); e != nil {
			return e
		}
		return readElements(list.Stores, &stores)
	})
	return stores, err
}

// Backups reads the backups in one store, in the server's order.
func (c *Client) Backups(ctx context.Context, store string) ([]Backup, error) {
	var list struct {
		Backups jsontext.Value `json:"backups"`
	}
	k := call{operation: opBackups, method: http.MethodGet, path: []string{"system", "disasterrecovery", "stores", store, "backups"}}
	var backups []Backup
	err := c.readAnswer(ctx, k, func(a answer) *Error {
		if e := a.decode(&list, func() string { return ifAbsent(list.Backups, "backups") }); e != nil {
			return e
		}
		return readElements(list.Backups, &backups)
	})
	return backups, err
}
