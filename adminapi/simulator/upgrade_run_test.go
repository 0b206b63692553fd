package simulator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

func TestAPatchRunsThroughItsMessagesAndChangesTheWorld(t *testing.T) {
	s := healthy(t)
	started(t, s.upgradeTo(patch6805, s.settings(patch6805)))
	messages := s.finish()
	got := s.get("/system/upgrades")
	if got.text("status.state") != "success" || got.number("status.code") != 3 {
		t.Errorf("at the end: %.200s", got.body)
	}
	assertOrder(t, messages, 2010, 2287, 2288, 2270, 2271, 2291, 2038, 2173, 2012, 2011)
	if took := ended(messages); took < 15*time.Minute || took > 25*time.Minute {
		t.Errorf("it took %s", took)
	}
	if n := codes(messages); n[2291] != 1 || n[2038] != 13 || n[2173] != 13 || n[2165] != 0 {
		t.Errorf("codes: %v", n)
	}
	if root := s.get(""); root.text("fullVersion") != "11.5.0.6805" {
		t.Errorf("root: %s", root.body)
	}
	if current := s.get("/system/upgrades/currentVersion"); current.text("id") != patch6805 || current.length("messages") != len(messages) {
		t.Errorf("current version: %.300s", current.body)
	}
	if installed := s.get("/system/upgrades/installed"); installed.length("updates") != 2 || installed.text("updates.1.id") != patch6805 {
		t.Errorf("installed: %.300s", installed.body)
	}
	if left := s.post("/system/upgrades/available"); strings.Contains(left.body, patch6805) || left.length("patches") != 4 {
		t.Errorf("available: %.300s", left.body)
	}
}

func TestAReleaseRunsThroughTheWholeCatalogue(t *testing.T) {
	s := healthy(t)
	started(t, s.upgradeTo(release12, s.filled(release12, s.uploadedLicence("12.0"))))
	messages := s.finish()
	assertOrder(t, messages, 2010, 2287, 2281, 2288, 2270, 2168, 2271, 2165, 2094, 2108, 2087, 2144, 2145, 2153, 2151, 2090, 2092, 2093,
		2148, 2149, 2109, 2134, 2101, 2038, 2103, 2175, 2132, 2291, 2173, 2179, 2180, 2181, 2178, 2185, 2187, 2188, 2191, 2192, 2166, 2012, 2011)
	if took := ended(messages); took < time.Hour || took > 2*time.Hour {
		t.Errorf("it took %s", took)
	}
	if root := s.get(""); root.text("fullVersion") != "12.0.0.7286" {
		t.Errorf("root: %s", root.body)
	}
	if got := s.get("/healthCheck/suites"); got.length("userSuites") != 2 {
		t.Errorf("suites of 12.0: %.300s", got.body)
	}
	if got := s.post("/system/upgrades/available"); got.length("patches")+got.length("releases") != 0 {
		t.Errorf("available: %.300s", got.body)
	}
}

// catalogue are the codes that the contract knows.
var catalogue = []int{2010, 2011, 2012, 2165, 2166, 2168, 2270, 2271, 2287, 2288, 2291, 2173, 2175, 2101, 2103, 2134, 2132, 2038, 2094, 2281,
	2108, 2109, 2087, 2090, 2092, 2093, 2144, 2145, 2153, 2148, 2149, 2151, 2179, 2180, 2181, 2178, 2185, 2187, 2188, 2191, 2192}

// assertOrder checks that the codes come first in this order, that there are no
// others, and that time never goes back.
func assertOrder(t *testing.T, messages []message, order ...int) {
	t.Helper()
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
		if !slices.Contains(catalogue, m.Code) {
			t.Errorf("code %d is not in the catalogue", m.Code)
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
	for _, id := range []string{patch6805, patch6815, "pat_07102025_6820", "pat_23102025_6825", patch6835} {
		s := healthy(t)
		started(t, s.upgradeTo(id, "{}"))
		if took := ended(s.finish()); took < 14*time.Minute || took > 27*time.Minute {
			t.Errorf("%s took %s", id, took)
		}
	}
}

func TestEveryReleaseTakesAtMostTwoHours(t *testing.T) {
	for version, licence := range map[string]string{"11.0.0.2068": "11.1", "11.1.0.3923": "11.2", "11.2.0.5207": "11.3", "11.3.0.5814": "11.4", "11.4.0.6285": "11.5"} {
		s := start(t, simulator.Scenario{Name: "x", Version: version})
		s.signIn("admin")
		id := s.post("/system/upgrades/available").text("releases.0.id")
		started(t, s.upgradeTo(id, s.filled(id, s.uploadedLicence(licence))))
		if took := ended(s.finish()); took < time.Hour || took > 2*time.Hour {
			t.Errorf("%s takes %s", version, took)
		}
	}
}
