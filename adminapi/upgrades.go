package adminapi

import (
	"context"
	"strings"
)

// UpgradeStatus is the status of the site's last or present upgrade.
type UpgradeStatus struct {
	State    string           `json:"state"` // no_upgrade, in_progress, success; others exist
	Code     int              `json:"code"`  // 0, 1, 3 with the states above
	Messages []UpgradeMessage `json:"messages"`
	Unknown  Unknown          `json:",embed"`
}

// UpgradeMessage is one line of an upgrade's log. Secrets in it are masked, and of a
// text of more than 64 KiB the beginning is there, with its length.
type UpgradeMessage struct {
	Code    int     `json:"code"`
	Message string  `json:"message"`
	When    Millis  `json:"when"`
	Unknown Unknown `json:",embed"`

	// LeftOut is how many messages this one stands for, see [MessagesLeftOut]; 0 in
	// every message of a site.
	LeftOut int `json:"geodeckLeftOut,omitzero"`
}

// The states of an upgrade that are known.
const (
	UpgradeNone       = "no_upgrade"
	UpgradeInProgress = "in_progress"
	UpgradeSuccess    = "success"
)

// Running tells whether an upgrade or a rollback is under way.
func (s UpgradeStatus) Running() bool {
	return strings.EqualFold(strings.TrimSpace(s.State), UpgradeInProgress)
}

// UpgradeStatus reads the Upgrades resource. A success found on the first
// reading is history, not news. Who reads it more than once takes
// [Client.NewUpgradeReader].
func (c *Client) UpgradeStatus(ctx context.Context) (UpgradeStatus, error) {
	return c.NewUpgradeReader().read(ctx, nil)
}
