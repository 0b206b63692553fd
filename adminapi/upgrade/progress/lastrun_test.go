package progress_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func TestVersionsAreReadInAnyLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, from, to string }{
		{"Update from 11.5.0.6745 to 11.5.0.6805 begins.", "11.5.0.6745", "11.5.0.6805"},
		{"Das Upgrade von 10.9.1 auf 11.0 beginnt", "10.9.1", "11.0"},
		{"11.5.0.6835→12.0.0.7286", "11.5.0.6835", "12.0.0.7286"},
		{"アップグレード：11.5.0.6835から12.0.0.7286へ", "11.5.0.6835", "12.0.0.7286"},
		{"The upgrade to 12.0.0.7286 begins.", "", ""},
		{"begins at 3 of 4, 100%", "", ""},
		{"", "", ""},
	} {
		if from, to := progress.VersionsIn(c.text); from != c.from || to != c.to {
			t.Errorf("%q: %q, %q", c.text, from, to)
		}
	}
}

func TestTheNewestRunIsTheOneThatIsTimed(t *testing.T) {
	t.Parallel()
	log := func(messages ...adminapi.UpgradeMessage) adminapi.UpgradeStatus {
		return adminapi.UpgradeStatus{Messages: messages}
	}
	first := adminapi.UpgradeMessage{Code: 2010, When: 1000, Message: "from 1.0 to 2.0"}
	end := adminapi.UpgradeMessage{Code: 2011, When: 9000}
	second := adminapi.UpgradeMessage{Code: 2010, When: 20000, Message: "from 2.0 to 3.0"}
	later := adminapi.UpgradeMessage{Code: 2287, When: 21000}
	for name, c := range map[string]struct {
		status adminapi.UpgradeStatus
		want   progress.Run
	}{
		"none":                     {log(), progress.Run{}},
		"one":                      {log(first, end), progress.Run{Began: 1000, Last: 9000, From: "1.0", To: "2.0"}},
		"two, out of order":        {log(later, first, second, end), progress.Run{Began: 20000, Last: 21000, From: "2.0", To: "3.0"}},
		"the beginning is cut off": {log(end, later), progress.Run{Began: 9000, Last: 21000}},
	} {
		if got := progress.LastRun(c.status); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
