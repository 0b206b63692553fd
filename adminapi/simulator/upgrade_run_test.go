package simulator_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
)

func TestAPatchRunsThroughItsMessagesAndChangesTheWorld(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	messages := s.upgrade(patch6805, s.settings(patch6805))
	got := s.get("/system/upgrades")
	got.has("status.state", "success", "status.code", 3)
	assertOrder(t, messages, 2010, 2287, 2288, 2270, 2271, 2165, 2291, 2038, 2173, 2166, 2012, 2011)
	if took := ended(messages); took < 15*time.Minute || took > 25*time.Minute {
		t.Errorf("it took %s", took)
	}
	if n := codes(messages); n[2291] != 1 || n[2038] != 13 || n[2173] != 13 || n[2165] != 1 || n[2166] != 1 {
		t.Errorf("codes: %v", n)
	}
	s.isVersion("11.5.0.6805")
	if current := s.get("/system/upgrades/currentVersion"); current.text("id") != patch6805 || current.length("messages") != len(messages) {
		t.Errorf("current version: %.300s", current.body)
	}
	s.get("/system/upgrades/installed").has("updates", 2, "updates.1.id", patch6805)
	if left := s.post("/system/upgrades/available"); strings.Contains(left.body, patch6805) || left.length("patches") != 4 {
		t.Errorf("available: %.300s", left.body)
	}
}

func TestAReleaseRunsThroughTheWholeCatalogue(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	messages := s.upgrade(release12, s.licensed(release12, "12.0"))
	assertOrder(t, messages, 2010, 2287, 2281, 2288, 2270, 2168, 2271, 2165, 2094, 2108, 2087, 2144, 2145, 2153, 2151, 2090, 2092, 2093,
		2148, 2149, 2109, 2134, 2101, 2038, 2103, 2175, 2132, 2291, 2173, 2179, 2180, 2181, 2178, 2185, 2187, 2188, 2191, 2192, 2166, 2012, 2011)
	if took := ended(messages); took < time.Hour || took > 2*time.Hour {
		t.Errorf("it took %s", took)
	}
	s.isVersion("12.0.0.7286")
	s.get("/healthCheck/suites").has("userSuites", 2)
	s.post("/system/upgrades/available").has("patches", 0, "releases", 1, "releases.0.id", release121)
}

// assertOrder checks that the codes come first in this order, that all are of the contract,
// and that time never goes back.
func assertOrder(t *testing.T, messages []message, order ...int) {
	t.Helper()
	known, _ := contract(t)
	var first []int
	for i, m := range messages {
		if !slices.Contains(first, m.Code) {
			first = append(first, m.Code)
		}
		if i > 0 && m.When < messages[i-1].When {
			t.Errorf("message %d of code %d is before the one before it", i, m.Code)
		}
		if m.Message == "" || strings.ContainsAny(m.Message, "{}") && m.Code != 2153 {
			t.Errorf("code %d says %q", m.Code, m.Message)
		}
		if !slices.Contains(known, m.Code) {
			t.Errorf("code %d is not in %s", m.Code, codeTable)
		}
	}
	if !slices.Equal(first, order) {
		t.Errorf("codes first come as %v, want %v", first, order)
	}
}

func ended(messages []message) time.Duration {
	return time.Duration(messages[len(messages)-1].When-messages[0].When) * time.Millisecond
}

func TestEveryPatchTakesAboutTwentyMinutes(t *testing.T) {
	t.Parallel()
	for _, id := range []string{patch6805, patch6815, "pat_07102025_6820", "pat_23102025_6825", patch6835} {
		s := healthy(t)
		started(t, s.upgradeTo(id, "{}"))
		if took := ended(s.finish()); took < 14*time.Minute || took > 27*time.Minute {
			t.Errorf("%s took %s", id, took)
		}
	}
}

func TestEveryReleaseTakesAtMostTwoHours(t *testing.T) {
	t.Parallel()
	for version, licence := range map[string]string{"11.0.0.2068": "11.1", "11.1.0.3923": "11.2", "11.2.0.5207": "11.3", "11.3.0.5814": "11.4", "11.4.0.6285": "11.5"} {
		s := start(t, simulator.Scenario{Name: "x", Version: version}, "admin")
		id := s.post("/system/upgrades/available").text("releases.0.id")
		started(t, s.upgradeTo(id, s.licensed(id, licence)))
		if took := ended(s.finish()); took < time.Hour || took > 2*time.Hour {
			t.Errorf("%s takes %s", version, took)
		}
	}
}

