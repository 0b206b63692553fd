package upgrade

import "geodeck/adminapi"

// Begins tells whether a message opens a run.
func Begins(m adminapi.UpgradeMessage) bool { return m.Code == codeStart }
