package adminapi

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
)

// UpgradeStatus is the status of the site's last or present upgrade.
type UpgradeStatus struct {
	State    string           `json:"state"` // no_upgrade, in_progress, success; others exist
	Code     int              `json:"code"`  // 0, 1, 3 with the states above
	Messages []UpgradeMessage `json:"messages"`
	Unknown  Unknown          `json:",embed"`
}

// UpgradeMessage is one line of an upgrade's log.
type UpgradeMessage struct {
	Code    int     `json:"code"`
	Message string  `json:"message"`
	When    Millis  `json:"when"`
	Unknown Unknown `json:",embed"`
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
// reading is history, not news.
func (c *Client) UpgradeStatus(ctx context.Context) (UpgradeStatus, error) {
	var resource struct {
		Status *UpgradeStatus `json:"status"`
	}
	k := call{operation: opUpgrades, method: http.MethodGet, path: []string{"system", "upgrades"}}
	err := c.read(ctx, k, &resource, func() string {
		if resource.Status == nil {
			return "status"
		}
		return ""
	})
	if err != nil {
		return UpgradeStatus{}, err
	}
	return *resource.Status, nil
}

// UpgradeStatusAfter is UpgradeStatus for whoever has read before. Where the
// answer begins with the messages of known, Messages is known itself with what is
// new behind it, in the same memory where there is room: a log of 100,000 messages
// that has grown by one costs one. Only the last slice returned may be given as
// known, and none of its elements may be changed.
func (c *Client) UpgradeStatusAfter(ctx context.Context, known []UpgradeMessage) (UpgradeStatus, error) {
	status, err := c.UpgradeStatus(ctx)
	told := status.Messages
	if err != nil || len(known) == 0 || len(told) < len(known) || !slices.EqualFunc(told[:len(known)], known, sameMessage) {
		return status, err
	}
	status.Messages = append(known, told[len(known):]...)
	return status, nil
}

func sameMessage(a, b UpgradeMessage) bool {
	return a.Code == b.Code && a.When == b.When && a.Message == b.Message && bytes.Equal(a.Unknown, b.Unknown)
}
