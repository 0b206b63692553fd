package progress_test

import (
	"reflect"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func TestDeploymentsOfAReleaseAndOfAPatch(t *testing.T) {
	t.Parallel()
	at := func(second, code int, text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(1000 * second), Message: text}
	}
	for name, tt := range map[string]struct {
		messages []adminapi.UpgradeMessage
		names    []string
		each     time.Duration
	}{
		"a release, two at a time": {[]adminapi.UpgradeMessage{at(1, 2010, "from 11.5.0 to 12.0.0"),
			at(10, 2101, "arcgis-web-proxy-nny8f moves"), at(12, 2101, "arcgis-minio-0 moves"), at(20, 2038, "arcgis-web-proxy-nny8f"),
			at(40, 2103, "arcgis-web-proxy-nny8f done"), at(72, 2103, "arcgis-minio-0 done"), at(80, 2103, "arcgis-never-begun-nny8f done")},
			[]string{"minio-0", "web-proxy"}, 30 * time.Second},
		"a patch": {[]adminapi.UpgradeMessage{at(1, 2010, "from 11.5.0.1 to 11.5.0.2"), at(5, 2291, "begins"),
			at(9, 2038, "arcgis-web-proxy-nny8f runs a new image"), at(25, 2173, "1 of 2"), at(30, 2038, "arcgis-sharing-nny8f"), at(65, 2173, "2 of 2"), at(66, 2173, "2 of 2")},
			[]string{"sharing", "web-proxy"}, 20 * time.Second},
		"a patch that is seen late": {[]adminapi.UpgradeMessage{at(9, 2038, "arcgis-web-proxy-nny8f"), at(25, 2173, "5 of 9"), at(30, 2038, "arcgis-sharing-nny8f"), at(65, 2173, "6 of 9")},
			[]string{"sharing"}, 40 * time.Second},
		"none": {[]adminapi.UpgradeMessage{at(1, 2010, "from 11.5.0 to 12.0.0")}, nil, 0},
	} {
		merger := progress.NewMerger(progress.LogBudget)
		merger.Merge(tt.messages)
		all := progress.Deployments(merger.Log())
		var names []string
		for _, d := range progress.Slowest(all, 5) {
			names = append(names, d.Name)
		}
		if !reflect.DeepEqual(names, tt.names) || progress.Each(all) != tt.each {
			t.Errorf("%s: %q, each %s", name, names, progress.Each(all))
		}
	}
}

func TestJSONOfStoresIsASentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"stores":{"a":{"status":"completed"},"b":{"status":"failed"},"c":{"status":"completed"}}}`: "3 PostgreSQL stores: 2 completed, 1 failed",
		`{"stores":{"a":{"version":"15"}}}`: "1 PostgreSQL store",
		`{"stores":{"a":{"status":"comp`:    `{"stores":{"a":{"status":"comp`,
	} {
		if got := progress.LineOf(adminapi.UpgradeMessage{Code: 2153, Message: text}); got != want {
			t.Errorf("%q of %s", got, text)
		}
	}
}
