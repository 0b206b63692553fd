package adminapi

import "context"

// BackupStore is a place where the site stores backups.
type BackupStore struct {
	Name    string  `json:"name"`
	Default bool    `json:"default"`
	Unknown Unknown `json:",embed"`
}

// BackupCompleted is the status of a backup that can be restored. Others exist.
const BackupCompleted = "completed"

// Backup is one backup of the site.
type Backup struct {
	Name    string  `json:"backupName"`
	Status  string  `json:"status"` // see BackupCompleted
	Start   Millis  `json:"startTime"`
	End     Millis  `json:"completeTime"` // zero if not known
	Unknown Unknown `json:",embed"`
}

// BackupStores fetches the stores of backups (disaster recovery).
func (c *Client) BackupStores(ctx context.Context) ([]BackupStore, error) {
	k := opBackupStores.at("system", "disasterrecovery", "stores")
	return readList[BackupStore](ctx, c, k, "backupStores")
}

// Backups fetches the backups in one store, in the server's order.
func (c *Client) Backups(ctx context.Context, store string) ([]Backup, error) {
	k := opBackups.at("system", "disasterrecovery", "stores", store, "backups")
	return readList[Backup](ctx, c, k, "backups")
}
