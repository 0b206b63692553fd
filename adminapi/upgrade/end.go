package upgrade

import "geodeck/adminapi"

// codeUpgraded says that the deployment runs the new version.
const codeUpgraded = 2012

// Ends tells whether a message ends a run that was done.
func Ends(m adminapi.UpgradeMessage) bool { return m.Code == codeEnd || m.Code == codeUpgraded }

// EndedSince returns the moment of the newest message that a run was done, where that is
// not older than since, and no run has begun after it; false otherwise.
func (l Log) EndedSince(since adminapi.Millis) (adminapi.Millis, bool) {
	for i := l.Len() - 1; i >= 0; i-- {
		switch m := l.At(i).UpgradeMessage; {
		case m.When < since, Begins(m):
			return 0, false
		case Ends(m):
			return m.When, true
		}
	}
	return 0, false
}
