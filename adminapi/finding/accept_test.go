package finding_test

import (
	"slices"
	"testing"

	"geodeck/adminapi/finding"
)

func backup(text string) finding.Finding {
	return finding.Finding{ID: "backup", Strength: finding.Caution, Text: text, Accept: "backup"}
}

// Of two failed tests that became five nobody has accepted five. An age is no other content.
func TestAFindingStaysAcceptedWhileItSaysTheSame(t *testing.T) {
	t.Parallel()
	accepted := finding.Accepted{}
	accepted.Add(backup("2 of 40 tests failed."))
	for text, want := range map[string]bool{"2 of 40 tests failed.": true, "5 of 40 tests failed.": false, "There is none.": false} {
		if f := backup(text); accepted.Has(f) != want || accepted.Changed(f) == want {
			t.Errorf("%q is accepted: %v, changed: %v", text, accepted.Has(f), accepted.Changed(f))
		}
	}
	aged, older := backup("It is 2 days old."), backup("It is 13 days old.")
	aged.Same, older.Same = "b1", "b1"
	if accepted.Add(aged); !accepted.Has(older) || accepted.Changed(older) {
		t.Error("its age changes it")
	}
	accepted.Remove(backup("2 of 40 tests failed."))
	worse, unread := aged, aged
	worse.Strength, unread.Unread = finding.Danger, true
	if accepted.Has(worse) || accepted.Has(unread) {
		t.Error("what weighs more is no news")
	}
	accepted.Remove(older)
	if len(accepted) > 0 {
		t.Error("it was not taken back")
	}
}

func TestAnAcceptanceOfLongAgoDoesNotCount(t *testing.T) {
	t.Parallel()
	accepted := finding.Accepted{}
	accepted.Add(backup("None."))
	accepted.Keep([]finding.Finding{backup("None.")})
	if !accepted.Has(backup("None.")) {
		t.Error("it is forgotten while it is there")
	}
	accepted.Keep(nil)
	if accepted.Has(backup("None.")) {
		t.Error("it is kept after it was gone")
	}
}

// C21: one line a finding, with what accepting means; a block has no word.
func TestOnlyItsOwnWordAcceptsAFinding(t *testing.T) {
	t.Parallel()
	all := []finding.Finding{
		backup("There is none."),
		{ID: "health", Strength: finding.Danger, Text: "It failed.", Why: "An upgrade can fail midway.", Do: "Read it.", Accept: "failed-health"},
		{ID: "running", Strength: finding.Block, Text: "One runs."}, {ID: "clock", Strength: finding.Note},
	}
	left := finding.Left(all, finding.By([]string{"backup", "all", ""}))
	if len(left) != 1 || left[0].ID != "health" {
		t.Errorf("left: %+v", left)
	}
	if got := left[0].Refusal(); got != "--accept failed-health  danger: It failed. An upgrade can fail midway. Read it." {
		t.Error(got)
	}
	if got := finding.Words(all); !slices.Equal(got, []string{"backup", "failed-health"}) {
		t.Errorf("%q", got)
	}
}
