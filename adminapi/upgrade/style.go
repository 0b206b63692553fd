package upgrade

import (
	"strings"

	"geodeck/adminapi"
)

// Style is how an upgrade wants its settings.
type Style int

// The styles.
const (
	New Style = iota // from 11.0 on: upgradeSettings, with the licence as an upload
	Old              // below 11.0: licenseFile and updateToLatestPatch
)

// String returns "new" or "old".
func (s Style) String() string {
	if s == Old {
		return "old"
	}
	return "new"
}

// newStyleSince is the first version whose upgrade takes the settings object.
var newStyleSince = adminapi.Version{11, 0}

// StyleOf returns the style of an upgrade to target: its own version decides, not
// the one of the site. A version that cannot be read counts as new.
func StyleOf(target adminapi.Update) Style {
	version, ok := adminapi.ParseVersion(strings.TrimSpace(target.Version))
	if ok && !version.AtLeast(newStyleSince) {
		return Old
	}
	return New
}
