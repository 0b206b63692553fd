package upgrade

import (
	"regexp"

	"geodeck/adminapi"
)

// Run is the newest run that a log tells of.
type Run struct {
	Began, Last adminapi.Millis // of its first and its last message; zero without messages
	From, To    string          // the versions; empty where no message tells both
}

// LastRun returns the newest run in the messages of a status. A later 2010 begins
// a new run; without one the log is taken for a single run.
func LastRun(s adminapi.UpgradeStatus) Run {
	r := newestRun(s).run
	if start, found := lastStart(s); found {
		r.From, r.To = VersionsIn(start.Message)
	}
	return r
}

// versionLike matches versions with and without a build: 12.0, 11.5.0.6835; not
// 14.03, which is a time or a date in some languages.
var versionLike = regexp.MustCompile(`^\d{1,4}(?:\.(?:0|[1-9]\d{0,5})|(?:\.\d{1,6}){2,4})$`)

// VersionsIn returns the first two versions in a text, from and to. Texts may be in
// any language, so no word is looked at; both are empty where there are not two.
func VersionsIn(text string) (from, to string) {
	for _, n := range numeralsIn(text) {
		switch {
		case n.form == date || n.unit > 0 || n.percent || !versionLike.MatchString(n.text):
		case from == "":
			from = n.text
		default:
			return from, n.text
		}
	}
	return "", ""
}
