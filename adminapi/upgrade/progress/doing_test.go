package progress_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

func TestAStepNamesItsDeployment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code        int
		text        string
		doing, noun string
	}{
		{2101, "Upgrade of the deployment arcgis-web-proxy-nny8f begins.", "Upgrading web-proxy", "upgrade of web-proxy"},
		{2101, "Upgrade von arcgis-relational-store-0.", "Upgrading relational-store-0", "upgrade of relational-store-0"},
		{2101, "arcgis-logging-tqgib", "Upgrading logging", "upgrade of logging"},
		{2101, "web-proxy", "Upgrading web-proxy", "upgrade of web-proxy"},
		{2101, "", "Upgrading a deployment", "upgrade of a deployment"},
		{2134, "WEB_PROXY begins", "Upgrading WEB_PROXY", "upgrade of WEB_PROXY"},
		{2038, "The deployment arcgis-portal-apps-z8s90 runs the image apps:11.5.0.6805 now.", "Updating portal-apps", "update of portal-apps"},
		{2144, "Upgrade of the databases begins on postgres-abc.", "Upgrading PostgreSQL", "PostgreSQL upgrade"},
		{2101, "a-" + strings.Repeat("x", 10_000), "Upgrading a deployment", "upgrade of a deployment"},
	} {
		code, _ := progress.CodeOf(c.code)
		step := progress.Step{Code: code, Text: c.text}
		if step.Doing() != c.doing || step.Noun() != c.noun {
			t.Errorf("%d %.40q: %q, %q", c.code, c.text, step.Doing(), step.Noun())
		}
	}
}

func TestALineThatDoesNotFitSaysWhatOthersDoNot(t *testing.T) {
	t.Parallel()
	image := "The deployment arcgis-portal-apps-z8s90 runs the image hub.io/apps:12.0.0.7286 now, instead of hub.io/apps:11.5.0.6745."
	for _, c := range []struct {
		code, cells int
		text, want  string
	}{
		{2038, 200, image, image},
		{2038, 110, image, "portal-apps runs the image 12.0.0.7286 now, instead of 11.5.0.6745."},
		{2101, 20, "Upgrade of the deployment arcgis-web-proxy-nny8f begins.", "Upgrade of the deployment web-proxy begins."},
		{2281, 20, "Elasticsearch can be upgraded to 12.0.0.7286.", "Elasticsearch can be upgraded to 12.0.0.7286."},
		{2038, 20, strings.Repeat("x", 10_000), strings.Repeat("x", 10_000)},
	} {
		m := adminapi.UpgradeMessage{Code: c.code, Message: c.text}
		if got := progress.ShortLine(m, func(s string) bool { return len(s) <= c.cells }); got != c.want {
			t.Errorf("in %d cells: %q", c.cells, got)
		}
	}
}

// Every step has its own words.
func TestEveryStepHasItsWords(t *testing.T) {
	t.Parallel()
	for code := 2000; code < 2400; code++ {
		c, known := progress.CodeOf(code)
		if step := (progress.Step{Code: c}); known && progress.IsStep(c) && (step.Doing() == c.Meaning || step.Noun() == c.Meaning) {
			t.Errorf("%d has no words: %q, %q", code, step.Doing(), step.Noun())
		}
	}
}

// A patch tells which deployment gets its image, not when it begins to.
func TestAPatchNamesTheDeploymentThatIsUpdated(t *testing.T) {
	t.Parallel()
	log := []logged{{0, 2010, "11.5.0.6745 11.5.0.6805"}, {9, 2291, "system"}, {20, 2038, "arcgis-web-proxy-nny8f"}}
	if now, ok := progress.Of(logOf(log...), progress.StateRunning).Now(); !ok || now.Doing() != "Updating web-proxy" || now.Since != at(20) {
		t.Errorf("%q since %v", now.Doing(), now.Since)
	}
	if now, ok := progress.Of(logOf(append(log, logged{40, 2173, "1 of 13"})...), progress.StateRunning).Now(); !ok || now.Doing() != "Patching a module" {
		t.Errorf("%q once it was counted", now.Doing())
	}
	undone := append(log[:3:3], logged{40, 2173, "1 of 13"}, logged{50, 2270, "The rollback is planned."}, logged{60, 2271, ""})
	for n, c := range []struct {
		next logged
		want string
	}{{logged{70, 2168, ""}, "Launching the upgrader"}, {logged{80, 2291, "system"}, "Rolling back a module"}, {logged{90, 2038, "arcgis-web-proxy-nny8f"}, "Rolling back web-proxy"}} {
		undone = append(undone, c.next)
		if now, _ := progress.Of(logOf(undone...), progress.StateRunning).Now(); now.Doing() != c.want {
			t.Errorf("%d, a patch that is undone: %q, want %q", n, now.Doing(), c.want)
		}
	}
	log[0].text = "11.5.0.6805 11.5.0.6745"
	for n, want := range map[int]string{2: "Rolling back a module", 3: "Rolling back web-proxy"} {
		if now, _ := progress.Of(logOf(log[:n]...), progress.StateRunning).Now(); now.Doing() != want {
			t.Errorf("a rollback: %q, want %q", now.Doing(), want)
		}
	}
}
