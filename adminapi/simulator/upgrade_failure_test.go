package simulator_test

import (
	"testing"
	"time"

	"geodeck/adminapi"
)

func TestAReleaseThatFailsLeavesTheSiteReadOnly(t *testing.T) {
	s := start(t, builtIn(t, "release-fails"))
	s.signIn("admin")
	settings := s.filled(release12, s.uploadedLicence("12.0"))
	started(t, s.upgradeTo(release12, settings))
	messages := s.finish()
	got := s.get("/system/upgrades")
	if got.text("status.state") != "failed" || got.number("status.code") != 2 || messages[len(messages)-1].Code != 2144 {
		t.Errorf("at the end: %.200s", got.body)
	}
	if root := s.get(""); root.text("fullVersion") != "11.5.0.6745" {
		t.Errorf("root: %s", root.body)
	}
	if past := s.get("/system/upgrades/history"); past.text("history.0.status") != "failure" {
		t.Errorf("history: %s", past.body)
	}
	s.upgradeTo(release12, settings).refused(403, "read-only mode")
	s.post("/mode/update", "isReadOnly", "false")
	started(t, s.upgradeTo(release12, settings))
	s.finish()
	if root := s.get(""); root.text("fullVersion") != "12.0.0.7286" {
		t.Errorf("the second time: %s", root.body)
	}
}

func TestAPatchThatFailsIsTakenBack(t *testing.T) {
	s := start(t, builtIn(t, "patch-fails"))
	s.signIn("admin")
	started(t, s.upgradeTo(patch6805, "{}"))
	messages := s.finish()
	n := codes(messages)
	if state, _ := s.log(); state != "failed" || n[2011] != 0 || n[2010] != 1 || n[2038] != 5+13 {
		t.Errorf("%s with %v", state, n)
	}
	if root, mode := s.get(""), s.get("/mode"); root.text("fullVersion") != "11.5.0.6745" || mode.at("isReadOnly") != false {
		t.Errorf("afterwards: %s %s", root.body, mode.body)
	}
	started(t, s.upgradeTo(patch6805, "{}"))
	s.finish()
	if state, _ := s.log(); state != "success" {
		t.Errorf("the second time: %s", state)
	}
}

func TestAFailureIsNoSuccessToTheClient(t *testing.T) {
	c, server := connected(t, builtIn(t, "patch-fails"), "admin")
	if _, _, err := c.StartUpgrade(t.Context(), parts(patch6805, "{}")); err != nil {
		t.Fatal(err)
	}
	_ = server.Clock().Sleep(t.Context(), 2*time.Hour)
	if status, err := c.UpgradeStatus(t.Context()); err != nil || status.State == adminapi.UpgradeSuccess || status.Code != 2 {
		t.Errorf("%s %d %v", status.State, status.Code, err)
	}
}