func TestAReleaseThatFailsLeavesTheSiteReadOnly(t *testing.T) {
	t.Parallel()
	s := open(t, "release-fails", "admin")
	settings := s.licensed(release12, "12.0")
	messages := s.upgrade(release12, settings)
	got := s.get("/system/upgrades")
	if got.text("status.state") != "failed" || got.number("status.code") != 2 || messages[len(messages)-1].Code != 2144 {
		t.Errorf("at the end: %.200s", got.body)
	}
	s.isVersion("11.5.0.6745")
	s.get("/system/upgrades/history").has("history.0.status", "failure")
	s.upgradeTo(release12, settings).refused(403, "read-only mode")
	s.post("/mode/update", "isReadOnly", "false")
	s.upgrade(release12, settings)
	s.isVersion("12.0.0.7286")
}

func TestAPatchThatFailsIsRolledBack(t *testing.T) {
	t.Parallel()
	s := open(t, "patch-fails", "admin")
	messages := s.upgrade(patch6805, "{}")
	n := codes(messages)
	if state, _ := s.log(); state != "failed" || n[2011] != 0 || n[2010] != 1 || n[2038] != 5+5 || n[2165] != 1 || n[2166] != 1 {
		t.Errorf("%s with %v", state, n)
	}
	if last := messages[len(messages)-2]; last.Code != 2173 || !strings.HasPrefix(last.Message, "5 of 5 ") {
		t.Errorf("the last count: %+v", last)
	}
	if root, mode := s.get(""), s.get("/mode"); root.text("fullVersion") != "11.5.0.6745" || mode.at("isReadOnly") != false {
		t.Errorf("afterwards: %s %s", root.body, mode.body)
	}
	s.upgrade(patch6805, "{}")
	s.isUpgrade("success")
}

// A deployment that begins, gets its image and ends is the same one.
func TestTheImageOfADeploymentIsReportedWithItsName(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	deployment, images := "", 0
	for _, m := range s.upgrade(release12, s.licensed(release12, "12.0")) {
		switch m.Code {
		case 2101:
			deployment = strings.TrimSuffix(strings.Fields(m.Message)[4], "-0")
		case 2103:
			deployment = ""
		case 2038:
			if deployment != "" && !strings.Contains(m.Message, " "+deployment+" ") {
				t.Errorf("%s gets its image by %q", deployment, m.Message)
			}
			images++
		}
	}
	if images < 40 {
		t.Errorf("%d images", images)
	}
}

func TestAFailureIsNoSuccessToTheClient(t *testing.T) {
	t.Parallel()
	c := connect(t, "patch-fails", "admin")
	if _, _, err := c.Upgrades.Start(t.Context(), parts(patch6805, "{}")); err != nil {
		t.Fatal(err)
	}
	c.sleep(2 * time.Hour)
	if status, err := c.Upgrades.Status(t.Context()); err != nil || status.State == adminapi.UpgradeSuccess || status.Code != 2 {
		t.Errorf("%s %d %v", status.State, status.Code, err)
	}
}

func TestTheAnswerToAnUpgradeIsLostAsTheScenarioSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		readable string // of the body
		state    string // of the upgrade afterwards
	}{
		"before-headers": {0, "", "in_progress"},
		"after-headers":  {200, "", "in_progress"},
		"mid-body":       {200, `{`, "in_progress"},
		"silent":         {0, "", "in_progress"},
		"502":            {502, "<html>", "in_progress"},
		"not-performed":  {0, "", "no_upgrade"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "answer-lost-"+name, "admin")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := s.request("/system/upgrades/upgrade", newForm(t, "versionManifest", named(patch6805), "upgradeSettings", "{}")).WithContext(ctx)
			if name == "silent" {
				go func() {
					for s.state() == "no_upgrade" { // until the site has performed the request
					}
					cancel()
				}()
			}
			status, body, err := s.roundTrip(r)
			if status != c.status || !strings.HasPrefix(body, c.readable) || err == nil && status != 502 {
				t.Errorf("HTTP %d, %q, %v", status, body, err)
			}
			if got := s.state(); got != c.state {
				t.Errorf("afterwards %s, want %s", got, c.state)
			}
			if c.state == "no_upgrade" {
				started(t, s.upgradeTo(patch6805, "{}"))
			}
		})
	}
}
