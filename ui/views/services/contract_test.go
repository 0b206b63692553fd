package services_test

import (
	"os"
	"path/filepath"
	"testing"

	"geodeck/ui/uitest"
)

// based opens a file with what the site has as far as its user knows.
func (s *screen) based(name, text string) *screen {
	s.t.Helper()
	s.Shows("The site does not show the", "o opens a file to edit in its", "place.")
	path := filepath.Join(s.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.Invoke("services.open-file", path)
	return s
}

// A site of nothing but the contract shows no service. An edit of what a file has, and rules that are built on
// one, are sent there once a person has typed that the site was not read; what the file has is kept.
func TestWhatAFileHasIsEditedAndSentWhereNothingButTheContractIsOffered(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"contract-only", "contract-only-get"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			s := openAt(t, uitest.Scenario(t, scenario), uitest.Sizes[0])
			if err := s.env.State.Reach.Err; err != nil {
				t.Errorf("the site is out of reach: %v", err)
			}
			s.Shows("The site does not list its services.", "open service")
			s.cities().based("base.json", `{"serviceName":"SampleWorldCities","type":"MapServer","properties":{"maxRecordCount":1000}}`)
			s.set("properties.maxRecordCount", "2000").Press("services.write")
			s.Shows("1 danger to accept", "compared with", "base.json", "1000 → 2000")
			s.sent(0)
			s.Accept(s.site.Clock, "unread")
			s.Answer(s.Press("services.send"), "y")
			s.Shows("The site accepted the new definition", "could not be read back", "History restores it", "The site has the change.")
			s.sent(1)

			s.Press("esc tab")
			s.based("was.json", `{"placementPolicy":[{"deploymentId":"iqszeqagcu27jztyox0rr","deploymentType":"MapServer","podPlacementPolicy":{"nodeAffinity":{},"tolerations":[]}}]}`)
			s.Press("down down down a")
			s.Type("spot")
			s.Press("enter services.write")
			s.Shows("1 danger and 1 caution to accept", "the whole placement policy  site not read", "effect NoSchedule")
			s.Answer(s.ask(), "y")
			s.Shows("The site accepted the new placement policy")
			if n := s.wire.Sent("POST placementPolicy") + s.wire.Sent("POST edit"); n != 2 {
				t.Errorf("%d changes were sent, want 2", n)
			}
		})
	}
}
