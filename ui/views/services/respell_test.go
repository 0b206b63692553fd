package services_test

import (
	"testing"
)

// B7: the review of a misspelt key shows a caution, and a key takes the name that was likely meant.
func TestTheReviewOfAMisspeltKeyTakesTheRightOne(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy").cities()
	s.do("jsonedit.go", "properties")
	s.Press("jsonedit.add")
	s.Type("maxRecodCount")
	s.Press("enter")
	s.Type("2000")
	s.Press("enter services.write")
	s.Shows("unknown key", "properties.maxRecodCount", "Did you mean maxRecordCount?")
	if hint := s.hint("services.respell"); hint != "take suggestion" {
		t.Error(hint)
	}
	s.Tells(s.Press("services.respell"), "properties.maxRecodCount is now properties.maxRecordCount.")
	s.Shows("properties.maxRecordCount", "4000", "2000", "restart likely")
	s.Hides("maxRecodCount", "unknown key")
	if hint := s.hint("services.respell"); hint != "" {
		t.Error(hint)
	}
	s.send()
	s.siteHas("properties.maxRecordCount", "2000")
	s.siteHas("properties.maxRecodCount", "")
}

// A known key that was typed beside the object that has it is moved there. What cannot be mended in a review says
// where it can.
func TestTheSuggestedKeyMayBeOfAnotherLevel(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy")
	s.Press("space space")
	s.cities().do("jsonedit.go", "type")
	s.Press("jsonedit.add")
	s.Type("maxRecordCount")
	s.Press("enter")
	s.Type("2000")
	s.Press("enter services.write services.many")
	s.Shows("review", "3 services")
	for _, c := range s.Commands() {
		if c.ID == "services.respell" && c.Enabled() != "Go back and correct the key in the editor. Then plan it for all again." {
			t.Error(c.Enabled())
		}
	}
	s.Press("esc services.write")
	s.Shows("properties has maxRecordCount.")
	s.Press("services.respell")
	s.Shows("properties.maxRecordCount", "4000", "2000")
	s.Hides("unknown key")
}
